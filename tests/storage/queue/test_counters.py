"""Counters equal the counts of rows, for every end of a document, and only rise."""

from dataclasses import replace

from quire.storage.jobs.lifecycle import cancel_job, delete_job, requeue_document
from quire.storage.postgres.database import Database
from quire.storage.queue.counters import fold_counters
from quire.storage.queue.publish import finish
from quire.storage.store import Store
from quire.storage.values.rows import Failed
from tests.storage.scenes import ACME, ACTOR, UNLIMITED, claim, read_counter, submit, success, worker

LOOKS = {
    "documents": "select status as l, count(*) as n from documents where finished_at is not null group by 1",
    "errors": "select error as l, count(*) as n from documents where error is not null group by 1",
    "pages": "select '' as l, sum(pages)::bigint as n from meter having sum(pages) > 0",
    "jobs": "select status as l, count(*) as n from jobs where finished_at is not null group by 1",
}


def counted(db: Database) -> dict[str, dict[str, float]]:
    return {name: {row["l"]: float(row["n"]) for row in db.fetch_all(query)} for name, query in LOOKS.items()}


def kept(store: Store) -> dict[str, dict[str, float]]:
    return {name: read_counter(store, name) for name in LOOKS}


def test_every_end_is_counted_in_its_own_transaction(store: Store) -> None:
    queue = worker(store)
    first, second = submit(store, 3), submit(store, 2)
    finish(store, [success(claim(queue), pages=4), Failed(claim=claim(queue), error="malformed")])
    assert kept(store) == counted(store.db)
    finish(store, [success(claim(queue))])
    cancel_job(store.db, ACME, ACTOR, second.id)
    assert kept(store) == counted(store.db)
    assert kept(store)["jobs"] == {"partial": 1, "canceled": 1}
    assert read_counter(store, "routes") == {"fast": 6}
    delete_job(store.db, ACME, ACTOR, first.id)
    assert kept(store) == counted(store.db)


def test_folding_changes_no_sum_and_leaves_no_delta(store: Store) -> None:
    queue = worker(store)
    for _ in range(2):
        submit(store, 2)
        finish(store, [success(claim(queue)), success(claim(queue))])
        before = kept(store)
        fold_counters(store.db)
        assert kept(store) == before
    assert store.db.fetch_all("select * from counter_deltas") == []
    assert before["documents"] == {"succeeded": 4}


def test_a_document_that_is_tried_again_counts_twice_and_nothing_falls(store: Store) -> None:
    queue = worker(store)
    job = submit(store)
    finish(store, [Failed(claim=claim(queue), error="malformed")])
    requeue_document(store, ACME, ACTOR, job.id, job.documents[0].id, quota=UNLIMITED)
    finish(store, [success(claim(queue))])
    assert kept(store)["documents"] == {"failed": 1, "succeeded": 1}
    assert kept(store)["errors"] == {"malformed": 1}


def test_documents_are_counted_by_the_codes_of_their_warnings(store: Store) -> None:
    queue = worker(store)
    submit(store, 2)
    for codes in (("damaged", "step-failed"), ("step-failed",)):
        assert finish(store, [replace(success(claim(queue)), warnings=codes)]) == [True]
    assert read_counter(store, "warnings") == {"damaged": 1, "step-failed": 2}
