"""The commit that makes documents visible: everything or nothing, once, for the holder of the newest claim only."""

import json
from dataclasses import replace

from quire.storage.jobs.documents import locate_tree
from quire.storage.jobs.jobs import get_job
from quire.storage.queue.publish import finish
from quire.storage.queue.usage import MonthUsage, month_usage
from quire.storage.store import Store
from quire.storage.values.rows import Failed, Finished
from quire.storage.values.states import DocumentStatus, JobStatus
from tests.storage.scenes import ACME, claim, expire, submit, success, worker


def test_a_finished_document_is_published_metered_announced_and_audited(store: Store) -> None:
    job = submit(store)
    taken = claim(worker(store))
    assert finish(store, [success(taken)]) == [True]
    ended = get_job(store.db, ACME, job.id)
    assert ended.status is JobStatus.SUCCEEDED
    assert ended.finished_at is not None
    assert ended.documents[0].pages == 2
    assert locate_tree(store.db, ACME, job.id, taken.document_id).attempt == taken.attempt
    assert month_usage(store.db) == MonthUsage(used=2, reserved=0)
    assert store.db.fetch_all("select key_name, pages from meter") == [{"key_name": "acme:write", "pages": 2}]
    assert [row["action"] for row in store.db.fetch_all("select action from audit order by entry")] == [
        "job.submitted",
        "document.succeeded",
        "job.finished",
    ]
    assert store.db.fetch_all("select * from tasks") == []


def test_event_bodies_are_frozen_in_the_shape_of_the_contract(store: Store) -> None:
    job = submit(store, 2)
    queue = worker(store)
    first, second = claim(queue), claim(queue)
    finish(store, [success(first), Failed(claim=second, error="malformed", detail="broken")])
    bodies = [json.loads(row["body"]) for row in store.db.fetch_all("select body from events order by seq")]
    lines = [
        {"document_id": first.document_id, "filename": "0.pdf", "status": "succeeded", "pages": 2, "chunks": 0},
        {"document_id": second.document_id, "filename": "1.pdf", "status": "failed", "pages": 0, "chunks": 0},
    ]
    by_document = {body["document_id"]: body for body in bodies[:2]}
    assert by_document == {line["document_id"]: {**line, "job_id": job.id} for line in lines}
    finished_at = bodies[2].pop("finished_at")
    assert finished_at.endswith("Z")
    assert bodies[2] == {"event": "job.finished", "job_id": job.id, "status": "partial", "documents": lines}


def test_a_stale_claim_is_refused_and_changes_nothing(store: Store) -> None:
    job = submit(store)
    stale = claim(worker(store))
    expire(store, stale.document_id)
    fresh = claim(worker(store))
    assert fresh.attempt == stale.attempt + 1
    before = store.db.fetch_all("select * from documents"), store.db.fetch_all("select * from jobs")
    assert finish(store, [success(stale)]) == [False]
    assert (store.db.fetch_all("select * from documents"), store.db.fetch_all("select * from jobs")) == before
    assert finish(store, [success(fresh)]) == [True]
    assert finish(store, [success(stale)]) == [False]
    assert len(store.db.fetch_all("select * from meter")) == 1
    assert get_job(store.db, ACME, job.id).counts["succeeded"] == 1


def test_a_batch_accepts_each_document_on_its_own(store: Store) -> None:
    submit(store, 3)
    queue = worker(store)
    lost, kept, failed = claim(queue), claim(queue), claim(queue)
    expire(store, lost.document_id)
    claim(worker(store))
    batch: list[Finished] = [success(lost), success(kept), Failed(claim=failed, error="encrypted")]
    assert finish(store, batch) == [False, True, True]


def test_a_commit_with_unknown_outcome_may_be_repeated(store: Store) -> None:
    submit(store)
    taken = claim(worker(store))
    assert finish(store, [success(taken)]) == [True]
    assert finish(store, [success(taken)]) == [True]
    assert len(store.db.fetch_all("select * from meter")) == 1
    assert len(store.db.fetch_all("select * from events")) == 2


def test_the_same_document_twice_in_a_batch_ends_once(store: Store) -> None:
    submit(store)
    taken = claim(worker(store))
    finish(store, [success(taken), success(taken)])
    assert len(store.db.fetch_all("select * from meter")) == 1


def test_a_failed_document_keeps_its_code_and_meters_nothing(store: Store) -> None:
    job = submit(store)
    taken = claim(worker(store))
    assert finish(store, [Failed(claim=taken, error="malformed", detail="no xref\0", pages=7)]) == [True]
    document = get_job(store.db, ACME, job.id).documents[0]
    assert (document.status, document.error, document.error_detail) == (DocumentStatus.FAILED, "malformed", "no xref")
    assert document.pages == 7
    assert month_usage(store.db) == MonthUsage(used=0, reserved=0)
    assert get_job(store.db, ACME, job.id).status is JobStatus.FAILED


def test_notice_of_a_damaged_document_is_stored_and_sent(store: Store) -> None:
    job = submit(store, 2)
    queue = worker(store)
    damaged, whole = claim(queue), claim(queue)
    notice = "the file is cut off or damaged; 2 of 3 pages have content"
    finish(store, [replace(success(damaged), notice=notice), success(whole)])
    rows = {row.id: row for row in get_job(store.db, ACME, job.id).documents}
    assert rows[damaged.document_id].error is None
    assert [rows[taken.document_id].error_detail for taken in (damaged, whole)] == [notice, None]
    bodies = [json.loads(row["body"]) for row in store.db.fetch_all("select body from events order by id")]
    alone = {body["document_id"]: body.get("detail") for body in bodies if "document_id" in body}
    together = {line["document_id"]: line.get("detail") for body in bodies for line in body.get("documents", ())}
    assert alone == together == {damaged.document_id: notice, whole.document_id: None}
