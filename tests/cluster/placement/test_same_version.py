"""Machines of another version are named, and may not join."""

from typing import Any

import pytest

from quire.cluster.placement.placement import machine_labels
from quire.cluster.placement.same_version import HERE, LABEL, list_others, refuse_to_join


def machine(name: str, version: str | None, *, alive: bool = True) -> dict[str, Any]:
    labels = machine_labels() | ({LABEL: version} if version else {})
    return {"NodeName": name, "Alive": alive, "Labels": labels}


def test_living_machines_of_another_version_are_named() -> None:
    nodes = [
        machine("10.0.0.1", HERE),
        machine("10.0.0.2", "0.9.0-reader-1"),
        machine("10.0.0.3", "0.8.0-reader-1", alive=False),
        machine("10.0.0.4", None),
        {"NodeName": "10.0.0.5", "Alive": True, "Labels": None},
    ]
    assert list_others(nodes) == ["10.0.0.2 (0.9.0-reader-1)"]


@pytest.mark.parametrize(("version", "refused"), [(HERE, False), (None, False), ("0.9.0-reader-1", True)])
def test_machine_joins_only_a_head_of_its_version(version: str | None, refused: bool) -> None:
    reason = refuse_to_join(machine("10.0.0.1", version)["Labels"])
    assert bool(reason) == refused
    assert not refused or (HERE in str(reason) and "0.9.0-reader-1" in str(reason))
