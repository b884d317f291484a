"""Listings for callers: jobs, documents, dead letters and counts, page by page, per tenant."""

import pytest

from quire.storage.jobs import listing
from quire.storage.jobs.documents import find_document, list_dead_letters, list_documents, locate_original, locate_tree
from quire.storage.jobs.jobs import get_job, list_jobs
from quire.storage.jobs.listing import list_whole_jobs
from quire.storage.jobs.stats import my_jobs, queue_tasks
from quire.storage.queue.publish import finish
from quire.storage.store import Store
from quire.storage.values.errors import InvalidCursor, NotFound
from quire.storage.values.rows import Failed, Scope
from quire.storage.values.states import JobStatus
from tests.storage.scenes import ACME, claim, submit, success, worker

OTHER = Scope(tenant="other")


def test_jobs_are_paged_newest_first_without_documents(store: Store) -> None:
    jobs = [submit(store) for _ in range(5)]
    submit(store, scope=OTHER)
    first = list_jobs(store, ACME, limit=3)
    second = list_jobs(store, ACME, limit=3, cursor=first.next_cursor)
    assert [job.id for job in (*first.items, *second.items)] == [job.id for job in reversed(jobs)]
    assert second.next_cursor is None
    assert {job.documents for job in first.items} == {()}


def test_page_of_whole_jobs_ends_before_the_document_limit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [submit(store, count) for count in (1, 2, 2, 5)]
    whole = list_whole_jobs(store, ACME)
    assert [len(job.documents) for job in whole.items] == [5, 2, 2, 1]
    assert whole.next_cursor is None
    monkeypatch.setattr(listing, "MOST_DOCUMENTS", 4)
    pages, cursor = list[list[str]](), None
    while len(pages) < len(jobs) and (cursor is not None or not pages):
        page = list_whole_jobs(store, ACME, cursor=cursor)
        pages.append([job.id for job in page.items])
        cursor = page.next_cursor
    assert pages == [[jobs[3].id], [jobs[2].id, jobs[1].id], [jobs[0].id]]


def test_jobs_are_filtered_by_status(store: Store) -> None:
    submit(store)
    finish(store, [success(claim(worker(store)))])
    submit(store)
    assert [job.status for job in list_jobs(store, ACME, status=JobStatus.SUCCEEDED).items] == [JobStatus.SUCCEEDED]
    assert len(list_jobs(store, ACME, status=JobStatus.QUEUED).items) == 1
    assert list_jobs(store, ACME, status=JobStatus.PARTIAL).items == ()


def test_a_cursor_of_one_filter_is_not_good_for_another(store: Store) -> None:
    for _ in range(2):
        submit(store)
    cursor = list_jobs(store, ACME, limit=1).next_cursor
    with pytest.raises(InvalidCursor):
        list_jobs(store, ACME, status=JobStatus.QUEUED, cursor=cursor)
    with pytest.raises(InvalidCursor):
        list_jobs(store, OTHER, cursor=cursor)
    queued = list_jobs(store, ACME, status=JobStatus.QUEUED, limit=1).next_cursor
    assert len(list_jobs(store, ACME, status=JobStatus.QUEUED, cursor=queued).items) == 1
    with pytest.raises(InvalidCursor):
        list_jobs(store, ACME, status=JobStatus.RUNNING, cursor=queued)


def test_a_job_can_be_had_without_its_documents(store: Store) -> None:
    job = submit(store, 2)
    assert get_job(store.db, ACME, job.id, detail=False).documents == ()
    assert len(get_job(store.db, ACME, job.id).documents) == 2


def test_documents_are_paged_in_order_of_submission(store: Store) -> None:
    job = submit(store, 5)
    first = list_documents(store, ACME, job.id, limit=3)
    second = list_documents(store, ACME, job.id, limit=3, cursor=first.next_cursor)
    assert [row.source_file for row in (*first.items, *second.items)] == [f"{n}.pdf" for n in range(5)]
    assert list_documents(store, OTHER, job.id).items == ()


def test_dead_letters_are_paged_newest_failure_first(store: Store) -> None:
    submit(store, 4)
    queue = worker(store)
    failed = [claim(queue) for _ in range(4)]
    for taken in failed:
        finish(store, [Failed(claim=taken, error="malformed", detail="no xref")])
    first = list_dead_letters(store, ACME, limit=3)
    second = list_dead_letters(store, ACME, limit=3, cursor=first.next_cursor)
    found = [row.id for row in (*first.items, *second.items)]
    assert found == [taken.document_id for taken in reversed(failed)]
    assert (first.items[0].error, first.items[0].attempts) == ("malformed", 1)
    assert list_dead_letters(store, OTHER).items == ()


def test_tree_is_found_only_when_published(store: Store) -> None:
    job = submit(store, 2)
    queue = worker(store)
    good, bad = claim(queue), claim(queue)
    with pytest.raises(NotFound):
        locate_tree(store.db, ACME, job.id, good.document_id)
    finish(store, [success(good), Failed(claim=bad, error="malformed")])
    assert list(locate_tree(store.db, ACME, job.id, good.document_id).manifest) == ["tree.json"]
    with pytest.raises(NotFound):
        locate_tree(store.db, ACME, job.id, bad.document_id)
    with pytest.raises(NotFound):
        locate_tree(store.db, OTHER, job.id, good.document_id)
    with pytest.raises(NotFound):
        locate_tree(store.db, ACME, submit(store).id, good.document_id)


def test_original_is_found_for_a_document_in_any_state(store: Store) -> None:
    job = submit(store)
    original = locate_original(store, ACME, job.id, job.documents[0].id)
    assert original.sha256 == find_document(store.db, ACME, job.documents[0].id).sha256
    assert store.blobs.exists(original.sha256)


def test_stats_count_the_whole_queue_but_only_own_jobs(store: Store) -> None:
    submit(store, 2)
    submit(store, 3, scope=OTHER)
    finish(store, [success(claim(worker(store)))])
    assert queue_tasks(store.db) == 4
    mine = my_jobs(store.db, OTHER)
    assert sum(mine.values()) == 1
    assert set(mine) == set(JobStatus)
