"""All documents of an organisation as one list: filtered, sorted and counted.

Rows only, always through a scope. Deleted documents are left out; their job still names them.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from quire.storage.jobs.columns import DOCUMENT_COLUMNS, DOCUMENT_FIELDS
from quire.storage.jobs.documents import FROM, PublishedTree, to_document, to_published
from quire.storage.jobs.jobs import get_job
from quire.storage.postgres.database import Database, Row
from quire.storage.store import Store
from quire.storage.values.errors import NotFound
from quire.storage.values.paging import Cursors, ListPage
from quire.storage.values.rows import DocumentRow, Scope
from quire.storage.values.scoping import VISIBLE, owned_by
from quire.storage.values.states import DocumentStatus

MOST_COUNTED = 100_000
"""Documents that a count reads before it stops."""


class DocumentOrder(StrEnum):
    """Order of a document list. A minus sorts from the largest or latest to the smallest or earliest."""

    NEWEST = "-created_at"
    OLDEST = "created_at"
    NAME = "name"
    NAME_DOWN = "-name"
    STATUS = "status"
    STATUS_DOWN = "-status"
    TYPE = "type"
    TYPE_DOWN = "-type"
    PAGES = "pages"
    PAGES_DOWN = "-pages"
    BYTES = "bytes"
    BYTES_DOWN = "-bytes"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFilter:
    """Conditions on documents; None accepts all.

    `name` is a part of the file name in any case, `since` ≤ time of upload < `until`. `reader_before` selects trees of
    an older reader; ingested trees have no reader and never match. `principals` leaves out documents that none of them
    may find. `sha256` selects files with this content. `members` false leaves out files inside documents of the list.
    """

    name: str | None = None
    status: DocumentStatus | None = None
    format: str | None = None
    flag: str | None = None
    job_ids: tuple[str, ...] | None = None
    sha256: str | None = None
    members: bool | None = None
    reader_before: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    principals: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class DocumentCounts:
    """Numbers of the documents that match a filter. `complete` is false if there are more than `MOST_COUNTED`."""

    documents: int
    pages: int
    bytes: int
    complete: bool


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A document with the time it was sent, and how often each flag still waits for a decision or was approved."""

    document: DocumentRow
    created_at: datetime
    flags: dict[str, int]


_CONDITIONS = {
    "name": "d.source_file ilike %(name)s",
    "status": "d.status = %(status)s",
    "format": "d.format = %(format)s",
    "flag": """exists (select 1 from flags f where f.document_id = d.id and f.attempt = d.published_attempt
        and (%(flag)s = 'pii' or f.flag = %(flag)s))""",
    "job_ids": "d.job_id = any(%(job_ids)s)",
    "sha256": "d.sha256 = %(sha256)s",
    "members": """(%(members)s or not exists (
        select 1 from documents p where p.id = d.parent_document_id and p.deleted_at is null))""",
    "reader_before": "d.reader_version < %(reader_before)s",
    "since": "d.created_at >= %(since)s",
    "until": "d.created_at < %(until)s",
    "principals": VISIBLE,
}
_FLAGS = """
select f.document_id, f.flag, count(*) as n from flags f
join documents d on d.id = f.document_id and d.published_attempt = f.attempt
where f.document_id = any(%(ids)s) and not exists (
  select 1 from decisions c where c.document_id = f.document_id and c.place = f.place and c.flag = f.flag
    and c.decision = 'rejected')
group by f.document_id, f.flag order by f.document_id, n desc, f.flag
"""


_SORT_KEYS = {
    "created_at": ("d.created_at", "timestamptz"),
    "name": ("lower(d.source_file)", "text"),
    "status": ("d.status", "text"),
    "type": ("coalesce(d.format, '')", "text"),
    "pages": ("coalesce(d.pages, -1)", "integer"),
    "bytes": ("d.bytes", "bigint"),
}
"""SQL expression of each order and its type."""


def list_all_documents(
    store: Store,
    scope: Scope,
    conditions: DocumentFilter,
    *,
    order: DocumentOrder = DocumentOrder.NEWEST,
    limit: int = 50,
    cursor: str | None = None,
) -> ListPage[ListedDocument]:
    """Return one page in the given order. Raises InvalidCursor, also for a cursor of another filter or order."""
    given = _given(conditions)
    listing = f"all-documents/{order}/" + repr(sorted((name, str(value)) for name, value in given.items()))
    cursors = Cursors(store.signer, listing, scope)
    after, last = cursors.read(cursor) if cursor else (None, None)
    is_descending = order.startswith("-")
    key, kind = _SORT_KEYS[order.removeprefix("-")]
    direction, sign = ("desc", "<") if is_descending else ("asc", ">")
    follows = f"(%(after)s::{kind} is null or ({key}, d.id) {sign} (%(after)s::{kind}, %(last)s))"
    rows = store.db.fetch_all(
        f"""with chosen as materialized (
              select d.id, {key} as sort_key from documents d where {_where(given)} and {follows}
              order by {key} {direction}, d.id {direction} limit %(limit)s)
            select d.created_at, c.sort_key, {DOCUMENT_COLUMNS} {FROM} join chosen c on c.id = d.id
            order by c.sort_key {direction}, d.id {direction}""",
        owned_by(scope, after=after, last=last, limit=limit + 1, **_values(given)),
    )
    page = cursors.page(rows, limit, lambda row: (_plain(row["sort_key"]), row["id"]))
    return ListPage(tuple(to_listed(store.db, page.items)), page.next_cursor)


