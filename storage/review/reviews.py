"""Flags that await review, by job and over all jobs, and the decisions about each flag.

Rows only, always through a scope; callers read texts from the trees. A decision belongs to a place, so it holds for
every attempt of the document that has the same value in the same place.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from quire.storage.postgres.database import Database, Row
from quire.storage.store import Store
from quire.storage.values.errors import NotFound
from quire.storage.values.paging import Cursors, ListPage
from quire.storage.values.rows import DocumentId, JobId, Scope
from quire.storage.values.scoping import OWNED, owned_by


class FlagState(StrEnum):
    """`approved`: masked in redacted outputs, as `pending` is; `rejected`: a false positive, kept."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagFilter:
    """Conditions on flags; None and empty accept all. `decided_by`: a key that decided about the flag."""

    state: FlagState | None = FlagState.PENDING
    flags: tuple[str, ...] = ()
    most_confidence: float | None = None
    decided_by: str | None = None


PENDING = FlagFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyDecision:
    """The newest decision of one key about a place."""

    decision: str
    decided_by: str
    decided_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFlag:
    """A flagged value of a published attempt, its state and the decisions about it."""

    job_id: JobId
    document_id: DocumentId
    source_file: str
    attempt: int
    block_id: str
    flag: str
    place: str
    confidence: float
    state: FlagState
    value: str = ""
    same: int = 1
    words: tuple[KeyDecision, ...] = ()


class ReviewOrder(StrEnum):
    """Order of the documents of a review: most pending flags first, newest first, or by file name."""

    PENDING = "pending"
    NEWEST = "newest"
    NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedDocument:
    """A document with flags, how many of them are in each state, and how many there are of each flag."""

    job_id: JobId
    document_id: DocumentId
    source_file: str
    pending: int
    approved: int
    rejected: int
    kinds: dict[str, int]


_WANTED = """
(%(state)s::text is null or coalesce(c.decision, 'pending') = %(state)s)
and (%(flags)s::text[] is null or f.flag = any(%(flags)s))
and (%(most)s::float8 is null or f.confidence <= %(most)s)
and (%(by)s::text is null or exists (select 1 from decision_log l where l.document_id = f.document_id
  and l.place = f.place and l.flag = f.flag and l.decided_by = %(by)s and not l.undone))
"""
_LIST = f"""
select j.id as job_id, d.id as document_id, d.source_file, f.attempt, f.block_id, f.flag, f.place, f.confidence,
  coalesce(c.decision, 'pending') as state, coalesce(f.value, '') as value
from jobs j join documents d on d.job_id = j.id and d.status = 'succeeded' and d.deleted_at is null
join flags f on f.document_id = d.id and f.attempt = d.published_attempt
left join decisions c on c.document_id = f.document_id and c.place = f.place and c.flag = f.flag
where {OWNED} and j.id = any(%(job_ids)s) and {_WANTED}
order by j.seq desc, d.position, f.block_order, f.number, f.flag
"""
_COUNTS = f"""
with counted as (
  select j.id as job_id, j.seq, d.id as document_id, d.position, d.source_file, f.flag, count(*) as flags,
    count(*) filter (where coalesce(c.decision, 'pending') = 'pending') as pending,
    count(*) filter (where c.decision = 'approved') as approved,
    count(*) filter (where c.decision = 'rejected') as rejected
  from jobs j join documents d on d.job_id = j.id and d.status = 'succeeded' and d.deleted_at is null
  join flags f on f.document_id = d.id and f.attempt = d.published_attempt
  left join decisions c on c.document_id = f.document_id and c.place = f.place and c.flag = f.flag
  where {OWNED} and {_WANTED}
  group by j.id, j.seq, d.id, d.position, d.source_file, f.flag
)
select job_id, document_id, source_file, sum(pending)::int as pending, sum(approved)::int as approved,
  sum(rejected)::int as rejected, jsonb_object_agg(flag, flags) as kinds
from counted group by job_id, seq, document_id, position, source_file
"""
_ORDERS = {
    ReviewOrder.PENDING: "sum(pending) desc, seq desc, position",
    ReviewOrder.NEWEST: "seq desc, position",
    ReviewOrder.NAME: "source_file, seq desc, position",
}
_JOBS = f"""
select j.id, j.seq, waiting.n from jobs j cross join lateral (
  select count(*) as n from documents d
  join flags f on f.document_id = d.id and f.attempt = d.published_attempt
  left join decisions c on c.document_id = f.document_id and c.place = f.place and c.flag = f.flag
  where d.job_id = j.id and d.status = 'succeeded' and d.deleted_at is null and {_WANTED}) waiting
where {OWNED} and j.n_succeeded > 0 and waiting.n > 0 and (%(before)s::bigint is null or j.seq < %(before)s)
order by j.seq desc limit %(limit)s
"""
_WORDS = """
select distinct on (document_id, place, flag, decided_by) document_id, place, flag, decision, decided_by, decided_at
from decision_log where document_id = any(%(ids)s) and not undone
order by document_id, place, flag, decided_by, seq desc
"""


