"""The listing of jobs with their documents: a page holds whole jobs, and ends early rather than leave documents out."""

from collections.abc import Sequence

from quire.storage.jobs.job_lookup import find_jobs
from quire.storage.jobs.jobs import jobs_cursors, list_jobs
from quire.storage.store import Store
from quire.storage.values.paging import ListPage
from quire.storage.values.rows import JobRow, Scope
from quire.storage.values.states import JobStatus

MOST_DOCUMENTS = 2_000  # documents on one page of jobs: a megabyte and a half of JSON


def list_whole_jobs(
    store: Store, scope: Scope, *, status: JobStatus | None = None, limit: int = 50, cursor: str | None = None
) -> ListPage[JobRow]:
    """Return jobs of one org, newest first, at least one, at most `limit`. Raises InvalidCursor."""
    listed = list_jobs(store, scope, status=status, limit=limit, cursor=cursor)
    count = _fitting(listed.items)
    jobs_by_key = find_jobs(store.db, [(scope, job.id) for job in listed.items[:count]])
    jobs = tuple(jobs_by_key[key] for job in listed.items[:count] if (key := (scope, job.id)) in jobs_by_key)
    if count == len(listed.items):
        return ListPage(jobs, listed.next_cursor)
    cut = jobs_cursors(store, scope, status).page(listed.items, count, lambda job: (job.seq,))
    return ListPage(jobs, cut.next_cursor)


def _fitting(jobs: Sequence[JobRow]) -> int:
    """Return how many of the first jobs hold at most MOST_DOCUMENTS together; one always fits."""
    total = 0
    for count, job in enumerate(jobs):
        total += sum(job.counts.values())
        if total > MOST_DOCUMENTS and count:
            return count
    return len(jobs)