def count_all_documents(store: Store, scope: Scope, conditions: DocumentFilter) -> DocumentCounts:
    """Return how many documents match, with their pages and bytes. Counting stops at `MOST_COUNTED` documents."""
    given = _given(conditions)
    (row,) = store.db.fetch_all(
        f"""select count(*) as documents, coalesce(sum(pages), 0)::bigint as pages,
                   coalesce(sum(bytes), 0)::bigint as bytes
            from (select d.pages, d.bytes from documents d where {_where(given)} limit %(limit)s) as counted""",
        owned_by(scope, limit=MOST_COUNTED + 1, **_values(given)),
    )
    return DocumentCounts(**row, complete=row["documents"] <= MOST_COUNTED)


def to_listed(db: Database, rows: Sequence[Row]) -> list[ListedDocument]:
    """Return rows of `DOCUMENT_COLUMNS` and `created_at` as listed documents with their flags."""
    flags = _count_flags(db, [row["id"] for row in rows])
    return [
        ListedDocument(
            to_document({name: row[name] for name in DOCUMENT_FIELDS}), row["created_at"], flags.get(row["id"], {})
        )
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class ChosenDocument:
    """A document with its published tree, if it has one."""

    document: DocumentRow
    tree: PublishedTree | None


def find_chosen(
    db: Database,
    scope: Scope,
    *,
    job_id: str | None = None,
    document_ids: Sequence[str] = (),
    principals: Sequence[str] | None = None,
) -> list[ChosenDocument]:
    """Return documents of a job, or those named, that are not deleted, in the order sent.

    Args:
        db: Database.
        scope: Owner of the documents.
        job_id: A job instead of named documents.
        document_ids: Named documents.
        principals: Leaves out documents of the job that none of them may find; None leaves out none.

    Raises:
        NotFound: The job is unknown, or a named document is unknown, deleted or hidden from the principals.
    """
    shown = "true" if principals is None else VISIBLE
    if job_id is not None:
        get_job(db, scope, job_id, detail=False)
    rows = db.fetch_all(
        f"""select d.published_attempt, d.manifest, d.chunker, {DOCUMENT_COLUMNS} {FROM}
            where d.deleted_at is null and {shown}
              and ({"d.job_id = %(job_id)s" if job_id is not None else "d.id = any(%(ids)s)"})
            order by d.created_at, d.position, d.id""",
        owned_by(scope, job_id=job_id, ids=list(document_ids), principals=list(principals or ())),
    )
    if job_id is None and len(rows) != len(set(document_ids)):
        raise NotFound("no such document")
    return [_chosen(row) for row in rows]


def list_published(db: Database, scope: Scope, principals: Sequence[str], *, limit: int) -> list[ChosenDocument]:
    """Return the published documents that `principals` may find, the newest first, at most `limit`."""
    rows = db.fetch_all(
        f"""select d.published_attempt, d.manifest, d.chunker, {DOCUMENT_COLUMNS} {FROM}
            where d.tenant = %(tenant)s and d.org = %(org)s and d.deleted_at is null and d.status = 'succeeded'
              and d.published_attempt is not null and {VISIBLE}
            order by d.created_at desc, d.id desc limit %(limit)s""",
        owned_by(scope, limit=limit, principals=list(principals)),
    )
    return [_chosen(row) for row in rows]


def list_formats(db: Database, scope: Scope) -> list[str]:
    """Return the formats of an organisation's documents, by name."""
    rows = db.fetch_all(
        f"""select distinct d.format {FROM} where d.tenant = %(tenant)s and d.org = %(org)s
            and d.deleted_at is null and d.format is not null order by d.format""",
        owned_by(scope),
    )
    return [row["format"] for row in rows]


def _given(conditions: DocumentFilter) -> dict[str, Any]:
    """Return the conditions that are set."""
    given = {name: value for name, value in asdict(conditions).items() if value is not None}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}


def _where(given: dict[str, Any]) -> str:
    own = "d.tenant = %(tenant)s and d.org = %(org)s and d.deleted_at is null"
    return " and ".join([own, *(_CONDITIONS[name] for name in given)])


def _plain(key: Any) -> Any:
    """Return a sort key as a JSON value."""
    return key.isoformat() if isinstance(key, datetime) else key


def _chosen(row: Row) -> ChosenDocument:
    own = {"published_attempt", "manifest", "chunker"}
    document = to_document({name: value for name, value in row.items() if name not in own})
    published = document.status is DocumentStatus.SUCCEEDED and row["published_attempt"] is not None
    return ChosenDocument(document, to_published(row) if published else None)


def _values(given: dict[str, Any]) -> dict[str, Any]:
    """Return query parameters: a name matches parts of file names, and a time without a zone is UTC."""
    values = {name: _in_utc(value) for name, value in given.items()}
    if "name" in values:
        escaped = values["name"].replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        values["name"] = f"%{escaped}%"
    return values


def _in_utc(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value


def _count_flags(db: Database, ids: Sequence[str]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for row in db.fetch_all(_FLAGS, {"ids": list(ids)}) if ids else ():
        counts.setdefault(row["document_id"], {})[row["flag"]] = row["n"]
    return counts
