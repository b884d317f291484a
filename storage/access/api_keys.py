"""API keys added or ended while the service runs: digests in a table, in addition to keys of the environment.

A row can also end a key of the environment, by its digest. Secrets are never stored here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from quire.storage.access.audit import record
from quire.storage.postgres.database import Connection, Database
from quire.storage.postgres.notices import notify_keys
from quire.storage.values.errors import Conflict, NotFound
from quire.storage.values.rows import Actor, Scope

OPERATOR = Actor(key_name="operator")
_IN_FORCE = "revoked_at is null and (ends_at is null or ends_at > clock_timestamp())"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredKey:
    """A stored API key.

    Attributes:
        scope: Opaque here.
        revoked_at: When the key was revoked; None for other keys.
        ends_at: When the key ends or ended; None if it has no end.
        configured: The row only ends a key of the environment and gives no access.
    """

    name: str
    scope: str
    digest: bytes
    created_at: datetime
    revoked_at: datetime | None
    ends_at: datetime | None
    configured: bool


def add_key(db: Database, name: str, scope: str, digest: bytes, days: int | None = None) -> None:
    """Store the digest of a new key, which ends after `days`.

    Raises:
        Conflict: A stored key of that name and scope is in force.
    """
    with db.transaction() as conn:
        conn.execute("select pg_advisory_xact_lock(hashtextextended('api_keys', 0))")
        live = conn.execute(
            f"select from api_keys where name = %s and scope = %s and not configured and {_IN_FORCE}", (name, scope)
        ).fetchone()
        if live is not None:
            raise Conflict(f"{name}:{scope} has a key already; rotate or revoke it")
        _insert(conn, name, scope, digest, days)
        record(conn, Scope(tenant=name), OPERATOR, "key.added", f"{name}:{scope}")
    notify_keys(db)


def rotate_key(
    db: Database, name: str, scope: str, digest: bytes, *, overlap_days: int, days: int | None, configured: bytes | None
) -> None:
    """Store a new key and let those of the same name and scope end after `overlap_days`.

    Args:
        db: The database.
        name: The tenant.
        scope: The scope.
        digest: Digest of the new secret.
        overlap_days: Days for which the old secrets remain valid; 0 ends them at once.
        days: Days after which the new key ends; None for no end.
        configured: Digest of the key of the environment with that name and scope.

    Raises:
        NotFound: No key of that name and scope is in force.
    """
    with db.transaction() as conn:
        conn.execute("select pg_advisory_xact_lock(hashtextextended('api_keys', 0))")
        if configured is not None:
            conn.execute(
                """insert into api_keys (digest, name, scope, configured) values (%s, %s, %s, true)
                   on conflict do nothing""",
                (configured, name, scope),
            )
        ended = conn.execute(
            f"""update api_keys set ends_at = least(ends_at, clock_timestamp() + make_interval(days => %s))
                where name = %s and scope = %s and {_IN_FORCE} returning digest""",
            (overlap_days, name, scope),
        ).fetchall()
        if not ended:
            raise NotFound("no such key")
        _insert(conn, name, scope, digest, days)
        record(conn, Scope(tenant=name), OPERATOR, "key.rotated", f"{name}:{scope}")
    notify_keys(db)


def revoke_key(db: Database, name: str, scope: str, digest: bytes | None = None, *, only: bytes | None = None) -> None:
    """Revoke the stored keys of that name and scope, and the key of the environment with `digest`.

    Args:
        db: The database.
        name: The tenant.
        scope: The scope.
        digest: Digest of the key of the environment with that name and scope.
        only: First bytes of the digest of the one key to revoke; None for all.

    Raises:
        NotFound: The key is unknown.
    """
    prefix = only or b""
    if digest is not None and not digest.startswith(prefix):
        digest = None
    with db.transaction() as conn:
        revoked = conn.execute(
            """update api_keys set revoked_at = clock_timestamp()
               where name = %s and scope = %s and revoked_at is null and substr(digest, 1, %s) = %s returning name""",
            (name, scope, len(prefix), prefix),
        ).fetchall()
        if digest is not None:
            conn.execute(
                """insert into api_keys (digest, name, scope, revoked_at, configured)
                   values (%s, %s, %s, clock_timestamp(), true)
                   on conflict (digest) do update
                     set revoked_at = coalesce(api_keys.revoked_at, excluded.revoked_at)""",
                (digest, name, scope),
            )
        if not revoked and digest is None:
            raise NotFound("no such key")
        record(conn, Scope(tenant=name), OPERATOR, "key.revoked", f"{name}:{scope}")
    notify_keys(db)


def list_keys(db: Database) -> list[StoredKey]:
    """Return all stored keys, ended ones included, oldest first."""
    rows = db.fetch_all(
        """select name, scope, digest, created_at, revoked_at, ends_at, configured from api_keys
           order by created_at, name"""
    )
    return [StoredKey(**row | {"digest": bytes(row["digest"])}) for row in rows]


def record_key_uses(db: Database, uses: Mapping[bytes, datetime]) -> None:
    """Store when keys were last used, by digest."""
    with db.transaction() as conn:
        conn.cursor().executemany(
            """insert into key_uses (digest, used_at) values (%s, %s)
               on conflict (digest) do update set used_at = greatest(key_uses.used_at, excluded.used_at)""",
            sorted(uses.items()),
        )


def last_key_uses(db: Database) -> dict[bytes, datetime]:
    """Return when each key was last used, by digest; at most a minute old."""
    return {bytes(row["digest"]): row["used_at"] for row in db.fetch_all("select digest, used_at from key_uses")}


def _insert(conn: Connection, name: str, scope: str, digest: bytes, days: int | None) -> None:
    conn.execute(
        """insert into api_keys (digest, name, scope, ends_at)
           values (%s, %s, %s, clock_timestamp() + make_interval(days => %s))""",
        (digest, name, scope, days),
    )
