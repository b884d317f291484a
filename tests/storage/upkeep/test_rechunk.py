"""Documents cut by another chunker are found in pages, and recorded when they were chunked again."""

from dataclasses import replace

from quire.storage.index.rechunk import list_outdated, mark_chunked
from quire.storage.jobs.documents import locate_tree
from quire.storage.jobs.lifecycle import delete_document
from quire.storage.queue.publish import finish
from quire.storage.store import Store
from quire.storage.values.rows import Claim
from tests.storage.scenes import ACME, ACTOR, claim, submit, success, worker

OLD, NEW = "0/254/32/64", "1/254/32/64"


def publish(store: Store, chunker: str | None) -> Claim:
    submit(store)
    claimed = claim(worker(store))
    assert finish(store, [replace(success(claimed), chunks=3, chunker=chunker)]) == [True]
    return claimed


def test_documents_of_another_chunker_are_listed_in_order(store: Store) -> None:
    old = sorted((publish(store, chunker) for chunker in (OLD, None, OLD)), key=lambda one: one.document_id)
    publish(store, NEW)
    submit(store)
    found = list_outdated(store.db, NEW, limit=2)
    assert [one.document_id for one in found] == [one.document_id for one in old[:2]]
    rest = list_outdated(store.db, NEW, limit=2, after=found[-1].document_id)
    assert [(one.document_id, one.attempt, one.chunks) for one in rest] == [(old[2].document_id, old[2].attempt, 3)]
    assert list_outdated(store.db, NEW, after=rest[-1].document_id) == []


def test_document_chunked_again_stores_chunker_and_chunk_count(store: Store) -> None:
    claimed = publish(store, OLD)
    assert mark_chunked(store.db, claimed.document_id, claimed.attempt, NEW, 5)
    assert list_outdated(store.db, NEW) == []
    assert locate_tree(store.db, ACME, claimed.job_id, claimed.document_id).chunker == NEW


def test_nothing_is_remembered_of_another_attempt_or_a_deleted_document(store: Store) -> None:
    claimed = publish(store, OLD)
    assert not mark_chunked(store.db, claimed.document_id, claimed.attempt + 1, NEW, 5)
    delete_document(store.db, ACME, ACTOR, claimed.document_id)
    assert not mark_chunked(store.db, claimed.document_id, claimed.attempt, NEW, 5)
    assert list_outdated(store.db, NEW) == []
