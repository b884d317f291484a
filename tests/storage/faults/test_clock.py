"""The database's clock jumps by an hour. It cannot be moved here, so what it wrote before the jump is."""

import pytest

from quire.storage.postgres.leases import RoleLease
from quire.storage.queue.clock import heal_clock
from quire.storage.queue.publish import finish
from quire.storage.store import Store
from tests.storage.scenes import claim, submit, success, worker

LEASE_S, DELAY_S = 30.0, 60.0
_JUMPED = (
    "update tasks set lease_until = lease_until - %(by)s * interval '1 hour',"
    " available_at = available_at - %(by)s * interval '1 hour'",
    "update role_leases set lease_until = lease_until - %(by)s * interval '1 hour'",
    "update purges set not_before = not_before - %(by)s * interval '1 hour'",
)


def jump(store: Store, hours: int) -> None:
    """As if the clock had been set ahead by `hours`, back when negative."""
    with store.db.transaction() as conn:
        for statement in _JUMPED:
            conn.execute(statement, {"by": hours})


def heal(store: Store) -> int:
    return heal_clock(store.db, lease_s=LEASE_S, delay_s=DELAY_S)


def ended(store: Store) -> tuple[int, int]:
    rows = store.db.fetch_all("select count(*) as n, (select count(*) from meter) as metered from documents"
                              " where status = 'succeeded'")  # fmt: skip
    return rows[0]["n"], rows[0]["metered"]


def test_an_hour_ahead_costs_a_start_and_the_document_ends_once(store: Store) -> None:
    submit(store)
    first = claim(worker(store))
    jump(store, 1)
    second = claim(worker(store))
    assert second.document_id == first.document_id
    assert finish(store, [success(first)]) == [False]
    assert finish(store, [success(second)]) == [True]
    assert ended(store) == (1, 1)


def test_an_hour_back_keeps_no_queued_document_waiting(store: Store) -> None:
    submit(store, 3)
    jump(store, -1)
    assert worker(store).claim() is None
    assert heal(store) == 3
    assert worker(store).claim() is not None


def test_an_hour_back_keeps_no_dead_readers_document_for_an_hour(store: Store) -> None:
    submit(store)
    claim(worker(store))
    jump(store, -1)
    assert heal(store) == 1
    left = store.db.fetch_all("select extract(epoch from lease_until - clock_timestamp())::float8 as s from tasks")
    assert 0 < left[0]["s"] <= LEASE_S


def test_an_hour_back_takes_nothing_from_a_living_reader(store: Store) -> None:
    submit(store)
    taken = claim(worker(store))
    jump(store, -1)
    heal(store)
    assert worker(store).claim() is None
    assert finish(store, [success(taken)]) == [True]


def test_a_clock_that_did_not_jump_is_left_alone(store: Store) -> None:
    submit(store, 2)
    queue = worker(store)
    failed = claim(queue)
    claim(queue)
    queue.retry(failed, "internal", "waits for its second start")
    before = store.db.fetch_all("select * from tasks order by document_id")
    assert heal(store) == 0
    assert store.db.fetch_all("select * from tasks order by document_id") == before


@pytest.mark.parametrize("hours", [1, -1])
def test_a_role_changes_hands_after_a_jump_and_its_old_holder_knows(store: Store, hours: int) -> None:
    first, second = (RoleLease(store.db, "janitor", name, 30) for name in ("one", "two"))
    assert first.acquire()
    jump(store, hours)
    assert second.acquire()
    assert second.fence == first.fence + 1
    assert not first.renew()
