"""What awaits a person's word, and the word: pending flags by job, the inbox over all jobs, decisions.

Rows only, always through a scope; texts are read from trees by whoever shows them. A decision belongs to a place, so it
holds for every attempt of the document in which the same text stands in the same place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from storage.access.audit import record
from storage.postgres.database import Database, Row
from storage.store import Store
from storage.values.errors import NotFound
from storage.values.paging import Cursors, ListPage
from storage.values.rows import Actor, DocumentId, JobId, Scope
from storage.values.scoping import OWNED, owned_by


class FlagState(StrEnum):
    """`approved`: masked in redacted outputs, as `pending` is; `rejected`: a false positive, kept."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingFlag:
    """A flag nobody has decided about, on a block of the published attempt."""

    job_id: JobId
    document_id: DocumentId
    source_file: str
    attempt: int
    block_id: str
    flag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What was decided about a flag, by which key and when."""

    state: FlagState
    decided_by: str
    decided_at: datetime


_PENDING = f"""
select j.id as job_id, d.id as document_id, d.source_file, f.attempt, f.block_id, f.flag
from jobs j join documents d on d.job_id = j.id and d.status = 'succeeded' and d.deleted_at is null
join flags f on f.document_id = d.id and f.attempt = d.published_attempt
where {OWNED} and j.id = any(%(job_ids)s) and not exists (
  select 1 from decisions c where c.document_id = f.document_id and c.place = f.place and c.flag = f.flag)
order by j.seq desc, d.position, f.block_order, f.flag
"""

_JOBS_PENDING = f"""
select j.id, j.seq, waiting.n from jobs j cross join lateral (
  select count(*) as n from documents d
  join flags f on f.document_id = d.id and f.attempt = d.published_attempt
  where d.job_id = j.id and d.status = 'succeeded' and d.deleted_at is null and not exists (
    select 1 from decisions c where c.document_id = f.document_id and c.place = f.place and c.flag = f.flag)) waiting
where {OWNED} and j.n_succeeded > 0 and waiting.n > 0 and (%(before)s::bigint is null or j.seq < %(before)s)
order by j.seq desc limit %(limit)s
"""

_DECIDE = """
insert into decisions as c (document_id, place, flag, decision, decided_by)
values (%(document_id)s, %(place)s, %(flag)s, %(decision)s, %(by)s)
on conflict (document_id, place, flag) do update
  set decision = excluded.decision, decided_by = excluded.decided_by, decided_at = clock_timestamp()
  where c.decision <> excluded.decision
returning decision, decided_by, decided_at
"""


def list_pending(db: Database, scope: Scope, job_id: str) -> list[PendingFlag]:
    """A job's flags without a decision, in reading order. Raises NotFound for an unknown job."""
    known = db.fetch_one(f"select 1 from jobs j where j.id = %(job_id)s and {OWNED}", owned_by(scope, job_id=job_id))
    if known is None:
        raise NotFound("no such job")
    return _pending(db, scope, [job_id])


def list_inbox(store: Store, scope: Scope, *, limit: int = 100, cursor: str | None = None) -> ListPage[PendingFlag]:
    """Pending flags of all jobs, the newest job first. A page ends with a job, so it may hold more than `limit`."""
    cursors = Cursors(store.signer, "review", scope)
    before = cursors.read(cursor)[0] if cursor else None
    jobs = store.db.fetch_all(_JOBS_PENDING, owned_by(scope, before=before, limit=limit + 1))
    shown = _until(jobs, limit)
    items = _pending(store.db, scope, [job["id"] for job in shown])
    more = len(jobs) > len(shown)
    return ListPage(tuple(items), cursors.write((shown[-1]["seq"],)) if more else None)


def read_decisions(db: Database, document_id: str) -> dict[tuple[str, str], str]:
    """(place, flag) → decision, of a document the caller may see."""
    rows = db.fetch_all("select place, flag, decision from decisions where document_id = %(id)s", {"id": document_id})
    return {(row["place"], row["flag"]): row["decision"] for row in rows}


def decide(
    db: Database, scope: Scope, actor: Actor, *, document_id: str, block_id: str, place: str, flag: str,
    decision: FlagState,
) -> Decided:  # fmt: skip
    """Notes the decision, audited in the same transaction; the same one again changes nothing. Raises NotFound."""
    key = {"document_id": document_id, "place": place, "flag": flag}
    with db.transaction() as conn:
        locked = conn.execute(
            f"""select d.id from documents d join jobs j on j.id = d.job_id and {OWNED}
                where d.id = %(document_id)s and d.deleted_at is null for share of d""",
            owned_by(scope, document_id=document_id),
        ).fetchone()
        if locked is None:
            raise NotFound("no such document")
        row = conn.execute(_DECIDE, {**key, "decision": decision.value, "by": actor.key_name}).fetchone()
        if row is not None:
            record(conn, scope, actor, f"flag.{decision}", f"{document_id}/{block_id}/{flag}")
        else:
            row = conn.execute(
                """select decision, decided_by, decided_at from decisions
                   where document_id = %(document_id)s and place = %(place)s and flag = %(flag)s""",
                key,
            ).fetchall()[0]
    return Decided(state=FlagState(row["decision"]), decided_by=row["decided_by"], decided_at=row["decided_at"])


def _until(jobs: Sequence[Row], limit: int) -> list[Row]:
    """The first jobs that together hold `limit` flags."""
    shown, held = [], 0
    for job in jobs[:limit]:
        shown.append(job)
        held += job["n"]
        if held >= limit:
            break
    return shown


def _pending(db: Database, scope: Scope, job_ids: Sequence[str]) -> list[PendingFlag]:
    if not job_ids:
        return []
    return [PendingFlag(**row) for row in db.fetch_all(_PENDING, owned_by(scope, job_ids=list(job_ids)))]
