"""The laws of pools, by table, and the damper that keeps them from swinging."""

import pytest

from quire.cluster.placement.demand import (
    Damper,
    QueueLook,
    ReaderDemand,
    ReaderLaw,
    Smoothed,
    recommend_readers,
    recommend_replicas,
)

LAW = ReaderLaw(per_replica=4, inflight=8, load=0.8, patience_s=5)


def look(queued: int = 0, reading: int = 0, held: int = 0, wait_s: float = 0.0, at: float = 0.0) -> QueueLook:
    return QueueLook(queued=queued, reading=reading, held=held, oldest_wait_s=wait_s, measured_at=at)


@pytest.mark.parametrize(
    ("seen", "busy", "replicas", "wanted"),
    [
        (look(), 0, 0, 0),
        (look(queued=1), 0, 0, 1),  # from zero at once, whatever its age
        (look(queued=400), 0, 0, 100),
        (look(queued=9, wait_s=0.4), 4, 5, 5),  # a short young queue before a pool that is right
        (look(queued=9, wait_s=6.0), 4, 5, 8),  # the same depth, but it waits
        (look(queued=41, wait_s=0.4), 8, 10, 21),  # young, but deeper than the pool is worth
        (look(reading=4), 4, 15, 5),  # a pool that idles shrinks to what is busy, a fifth idle
        (look(), 4, 15, 0),  # nothing anywhere
        (look(held=70), 0, 3, 9),  # documents at the recogniser keep readers to hold them
        (look(queued=2, wait_s=600.0), 3, 3, 5),  # long documents: few wait, for long
    ],
)
def test_readers_follow_running_work_and_backlog(seen: QueueLook, busy: float, replicas: int, wanted: int) -> None:
    assert recommend_readers(seen, busy, replicas, LAW) == wanted


@pytest.mark.parametrize(
    ("ongoing", "per_replica", "limit", "wanted"),
    [(0, 16, None, 0), (1, 16, None, 1), (16, 16, None, 1), (17, 16, None, 2), (1000, 16, None, 63), (50, 4, 3, 3)],
)
def test_replicas_for_calls_that_run_or_wait(
    ongoing: float, per_replica: float, limit: int | None, wanted: int
) -> None:
    assert recommend_replicas(ongoing, per_replica, limit) == wanted


def test_the_damper_grows_at_once_and_shrinks_to_the_most_of_its_window() -> None:
    damper = Damper(60)
    wishes = [(0, 3), (1, 9), (2, 4), (30, 6), (61, 2), (62, 2), (90, 2), (91, 2), (200, 0)]
    assert [damper.damp(at, wanted) for at, wanted in wishes] == [3, 9, 9, 9, 9, 6, 6, 2, 0]


def test_smoothing_follows_slowly_and_the_same_moment_changes_nothing() -> None:
    busy = Smoothed(20)
    assert busy.update(0, 10) == 10
    assert busy.update(0, 0) == 10
    assert busy.update(20, 0) == pytest.approx(10 / 2.71828, rel=1e-4)


def test_documents_held_elsewhere_never_make_a_pool_grow_by_itself() -> None:
    """Every new reader takes more documents in; were those counted as busy readers, the pool would run away."""
    demand, replicas = ReaderDemand(LAW), 1
    for second in range(300):
        taken = 8 * replicas
        replicas = max(1, demand.want(look(reading=0, held=taken, at=second), replicas))
    assert replicas == 1
