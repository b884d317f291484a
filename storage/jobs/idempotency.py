"""A client's own key for a submission: the same key and content give the first job again, other content a Conflict."""

from dataclasses import dataclass

from quire.storage.postgres.database import Connection, Database
from quire.storage.values.errors import Conflict
from quire.storage.values.rows import JobId, Scope


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """`route` names the operation, `key` is the client's, `digest` (hex) covers everything that was sent."""

    route: str
    key: str
    digest: str


def claim_key(conn: Connection, scope: Scope, key: IdempotencyKey | None, job_id: JobId) -> JobId | None:
    """Bind the key to this job and return None, or return the job that has it. Concurrent callers wait.

    Raises:
        Conflict: The key was used with other content.
    """
    if key is None:
        return None
    params = _params(scope, key) | {"digest": key.digest, "job_id": job_id}
    taken = conn.execute(
        """insert into idempotency_keys (tenant, org, route, key, digest, job_id)
           values (%(tenant)s, %(org)s, %(route)s, %(key)s, %(digest)s, %(job_id)s)
           on conflict do nothing returning job_id""",
        params,
    ).fetchone()
    return None if taken else _first(conn, scope, key)


def delete_old_keys(db: Database, older_than_s: float) -> int:
    """Delete keys older than this many seconds and return their number."""
    with db.transaction(durable=False) as conn:
        return conn.execute(
            "delete from idempotency_keys where created_at < clock_timestamp() - %s * interval '1 second'",
            (older_than_s,),
        ).rowcount


def _first(conn: Connection, scope: Scope, key: IdempotencyKey) -> JobId | None:
    row = conn.execute(
        """select digest, job_id from idempotency_keys
           where tenant = %(tenant)s and org = %(org)s and route = %(route)s and key = %(key)s""",
        _params(scope, key),
    ).fetchone()
    if row is None:
        return None
    if row["digest"] != key.digest:
        raise Conflict("this Idempotency-Key was used for another request")
    return JobId(row["job_id"])


def _params(scope: Scope, key: IdempotencyKey) -> dict[str, str]:
    return {"tenant": scope.tenant, "org": scope.org, "route": key.route, "key": key.key}
