"""Publishes a document's tree again under a new attempt number, without queueing the document.

`quire rescan` stores new flags, `quire reread` a tree of a newer reader. Order and crash safety: the caller reserves an
attempt number and stores the artifacts under it (a crash leaves files without a reference). One transaction then
switches the document to the new attempt, only if it still shows the attempt that was scanned or re-read, and asks the
index writer to compare. Searches show the chunks of the replaced attempt until it has. Nothing is metered twice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from psycopg.types.json import Jsonb

from quire.models.cdom.flags import FlaggedPlace
from quire.models.cdom.original import ReadOptions
from quire.storage.access.audit import record
from quire.storage.index.index_requests import request_comparison
from quire.storage.objects.artifacts import TREE
from quire.storage.postgres.database import Connection, Database, Row
from quire.storage.postgres.target_marks import touch_documents
from quire.storage.review.flags import store_flags
from quire.storage.store import Store
from quire.storage.values.errors import NotFound
from quire.storage.values.reading_options import load_options
from quire.storage.values.rows import Actor, DocumentId, ReadFacts, Scope

OPERATOR = Actor(key_name="operator")
_PAGE = 200  # documents listed in one statement
_SWITCHED = """published_attempt = %(attempt)s, manifest = %(manifest)s,
  searched_attempt = coalesce(searched_attempt, published_attempt)"""
_STILL_SHOWN = """
where id = %(id)s and published_attempt = %(shown)s and status = 'succeeded' and deleted_at is null
returning tenant, org
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedAttempt:
    """A published attempt: its artifacts by name."""

    document_id: DocumentId
    attempt: int
    manifest: dict[str, dict[str, Any]]


def list_shown(db: Database) -> Iterator[PublishedAttempt]:
    """Yield every document that shows a tree, of all tenants, ordered by id."""
    last = ""
    while rows := db.fetch_all(
        """select id, published_attempt, manifest from documents where id > %(last)s and status = 'succeeded'
           and deleted_at is null and published_attempt is not null order by id limit %(limit)s""",
        {"last": last, "limit": _PAGE},
    ):
        last = rows[-1]["id"]
        yield from (
            PublishedAttempt(
                document_id=DocumentId(row["id"]), attempt=row["published_attempt"], manifest=row["manifest"] or {}
            )
            for row in rows
        )


def find_shown(db: Database, document_id: DocumentId) -> PublishedAttempt:
    """Return the published attempt of a document.

    Raises:
        NotFound: The document shows no tree.
    """
    row = db.fetch_one(
        """select published_attempt, manifest from documents where id = %(id)s and status = 'succeeded'
           and deleted_at is null and published_attempt is not null""",
        {"id": document_id},
    )
    if row is None:
        raise NotFound("no such document")
    return PublishedAttempt(document_id=document_id, attempt=row["published_attempt"], manifest=row["manifest"] or {})


def reserve_attempt(db: Database, shown: PublishedAttempt) -> int | None:
    """Return an unused attempt number, or None when the document no longer shows this attempt."""
    with db.transaction() as conn:
        row = conn.execute(
            """update documents set attempt = attempt + 1 where id = %s and published_attempt = %s
               and status = 'succeeded' and deleted_at is null returning attempt""",
            (shown.document_id, shown.attempt),
        ).fetchone()
    return row["attempt"] if row is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutdatedDocument(PublishedAttempt):
    """A published attempt of an older reader, with what is needed to read its original again."""

    source_file: str
    sha256: str
    options: ReadOptions
    route_counts: dict[str, int]


