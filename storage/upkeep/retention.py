"""Deletion of finished jobs after the retention time."""

from quire.storage.jobs.lifecycle import delete_job
from quire.storage.postgres.database import Database
from quire.storage.values.errors import Conflict, NotFound
from quire.storage.values.rows import Actor, Scope

RETENTION = Actor(key_name="retention")

_OLD = """
select id, tenant, org from jobs
where deleted_at is null and finished_at < clock_timestamp() - %(days)s * interval '1 day' order by seq limit %(limit)s
"""


def delete_expired(db: Database, days: int, limit: int = 100) -> int:
    """Delete jobs that ended more than `days` ago, as a caller would, and return their number."""
    deleted = 0
    for row in db.fetch_all(_OLD, {"days": days, "limit": limit}):
        try:
            delete_job(db, Scope(tenant=row["tenant"], org=row["org"]), RETENTION, row["id"])
        except (NotFound, Conflict):  # deleted or requeued in between
            continue
        deleted += 1
    return deleted
