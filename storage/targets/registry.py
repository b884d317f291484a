"""Targets as callers see them: register, change, pause, fill, list with their lag, delete, and their dead letters.

Every act is one transaction with its audit row. Unknown and foreign ids raise NotFound. Sending is `backlog.py`'s.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from quire.storage.access.audit import record
from quire.storage.postgres.database import Connection, Database, Row
from quire.storage.postgres.target_marks import IS_PENDING, mark_documents
from quire.storage.store import Store
from quire.storage.targets.contract import SettingValue
from quire.storage.values.errors import Conflict, NotFound
from quire.storage.values.ids import new_target_id
from quire.storage.values.paging import Cursors, ListPage
from quire.storage.values.rows import Actor, Scope
from quire.storage.webhooks.signatures import open_secret, seal_secret

MAX_TARGETS = 20  # targets of one organisation: each receives every document
_PAGE = 5_000  # documents that a backfill marks in one statement
_OWN = "t.tenant = %(tenant)s and t.org = %(org)s"
_LISTED = f"""
select t.*, c.pending, c.oldest_seconds, c.dead_letters, c.sent from targets t cross join lateral (
  select count(*) filter (where {IS_PENDING}) as pending, count(*) filter (where refused_at is not null)
    as dead_letters, count(*) filter (where sent_at is not null) as sent,
    coalesce(extract(epoch from clock_timestamp() - min(wanted_at) filter (where {IS_PENDING})), 0)::float8
      as oldest_seconds
  from target_documents where target_id = t.id) c
where {_OWN} and (%(id)s::text is null or t.id = %(id)s) order by t.created_at desc, t.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetLag:
    """Documents that a target has not received, and the seconds for which the oldest of them waits."""

    documents: int
    oldest_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRow:
    """A target. `error` and `failing_since` describe an outage; `next_attempt_at` is then the next attempt."""

    id: str
    name: str
    kind: str
    settings: dict[str, SettingValue]
    has_secret: bool
    paused: bool
    state: str
    created_at: datetime
    error: str | None
    failing_since: datetime | None
    next_attempt_at: datetime | None
    sent: int
    lag: TargetLag
    dead_letters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedDocument:
    """A document that a target did not accept."""

    document_id: str
    job_id: str
    source_file: str
    error: str
    tries: int
    refused_at: datetime


def register_target(
    store: Store,
    scope: Scope,
    actor: Actor,
    *,
    name: str,
    kind: str,
    settings: Mapping[str, SettingValue],
    secret: str | None,
) -> TargetRow:
    """Store a target, whose settings the caller has checked. It receives documents that finish from now on."""
    target_id = new_target_id()
    params = _params(scope, id=target_id, name=name, kind=kind, settings=Jsonb(dict(settings)))
    params["secret"] = None if secret is None else seal_secret(store.signer, target_id, secret)
    with store.db.transaction() as conn:
        registered = conn.execute(f"select count(*) as n from targets t where {_OWN}", params).fetchall()[0]["n"]
        if registered >= MAX_TARGETS:
            raise Conflict(f"an organisation may have {MAX_TARGETS} targets")
        conn.execute(
            """insert into targets (id, tenant, org, name, kind, settings, secret)
               values (%(id)s, %(tenant)s, %(org)s, %(name)s, %(kind)s, %(settings)s, %(secret)s)""",
            params,
        )
        record(conn, scope, actor, "target.registered", target_id)
        return _load(conn, scope, target_id)


def list_targets(db: Database, scope: Scope) -> list[TargetRow]:
    """Return all targets of one organisation, the newest first."""
    return [_target(row) for row in db.fetch_all(_LISTED, _params(scope, id=None))]


def get_target(db: Database, scope: Scope, target_id: str) -> TargetRow:
    """Return one target."""
    return db.read(lambda conn: _load(conn, scope, target_id))


def reveal_target(store: Store, scope: Scope, target_id: str) -> tuple[TargetRow, str | None]:
    """Return a target and its opened secret, to check changed settings with."""
    row = store.db.fetch_one(f"select t.secret from targets t where t.id = %(id)s and {_OWN}",
                             _params(scope, id=target_id))  # fmt: skip
    if row is None:
        raise NotFound("no such target")
    secret = None if row["secret"] is None else open_secret(store.signer, target_id, bytes(row["secret"]))
    return get_target(store.db, scope, target_id), secret


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetChanges:
    """Values of a target to change; None leaves a value as it is."""

    name: str | None = None
    paused: bool | None = None
    settings: Mapping[str, SettingValue] | None = None
    secret: str | None = None


