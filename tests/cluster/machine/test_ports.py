"""Ports: free, distinct, and constant per owner."""

import random
import socket

import pytest

from quire.cluster.errors import NoFreePorts
from quire.cluster.machine import ports
from quire.cluster.machine.ports import choose_ports, is_free


def test_every_purpose_has_a_port_of_its_own() -> None:
    chosen = choose_ports()
    assert len(set(chosen.values())) == len(chosen)
    assert all(20_000 <= port < 32_000 for port in chosen.values())


def test_workers_get_a_range_outside_all_other_ports() -> None:
    chosen = choose_ports(random.Random(1))
    others = [port for name, port in chosen.items() if not name.startswith("worker")]
    assert not any(chosen["worker_min"] <= port <= chosen["worker_max"] for port in others)


def test_port_in_use_is_not_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = server.getsockname()[1]
        assert not is_free(taken)
    assert is_free(taken)


def test_without_a_free_block_the_start_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "is_free", lambda port: False)
    with pytest.raises(NoFreePorts):
        choose_ports()
