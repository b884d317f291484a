"""Claims, beats, releases and retries of one worker, on a real database."""

import random

import pytest

from quire.storage.jobs.documents import find_document
from quire.storage.jobs.jobs import get_job
from quire.storage.jobs.lifecycle import cancel_job
from quire.storage.queue.publish import finish
from quire.storage.queue.queue import LeasePolicy, Queue, queue_depth
from quire.storage.store import Store
from quire.storage.values.rows import Beat, Claim, DocumentRow, Failed, Scope
from quire.storage.values.states import DocumentStatus, JobStatus, Phase, Priority
from tests.storage.scenes import ACME, ACTOR, claim, expire, ready_now, submit, success, worker


def document_of(store: Store, taken: Claim) -> DocumentRow:
    return find_document(store.db, taken.scope, taken.document_id)


def task_of(store: Store, taken: Claim) -> dict[str, object]:
    return store.db.fetch_all("select * from tasks where document_id = %(id)s", {"id": taken.document_id})[0]


def test_an_empty_queue_gives_no_claim(store: Store) -> None:
    assert worker(store).claim() is None


def test_a_claim_carries_all_that_reading_needs(store: Store) -> None:
    job = submit(store)
    taken = claim(worker(store))
    assert (taken.job_id, taken.scope, taken.key_name) == (job.id, ACME, "acme:write")
    assert (taken.run, taken.attempt, taken.starts, taken.reserved_pages) == (1, 1, 1, 1)
    assert taken.priority is Priority.JOB
    assert taken.blob_sha256 is not None
    assert store.blobs.exists(taken.blob_sha256)
    assert taken.options.ocr_langs == ("en",)
    assert not taken.exhausted


def test_a_claim_moves_document_and_job_to_running(store: Store) -> None:
    job = submit(store, 2)
    taken = claim(worker(store))
    assert document_of(store, taken).status is DocumentStatus.RUNNING
    seen = get_job(store.db, ACME, job.id)
    assert (seen.status, seen.counts["queued"], seen.counts["running"]) == (JobStatus.RUNNING, 1, 1)
    assert seen.started_at is not None


def test_held_task_is_not_claimed_again(store: Store) -> None:
    submit(store)
    claim(worker(store))
    assert worker(store).claim() is None


def test_expired_lease_is_taken_by_the_next_claim(store: Store) -> None:
    submit(store)
    first = claim(worker(store))
    expire(store, first.document_id)
    second = claim(worker(store))
    assert (second.document_id, second.attempt, second.starts) == (first.document_id, 2, 1)


def test_expired_lease_goes_before_waiting_tasks(store: Store) -> None:
    submit(store, 2)
    first = claim(worker(store))
    expire(store, first.document_id)
    assert claim(worker(store)).document_id == first.document_id


def test_a_beat_keeps_the_lease_and_notes_progress(store: Store) -> None:
    submit(store)
    queue = worker(store)
    taken = claim(queue)
    expire(store, taken.document_id)
    beat = Beat(document_id=taken.document_id, attempt=1, phase=Phase.READING, pages_done=3, pages_total=9)
    assert queue.beat([beat]) == frozenset()
    assert worker(store).claim() is None
    seen = document_of(store, taken)
    assert (seen.pages_done, seen.pages_total) == (3, 9)


def test_heartbeat_returns_the_lost_tasks(store: Store) -> None:
    submit(store, 2)
    queue = worker(store)
    lost, kept = claim(queue), claim(queue)
    expire(store, lost.document_id)
    claim(worker(store))
    beats = [Beat(document_id=c.document_id, attempt=c.attempt, phase=Phase.READING) for c in (lost, kept)]
    assert queue.beat(beats) == {lost.document_id}


def test_the_same_attempt_of_another_worker_is_not_ours(store: Store) -> None:
    submit(store)
    taken = claim(worker(store))
    stranger = worker(store)
    assert stranger.beat([Beat(document_id=taken.document_id, attempt=1, phase=Phase.READING)]) == {taken.document_id}


def test_a_release_costs_nothing_and_is_claimed_at_once(store: Store) -> None:
    job = submit(store)
    queue = worker(store)
    assert queue.release(claim(queue))
    assert get_job(store.db, ACME, job.id).status is JobStatus.QUEUED
    again = claim(queue)
    assert (again.attempt, again.starts) == (2, 1)


