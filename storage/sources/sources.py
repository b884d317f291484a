"""Registered sources as callers see them: register, list, delete. Unknown and foreign ids raise NotFound.

A source is checked when it is registered and again at every sync (`gate.SourceGate`).
"""

import posixpath
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from psycopg.types.json import Jsonb

from quire.storage.access.audit import record
from quire.storage.postgres.database import Connection, Database, Row
from quire.storage.sources.gate import SourceGate, SourceKind
from quire.storage.sources.removed_files import delete_retired
from quire.storage.values.errors import Conflict, NotFound
from quire.storage.values.ids import new_source_id
from quire.storage.values.rows import Actor, Scope

MAX_SOURCES = 100  # sources of one organisation
_BATCHES_AT_ONCE = 10  # of a thousand documents that the deletion of their source waits for
OWN = "tenant = %(tenant)s and org = %(org)s"
_ALL = f"select * from sources where {OWN}"
_SYNCING = "coalesce(lease_until > clock_timestamp(), false) as syncing"


class SourceExists(Conflict):
    """The organisation syncs this place already."""

    code = "source-exists"


class SourceState(StrEnum):
    """State of a source. `waiting`: a sync was requested and has not begun."""

    IDLE = "idle"
    WAITING = "waiting"
    RUNNING = "running"


@dataclass(frozen=True, slots=True)
class AccessRule:
    """Principals of the documents of the files whose relative path matches."""

    match: str
    principals: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSource:
    """A source to register. `location`: an absolute path or an s3:// URI.

    Globs match whole relative paths; `*` also matches `/`. The first matching rule of `access` sets the principals of
    a document; without one every caller finds it.
    """

    name: str
    kind: SourceKind
    location: str
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    every_minutes: int | None = None
    access: Sequence[AccessRule] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredSource:
    """A registered source; `last_sync` is its last report, `sync_error` the code of a last sync that failed."""

    id: str
    scope: Scope
    key_name: str
    name: str
    kind: SourceKind
    location: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    every_minutes: int | None
    created_at: datetime
    last_sync: dict[str, Any] | None
    state: SourceState = SourceState.IDLE
    sync_error: str | None = None
    access: tuple[AccessRule, ...] = ()


def check_place(db: Database, gate: SourceGate, scope: Scope, kind: SourceKind, location: str) -> None:
    """Raise SourceRefused unless the location may be a source and can be read now."""
    gate.connect(kind, location, scope.tenant, tenants_of_keys(db)).check()


def register_source(db: Database, gate: SourceGate, scope: Scope, actor: Actor, asked: NewSource) -> RegisteredSource:
    """Check and store a source.

    Raises:
        SourceRefused: The location may not be a source or cannot be read now.
        SourceExists: The organisation has that location with the same globs.
        Conflict: The organisation has a hundred sources.
    """
    check_place(db, gate, scope, asked.kind, asked.location)
    params = own(scope, id=new_source_id(), key_name=actor.key_name, name=asked.name, kind=str(asked.kind))
    params |= {"location": asked.location, "include": list(asked.include), "exclude": list(asked.exclude)}
    params |= {"every_minutes": asked.every_minutes, "access": Jsonb([asdict(rule) for rule in asked.access])}
    with db.transaction() as conn:
        registered = conn.execute(f"select count(*) as n from sources where {OWN}", params).fetchall()[0]["n"]
        if registered >= MAX_SOURCES:
            raise Conflict(f"an organisation may have {MAX_SOURCES} sources")
        if any(_is_same(to_source(row), asked) for row in conn.execute(_ALL, params).fetchall()):
            raise SourceExists("this place is a source already")
        row = conn.execute(
            """insert into sources (id, tenant, org, key_name, name, kind, location, include, exclude, every_minutes,
                                    access)
               values (%(id)s, %(tenant)s, %(org)s, %(key_name)s, %(name)s, %(kind)s, %(location)s, %(include)s,
                       %(exclude)s, %(every_minutes)s, %(access)s) returning *""",
            params,
        ).fetchall()[0]
        record(conn, scope, actor, "source.registered", row["id"])
    return to_source(row)


def tenants_of_keys(db: Database) -> frozenset[str]:
    """Return the tenants of live keys that were added while the service runs."""
    rows = db.fetch_all("select distinct name from api_keys where revoked_at is null")
    return frozenset(row["name"] for row in rows)


