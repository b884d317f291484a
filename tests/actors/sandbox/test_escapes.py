"""A taken-over reader reaches nothing outside its sandbox."""

import os
from pathlib import Path

import pytest

from quire.actors.reading.forkserver import ForkServer, SandboxRefused, sandbox_layers
from quire.actors.sandbox.landlock import landlock_version
from quire.models.cdom.errors import ErrorCode
from tests.actors.sandbox.conftest import SMALL, ReadOrders
from tests.actors.sandbox.escapes import ESCAPES

KILLED = {"connect", "datagram", "resolve", "unix-socket", "execute", "fork", "thread", "trace-parent", "unshare"}


@pytest.mark.parametrize("escape", sorted(ESCAPES))
def test_no_way_out_of_the_sandbox(read_orders: ReadOrders, escape: str) -> None:
    outcome = read_orders(escape)
    if escape in KILLED:
        assert outcome.error is ErrorCode.PARSER_CRASH
    else:
        assert outcome.tree is not None
        assert outcome.tree.blocks[0].text.startswith("denied: ")
    assert not Path("/tmp/escaped").exists()


def test_a_child_has_neither_our_environment_nor_our_files(read_orders: ReadOrders) -> None:
    os.environ["QUIRE_TEST_SECRET"] = "x"
    assert read_orders("open-environ").error is None


def test_every_layer_this_system_offers_is_active() -> None:
    layers = sandbox_layers()
    assert layers.pop("landlock") in (True, False)
    assert layers == {"rlimits": True, "no_new_privs": True, "seccomp": True, "unprivileged": True}


def test_the_server_itself_opens_and_writes_no_file_once_it_serves() -> None:
    server = ForkServer(SMALL, entry="tests.actors.sandbox.servers.curious")
    file = "denied" if landlock_version() else "opened"
    with pytest.raises(SandboxRefused, match=f"file {file}, may write 0 bytes"):
        server.start()
    server.close()
