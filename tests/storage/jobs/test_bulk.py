"""Queries of a bulk job about existing documents, for any number of new ones."""

import pytest

from quire.storage.jobs import bulk
from quire.storage.jobs.bulk import bulk_document_id, find_known
from quire.storage.store import Store
from quire.storage.values.rows import DocumentId, Scope
from tests.storage.scenes import ACME, submit


def test_known_documents_are_found_over_several_questions(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "_LOOK_AT_ONCE", 2)
    known = [document.id for document in submit(store, 5).documents]
    assert find_known(store.db, [*known, DocumentId("doc_nobody")]) == set(known)


def test_a_document_is_known_by_organisation_corpus_and_path() -> None:
    places = [(ACME, "a", "b/c.pdf"), (Scope(tenant="other"), "a", "b/c.pdf"), (ACME, "a/b", "c.pdf")]
    ids = [bulk_document_id(*place) for place in places]
    assert len(set(ids)) == 3
    assert ids[0] == bulk_document_id(*places[0])
