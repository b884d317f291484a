"""A replica that Ray has given up ends itself, and no other does."""

import os
import time
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from quire.serve_apps import dropped
from tests.waiting import until


def watch(*states: str | None) -> tuple[int, bool]:
    """Return the looks and whether the watch ended; None stands for a head that does not answer."""
    left, ended = list(states), list[bool]()

    def find() -> str:
        if not left:
            raise SystemExit
        state = left.pop(0)
        if state is None:
            raise ConnectionError
        return state

    try:
        dropped.watch_state(find, lambda: ended.append(True), lambda seconds: False)
    except SystemExit:
        return len(states), False
    return len(states) - len(left), ended == [True]


@pytest.mark.parametrize(
    ("states", "looks", "ended"),
    [
        (["DEAD"] * 5, 3, True),
        (["ALIVE", "DEAD", "DEAD", "DEAD"], 4, True),
        (["DEAD", "DEAD", "ALIVE", "DEAD", "DEAD", "DEAD"], 6, True),
        (["DEAD", None, "DEAD", None, "DEAD"], 5, True),
        (["DEAD", "DEAD", "ALIVE"] * 4, 12, False),
        ([None] * 20, 20, False),
        (["ALIVE"] * 20, 20, False),
    ],
)
def test_only_looks_in_a_row_that_find_the_actor_dead_end_it(states: list[str], looks: int, ended: bool) -> None:
    assert watch(*states) == (looks, ended)


@pytest.fixture
def cluster() -> Iterator[None]:
    import ray

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray.init(num_cpus=1, include_dashboard=False, logging_level="error", log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.long
def test_actor_that_is_dead_for_ray_ends_its_process(cluster: None, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    class Replica:
        def begin(self, known: bool) -> int:
            from quire.serve_apps import dropped

            dropped.LOOK_S = 0.05
            if not known:  # as after a return of the head
                dropped.find_state = lambda actor_id: "DEAD"
            dropped.end_when_dropped()
            return os.getpid()

    replica: Any = ray.remote(num_cpus=0)(Replica)
    living, gone = replica.remote(), replica.remote()
    kept, ended = ray.get([living.begin.remote(True), gone.begin.remote(False)])
    assert until(lambda: not os.path.exists(f"/proc/{ended}"), 60)
    time.sleep(1)
    assert ray.get(living.begin.remote(True)) == kept
