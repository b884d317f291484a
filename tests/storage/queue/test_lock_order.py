"""Statements about the same claims lock them in one order: side by side they wait, and never for each other."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from quire.storage.inside.members import add_members
from quire.storage.queue.publish import finish
from quire.storage.queue.queue import Queue
from quire.storage.store import Store
from quire.storage.values.rows import Beat, Claim, MemberFile
from quire.storage.values.states import Phase
from tests.storage.scenes import claim, put_blob, submit, success, worker
from tests.waiting import until

Write = Callable[[Store, Queue, Sequence[Claim]], object]
_WAITING = """select count(*) as waiting from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'"""
_LOCK = "select from tasks where document_id = %s for update nowait"


def _beat(store: Store, queue: Queue, claims: Sequence[Claim]) -> object:
    beats = [Beat(document_id=one.document_id, attempt=one.attempt, phase=Phase.READING) for one in claims]
    return queue.beat(beats) == frozenset()


def _release(store: Store, queue: Queue, claims: Sequence[Claim]) -> object:
    return queue.release_all(claims) == len(claims)


def _forgive(store: Store, queue: Queue, claims: Sequence[Claim]) -> object:
    store.db.fetch_all("update tasks set lapses = 1 returning 1")
    return queue.forgive([replace(one, attempt=one.attempt - 1) for one in claims]) == len(claims)


def _finish(store: Store, queue: Queue, claims: Sequence[Claim]) -> object:
    return all(finish(store, [success(one) for one in claims]))


@pytest.mark.parametrize("write", [_beat, _release, _finish])
@pytest.mark.parametrize("backwards", [False, True])
def test_waiting_for_first_task_holds_no_other_task(store: Store, write: Write, backwards: bool) -> None:
    submit(store, 5)
    queue = worker(store)
    claims = sorted((claim(queue) for _ in range(5)), key=lambda one: one.document_id, reverse=backwards)
    first, *others = sorted(one.document_id for one in claims)
    with ThreadPoolExecutor(1) as pool:
        with store.db.transaction() as conn:
            conn.execute(_LOCK, (first,))
            done = pool.submit(write, store, queue, claims)
            assert until(lambda: store.db.fetch_all(_WAITING)[0]["waiting"] > 0)
            for document_id in others:
                conn.execute(_LOCK, (document_id,))
        assert done.result()


def test_adding_members_locks_jobs_in_order(store: Store) -> None:
    earlier, later = sorted((submit(store) for _ in range(2)), key=lambda job: job.id)
    queue = worker(store)
    taken = {one.job_id: one for one in (claim(queue), claim(queue))}
    inside = MemberFile(name="1.txt", path="1.txt", blob=put_blob(store, b"one"))
    ends = [success(taken[earlier.id]), replace(success(taken[later.id]), members=(inside,))]
    with ThreadPoolExecutor(1) as pool:
        with store.db.transaction() as conn:
            conn.execute("select from jobs where id = %s for update", (earlier.id,))
            done = pool.submit(finish, store, ends, add_members)
            assert until(lambda: store.db.fetch_all(_WAITING)[0]["waiting"] > 0)
            conn.execute("select from jobs where id = %s for update nowait", (later.id,))
        assert done.result() == [True, True]
