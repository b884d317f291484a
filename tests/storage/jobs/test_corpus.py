"""The whole of an organisation in one order, however many statements it takes."""

import pytest

from quire.storage.jobs import corpus
from quire.storage.jobs.corpus import list_corpus
from quire.storage.jobs.lifecycle import delete_job
from quire.storage.queue.publish import finish
from quire.storage.store import Store
from quire.storage.values.rows import Failed, Scope
from tests.storage.scenes import ACME, ACTOR, claim, submit, success, worker

OTHER = Scope(tenant="other")


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "_PAGE", 2)


def read_all(store: Store) -> None:
    queue = worker(store)
    while taken := queue.claim():
        finish(store, [success(taken)])


def test_oldest_job_first_and_in_a_job_by_order_of_submission(store: Store) -> None:
    jobs = [submit(store, 3), submit(store, 1), submit(store, 2)]
    read_all(store)
    expected = [document.id for job in jobs for document in job.documents]
    listed = list(list_corpus(store.db, ACME))
    assert [tree.document_id for tree in listed] == expected
    assert {tree.attempt for tree in listed} == {1}


@pytest.mark.parametrize("count", [3, 7])
def test_a_last_page_that_is_not_full_is_a_page(store: Store, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "_PAGE", 4)
    job = submit(store, count)
    read_all(store)
    assert [tree.document_id for tree in list_corpus(store.db, ACME)] == [document.id for document in job.documents]


def test_one_job_alone_and_none_of_a_stranger(store: Store) -> None:
    job, foreign = submit(store, 3), submit(store, scope=OTHER)
    submit(store)
    read_all(store)
    assert len(list(list_corpus(store.db, ACME, job.id))) == 3
    assert list(list_corpus(store.db, ACME, foreign.id)) == []
    assert len(list(list_corpus(store.db, OTHER))) == 1


def test_corpus_lists_succeeded_and_undeleted_documents_only(store: Store) -> None:
    gone = submit(store)
    submit(store, 2)
    queue = worker(store)
    finish(store, [success(claim(queue))])
    finish(store, [Failed(claim=claim(queue), error="pdf-broken")])
    finish(store, [success(kept := claim(queue))])
    delete_job(store.db, ACME, ACTOR, gone.id)
    assert [tree.document_id for tree in list_corpus(store.db, ACME)] == [kept.document_id]