def list_flags(db: Database, scope: Scope, job_id: str, conditions: FlagFilter = PENDING) -> list[ListedFlag]:
    """Return a job's flags in reading order. Raises NotFound for an unknown job."""
    job = db.fetch_one(f"select 1 from jobs j where j.id = %(job_id)s and {OWNED}", owned_by(scope, job_id=job_id))
    if job is None:
        raise NotFound("no such job")
    return _list(db, scope, [job_id], conditions)


def list_inbox(
    store: Store, scope: Scope, *, limit: int = 100, cursor: str | None = None, conditions: FlagFilter = PENDING
) -> ListPage[ListedFlag]:
    """Return flags of all jobs, the newest job first. A page ends with a job, so it may hold more than `limit`."""
    cursors = Cursors(store.signer, "review", scope)
    before = cursors.read(cursor)[0] if cursor else None
    jobs = store.db.fetch_all(_JOBS, owned_by(scope, before=before, limit=limit + 1, **_values(conditions)))
    shown = _until(jobs, limit)
    items = _list(store.db, scope, [job["id"] for job in shown], conditions)
    more = len(jobs) > len(shown)
    return ListPage(tuple(items), cursors.write((shown[-1]["seq"],)) if more else None)


def count_by_document(
    store: Store, scope: Scope, *, order: ReviewOrder = ReviewOrder.PENDING, conditions: FlagFilter = PENDING,
    limit: int = 100, cursor: str | None = None,
) -> ListPage[ReviewedDocument]:  # fmt: skip
    """Return the documents with flags that match, with exact counts of these flags by state."""
    cursors = Cursors(store.signer, f"review-counts-{order}", scope)
    passed = int(cursors.read(cursor)[0]) if cursor else 0
    query = f"{_COUNTS} order by {_ORDERS[order]} limit %(limit)s offset %(passed)s"
    rows = store.db.fetch_all(query, owned_by(scope, limit=limit + 1, passed=passed, **_values(conditions)))
    items = tuple(ReviewedDocument(**row) for row in rows[:limit])
    return ListPage(items, cursors.write((passed + limit,)) if len(rows) > limit else None)


def count_same(listed: Sequence[ListedFlag], *, grouped: bool = False) -> list[ListedFlag]:
    """Return the flags with how many of the list have their kind and value; `grouped`: the first of each value."""
    counts = Counter((flag.flag, flag.value) for flag in listed if flag.value)
    counted = [replace(flag, same=counts[flag.flag, flag.value] or 1) for flag in listed]
    if not grouped:
        return counted
    first: dict[tuple[str, str], ListedFlag] = {}
    for flag in counted:
        first.setdefault((flag.flag, flag.value or flag.place), flag)
    return list(first.values())


def read_decisions(db: Database, document_id: str) -> dict[tuple[str, str], str]:
    """Return (place, flag) → decision, of a document the caller may see."""
    rows = db.fetch_all("select place, flag, decision from decisions where document_id = %(id)s", {"id": document_id})
    return {(row["place"], row["flag"]): row["decision"] for row in rows}


def read_key_decisions(
    db: Database, document_ids: Sequence[str]
) -> dict[tuple[str, str, str], tuple[KeyDecision, ...]]:
    """Return (document, place, flag) → the newest decision of each key, of documents the caller may see."""
    decisions: dict[tuple[str, str, str], tuple[KeyDecision, ...]] = {}
    for row in db.fetch_all(_WORDS, {"ids": list(document_ids)}) if document_ids else ():
        word = KeyDecision(decision=row["decision"], decided_by=row["decided_by"], decided_at=row["decided_at"])
        key = (row["document_id"], row["place"], row["flag"])
        decisions[key] = (*decisions.get(key, ()), word)
    return decisions


def _values(conditions: FlagFilter) -> dict[str, Any]:
    return {
        "state": conditions.state.value if conditions.state is not None else None,
        "flags": list(conditions.flags) or None,
        "most": conditions.most_confidence,
        "by": conditions.decided_by,
    }


def _until(jobs: Sequence[Row], limit: int) -> list[Row]:
    """Return the first jobs that together hold `limit` flags."""
    shown, count = [], 0
    for job in jobs[:limit]:
        shown.append(job)
        count += job["n"]
        if count >= limit:
            break
    return shown


def _list(db: Database, scope: Scope, job_ids: Sequence[str], conditions: FlagFilter) -> list[ListedFlag]:
    if not job_ids:
        return []
    rows = db.fetch_all(_LIST, owned_by(scope, job_ids=list(job_ids), **_values(conditions)))
    words = read_key_decisions(db, sorted({row["document_id"] for row in rows}))
    return [
        ListedFlag(
            **{**row, "state": FlagState(row["state"])},
            words=words.get((row["document_id"], row["place"], row["flag"]), ()),
        )
        for row in rows
    ]
