"""Publishes a document's tree once more with new flags, as an attempt of its own, without reading its original again.

Order and crash story: a number is reserved, the artifacts are put under it (a crash leaves files nobody refers to), and
one transaction moves the document over, only if it still shows the attempt that was scanned, and tells the index
writer, which knows the old attempt only. Nothing is metered twice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.types.json import Jsonb

from models.cdom.flags import FlaggedPlace
from storage.access.audit import record
from storage.index.index_requests import ask_for_comparison
from storage.postgres.database import Database
from storage.review.flags import keep_flags
from storage.values.rows import Actor, DocumentId, Scope

OPERATOR = Actor(key_name="operator")
_PAGE = 200  # documents listed in one statement


@dataclass(frozen=True, slots=True)
class PublishedAttempt:
    """A published attempt: its artifacts by name."""

    document_id: DocumentId
    attempt: int
    manifest: dict[str, dict[str, Any]]


def list_shown(db: Database) -> Iterator[PublishedAttempt]:
    """Every document that shows a tree, of all tenants, in order of id."""
    last = ""
    while rows := db.fetch_all(
        """select id, published_attempt, manifest from documents where id > %(last)s and status = 'succeeded'
           and deleted_at is null and published_attempt is not null order by id limit %(limit)s""",
        {"last": last, "limit": _PAGE},
    ):
        last = rows[-1]["id"]
        yield from (
            PublishedAttempt(DocumentId(row["id"]), row["published_attempt"], row["manifest"] or {}) for row in rows
        )


def reserve_attempt(db: Database, shown: PublishedAttempt) -> int | None:
    """A number no other attempt has; None when the document does not show this attempt any more."""
    with db.transaction() as conn:
        row = conn.execute(
            """update documents set attempt = attempt + 1 where id = %s and published_attempt = %s
               and status = 'succeeded' and deleted_at is null returning attempt""",
            (shown.document_id, shown.attempt),
        ).fetchone()
    return row["attempt"] if row is not None else None


def show_instead(
    db: Database,
    shown: PublishedAttempt,
    attempt: int,
    manifest: dict[str, dict[str, Any]],
    flags: Sequence[FlaggedPlace],
) -> bool:
    """False = the fence refused: deleted meanwhile, or another scan was faster; nothing changed then."""
    with db.transaction() as conn:
        row = conn.execute(
            """update documents set published_attempt = %s, manifest = %s where id = %s and published_attempt = %s
               and status = 'succeeded' and deleted_at is null returning tenant, org""",
            (attempt, Jsonb(manifest), shown.document_id, shown.attempt),
        ).fetchone()
        if row is None:
            return False
        conn.execute("delete from flags where document_id = %s", (shown.document_id,))
        keep_flags(conn, [(shown.document_id, attempt, flags)])
        ask_for_comparison(conn, "rescan")
        record(conn, Scope(tenant=row["tenant"], org=row["org"]), OPERATOR, "document.rescanned", shown.document_id)
    return True
