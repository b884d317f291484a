"""Counts for the stats endpoint: the deployment's queue, and a caller's own jobs by status."""

from quire.storage.postgres.database import Database
from quire.storage.values.rows import Scope
from quire.storage.values.scoping import OWNED, owned_by
from quire.storage.values.states import JobStatus


def queue_tasks(db: Database) -> int:
    """Return the number of unfinished documents of the whole deployment, the only count that is not scoped."""
    row = db.fetch_one("select count(*) as tasks from tasks")
    return int(row["tasks"]) if row else 0


def my_jobs(db: Database, scope: Scope) -> dict[JobStatus, int]:
    """Return the number of the caller's jobs by status, zeros included."""
    rows = db.fetch_all(
        f"select j.status, count(*) as jobs from jobs j where {OWNED} group by j.status", owned_by(scope)
    )
    counts = {row["status"]: int(row["jobs"]) for row in rows}
    return {status: counts.get(status, 0) for status in JobStatus}
