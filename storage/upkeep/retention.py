"""What operators bound: how long finished jobs are kept, and how many bytes one organisation may keep."""

from storage.jobs.lifecycle import delete_job
from storage.postgres.database import Database
from storage.values.errors import Conflict, NotFound, StorageError
from storage.values.rows import Actor, Scope

RETENTION = Actor(key_name="retention")

_OLD = """
select id, tenant, org from jobs
where deleted_at is null and finished_at < clock_timestamp() - %(days)s * interval '1 day' order by seq limit %(limit)s
"""
_KEPT = """
select coalesce(sum(d.bytes), 0)::bigint as kept from jobs j join documents d on d.job_id = j.id
where j.tenant = %(tenant)s and j.org = %(org)s and j.deleted_at is null and d.deleted_at is null
"""


class DiskFull(StorageError):
    """The organisation keeps as many bytes of originals as it may."""

    code = "org-disk-full"


def delete_expired(db: Database, days: int, limit: int = 100) -> int:
    """Deletes jobs that ended more than `days` ago, the way a caller would; returns how many."""
    deleted = 0
    for row in db.fetch_all(_OLD, {"days": days, "limit": limit}):
        try:
            delete_job(db, Scope(tenant=row["tenant"], org=row["org"]), RETENTION, row["id"])
        except (NotFound, Conflict):  # deleted or requeued in between
            continue
        deleted += 1
    return deleted


def require_room(db: Database, scope: Scope, cap_bytes: int, coming_bytes: int) -> None:
    """Raises DiskFull. Uploads that race may pass the cap by what they bring; the next one is refused."""
    if kept_bytes(db, scope) + coming_bytes > cap_bytes:
        raise DiskFull(f"this organisation may keep {cap_bytes} bytes of originals")


def kept_bytes(db: Database, scope: Scope) -> int:
    """Bytes of originals this organisation keeps now."""
    row = db.fetch_one(_KEPT, {"tenant": scope.tenant, "org": scope.org})
    return int(row["kept"]) if row is not None else 0
