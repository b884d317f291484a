"""Jobs as callers see them, always through a scope."""

from typing import Any

from quire.storage.jobs.documents import documents_of
from quire.storage.postgres.database import Connection, Database, Row
from quire.storage.store import Store
from quire.storage.values.errors import NotFound
from quire.storage.values.paging import Cursors, ListPage
from quire.storage.values.rows import DocumentRow, JobId, JobRow, Scope
from quire.storage.values.scoping import OWNED, owned_by
from quire.storage.values.states import JobStatus

COUNTED = ("queued", "running", "succeeded", "failed", "canceled")
_COLUMNS = """
j.id, j.seq, j.status, j.created_at, j.started_at, j.finished_at, j.metadata,
j.n_queued, j.n_running, j.n_succeeded, j.n_failed, j.n_canceled
"""


def get_job(db: Database, scope: Scope, job_id: str, *, detail: bool = True) -> JobRow:
    """Return one job, with `detail` all its documents in order. Raises NotFound, also for foreign and deleted ones."""
    return db.read(lambda conn: load_job(conn, scope, job_id, detail=detail))


def load_job(conn: Connection, scope: Scope, job_id: str, *, detail: bool = True) -> JobRow:
    """Do `get_job` on an open connection."""
    row = conn.execute(
        f"select {_COLUMNS} from jobs j where j.id = %(job_id)s and {OWNED}", owned_by(scope, job_id=job_id)
    ).fetchone()
    if row is None:
        raise NotFound("no such job")
    return _to_job(row, documents_of(conn, scope, job_id) if detail else ())


def find_extract_schema(db: Database, scope: Scope, job_id: str) -> str:
    """Return the JSON Schema that a job was sent with. Raises NotFound if there is none."""
    row = db.fetch_one(
        f"select extract_schema from jobs j where j.id = %(job_id)s and {OWNED}", owned_by(scope, job_id=job_id)
    )
    if row is None or row["extract_schema"] is None:
        raise NotFound("the job was sent without extract_schema")
    return str(row["extract_schema"])


def list_jobs(
    store: Store, scope: Scope, *, status: JobStatus | None = None, limit: int = 50, cursor: str | None = None
) -> ListPage[JobRow]:
    """Return jobs of one org, newest first, without documents. Raises InvalidCursor."""
    cursors = jobs_cursors(store, scope, status)
    params: dict[str, Any] = owned_by(scope, before=cursors.read(cursor)[0] if cursor else None, limit=limit + 1)
    conditions = [OWNED]
    if status is not None:
        conditions.append("j.status = %(status)s")
        params["status"] = status
    if cursor:
        conditions.append("j.seq < %(before)s")
    rows = store.db.fetch_all(
        f"select {_COLUMNS} from jobs j where {' and '.join(conditions)} order by j.seq desc limit %(limit)s", params
    )
    return cursors.page([_to_job(row, ()) for row in rows], limit, lambda job: (job.seq,))


def jobs_cursors(store: Store, scope: Scope, status: JobStatus | None) -> Cursors:
    """Return the cursors of the listing of jobs with that status."""
    return Cursors(store.signer, f"jobs/{status or ''}", scope)


def _to_job(row: Row, documents: tuple[DocumentRow, ...]) -> JobRow:
    return JobRow(
        id=JobId(row["id"]),
        status=JobStatus(row["status"]),
        created_at=row["created_at"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        counts={name: row[f"n_{name}"] for name in COUNTED},
        metadata=row["metadata"],
        documents=documents,
        seq=row["seq"],
    )
