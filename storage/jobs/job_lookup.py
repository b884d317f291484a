"""Looks up many jobs in one statement, so that concurrent callers share it. Each job is found through its own scope."""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from quire.storage.jobs.columns import DOCUMENT_COLUMNS, DOCUMENT_FIELDS
from quire.storage.jobs.jobs import COUNTED
from quire.storage.postgres.database import Database, Row
from quire.storage.values.rows import DocumentRow, JobId, JobRow, Scope
from quire.storage.values.states import DocumentStatus, JobStatus

_LOOKUP = f"""
select w.place::int as place,
  j.id as "j.id", j.seq as "j.seq", j.status as "j.status", j.created_at as "j.created_at",
  j.started_at as "j.started_at", j.finished_at as "j.finished_at", j.metadata as "j.metadata",
  j.n_queued as "j.n_queued", j.n_running as "j.n_running", j.n_succeeded as "j.n_succeeded",
  j.n_failed as "j.n_failed", j.n_canceled as "j.n_canceled",
  {DOCUMENT_COLUMNS}
from unnest(%(ids)s::text[], %(tenants)s::text[], %(orgs)s::text[]) with ordinality as w(id, tenant, org, place)
join jobs j on j.id = w.id and j.tenant = w.tenant and j.org = w.org and j.deleted_at is null
left join documents d on d.job_id = j.id
left join page_progress p on p.document_id = d.id
order by w.place, d.position
"""

_COUNTERS = tuple((name, f"j.n_{name}") for name in COUNTED)
_document_values = itemgetter(*DOCUMENT_FIELDS)
JobKey = tuple[Scope, JobId]


def find_jobs(db: Database, keys: Sequence[JobKey]) -> dict[JobKey, JobRow]:
    """Return those of the jobs that exist, with all their documents; unknown, foreign and deleted ones are left out."""
    params = {
        "ids": [job_id for _, job_id in keys],
        "tenants": [scope.tenant for scope, _ in keys],
        "orgs": [scope.org for scope, _ in keys],
    }
    rows = db.fetch_all(_LOOKUP, params)
    return {keys[place - 1]: _to_job(list(group)) for place, group in groupby(rows, key=itemgetter("place"))}


def _to_job(rows: list[Row]) -> JobRow:
    """Rows of one job, each with the job's columns (prefixed) and one document's, if it has any."""
    job = rows[0]
    return JobRow(
        id=JobId(job["j.id"]),
        status=JobStatus(job["j.status"]),
        created_at=job["j.created_at"],
        started_at=job["j.started_at"],
        finished_at=job["j.finished_at"],
        counts={name: job[column] for name, column in _COUNTERS},
        metadata=job["j.metadata"],
        documents=tuple(_to_document(row) for row in rows if row["id"] is not None),
        seq=job["j.seq"],
    )


def _to_document(row: Row) -> DocumentRow:
    values = dict(zip(DOCUMENT_FIELDS, _document_values(row), strict=True))
    values["status"] = DocumentStatus(values["status"])
    return DocumentRow(**values)
