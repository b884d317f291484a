"""Makes read documents visible: ONE fenced transaction for a whole batch.

Order and crash safety: the artifacts are on disk before (a crash leaves unreferenced files); the transaction makes
documents final, meters pages, writes events and audit, counts the jobs (a crash rolls all of it back, the lease expires
and the next attempt repeats it); notices come after the commit and may be lost.
"""

from collections.abc import Callable, Sequence
from typing import assert_never

from quire.models.cdom.errors import ErrorCode
from quire.storage.postgres.database import Connection, Row
from quire.storage.postgres.notices import notify_done, notify_tasks
from quire.storage.queue.ending import DocumentEnd, end_documents, failed, succeeded
from quire.storage.queue.fence import claims_params, lock_held
from quire.storage.store import Store
from quire.storage.values.crash_points import CrashPoint, crash_point
from quire.storage.values.rows import Claim, DocumentId, Failed, Finished, Succeeded

_ALREADY_ENDED = """
select d.id from unnest(%(ids)s::text[], %(attempts)s::bigint[], %(runs)s::bigint[]) as held(id, attempt, run)
join documents d on d.id = held.id and d.run = held.run and d.attempt = held.attempt
where d.published_attempt = held.attempt
"""


AddMembers = Callable[[Store, Connection, Succeeded, Row], str | None]
"""Creates documents from the files inside a document, or returns the reason for refusing them."""


def finish(store: Store, finished: Sequence[Finished], add_members: AddMembers | None = None) -> list[bool]:
    """Publish or fail documents; return True for each that this claim ended, False where the fence rejected it.

    A success whose commit was unknown (the reply was lost) may be passed again: it returns True and writes nothing.
    """
    with store.db.transaction() as conn:
        held = lock_held(conn, [item.claim for item in finished])
        crash_point(CrashPoint.AFTER_FENCE)
        ready = _first_each(finished, held)
        if add_members is not None and _hold_members(ready):
            _lock_jobs(conn, held)
            ready = [
                (document, _with_members(store, conn, item, held[document], add_members)) for document, item in ready
            ]
        jobs = end_documents(conn, [_ending(item, held[document]) for document, item in ready])
        refused = [item.claim for item in finished if item.claim.document_id not in held]
        already_published = _already_published(conn, refused) if refused else frozenset()
        crash_point(CrashPoint.BEFORE_COMMIT)
    crash_point(CrashPoint.AFTER_COMMIT)
    notify_done(store.db, jobs)
    if _hold_members(ready):
        notify_tasks(store.db)
    return [item.claim.document_id in held or item.claim.document_id in already_published for item in finished]


def _hold_members(ready: Sequence[tuple[DocumentId, Finished]]) -> bool:
    return any(isinstance(item, Succeeded) and item.members for _, item in ready)


def _lock_jobs(conn: Connection, held: dict[DocumentId, Row]) -> None:
    """Lock jobs in the order in which ending documents locks them, because new members lock their job earlier."""
    jobs = [row["job_id"] for row in held.values()]
    conn.execute("select from jobs where id = any(%s) order by id for update", (jobs,))


def _with_members(store: Store, conn: Connection, item: Finished, document: Row, add_members: AddMembers) -> Finished:
    """Add the files inside a document; return the item, or a failure if they pass a bound."""
    if not isinstance(item, Succeeded):
        return item
    reason = add_members(store, conn, item, document)
    if reason is None:
        return item
    return Failed(claim=item.claim, error=ErrorCode.RESOURCE_LIMIT.value, detail=reason, format=item.format)


def _first_each(finished: Sequence[Finished], held: dict[DocumentId, Row]) -> list[tuple[DocumentId, Finished]]:
    """Return documents in id order, each once."""
    unique = {item.claim.document_id: item for item in reversed(finished) if item.claim.document_id in held}
    return sorted(unique.items())


def _ending(item: Finished, document: Row) -> DocumentEnd:
    match item:
        case Succeeded():
            return succeeded(document, item, item.claim.attempt)
        case Failed():
            return failed(document, item.error, item.detail, format=item.format, pages=item.pages)
        case _:
            assert_never(item)


def _already_published(conn: Connection, claims: Sequence[Claim]) -> frozenset[DocumentId]:
    params = {**claims_params(claims), "runs": [claim.run for claim in claims]}
    return frozenset(DocumentId(row["id"]) for row in conn.execute(_ALREADY_ENDED, params).fetchall())
