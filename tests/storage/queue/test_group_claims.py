"""Several small documents in one claim: in order, bounded, and no dearer for anybody when their reader dies."""

from quire.models.cdom.original import ReadOptions
from quire.storage.jobs.intake import Submission, submit_job
from quire.storage.jobs.jobs import get_job
from quire.storage.queue.publish import finish
from quire.storage.queue.queue import GROUP_BYTES, LeasePolicy, Queue
from quire.storage.store import Store
from quire.storage.values.rows import Actor, Beat, Claim, JobRow, NewDocument, Scope, StoredBlob
from quire.storage.values.states import JobStatus, Phase, Priority
from tests.storage.scenes import ACME, ACTOR, UNLIMITED, claim, expire, put_blob, ready_now, submit, success, worker


def weighing(store: Store, *sizes: int) -> JobRow:
    """A job of documents that say they are so large."""
    blob = put_blob(store)
    sized = [StoredBlob(key=blob.key, sha256=blob.sha256, bytes=size) for size in sizes]
    files = [NewDocument(name=f"{n}.pdf", blob=each, options=ReadOptions()) for n, each in enumerate(sized)]
    return submit_job(store, ACME, ACTOR, Submission(files, priority=Priority.JOB, quota=UNLIMITED))


def phases(store: Store) -> list[tuple[str, int, int]]:
    rows = store.db.fetch_all("select coalesce(phase, '') as p, starts, lapses from tasks order by vtime")
    return [(row["p"], row["starts"], row["lapses"]) for row in rows]


def test_a_group_is_the_head_of_the_queue_in_its_order(store: Store) -> None:
    first, second = submit(store, 3), submit(store, 2)
    taken = worker(store).claim_group(4)
    expected = [document.id for document in (*first.documents, *second.documents)][:4]
    assert [one.document_id for one in taken] == expected
    assert all(one.grouped for one in taken)
    counts = [get_job(store.db, ACME, job.id).counts for job in (first, second)]
    assert [(count["queued"], count["running"]) for count in counts] == [(0, 3), (1, 1)]


def test_a_group_of_one_is_being_read(store: Store) -> None:
    submit(store)
    (taken,) = worker(store).claim_group(8)
    assert not taken.grouped
    assert phases(store) == [("reading", 1, 0)]


def test_group_stays_within_its_byte_limit_but_has_at_least_its_first(store: Store) -> None:
    third = GROUP_BYTES // 3
    weighing(store, GROUP_BYTES * 9, third, third, third, third)
    queue = worker(store)
    assert [len(queue.claim_group(8)) for _ in range(4)] == [1, 3, 1, 0]


def test_two_priorities_never_share_a_group_and_a_parse_call_goes_alone(store: Store) -> None:
    for priority in (Priority.SYNC, Priority.JOB, Priority.PARSE):
        submit(store, 2, priority=priority)
    queue = worker(store)
    groups = [[one.priority for one in queue.claim_group(8)] for _ in range(4)]
    assert groups == [[Priority.PARSE], [Priority.PARSE], [Priority.JOB] * 2, [Priority.SYNC] * 2]


def lapse(store: Store, *held: Claim) -> None:
    for one in held:
        expire(store, one.document_id)


def test_expired_group_charges_no_document(store: Store) -> None:
    submit(store, 4)
    queue = worker(store)
    group = queue.claim_group(4)
    done, read, *rest = group
    assert finish(store, [success(done)]) == [True]
    queue.beat([Beat(document_id=read.document_id, attempt=read.attempt, phase=Phase.READING)])
    lapse(store, read, *rest)
    after = worker(store)
    again = {(one.document_id, one.starts) for one in (claim(after) for _ in range(3))}
    assert again == {(one.document_id, 1) for one in (read, *rest)}


def test_task_held_before_is_claimed_alone(store: Store) -> None:
    submit(store, 4)
    lapse(store, *worker(store).claim_group(2))
    queue = worker(store)
    assert [len(queue.claim_group(8)) for _ in range(3)] == [1, 1, 2]


def test_a_retried_document_waits_for_a_turn_of_its_own(store: Store) -> None:
    submit(store, 3)
    queue = worker(store, LeasePolicy(retry_delays_s=(0,)))
    first = claim(queue)
    assert queue.retry(first, "internal", "")
    ready_now(store)
    assert sorted(len(queue.claim_group(8)) for _ in range(2)) == [1, 2]


def test_expired_lease_is_claimed_alone_before_any_group(store: Store) -> None:
    submit(store, 3)
    first = claim(worker(store))
    lapse(store, first)
    assert [one.document_id for one in worker(store).claim_group(8)] == [first.document_id]


def test_unbegun_claims_are_released_free_and_may_be_grouped(store: Store) -> None:
    jobs = [submit(store, 2), submit(store, 2)]
    queue = worker(store)
    read, *rest = queue.claim_group(4)
    assert queue.release_all(rest) == 3
    assert queue.release_all(rest) == 0
    assert [get_job(store.db, ACME, job.id).status for job in jobs] == [JobStatus.RUNNING, JobStatus.QUEUED]
    assert {(one.starts, one.grouped) for one in worker(store).claim_group(8)} == {(1, True)}
    assert finish(store, [success(read)]) == [True]


def test_group_finishes_at_once_and_only_a_stale_member_is_refused(store: Store) -> None:
    jobs = [submit(store, 2), submit(store, 2)]
    group = worker(store).claim_group(4)
    lapse(store, group[1])
    newer = claim(worker(store))
    assert finish(store, [success(one) for one in group]) == [True, False, True, True]
    assert finish(store, [success(newer)]) == [True]
    assert [get_job(store.db, ACME, job.id).status for job in jobs] == [JobStatus.SUCCEEDED] * 2
    events = store.db.fetch_all("select document_id is null as job, count(*) as n from events group by 1 order by 1")
    assert [row["n"] for row in events] == [4, 2]


def test_groups_of_two_tenants_are_fair(store: Store) -> None:
    for tenant in ("flood", "few"):
        submit(store, 8, scope=Scope(tenant=tenant))
    taken = worker(store).claim_group(8)
    assert [one.scope.tenant for one in taken].count("few") == 4


def test_claims_side_by_side_share_nothing(store: Store) -> None:
    submit(store, 12)
    queues: list[Queue] = [worker(store) for _ in range(3)]
    groups = [queue.claim_group(4) for queue in queues]
    assert len({one.document_id for group in groups for one in group}) == 12


def test_accepted_job_equals_the_stored_job(store: Store) -> None:
    files = [NewDocument(name=f"{n}.pdf", blob=put_blob(store), options=ReadOptions()) for n in range(3)]
    told = submit_job(
        store,
        ACME,
        Actor(key_name="acme"),
        Submission(files, priority=Priority.JOB, quota=UNLIMITED, metadata={"a": [1, None]}),
    )
    assert told == get_job(store.db, ACME, told.id)
