"""A submission is accepted whole or not at all."""

import threading

import pytest

from quire.models.cdom.original import OcrMode, ReadOptions
from quire.storage.jobs.idempotency import IdempotencyKey, delete_old_keys
from quire.storage.jobs.intake import Submission, submit_job
from quire.storage.jobs.jobs import get_job
from quire.storage.jobs.lifecycle import cancel_job, delete_job, requeue_document
from quire.storage.queue.publish import finish
from quire.storage.queue.usage import MonthUsage, month_usage
from quire.storage.store import Store
from quire.storage.values.errors import Conflict, QuotaExceeded, StoreUnavailable
from quire.storage.values.rows import Actor, Failed, JobRow, NewDocument, PageQuota, StoredBlob
from quire.storage.values.states import DocumentStatus, JobStatus, Priority
from tests.storage.scenes import ACME, ACTOR, UNLIMITED, claim, put_blob, submit, worker


def test_an_accepted_job_is_queued_with_its_documents_in_order(store: Store) -> None:
    job = submit(store, 3)
    assert job == get_job(store.db, ACME, job.id)
    assert (job.status, job.counts["queued"], job.started_at, job.finished_at) == (JobStatus.QUEUED, 3, None, None)
    assert [document.source_file for document in job.documents] == ["0.pdf", "1.pdf", "2.pdf"]
    assert {document.status for document in job.documents} == {DocumentStatus.QUEUED}


def test_options_and_metadata_come_through_unchanged(store: Store) -> None:
    options = ReadOptions(pages=((1, 3), (8, 8)), password="pw", ocr=OcrMode.ALWAYS, ocr_langs=("de", "fr"))
    file = NewDocument(name="Übersicht '\"; drop table jobs;--.pdf", blob=put_blob(store), options=options)
    job = submit_job(
        store,
        ACME,
        ACTOR,
        Submission([file], priority=Priority.PARSE, quota=UNLIMITED, metadata={"case": ["№ 7", None]}),
    )
    assert job.metadata == {"case": ["№ 7", None]}
    assert job.documents[0].source_file == file.name
    assert claim(worker(store)).options == options


def test_a_batch_that_does_not_fit_the_quota_is_refused_whole(store: Store) -> None:
    quota = PageQuota(max_pages_per_month=3)
    submit(store, 2, quota=quota)
    with pytest.raises(QuotaExceeded):
        submit(store, 2, quota=quota)
    assert month_usage(store.db) == MonthUsage(used=0, reserved=2)
    submit(store, 1, quota=quota)
    assert len(store.db.fetch_all("select * from jobs")) == 2


def test_racers_for_the_last_page_admit_exactly_one(store: Store) -> None:
    blob, accepted, refused = put_blob(store), [], []
    file = NewDocument(name="a.pdf", blob=blob, options=ReadOptions())

    def race() -> None:
        try:
            quota = PageQuota(max_pages_per_month=1)
            accepted.append(submit_job(store, ACME, ACTOR, Submission([file], priority=Priority.JOB, quota=quota)))
        except QuotaExceeded:
            refused.append(1)

    racers = [threading.Thread(target=race) for _ in range(16)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    assert (len(accepted), len(refused)) == (1, 15)


def test_submission_with_a_missing_original_is_refused_as_unavailable(store: Store) -> None:
    blob = StoredBlob(key="0" * 64, sha256="0" * 64, bytes=1)
    file = NewDocument(name="a.pdf", blob=blob, options=ReadOptions())
    with pytest.raises(StoreUnavailable):
        submit_job(store, ACME, ACTOR, Submission([file], priority=Priority.JOB, quota=UNLIMITED))
    assert store.db.fetch_all("select * from jobs") == []


def submit_with_key(store: Store, key: IdempotencyKey) -> JobRow:
    file = NewDocument(name="a.pdf", blob=put_blob(store), options=ReadOptions())
    return submit_job(store, ACME, ACTOR, Submission([file], priority=Priority.JOB, quota=UNLIMITED, idempotency=key))


def test_a_repeated_key_gives_the_first_job_again(store: Store) -> None:
    key = IdempotencyKey(route="jobs", key="k1", digest="d1")
    first = submit_with_key(store, key)
    assert submit_with_key(store, key).id == first.id
    assert len(store.db.fetch_all("select * from jobs")) == 1
    assert month_usage(store.db).reserved == 1


def test_a_repeated_key_with_other_content_is_a_conflict(store: Store) -> None:
    submit_with_key(store, IdempotencyKey(route="jobs", key="k1", digest="d1"))
    other = IdempotencyKey(route="jobs", key="k1", digest="d2")
    with pytest.raises(Conflict):
        submit_with_key(store, other)


def test_racing_submissions_of_one_key_make_one_job(store: Store) -> None:
    key = IdempotencyKey(route="jobs", key="k1", digest="d1")
    jobs: list[str] = []
    racers = [threading.Thread(target=lambda: jobs.append(submit_with_key(store, key).id)) for _ in range(6)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    assert len(jobs) == 6
    assert len(set(jobs)) == 1


def test_deleted_idempotency_keys_may_be_used_again(store: Store) -> None:
    key = IdempotencyKey(route="jobs", key="k1", digest="d1")
    first = submit_with_key(store, key)
    assert delete_old_keys(store.db, 3600) == 0
    assert delete_old_keys(store.db, 0) == 1
    assert submit_with_key(store, key).id != first.id


def test_a_deleted_job_takes_its_keys_along(store: Store) -> None:
    key = IdempotencyKey(route="jobs", key="jane-doe-1971", digest="d1")
    first = submit_with_key(store, key)
    cancel_job(store.db, ACME, Actor(key_name="acme:write"), first.id)
    delete_job(store.db, ACME, Actor(key_name="acme:write"), first.id)
    assert store.db.fetch_all("select * from idempotency_keys") == []
    assert submit_with_key(store, key).id != first.id


def test_task_carries_trace_of_its_latest_request(store: Store) -> None:
    file = NewDocument(name="a.pdf", blob=put_blob(store), options=ReadOptions())
    asked = Actor(key_name="acme:write", traceparent="00-" + "a" * 32 + "-" + "b" * 16 + "-01")
    job = submit_job(store, ACME, asked, Submission([file], priority=Priority.JOB, quota=UNLIMITED))
    queue = worker(store)
    first = claim(queue)
    assert first.traceparent == asked.traceparent
    assert first.waited_s >= 0
    finish(store, [Failed(claim=first, error="timeout")])
    again = Actor(key_name="acme:write", traceparent="00-" + "c" * 32 + "-" + "d" * 16 + "-01")
    requeue_document(store, ACME, again, job.id, first.document_id, quota=UNLIMITED)
    assert claim(queue).traceparent == again.traceparent
    submit(store)
    assert claim(queue).traceparent is None