def test_a_retry_waits_longer_each_time_and_ends_in_a_dead_letter(store: Store) -> None:
    submit(store)
    queue = worker(store, LeasePolicy(retry_delays_s=(10, 60)))
    delays = []
    for start in (1, 2):
        taken = claim(queue)
        assert taken.starts == start
        assert queue.retry(taken, "internal", "no reader")
        assert queue.claim() is None
        waits = "select extract(epoch from available_at - clock_timestamp())::float8 as s from tasks"
        delays.append(store.db.fetch_all(waits)[0]["s"])
        ready_now(store)
    assert 5 < delays[0] <= 10
    assert 50 < delays[1] <= 60
    last = claim(queue)
    assert queue.retry(last, "internal", "no reader")
    seen = document_of(store, last)
    assert (seen.status, seen.error, seen.error_detail, seen.attempts) == (
        DocumentStatus.FAILED,
        "internal",
        "no reader",
        3,
    )
    assert store.db.fetch_all("select * from tasks") == []


@pytest.mark.parametrize("phase", [Phase.READING, Phase.RECOGNISING, Phase.EMBEDDING, Phase.PUBLISHING])
def test_document_fails_after_the_maximum_of_lease_expiries(store: Store, phase: Phase) -> None:
    submit(store)
    queue = worker(store, LeasePolicy(max_starts=1, max_lapses=2))
    for lapses in range(3):
        taken = claim(queue)
        assert (taken.starts, taken.exhausted) == (1, False)
        assert task_of(store, taken)["lapses"] == lapses
        assert not queue.beat([Beat(document_id=taken.document_id, attempt=taken.attempt, phase=phase)])
        expire(store, taken.document_id)
    for attempt in (4, 5):
        last = claim(queue)
        assert (last.exhausted, last.starts, last.attempt) == (True, 0, attempt)
        expire(store, last.document_id)
    assert finish(store, [Failed(claim=last, error="worker-killed")]) == [True]


def test_living_reader_forgives_the_expiry_of_its_lease(store: Store) -> None:
    submit(store, 2)
    queue = worker(store)
    stopped, ended = claim(queue), claim(queue)
    assert finish(store, [Failed(claim=ended, error="malformed")]) == [True]
    expire(store, stopped.document_id)
    assert queue.forgive([stopped, ended]) == 0  # not overtaken yet
    taken = claim(worker(store))
    assert task_of(store, taken)["lapses"] == 1
    assert queue.forgive([stopped, ended]) == 1
    assert (task_of(store, taken)["starts"], task_of(store, taken)["lapses"]) == (1, 0)


def test_lease_expiry_of_a_claimed_document_is_not_counted(store: Store) -> None:
    submit(store, 3)
    queue = worker(store, LeasePolicy(max_lapses=0))
    group = queue.claim_group(3)
    assert {task_of(store, taken)["phase"] for taken in group} == {"claimed"}
    for _ in range(5):
        for taken in group:
            expire(store, taken.document_id)
        group = [claim(queue) for _ in group]
        assert not any(taken.exhausted for taken in group)
        queue.beat([Beat(document_id=c.document_id, attempt=c.attempt, phase=Phase.CLAIMED) for c in group])


@pytest.mark.parametrize("seed", range(20))
def test_only_living_readers_charge_starts(store: Store, seed: int) -> None:
    drawn = random.Random(seed)
    submit(store)
    queue = worker(store, LeasePolicy(retry_delays_s=(0,), max_starts=3, max_lapses=10))
    charged = deaths = 0
    while charged < 3:
        taken = claim(queue)
        assert (taken.starts, taken.exhausted) == (charged + 1, False)
        if deaths < 10 and drawn.random() < 0.7:
            deaths += 1
            expire(store, taken.document_id)
            continue
        charged += 1
        assert queue.retry(taken, "worker-killed", "")
    assert document_of(store, taken).status is DocumentStatus.FAILED


def test_neither_beat_nor_phase_revives_an_exhausted_claim(store: Store) -> None:
    submit(store)
    queue = worker(store, LeasePolicy(max_lapses=0))
    expire(store, claim(queue).document_id)
    last = claim(queue)
    assert last.exhausted
    queue.beat([Beat(document_id=last.document_id, attempt=last.attempt, phase=Phase.PUBLISHING)])
    expire(store, last.document_id)
    assert claim(queue).exhausted


def test_stale_hands_can_do_nothing(store: Store) -> None:
    submit(store)
    old, new = worker(store), worker(store)
    stale = claim(old)
    expire(store, stale.document_id)
    claim(new)
    before = store.db.fetch_all("select * from tasks")
    assert not old.release(stale)
    assert not old.retry(stale, "internal", "")
    assert old.beat([Beat(document_id=stale.document_id, attempt=stale.attempt, phase=Phase.PUBLISHING)])
    assert store.db.fetch_all("select * from tasks") == before


