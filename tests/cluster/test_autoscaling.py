"""The queue-depth policy: pure when called, refreshed by a thread that does not keep it alive."""

import gc
import json
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from cluster import autoscaling
from cluster.autoscaling import Depth, QueueDepthPolicy, look_at_queue
from storage.store import Store
from tests.storage.scenes import claim, submit, worker


@dataclass
class Context:
    target_num_replicas: int = 3


def watch_threads() -> int:
    return sum(thread.name == "queue-depth" for thread in threading.enumerate())


def until(true: Callable[[], bool], seconds: float = 5) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


def policy(look: Callable[[str], tuple[int, int]], per_replica: int = 4) -> QueueDepthPolicy:
    return QueueDepthPolicy("/no/file", per_replica, look=look)


@pytest.mark.parametrize(("queued", "running", "replicas"), [(0, 0, 0), (1, 0, 1), (4, 0, 1), (4, 1, 2), (0, 9, 3)])
def test_waiting_and_running_documents_decide(queued: int, running: int, replicas: int) -> None:
    made = policy(lambda _: (queued, running))
    assert until(lambda: made.depth is not None)
    assert made(Context())[0] == replicas


def test_without_a_look_yet_the_count_is_kept() -> None:
    gate = threading.Event()
    made = policy(lambda _: (int(not gate.wait(5)), 0))
    assert made(Context(7)) == (7, {"stale": 1.0})
    gate.set()


def test_a_lost_database_keeps_the_count_once_the_look_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(_: str) -> tuple[int, int]:
        raise OSError("no database")

    made = policy(lost)
    made.depth = Depth(100, 0, time.monotonic())
    assert made(Context())[0] == 25
    monkeypatch.setattr(autoscaling, "STALE_S", -1.0)
    assert made(Context(3)) == (3, {"stale": 1.0})


def test_a_policy_that_was_replaced_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autoscaling, "POLL_S", 0.01)
    assert until(lambda: watch_threads() == 0, 3), "threads of other tests"
    made = [policy(lambda _: (0, 0)) for _ in range(9)]
    gone = [weakref.ref(one) for one in made]
    del made
    gc.collect()
    assert all(one() is None for one in gone)
    assert until(lambda: watch_threads() == 0)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Ray's own
def test_what_serve_shows_of_a_policy_holds_no_secret() -> None:
    from ray.serve.config import AutoscalingConfig

    from cluster.app import autoscaling as configured
    from cluster.sizing import Sizing

    config = configured(Sizing(minimum=0, maximum=3, own_application=True), Path("/srv/run/dsn"))
    assert isinstance(config, AutoscalingConfig)
    assert json.loads(json.dumps(config.policy.policy_kwargs)) == {"dsn_file": "/srv/run/dsn", "per_replica": 4}


def test_the_look_counts_tasks_by_state(dsn: str, store: Store, tmp_path: Path) -> None:
    (tmp_path / "dsn").write_text(dsn)
    submit(store, documents=3)
    claim(worker(store))
    assert look_at_queue(str(tmp_path / "dsn")) == (2, 1)
