"""The queue-depth policy: pure when called, refreshed by a thread that does not keep it alive."""

import gc
import json
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from quire.cluster.placement import autoscaling
from quire.cluster.placement.autoscaling import Counts, OngoingPolicy, QueuePolicy, look_at_queue
from quire.storage.store import Store
from quire.storage.values.rows import Beat
from quire.storage.values.states import Phase
from tests.storage.scenes import claim, submit, worker
from tests.waiting import PATIENCE_S, until


@dataclass
class Context:
    target_num_replicas: int = 3
    total_num_requests: float = 0.0


def watch_threads() -> int:
    return sum(thread.name == "watch" for thread in threading.enumerate())


def policy(look: Callable[[str], Counts]) -> QueuePolicy:
    return QueuePolicy("/no/file", 4, 8, look=look)


def test_queue_state_becomes_a_replica_count_with_its_facts() -> None:
    made = policy(lambda _: (40, 0, 0, 1.0))
    assert until(lambda: made.watch.fresh)
    assert made(Context(0)) == (10, {"queued": 40.0, "reading": 0.0, "held": 0.0, "oldest_wait_s": 1.0})


def test_without_a_look_yet_the_count_is_kept() -> None:
    gate = threading.Event()
    made = policy(lambda _: (int(not gate.wait(PATIENCE_S)), 0, 0, 0.0))
    assert made(Context(7)) == (7, {"stale": 1.0})
    gate.set()


def test_a_lost_database_keeps_the_count_once_the_look_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(_: str) -> Counts:
        raise OSError("no database")

    made = policy(lost)
    made.watch.value, made.watch.measured_at = (100, 0, 0, 0.0), time.monotonic()
    assert made(Context())[0] == 25
    monkeypatch.setattr(autoscaling, "STALE_S", -1.0)
    assert made(Context(3)) == (3, {"stale": 1.0})


def test_a_policy_that_was_replaced_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autoscaling, "POLL_S", 0.01)
    monkeypatch.setattr(autoscaling, "NODES_POLL_S", 0.01)
    assert until(lambda: watch_threads() == 0), "threads of other tests"
    made: list[Any] = [policy(lambda _: (0, 0, 0, 0.0)) for _ in range(9)]
    made += [OngoingPolicy(4, 60, per_node=1, nodes=lambda: 1) for _ in range(9)]
    gone = [weakref.ref(one) for one in made]
    del made
    gc.collect()
    assert all(one() is None for one in gone)
    assert until(lambda: watch_threads() == 0)


def test_a_pool_of_one_per_node_never_wants_more_than_nodes_and_others_do() -> None:
    capped = OngoingPolicy(4, 60, per_node=1, nodes=lambda: 3)
    assert until(lambda: capped.watch is not None and capped.watch.fresh)
    assert capped(Context(total_num_requests=100))[0] == 3
    several = OngoingPolicy(4, 60, per_node=2, nodes=lambda: 3)
    assert until(lambda: several.watch is not None and several.watch.fresh)
    assert several(Context(total_num_requests=100))[0] == 6
    assert OngoingPolicy(4, 60)(Context(total_num_requests=100))[0] == 25
    assert OngoingPolicy(4, 60)(Context(total_num_requests=0))[0] == 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Ray's own
def test_policy_arguments_hold_no_secret() -> None:
    from ray.serve.config import AutoscalingConfig

    from quire.cluster.placement.sizing import Sizing
    from quire.cluster.serve.app import autoscaling as configured

    config = configured(Sizing(minimum=0, maximum=3, own_application=True), Path("/srv/run/dsn"))
    assert isinstance(config, AutoscalingConfig)
    assert json.loads(json.dumps(config.policy.policy_kwargs)) == {
        "dsn_file": "/srv/run/dsn",
        "per_replica": 4,
        "inflight": 8,
    }


def test_look_counts_tasks_waiting_for_a_reader_separately(dsn: str, store: Store, tmp_path: Path) -> None:
    (tmp_path / "dsn").write_text(dsn)
    submit(store, documents=5)
    queue = worker(store)
    claim(queue)
    scan = claim(queue)
    assert not queue.beat([Beat(document_id=scan.document_id, attempt=scan.attempt, phase=Phase.RECOGNISING)])
    assert queue.release(claim(queue), scan=True)
    assert look_at_queue(str(tmp_path / "dsn"))[:3] == (2, 1, 1)
    with store.db.autocommit() as connection:
        connection.execute("update tasks set available_at = available_at - interval '60 seconds'")
    assert look_at_queue(str(tmp_path / "dsn"))[3] >= 60


@pytest.mark.filterwarnings("ignore:.look_back_period_s.:FutureWarning")  # Ray looks at what handles reported last
def test_api_and_searcher_scale_with_their_requests() -> None:
    from quire.cluster.placement.sizing import Sizing, size_api
    from quire.cluster.serve.app import targets

    replicas = size_api(cores=16, machines=3, least=2, most=None)
    readers = Sizing(minimum=0, maximum=0, own_application=False)
    target: Any = targets(readers, Path("dsn"), api=replicas, searching=True)[0].target
    api = target._bound_deployment
    bound = [api, *(part._bound_deployment for part in api.init_args if hasattr(part, "_bound_deployment"))]
    scaling = {part.name: part._deployment_config.autoscaling_config for part in bound}
    assert (scaling["api"].min_replicas, scaling["searcher"].min_replicas) == (2, 1)
    assert scaling["api"].max_replicas > 2
    assert api._replica_config.max_replicas_per_node == 1  # the death of a machine leaves others
    assert scaling["searcher"].max_replicas > 1
    assert scaling["background"] is None  # the index has one writer