def change_target(store: Store, scope: Scope, actor: Actor, target_id: str, changes: TargetChanges) -> TargetRow:
    """Change what is given. A change of settings, and a resumption, are tried at once."""
    settings, secret = changes.settings, changes.secret
    params = _params(scope, id=target_id, name=changes.name, paused=changes.paused)
    params["settings"] = None if settings is None else Jsonb(dict(settings))
    params["secret"] = None if secret is None else seal_secret(store.signer, target_id, secret)
    with store.db.transaction() as conn:
        row = conn.execute(
            f"""update targets t set name = coalesce(%(name)s, name), paused = coalesce(%(paused)s, paused),
                  settings = coalesce(%(settings)s::jsonb, settings), secret = coalesce(%(secret)s::bytea, secret),
                  next_attempt_at = clock_timestamp(), failures = 0
                where t.id = %(id)s and {_OWN} returning paused""",
            params,
        ).fetchone()
        if row is None:
            raise NotFound("no such target")
        acts = {True: "target.paused", False: "target.resumed"}
        record(conn, scope, actor, acts[changes.paused] if changes.paused is not None else "target.changed", target_id)
        return _load(conn, scope, target_id)


def delete_target(db: Database, scope: Scope, actor: Actor, target_id: str) -> None:
    """Delete a target and its backlog. What the target has received stays there."""
    params = _params(scope, id=target_id)
    with db.transaction() as conn:
        if (
            conn.execute(f"delete from targets t where t.id = %(id)s and {_OWN} returning t.id", params).fetchone()
            is None
        ):
            raise NotFound("no such target")
        conn.execute("delete from target_documents where target_id = %(id)s", params)
        record(conn, scope, actor, "target.deleted", target_id)


def backfill_target(db: Database, scope: Scope, actor: Actor, target_id: str) -> int:
    """Mark every published document of the organisation for this target and return their number."""
    get_target(db, scope, target_id)
    marked, last = 0, ""
    while ids := [
        row["id"]
        for row in db.fetch_all(
            """select id from documents where tenant = %(tenant)s and org = %(org)s and id > %(last)s
                 and status = 'succeeded' and deleted_at is null and published_attempt is not null
               order by id limit %(limit)s""",
            _params(scope, last=last, limit=_PAGE),
        )
    ]:
        last = ids[-1]
        with db.transaction() as conn:
            marked += mark_documents(conn, ids, target_id=target_id)
    with db.transaction() as conn:
        record(conn, scope, actor, "target.backfilled", target_id, f"{marked} documents")
    return marked


def list_refused(
    store: Store, scope: Scope, target_id: str, *, limit: int = 100, cursor: str | None = None
) -> ListPage[RefusedDocument]:
    """Return the dead letters of a target, in the order of their ids."""
    get_target(store.db, scope, target_id)
    cursors = Cursors(store.signer, f"target {target_id}", scope)
    rows = store.db.fetch_all(
        """select r.document_id, d.job_id, d.source_file, r.error, r.tries, r.refused_at
           from target_documents r join documents d on d.id = r.document_id
           where r.target_id = %(id)s and r.refused_at is not null and r.document_id > %(after)s
           order by r.document_id limit %(limit)s""",
        {"id": target_id, "after": cursors.read(cursor)[0] if cursor else "", "limit": limit + 1},
    )
    return cursors.page([RefusedDocument(**row) for row in rows], limit, lambda row: (row.document_id,))


def retry_refused(db: Database, scope: Scope, actor: Actor, target_id: str, document_ids: Sequence[str] | None) -> int:
    """Send dead letters again, all or the named ones, and return their number."""
    get_target(db, scope, target_id)
    with db.transaction() as conn:
        ids = None if document_ids is None else list(document_ids)
        retried = conn.execute(
            """update target_documents set refused_at = null, error = null, tries = 0,
                 next_attempt_at = clock_timestamp()
               where target_id = %(id)s and refused_at is not null
                 and (%(ids)s::text[] is null or document_id = any(%(ids)s))""",
            {"id": target_id, "ids": ids},
        ).rowcount
        record(conn, scope, actor, "target.retried", target_id, f"{retried} documents")
    return retried


def _load(conn: Connection, scope: Scope, target_id: str) -> TargetRow:
    row = conn.execute(_LISTED, _params(scope, id=target_id)).fetchone()
    if row is None:
        raise NotFound("no such target")
    return _target(row)


def _params(scope: Scope, **more: Any) -> dict[str, Any]:
    return {"tenant": scope.tenant, "org": scope.org, **more}


def _target(row: Row) -> TargetRow:
    names = ("id", "name", "kind", "settings", "paused", "created_at", "error", "failing_since", "sent", "dead_letters")
    is_failing = row["failing_since"] is not None
    return TargetRow(
        **{name: row[name] for name in names},
        has_secret=row["secret"] is not None,
        state="paused" if row["paused"] else "failing" if is_failing else "active",
        next_attempt_at=row["next_attempt_at"] if is_failing else None,
        lag=TargetLag(documents=row["pending"], oldest_seconds=round(row["oldest_seconds"], 3)),
    )