def test_parse_goes_before_jobs_and_jobs_before_sync(store: Store) -> None:
    for priority in (Priority.SYNC, Priority.JOB, Priority.PARSE):
        submit(store, priority=priority)
    queue = worker(store)
    assert [claim(queue).priority for _ in range(3)] == [Priority.PARSE, Priority.JOB, Priority.SYNC]


def tenants(queue: Queue, count: int) -> list[str]:
    return [claim(queue).scope.tenant for _ in range(count)]


def test_a_flood_of_one_tenant_does_not_delay_another(store: Store) -> None:
    submit(store, 20, scope=Scope(tenant="flood"))
    submit(store, 3, scope=Scope(tenant="few"))
    assert tenants(worker(store), 8).count("few") == 3


def test_tenant_with_all_running_tasks_waits_while_another_is_ready(store: Store) -> None:
    queue = worker(store)
    submit(store, 5, scope=Scope(tenant="flood"), priority=Priority.PARSE)
    assert tenants(queue, 2) == ["flood", "flood"]
    submit(store, scope=Scope(tenant="few"), priority=Priority.SYNC)
    assert tenants(queue, 2) == ["few", "flood"]


def test_tenant_may_hold_all_running_tasks_while_no_other_waits(store: Store) -> None:
    submit(store, 5, scope=Scope(tenant="flood"))
    assert tenants(worker(store), 5) == ["flood"] * 5


def test_task_of_another_tenant_that_is_not_ready_delays_no_claim(store: Store) -> None:
    queue = worker(store)
    submit(store, scope=Scope(tenant="few"))
    assert queue.release(claim(queue), scan=True)
    submit(store, 5, scope=Scope(tenant="flood"))
    taken = [queue.claim(scans=False) for _ in range(4)]
    assert [claimed.scope.tenant for claimed in taken if claimed] == ["flood"] * 4


def test_a_newcomer_gets_no_arrears(store: Store) -> None:
    queue = worker(store)
    submit(store, 20, scope=Scope(tenant="old"))
    tenants(queue, 10)
    submit(store, 10, scope=Scope(tenant="new"))
    assert 4 <= tenants(queue, 10).count("old") <= 6


def test_served_tenant_keeps_pace_with_newcomer(store: Store) -> None:
    queue = worker(store)
    submit(store, 10, scope=Scope(tenant="old"))
    tenants(queue, 10)
    submit(store, 10, scope=Scope(tenant="new"))
    submit(store, 5, scope=Scope(tenant="old"))
    assert 4 <= tenants(queue, 10).count("old") <= 6


def test_a_cancelled_document_is_lost_to_its_reader(store: Store) -> None:
    job = submit(store, 2)
    queue = worker(store)
    taken = claim(queue)
    assert cancel_job(store.db, ACME, ACTOR, job.id).status is JobStatus.CANCELED
    assert queue.beat([Beat(document_id=taken.document_id, attempt=1, phase=Phase.READING)]) == {taken.document_id}
    assert finish(store, [success(taken)]) == [False]
    assert queue.claim() is None


def test_depth_counts_ready_held_and_delayed_tasks(store: Store) -> None:
    submit(store, 3)
    queue = worker(store)
    claim(queue)
    queue.retry(claim(queue), "internal", "")
    depth = queue_depth(store.db)
    assert (depth.queued, depth.running, depth.delayed) == (1, 1, 1)
    assert depth.oldest_wait_s > 0


def test_released_scan_is_skipped_by_reader_without_capacity(store: Store) -> None:
    submit(store, 2)
    queue = worker(store)
    scan = claim(queue)
    assert queue.release(scan, scan=True)
    other = queue.claim(scans=False)
    assert other is not None
    assert other.document_id != scan.document_id
    assert queue.claim(scans=False) is None
    again = claim(worker(store))
    assert (again.document_id, again.starts) == (scan.document_id, 1)


def test_expired_scan_is_skipped_by_reader_without_capacity(store: Store) -> None:
    submit(store)
    queue = worker(store)
    taken = claim(queue)
    assert (
        queue.beat([Beat(document_id=taken.document_id, attempt=taken.attempt, phase=Phase.RECOGNISING)]) == frozenset()
    )
    expire(store, taken.document_id)
    assert queue.claim(scans=False) is None
    assert claim(queue).starts == 1
