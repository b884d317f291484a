"""Documents that were read with doubt, and reviewers' verdicts about them: one a document, the newest counts.

Rows only, always through a scope; callers read the doubtful blocks from the trees.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from quire.storage.access.audit import record
from quire.storage.postgres.database import Database
from quire.storage.store import Store
from quire.storage.values.errors import NotFound
from quire.storage.values.paging import Cursors, ListPage
from quire.storage.values.rows import Actor, DocumentId, JobId, Scope
from quire.storage.values.scoping import OWNED, owned_by


class ReadingState(StrEnum):
    """Verdict about a reading: `waiting` for review, `seen` by a reviewer, or `accepted` as it was read."""

    WAITING = "waiting"
    SEEN = "seen"
    ACCEPTED = "accepted"


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtfulReading:
    """A published attempt with a low `lowest_confidence`, 0 where text was lost."""

    job_id: JobId
    document_id: DocumentId
    source_file: str
    attempt: int
    lowest_confidence: float
    state: ReadingState
    decided_by: str | None
    decided_at: datetime | None


_SHOWN = "d.status = 'succeeded' and d.published_attempt is not null and d.deleted_at is null"
_LIST = f"""
select d.job_id, d.id as document_id, d.source_file, d.published_attempt as attempt, d.lowest_confidence,
  coalesce(d.reading_state, 'waiting') as state, d.reading_decided_by as decided_by, d.reading_decided_at as decided_at
from documents d join jobs j on j.id = d.job_id and {OWNED}
where d.tenant = %(tenant)s and d.org = %(org)s and {_SHOWN}
  and (d.lowest_confidence < %(below)s or d.lowest_confidence = 0)
  and (%(state)s::text is null or coalesce(d.reading_state, 'waiting') = %(state)s)
  and (%(low)s::float8 is null or (d.lowest_confidence, d.id) > (%(low)s::float8, %(last)s))
order by d.lowest_confidence, d.id limit %(limit)s
"""
_SAY = f"""
update documents d set reading_state = nullif(%(state)s, 'waiting'),
  reading_decided_by = case when %(state)s = 'waiting' then null else %(by)s end,
  reading_decided_at = case when %(state)s = 'waiting' then null else clock_timestamp() end
from jobs j where j.id = d.job_id and {OWNED} and d.id = %(document_id)s and d.job_id = %(job_id)s and {_SHOWN}
returning d.reading_decided_at as decided_at
"""


def list_readings(
    store: Store, scope: Scope, *, below: float, state: ReadingState | None, limit: int = 100, cursor: str | None = None
) -> ListPage[DoubtfulReading]:
    """Return one page, the most doubtful first. Raises InvalidCursor, also for a cursor of another filter."""
    cursors = Cursors(store.signer, f"readings/{below}/{state}", scope)
    low, last = cursors.read(cursor) if cursor else (None, None)
    asked = owned_by(scope, below=below, state=state, low=low, last=last, limit=limit + 1)
    page = cursors.page(
        store.db.fetch_all(_LIST, asked), limit, lambda row: (row["lowest_confidence"], row["document_id"])
    )
    items = tuple(DoubtfulReading(**{**row, "state": ReadingState(row["state"])}) for row in page.items)
    return ListPage(items, page.next_cursor)


def decide_reading(
    db: Database, scope: Scope, actor: Actor, *, job_id: str, document_id: str, state: ReadingState
) -> datetime | None:
    """Record the verdict, audited in the same transaction; `waiting` withdraws it. Raises NotFound."""
    with db.transaction() as conn:
        asked = owned_by(scope, job_id=job_id, document_id=document_id, state=state.value, by=actor.key_name)
        row = conn.execute(_SAY, asked).fetchone()
        if row is None:
            raise NotFound("no such document")
        record(conn, scope, actor, f"reading.{state}", document_id)
    decided_at: datetime | None = row["decided_at"]
    return decided_at
