"""The audit trail: a row in the act's own transaction, sealed into its org's hash chain in the order of commits.

Rows name ids and results, never content. Sealing is apart from acting, so that no act waits for another one's chain.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from quire.storage.postgres.database import Connection, Database, Row
from quire.storage.store import Store
from quire.storage.values.paging import Cursors, ListPage
from quire.storage.values.rows import Actor, Scope

_LOCK = 0x5155_4155_4449  # one sealer at a time
_FETCHED = 5000
"""Rows fetched at a time when a chain is verified, which bounds the memory for long chains."""
_FACTS = ("tenant", "org", "actor", "action", "object", "request_id", "result")
_SEALED = f"""
select seq, prev_hash, hash, at, {", ".join(_FACTS)} from audit
where tenant = %(tenant)s and org = %(org)s and (seq is not null or hash is not null) order by seq
"""
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_ACT = "(tenant, org, actor, action, object, request_id, result)"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One sealed act. `hash` (hex) covers every other field."""

    seq: int
    at: datetime
    actor: str
    org: str
    action: str
    object: str
    request_id: str | None
    result: str
    prev_hash: str
    hash: str


def record(conn: Connection, scope: Scope, actor: Actor, action: str, object_id: str, result: str = "ok") -> None:
    """Insert an audit row inside the act's own transaction."""
    conn.execute(
        f"insert into audit {_ACT} values (%s, %s, %s, %s, %s, %s, %s)",
        (scope.tenant, scope.org, actor.key_name, action, object_id, actor.request_id, result),
    )


def seal(db: Database, *, limit: int = 10_000) -> int:
    """Append every visible unsealed row to its org's chain and return their number; 0 while another sealer works."""
    with db.transaction() as conn:
        if not conn.execute("select pg_try_advisory_xact_lock(%s) as got", (_LOCK,)).fetchall()[0]["got"]:
            return 0
        rows = conn.execute(
            "select * from audit where hash is null order by tenant, org, entry limit %s", (limit,)
        ).fetchall()
        for (tenant, org), chain in groupby(rows, key=lambda row: (row["tenant"], row["org"])):
            _append(conn, Scope(tenant=tenant, org=org), list(chain))
        return len(rows)


def list_audit(store: Store, scope: Scope, *, limit: int = 200, cursor: str | None = None) -> ListPage[AuditEntry]:
    """Return sealed acts of one org, newest first. Seals pending acts before, so that all committed acts are listed."""
    seal(store.db)
    cursors = Cursors(store.signer, "audit", scope)
    before = cursors.read(cursor)[0] if cursor else None
    rows = store.db.fetch_all(
        """select * from audit where tenant = %(tenant)s and org = %(org)s and seq is not null
           and (%(before)s::bigint is null or seq < %(before)s) order by seq desc limit %(limit)s""",
        {"tenant": scope.tenant, "org": scope.org, "before": before, "limit": limit + 1},
    )
    return cursors.page([_entry(row) for row in rows], limit, lambda entry: (entry.seq,))


def list_chains(db: Database) -> list[Scope]:
    """Return every organisation that has sealed acts or had some."""
    rows = db.fetch_all(
        """select tenant, org from audit_heads union select tenant, org from audit where seq is not null
           order by tenant, org"""
    )
    return [Scope(tenant=row["tenant"], org=row["org"]) for row in rows]


def verify(db: Database, scope: Scope) -> int | None:
    """Return the first `seq` at which the chain is changed, missing, doubled or cut off; None if it is intact."""
    params = {"tenant": scope.tenant, "org": scope.org}
    previous, expected = b"", 1
    with db.transaction() as conn:
        conn.execute("set transaction isolation level repeatable read, read only")  # acts are sealed meanwhile
        with conn.cursor(name="audit_verify") as rows:
            rows.itersize = _FETCHED
            for row in rows.execute(_SEALED, params):
                sealed = (row["seq"], row["prev_hash"] or b"", row["hash"] or b"")
                if sealed != (expected, previous, _hash(row, expected, previous)):
                    return expected
                previous, expected = sealed[2], expected + 1
        head = conn.execute(
            "select seq, hash from audit_heads where tenant = %(tenant)s and org = %(org)s", params
        ).fetchone()
    last = (head["seq"], bytes(head["hash"])) if head else (0, b"")
    return None if last == (expected - 1, previous) else expected


def _append(conn: Connection, scope: Scope, rows: list[Row]) -> None:
    head = conn.execute(
        "select seq, hash from audit_heads where tenant = %s and org = %s", (scope.tenant, scope.org)
    ).fetchone()
    seq, previous = (head["seq"], bytes(head["hash"])) if head else (0, b"")
    sealed: list[tuple[int, int, bytes, bytes]] = []
    for row in rows:
        seq += 1
        digest = _hash(row, seq, previous)
        sealed.append((row["entry"], seq, previous, digest))
        previous = digest
    conn.execute(
        """update audit a set seq = s.seq, prev_hash = s.prev_hash, hash = s.hash
           from unnest(%s::bigint[], %s::bigint[], %s::bytea[], %s::bytea[]) as s(entry, seq, prev_hash, hash)
           where a.entry = s.entry""",
        [list(column) for column in zip(*sealed, strict=True)],
    )
    conn.execute(
        """insert into audit_heads (tenant, org, seq, hash) values (%s, %s, %s, %s)
           on conflict (tenant, org) do update set seq = excluded.seq, hash = excluded.hash""",
        (scope.tenant, scope.org, seq, previous),
    )


def _hash(row: Row, seq: int, previous: bytes) -> bytes:
    facts: dict[str, Any] = {name: row[name] for name in _FACTS}
    facts |= {"seq": seq, "at": row["at"].isoformat()}
    return hashlib.sha256(previous + _canonical(facts).encode()).digest()


def _entry(row: Row) -> AuditEntry:
    fields = {name: row[name] for name in ("seq", "at", "actor", "org", "action", "object", "request_id", "result")}
    return AuditEntry(**fields, prev_hash=bytes(row["prev_hash"]).hex(), hash=bytes(row["hash"]).hex())
