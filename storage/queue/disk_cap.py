"""The limit on bytes of originals that one organisation may store."""

from quire.storage.postgres.database import Connection
from quire.storage.values.errors import StorageError
from quire.storage.values.rows import Scope

_KEPT = """
select coalesce(sum(d.bytes), 0)::bigint as kept from jobs j join documents d on d.job_id = j.id
where j.tenant = %(tenant)s and j.org = %(org)s and j.deleted_at is null and d.deleted_at is null
"""


class DiskFull(StorageError):
    """The organisation stores as many bytes of originals as it may."""

    code = "org-disk-full"


def require_room(conn: Connection, scope: Scope, cap_bytes: int, coming_bytes: int) -> None:
    """Raise DiskFull if `coming_bytes` more would pass the cap; a cap of 0 means unlimited.

    Concurrent uploads may pass the cap by their own size; the next one is refused.
    """
    if cap_bytes and kept_bytes(conn, scope) + coming_bytes > cap_bytes:
        raise DiskFull(f"this organisation may keep {cap_bytes} bytes of originals")


def kept_bytes(conn: Connection, scope: Scope) -> int:
    """Return the bytes of originals that this organisation stores now."""
    rows = conn.execute(_KEPT, {"tenant": scope.tenant, "org": scope.org}).fetchall()
    return int(rows[0]["kept"])
