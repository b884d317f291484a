"""Counts for the stats endpoint: the deployment's queue, and a caller's own jobs by status."""

from quire.storage.postgres.database import Database
from quire.storage.values.rows import Scope
from quire.storage.values.scoping import OWNED, owned_by
from quire.storage.values.states import JobStatus

STANDING_S = 300.0
"""Seconds without a reader after which a waiting queue stands: a start on a busy machine takes one or two minutes."""


def queue_tasks(db: Database) -> int:
    """Return the number of unfinished documents of the whole deployment, the only count that is not scoped."""
    row = db.fetch_one("select count(*) as tasks from tasks")
    return int(row["tasks"]) if row else 0


def is_standing(db: Database) -> bool:
    """Return whether a document could have been read for `STANDING_S` while no reader held any."""
    row = db.fetch_one(
        """select not exists (select from tasks where state = 'running' and lease_until > clock_timestamp())
             and exists (select from tasks where state = 'queued' and greatest(available_at, pg_postmaster_start_time())
                         < clock_timestamp() - %(standing_s)s * interval '1 second') as standing""",
        {"standing_s": STANDING_S},
    )
    return bool(row and row["standing"])


def my_jobs(db: Database, scope: Scope) -> dict[JobStatus, int]:
    """Return the number of the caller's jobs by status, zeros included."""
    rows = db.fetch_all(
        f"select j.status, count(*) as jobs from jobs j where {OWNED} group by j.status", owned_by(scope)
    )
    counts = {row["status"]: int(row["jobs"]) for row in rows}
    return {status: counts.get(status, 0) for status in JobStatus}
