"""CPUs and GPUs that no living replica has."""

from typing import Any

import pytest

from quire.cluster.placement.held import RayActor, warn_of_held

NOW = 10_000.0


def node(id_: str, *, alive: bool = True, **resources: float) -> dict[str, Any]:
    return {"NodeName": f"10.0.0.{id_}", "NodeID": id_, "Alive": alive, "Resources": resources}


def actor(node: str, age_s: float = 600, **needs: float) -> RayActor:
    return RayActor(node, NOW - age_s, needs)


def test_resources_of_dead_replicas_are_a_warning_each() -> None:
    nodes = [node("1", CPU=2.0), node("2", CPU=2.0, GPU=1.0), node("3", CPU=2.0), node("4", alive=False, CPU=2.0)]
    free = {"1": {"CPU": 1.0}, "2": {}, "3": {"CPU": 1.0}, "4": {}}
    actors = [actor("1", CPU=1.0), actor("2", CPU=1.0), actor("2"), actor("", CPU=1.0)]
    assert warn_of_held(nodes, free, actors, NOW) == [
        "10.0.0.2: 1 CPU held by no process; restart `quire worker` on it",
        "10.0.0.2: 1 GPU held by no process; restart `quire worker` on it",
        "10.0.0.3: 1 CPU held by no process; restart `quire worker` on it",
    ]


def test_machine_on_which_a_replica_just_ended_is_left_out() -> None:
    assert warn_of_held([node("1", CPU=2.0)], {"1": {}}, [actor("1", age_s=30)], NOW) == []
    assert warn_of_held([node("1", CPU=2.0)], {"1": {}}, [actor("1", age_s=90)], NOW) != []


def test_parts_of_a_cpu_add_up_without_a_rest() -> None:
    assert warn_of_held([node("1", CPU=1.0)], {"1": {"CPU": 0.1}}, [actor("1", CPU=0.3)] * 3, NOW) == []


@pytest.mark.parametrize("free", [{}, {"2": {"CPU": 0.0}}])
def test_machine_that_reported_nothing_yet_is_left_out(free: dict[str, dict[str, float]]) -> None:
    assert warn_of_held([node("1", CPU=1.0)], free, [], NOW) == []