def list_outdated(store: Store, reader_version: int) -> Iterator[OutdatedDocument]:
    """Yield every document whose published tree is of a reader older than `reader_version`, of all tenants, by id."""
    last = ""
    while rows := store.db.fetch_all(
        """select id, published_attempt, manifest, source_file, sha256, options, route_counts from documents
           where id > %(last)s and reader_version < %(reader_version)s and sha256 is not null
             and status = 'succeeded' and deleted_at is null and published_attempt is not null
           order by id limit %(limit)s""",
        {"last": last, "reader_version": reader_version, "limit": _PAGE},
    ):
        last = rows[-1]["id"]
        for row in rows:
            yield OutdatedDocument(
                document_id=DocumentId(row["id"]),
                attempt=row["published_attempt"],
                manifest=row["manifest"] or {},
                source_file=row["source_file"],
                sha256=row["sha256"],
                options=load_options(store.signer, row["id"], row["options"]),
                route_counts=row["route_counts"],
            )


def show_rescanned(
    db: Database,
    shown: PublishedAttempt,
    attempt: int,
    manifest: dict[str, dict[str, Any]],
    flags: Sequence[FlaggedPlace],
) -> bool:
    """Switch the document to `attempt` with new flags.

    Returns:
        False when the document was deleted or republished meanwhile; nothing changed then.
    """
    with db.transaction() as conn:
        row = conn.execute(
            f"update documents set {_SWITCHED} {_STILL_SHOWN}",
            {**_fence(shown), "attempt": attempt, "manifest": Jsonb(manifest)},
        ).fetchone()
        return row is not None and _record_change(conn, shown, attempt, flags, row, "rescan")


def show_reread(db: Database, shown: PublishedAttempt, attempt: int, read: ReadFacts) -> bool:
    """Switch the document to `attempt`, which a newer reader made, with the facts of that reading.

    Returns:
        False when the document was deleted or republished meanwhile; nothing changed then.
    """
    facts = {"manifest": Jsonb(read.manifest), "route_counts": Jsonb(read.route_counts)}
    with db.transaction() as conn:
        row = conn.execute(
            f"""update documents set {_SWITCHED}, pages = %(pages)s,
                  chunks = %(chunks)s, chunker = %(chunker)s, reader_version = %(reader_version)s,
                  route_counts = %(route_counts)s, confidence = %(confidence)s,
                  lowest_confidence = %(lowest_confidence)s, reading_state = null, reading_decided_by = null,
                  reading_decided_at = null {_STILL_SHOWN}""",
            {**asdict(read), **facts, **_fence(shown), "attempt": attempt},
        ).fetchone()
        if row is None:
            return False
        touch_documents(conn, [shown.document_id])
        return _record_change(conn, shown, attempt, read.flags, row, "reread")


def _fence(shown: PublishedAttempt) -> dict[str, Any]:
    return {"id": shown.document_id, "shown": shown.attempt}


def _record_change(
    conn: Connection, shown: PublishedAttempt, attempt: int, flags: Sequence[FlaggedPlace], row: Row, reason: str
) -> bool:
    """Store the flags of the new attempt, ask the index writer to compare and write the audit record."""
    conn.execute("delete from flags where document_id = %s", (shown.document_id,))
    store_flags(conn, [(shown.document_id, attempt, flags)])
    request_comparison(conn, reason)
    scope = Scope(tenant=row["tenant"], org=row["org"])
    record(conn, scope, OPERATOR, "document.rescanned" if reason == "rescan" else "document.reread", shown.document_id)
    return True


def publish_scanned(store: Store, shown: PublishedAttempt, tree_json: bytes, places: Sequence[FlaggedPlace]) -> bool:
    """Publish a scanned tree as a new attempt and delete the files of the replaced one. False: another was faster.

    Args:
        store: The store of the document.
        shown: The attempt that was scanned.
        tree_json: The tree with its new flags.
        places: The places of these flags.
    """
    files = {name: store.artifacts.read(shown.document_id, shown.attempt, name) for name in shown.manifest}
    attempt = reserve_attempt(store.db, shown)
    if attempt is None:
        return False
    manifest = store.artifacts.put(shown.document_id, attempt, files | {TREE: tree_json})
    moved = show_rescanned(store.db, shown, attempt, manifest, places)
    store.artifacts.delete_attempt(shown.document_id, shown.attempt if moved else attempt)
    return moved
