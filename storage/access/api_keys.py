"""API keys added or revoked while the service runs: digests in a table, in addition to keys of the environment.

A revocation names a digest, so it also ends a key of the environment. Secrets are never stored here.
"""

from dataclasses import dataclass
from datetime import datetime

from quire.storage.access.audit import record
from quire.storage.postgres.database import Database
from quire.storage.postgres.notices import notify_keys
from quire.storage.values.errors import Conflict, NotFound
from quire.storage.values.rows import Actor, Scope

OPERATOR = Actor(key_name="operator")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredKey:
    """A stored API key. `scope` is opaque here; `revoked_at` is set on revoked keys only."""

    name: str
    scope: str
    digest: bytes
    created_at: datetime
    revoked_at: datetime | None


def add_key(db: Database, name: str, scope: str, digest: bytes) -> None:
    """Store the digest of a new key. Raises Conflict if that name has a live key of that scope."""
    with db.transaction() as conn:
        conn.execute("select pg_advisory_xact_lock(hashtextextended('api_keys', 0))")
        live = conn.execute(
            "select from api_keys where name = %s and scope = %s and revoked_at is null", (name, scope)
        ).fetchone()
        if live is not None:
            raise Conflict(f"{name}:{scope} has a key already; revoke it first")
        conn.execute("insert into api_keys (digest, name, scope) values (%s, %s, %s)", (digest, name, scope))
        record(conn, Scope(tenant=name), OPERATOR, "key.added", f"{name}:{scope}")
    notify_keys(db)


def revoke_key(db: Database, name: str, scope: str, digest: bytes | None = None) -> None:
    """Revoke the stored key of that name and scope, and the key with `digest`. Raises NotFound if neither exists."""
    with db.transaction() as conn:
        revoked = conn.execute(
            """update api_keys set revoked_at = clock_timestamp()
               where name = %s and scope = %s and revoked_at is null returning name""",
            (name, scope),
        ).fetchall()
        if digest is not None:
            conn.execute(
                """insert into api_keys (digest, name, scope, revoked_at) values (%s, %s, %s, clock_timestamp())
                   on conflict (digest) do update
                     set revoked_at = coalesce(api_keys.revoked_at, excluded.revoked_at)""",
                (digest, name, scope),
            )
        if not revoked and digest is None:
            raise NotFound("no such key")
        record(conn, Scope(tenant=name), OPERATOR, "key.revoked", f"{name}:{scope}")
    notify_keys(db)


def list_keys(db: Database) -> list[StoredKey]:
    """Return all stored keys, revoked ones included, oldest first."""
    rows = db.fetch_all("select name, scope, digest, created_at, revoked_at from api_keys order by created_at, name")
    return [StoredKey(**row | {"digest": bytes(row["digest"])}) for row in rows]
