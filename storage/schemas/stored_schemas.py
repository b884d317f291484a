"""Named, versioned JSON Schemas of an organisation, the labels that corrections taught, and the corrections.

A label belongs to all versions of a name. A correction belongs to a document and is deleted with it. It keeps the text
at its place, so that it holds in any reading of the document that has this text there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from quire.storage.access.audit import record
from quire.storage.postgres.database import Connection, Database, Row
from quire.storage.values.errors import Conflict, NotFound
from quire.storage.values.rows import Actor, DocumentId, Scope

MAX_SCHEMAS = 500  # names of one organisation
MAX_VERSIONS = 1_000  # versions of one name
MAX_LABELS = 500  # labels of one name
_OWN = "tenant = %(tenant)s and org = %(org)s and name = %(name)s"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSchema:
    """One version of a schema; `body` is its JSON text."""

    name: str
    version: int
    body: str
    created_at: datetime
    created_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionRow:
    """The place of a corrected value: `path` is a JSON pointer into the data, `verbatim` the text from start to end."""

    path: str
    block_id: str
    cell: int | None
    start: int
    end: int
    verbatim: str


def save_schema(db: Database, scope: Scope, actor: Actor, name: str, body: str) -> StoredSchema:
    """Store a further version of a name; the same text as that of the newest version adds none.

    Raises:
        Conflict: The organisation has its limit of schemas, or the name its limit of versions.
    """
    params = _params(scope, name=name, body=body, by=actor.key_name)
    with db.transaction() as conn:
        _lock(conn, scope)
        newest = conn.execute(f"select * from schemas where {_OWN} order by version desc limit 1", params).fetchone()
        if newest is not None and newest["body"] == body:
            return _schema(newest)
        if newest is None and _count_names(conn, params) >= MAX_SCHEMAS:
            raise Conflict(f"an organisation may have {MAX_SCHEMAS} schemas")
        if newest is not None and newest["version"] >= MAX_VERSIONS:
            raise Conflict(f"a schema may have {MAX_VERSIONS} versions")
        params["version"] = newest["version"] + 1 if newest is not None else 1
        row = conn.execute(
            """insert into schemas (tenant, org, name, version, body, created_by)
               values (%(tenant)s, %(org)s, %(name)s, %(version)s, %(body)s, %(by)s) returning *""",
            params,
        ).fetchall()[0]
        record(conn, scope, actor, "schema.stored", f"{name} {row['version']}")
    return _schema(row)


def list_schemas(db: Database, scope: Scope) -> list[StoredSchema]:
    """Return the newest version of every name, by name."""
    rows = db.fetch_all(
        """select distinct on (name) * from schemas where tenant = %(tenant)s and org = %(org)s
           order by name, version desc""",
        _params(scope),
    )
    return [_schema(row) for row in rows]


def find_schema(db: Database, scope: Scope, name: str, version: int | None = None) -> StoredSchema:
    """Return a version of a schema, the newest by default. Raises `NotFound`."""
    row = db.fetch_one(
        f"""select * from schemas where {_OWN} and (%(version)s::bigint is null or version = %(version)s)
            order by version desc limit 1""",
        _params(scope, name=name, version=version),
    )
    if row is None:
        raise NotFound("no such schema")
    return _schema(row)


def delete_schema(db: Database, scope: Scope, actor: Actor, name: str) -> None:
    """Delete all versions of a name, its labels and its corrections. Raises `NotFound`."""
    params = _params(scope, name=name)
    with db.transaction() as conn:
        if not conn.execute(f"delete from schemas where {_OWN} returning version", params).fetchall():
            raise NotFound("no such schema")
        for table in ("schema_labels", "schema_corrections"):
            conn.execute(f"delete from {table} where {_OWN}", params)
        record(conn, scope, actor, "schema.deleted", name)


def read_labels(db: Database, scope: Scope, name: str) -> dict[str, list[str]]:
    """Return the taught labels of a name by pointer to the leaf, in the order in which they were taught."""
    labels: dict[str, list[str]] = {}
    rows = db.fetch_all(
        f"select path, label from schema_labels where {_OWN} order by path, taught_at, label", _params(scope, name=name)
    )
    for row in rows:
        labels.setdefault(row["path"], []).append(row["label"])
    return labels


def teach(
    db: Database,
    scope: Scope,
    actor: Actor,
    name: str,
    document_id: DocumentId,
    correction: CorrectionRow,
    label: tuple[str, str] | None,
) -> None:
    """Store a correction of a document and the label (pointer to the leaf, text) that it teaches.

    Raises:
        NotFound: The name has no schema.
        Conflict: The name has its limit of labels.
    """
    params = _params(
        scope, name=name, document=document_id, verbatim=correction.verbatim, path=correction.path,
        block=correction.block_id, cell=correction.cell, start=correction.start, end=correction.end, by=actor.key_name,
        leaf=label[0] if label else None, label=label[1] if label else None,
    )  # fmt: skip
    with db.transaction() as conn:
        if conn.execute(f"select 1 from schemas where {_OWN} limit 1 for share", params).fetchone() is None:
            raise NotFound("no such schema")
        conn.execute(
            """insert into schema_corrections
                 (tenant, org, name, document_id, path, block_id, cell, start_at, end_at, verbatim, corrected_by)
               values (%(tenant)s, %(org)s, %(name)s, %(document)s, %(path)s, %(block)s, %(cell)s,
                 %(start)s, %(end)s, %(verbatim)s, %(by)s)
               on conflict (tenant, org, name, document_id, path) do update set block_id = excluded.block_id,
                 cell = excluded.cell, start_at = excluded.start_at, end_at = excluded.end_at,
                 verbatim = excluded.verbatim, corrected_by = excluded.corrected_by""",
            params,
        )
        if label is not None:
            taught = conn.execute(f"select count(*) as n from schema_labels where {_OWN}", params).fetchall()[0]["n"]
            if taught >= MAX_LABELS:
                raise Conflict(f"a schema may have {MAX_LABELS} labels")
            conn.execute(
                """insert into schema_labels (tenant, org, name, path, label, taught_by)
                   values (%(tenant)s, %(org)s, %(name)s, %(leaf)s, %(label)s, %(by)s) on conflict do nothing""",
                params,
            )
        record(conn, scope, actor, "schema.corrected", f"{name} {document_id}")


def forget_label(db: Database, scope: Scope, actor: Actor, name: str, path: str, label: str) -> None:
    """Delete a taught label. Raises `NotFound`."""
    params = _params(scope, name=name, path=path, label=label)
    with db.transaction() as conn:
        deleted = conn.execute(
            f"delete from schema_labels where {_OWN} and path = %(path)s and label = %(label)s returning path", params
        ).fetchall()
        if not deleted:
            raise NotFound("no such label")
        record(conn, scope, actor, "schema.label-deleted", name)


def read_corrections(db: Database, scope: Scope, name: str, document_id: DocumentId) -> tuple[CorrectionRow, ...]:
    """Return the corrections of a document under a name."""
    rows = db.fetch_all(
        f"""select path, block_id, cell, start_at, end_at, verbatim from schema_corrections
            where {_OWN} and document_id = %(document)s order by path""",
        _params(scope, name=name, document=document_id),
    )
    return tuple(
        CorrectionRow(
            path=row["path"],
            block_id=row["block_id"],
            cell=row["cell"],
            start=row["start_at"],
            end=row["end_at"],
            verbatim=row["verbatim"],
        )
        for row in rows
    )


def _lock(conn: Connection, scope: Scope) -> None:
    """Let one transaction at a time add schemas of an organisation."""
    conn.execute("select pg_advisory_xact_lock(hashtextextended(%s, 1))", (f"{scope.tenant}/{scope.org}",))


def _count_names(conn: Connection, params: Mapping[str, object]) -> int:
    counted = "select count(distinct name) as n from schemas where tenant = %(tenant)s and org = %(org)s"
    return int(conn.execute(counted, params).fetchall()[0]["n"])


def _params(scope: Scope, **params: object) -> dict[str, object]:
    return {"tenant": scope.tenant, "org": scope.org, **params}


def _schema(row: Row) -> StoredSchema:
    return StoredSchema(
        name=row["name"], version=row["version"], body=row["body"],
        created_at=row["created_at"], created_by=row["created_by"],
    )  # fmt: skip
