"""The cluster's health, summarised from Serve's status."""

from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest

from quire.cluster.placement.health import ServeState, list_machines, summarise
from quire.models.cdom.ports import PortUnavailable


class Status(Enum):
    HEALTHY = "HEALTHY"
    UPDATING = "UPDATING"
    UPSCALING = "UPSCALING"
    DOWNSCALING = "DOWNSCALING"


def status(**deployments: Any) -> Any:
    return SimpleNamespace(applications={"api": SimpleNamespace(deployments=deployments)})


def deployment(state: Status = Status.HEALTHY, **replicas: int) -> Any:
    return SimpleNamespace(status=state, replica_states=replicas)


def test_a_healthy_cluster_has_pools_and_no_warning() -> None:
    facts = summarise(status(api=deployment(RUNNING=1), fast_path=deployment(RUNNING=2, STARTING=1)), {})
    assert facts["warnings"] == []
    assert facts["pools"] == {
        "api": {"status": "HEALTHY", "running": 1},
        "fast_path": {"status": "HEALTHY", "running": 2, "starting": 1},
    }


def test_a_pool_that_is_not_healthy_is_a_warning() -> None:
    assert summarise(status(api=deployment(Status.UPDATING)), {})["warnings"] == ["api: updating"]


@pytest.mark.parametrize(
    ("state", "running", "warnings"),
    [(Status.UPSCALING, 2, []), (Status.UPSCALING, 0, ["recogniser: upscaling"]), (Status.DOWNSCALING, 0, [])],
)
def test_scaling_pool_is_not_a_warning_while_a_replica_runs(state: Status, running: int, warnings: list[str]) -> None:
    assert summarise(status(recogniser=deployment(state, RUNNING=running)), {})["warnings"] == warnings


def test_unplaceable_pool_is_a_warning() -> None:
    assert summarise(status(), {"vlm_ocr": "no node"})["warnings"] == ["vlm_ocr: no node"]


def node(name: str, id_: str, *, alive: bool = True, **resources: float) -> dict[str, Any]:
    labels = {"arch": "arm64", "ray.io/node-id": id_}
    return {"NodeName": name, "NodeID": id_, "Alive": alive, "Labels": labels, "Resources": resources}


def test_machines_list_their_labels_and_used_resources() -> None:
    gpu, away = node("10.0.0.3", "b", CPU=4.0, GPU=1.0), node("10.0.0.9", "c", alive=False)
    back = [node("10.0.0.2", "a", CPU=2.0), node("10.0.0.2", "old", alive=False)]
    assert list_machines([away, gpu, *back], {"a": {"CPU": 2.0}, "b": {"CPU": 1.5}}) == [
        {"name": "10.0.0.2", "alive": True, "labels": {"arch": "arm64"}, "cpus": {"total": 2.0, "used": 0.0}},
        {
            "name": "10.0.0.3", "alive": True, "labels": {"arch": "arm64"},
            "cpus": {"total": 4.0, "used": 2.5}, "gpus": {"total": 1.0, "used": 1.0},
        },
        {"name": "10.0.0.9", "alive": False, "labels": {"arch": "arm64"}},
    ]  # fmt: skip


async def test_silent_cluster_returns_its_last_state(monkeypatch: pytest.MonkeyPatch) -> None:
    state = ServeState({})
    state._last = {"pools": {"api": {"running": 1}}, "warnings": ["api: updating"]}
    monkeypatch.setattr(state, "_ask", lambda: 1 / 0)
    facts: Any = await state.cluster_state()
    assert facts["pools"] == {"api": {"running": 1}}
    assert facts["age_s"] >= 0
    assert [warning.split(";")[0] for warning in facts["warnings"]] == ["api: updating", "the cluster does not answer"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_without_a_cluster_the_port_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    state = ServeState({})
    monkeypatch.setattr(state, "_ask", lambda: 1 / 0)
    with pytest.raises(PortUnavailable):
        await state.cluster_state()