def _is_same(registered: RegisteredSource, asked: NewSource) -> bool:
    """Return whether both name the same files, by place and globs, however the place is written."""
    return (_place(registered), set(registered.include), set(registered.exclude)) == (
        _place(asked),
        set(asked.include),
        set(asked.exclude),
    )


def _place(source: RegisteredSource | NewSource) -> tuple[SourceKind, str]:
    if source.kind is SourceKind.DIRECTORY:
        return source.kind, posixpath.normpath(source.location)
    return source.kind, source.location.rstrip("/")


def list_sources(db: Database, scope: Scope) -> list[RegisteredSource]:
    """Return all sources of one organisation, the newest first."""
    rows = db.fetch_all(f"select *, {_SYNCING} from sources where {OWN} order by created_at desc, id", own(scope))
    return [to_source(row) for row in rows]


def get_source(db: Database, scope: Scope, source_id: str) -> RegisteredSource:
    """Return one source. Raises NotFound."""
    row = db.fetch_one(f"select *, {_SYNCING} from sources where {OWN} and id = %(id)s", own(scope, id=source_id))
    if row is None:
        raise NotFound("no such source")
    return to_source(row)


def request_sync(db: Database, scope: Scope, source_id: str) -> None:
    """Record a sync request, which any process may carry out. Raises NotFound, and Conflict while a sync runs."""
    params = own(scope, id=source_id)
    with db.transaction() as conn:
        row = conn.execute(
            f"select id, {_SYNCING} from sources where {OWN} and id = %(id)s for update", params
        ).fetchone()
        if row is None:
            raise NotFound("no such source")
        if row["syncing"]:
            raise Conflict("this source is being synced")
        conn.execute("update sources set wanted_at = clock_timestamp() where id = %(id)s", params)


def delete_source(db: Database, scope: Scope, actor: Actor, source_id: str, *, documents: bool) -> bool:
    """Delete a source, and with `documents` every document it brought in; return whether all of them are gone.

    Unfinished documents are deleted when they finish.
    """
    params = own(scope, id=source_id)
    with db.transaction() as conn:
        if not conn.execute(f"delete from sources where id = %(id)s and {OWN} returning id", params).fetchall():
            raise NotFound("no such source")
        if documents:
            retire(conn, scope, source_id, None)
        conn.execute("delete from source_files where source_id = %(id)s", params)
        record(conn, scope, actor, "source.deleted", source_id, "with-documents" if documents else "ok")
    if not documents:
        return True
    for _ in range(_BATCHES_AT_ONCE):
        if not delete_retired(db, source_id):
            break
    return not db.fetch_all("select 1 from source_retired where source_id = %(id)s limit 1", params)


def retire(
    conn: Connection, scope: Scope, source_id: str, paths: Sequence[str] | None, successors: Sequence[str] = ()
) -> None:
    """Record the documents of these files (None: all) for deletion by `removed_files.delete_retired`.

    `successors` are the documents that replace them, one for each path.
    """
    conn.execute(
        """insert into source_retired (document_id, source_id, tenant, org, successor)
           select f.document_id, f.source_id, %(tenant)s, %(org)s, n.successor from source_files f
           left join unnest(%(paths)s::text[], %(successors)s::text[]) as n(path, successor) on n.path = f.path
           where f.source_id = %(id)s and (%(paths)s::text[] is null or f.path = any(%(paths)s))
           on conflict do nothing""",
        own(scope, id=source_id, paths=None if paths is None else list(paths), successors=list(successors)),
    )


def own(scope: Scope, **more: object) -> dict[str, Any]:
    """Return the parameters of a statement that filters by tenant and organisation."""
    return {"tenant": scope.tenant, "org": scope.org, **more}


def to_source(row: Row) -> RegisteredSource:
    """Return the source of a row; without the column `syncing` it counts as not running."""
    names = ("id", "key_name", "name", "location", "every_minutes", "created_at", "last_sync", "sync_error")
    return RegisteredSource(
        **{name: row[name] for name in names},
        scope=Scope(tenant=row["tenant"], org=row["org"]),
        kind=SourceKind(row["kind"]),
        state=_state(row),
        include=tuple(row["include"]),
        exclude=tuple(row["exclude"]),
        access=tuple(AccessRule(rule["match"], tuple(rule["principals"])) for rule in row["access"]),
    )


def _state(row: Row) -> SourceState:
    if row.get("syncing"):
        return SourceState.RUNNING
    return SourceState.IDLE if row["wanted_at"] is None else SourceState.WAITING
