"""Reviewers' decisions about flagged places: recorded, audited, undone, and combined if several approvals are required.

Every decision is stored with its key. It takes effect when at least `approvals` different keys agree with the newest
one; until then the place is pending, so it is masked. Undoing a call restores the state without it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from psycopg.types.json import Jsonb

from quire.storage.postgres.database import Connection, Database
from quire.storage.review.reviews import FlagState, ListedFlag
from quire.storage.values.errors import NotFound
from quire.storage.values.ids import new_act_id
from quire.storage.values.rows import Actor, Scope
from quire.storage.values.scoping import OWNED, owned_by


class Reach(StrEnum):
    """Scope of one decision: this place, or the same value in this document or in all documents of its job."""

    PLACE = "place"
    DOCUMENT = "document"
    JOB = "job"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionTarget:
    """A place to decide about; `value` as in `FlaggedPlace`."""

    block_id: str
    flag: str
    place: str
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceState:
    """State of a place after a decision."""

    document_id: str
    place: str
    state: FlagState


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """Result of a call: `places` are all that it reached, the asked document's first; no `act` if nothing changed."""

    state: FlagState
    decided_by: str
    decided_at: datetime
    act: str | None
    places: tuple[PlaceState, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedMany:
    """Result of a decision about many flags: how many places changed in how many documents; `act` undoes it."""

    act: str | None
    places: int
    documents: int


_LOCK = f"""
select d.id from documents d join jobs j on j.id = d.job_id and {OWNED}
where d.id = any(%(ids)s) and d.deleted_at is null order by d.id for no key update of d
"""
_SAME = f"""
select f.document_id, f.block_id, f.flag, f.place from flags f
join documents d on d.id = f.document_id and d.published_attempt = f.attempt and d.status = 'succeeded'
  and d.deleted_at is null
join jobs j on j.id = d.job_id and {OWNED}
where d.job_id = (select job_id from documents where id = %(document_id)s) and (%(all)s or d.id = %(document_id)s)
  and (f.flag, f.value) in (select flag, value from jsonb_to_recordset(%(wanted)s) as w(flag text, value text))
order by d.id <> %(document_id)s, d.position, f.block_order, f.number
"""
_ASKED = "jsonb_to_recordset(%(asked)s) as a(document_id text, block_id text, place text, flag text)"
_RECORD = f"""
insert into decision_log (act, document_id, place, flag, decision, decided_by)
select %(act)s, a.document_id, a.place, a.flag, %(decision)s, %(by)s from {_ASKED}
where %(decision)s is distinct from (select l.decision from decision_log l where l.document_id = a.document_id
  and l.place = a.place and l.flag = a.flag and l.decided_by = %(by)s and not l.undone order by l.seq desc limit 1)
returning document_id, place, flag
"""
_APPLY = f"""
with words as (
  select distinct on (l.document_id, l.place, l.flag, l.decided_by) l.* from {_ASKED}
  join decision_log l on l.document_id = a.document_id and l.place = a.place and l.flag = a.flag and not l.undone
  order by l.document_id, l.place, l.flag, l.decided_by, l.seq desc
), newest as (
  select distinct on (document_id, place, flag) * from words order by document_id, place, flag, seq desc
), holding as (
  select n.* from newest n where %(approvals)s <= (select count(*) from words w where w.document_id = n.document_id
    and w.place = n.place and w.flag = n.flag and w.decision = n.decision)
), dropped as (
  delete from decisions c using {_ASKED} where c.document_id = a.document_id and c.place = a.place and c.flag = a.flag
    and not exists (select 1 from holding h where h.document_id = a.document_id and h.place = a.place
      and h.flag = a.flag)
)
insert into decisions (document_id, place, flag, decision, decided_by, decided_at)
select document_id, place, flag, decision, decided_by, decided_at from holding
on conflict (document_id, place, flag) do update
  set decision = excluded.decision, decided_by = excluded.decided_by, decided_at = excluded.decided_at
"""
_STATES = f"""
select a.document_id, a.block_id, a.place, a.flag, coalesce(c.decision, 'pending') as state from {_ASKED}
left join decisions c on c.document_id = a.document_id and c.place = a.place and c.flag = a.flag
"""
_AUDIT = f"""
insert into audit (tenant, org, actor, action, object, request_id, result)
select %(tenant)s, %(org)s, %(by)s, %(action)s, a.document_id || '/' || a.block_id || '/' || a.flag, %(request)s, 'ok'
from {_ASKED}
"""
_UNDO = f"""
update decision_log l set undone = true from documents d join jobs j on j.id = d.job_id and {OWNED}
where l.act = %(act)s and l.decided_by = %(by)s and not l.undone and d.id = l.document_id and d.deleted_at is null
returning l.document_id, l.place, l.flag, coalesce((select min(f.block_id) from flags f
  where f.document_id = d.id and f.attempt = d.published_attempt and f.place = l.place and f.flag = l.flag), '')
  as block_id
"""
_NEWEST = """
select decision, decided_by, decided_at from decision_log where document_id = %s and place = %s and flag = %s
  and decided_by = %s and not undone order by seq desc limit 1
"""
Asked = list[dict[str, str]]


def decide(
    db: Database, scope: Scope, actor: Actor, *, document_id: str, targets: Sequence[DecisionTarget],
    decision: FlagState, reach: Reach = Reach.PLACE, approvals: int = 1,
) -> Decided:  # fmt: skip
    """Record the decision for every place in reach, audited in the same transaction. Raises NotFound.

    Repeating the current decision of a key changes nothing and is not recorded.
    """
    with db.transaction() as conn:
        asked = [{"document_id": document_id, **_named(target)} for target in targets]
        if reach is not Reach.PLACE:
            asked = _join(asked, _find_same(conn, scope, document_id, targets, everywhere=reach is Reach.JOB))
        asked = _lock(conn, scope, document_id, asked)
        act = new_act_id()
        values = {"act": act, "by": actor.key_name, "decision": decision.value}
        changed = {tuple(row.values()) for row in conn.execute(_RECORD, {**values, "asked": Jsonb(asked)}).fetchall()}
        new = [place for place in asked if (place["document_id"], place["place"], place["flag"]) in changed]
        if new:
            _apply(conn, new, approvals)
            _audit(conn, scope, actor, f"flag.{decision}", new)
        states = _states(conn, asked)
        first = asked[0]
        newest = conn.execute(
            _NEWEST, (first["document_id"], first["place"], first["flag"], actor.key_name)
        ).fetchall()[0]
    return Decided(
        state=states[0].state,
        decided_by=newest["decided_by"],
        decided_at=newest["decided_at"],
        act=act if new else None,
        places=tuple(states),
    )


def decide_many(
    db: Database, scope: Scope, actor: Actor, *, flags: Sequence[ListedFlag], decision: FlagState, approvals: int = 1
) -> DecidedMany:
    """Record one decision for flags of any documents, audited in the same transaction. One undo takes it back."""
    with db.transaction() as conn:
        asked = [
            {"document_id": flag.document_id, "block_id": flag.block_id, "place": flag.place, "flag": flag.flag}
            for flag in flags
        ]
        ids = sorted({place["document_id"] for place in asked})
        locked = {row["id"] for row in conn.execute(_LOCK, owned_by(scope, ids=ids)).fetchall()}
        act = new_act_id()
        values = {"act": act, "by": actor.key_name, "decision": decision.value}
        asked = [place for place in asked if place["document_id"] in locked]
        recorded = conn.execute(_RECORD, {**values, "asked": Jsonb(asked)}).fetchall()
        changed = {(row["document_id"], row["place"], row["flag"]) for row in recorded}
        new = [place for place in asked if (place["document_id"], place["place"], place["flag"]) in changed]
        if new:
            _apply(conn, new, approvals)
            _audit(conn, scope, actor, f"flag.{decision}", new)
    documents = len({place["document_id"] for place in new})
    return DecidedMany(act=act if new else None, places=len(new), documents=documents)


def undo_decision(db: Database, scope: Scope, actor: Actor, act: str, *, approvals: int = 1) -> tuple[PlaceState, ...]:
    """Undo a call of the same key, audited; the state without it is restored. Raises NotFound."""
    with db.transaction() as conn:
        params = owned_by(scope, act=act, by=actor.key_name)
        ids = conn.execute("select distinct document_id from decision_log where act = %(act)s", params).fetchall()
        conn.execute(_LOCK, owned_by(scope, ids=[row["document_id"] for row in ids]))
        undone = [dict(row) for row in conn.execute(_UNDO, params).fetchall()] if act else []
        if not undone:
            raise NotFound("no such decision of this key")
        _apply(conn, undone, approvals)
        _audit(conn, scope, actor, "flag.undone", undone)
        return tuple(_states(conn, undone))


def _named(target: DecisionTarget) -> dict[str, str]:
    return {"block_id": target.block_id, "place": target.place, "flag": target.flag}


def _find_same(
    conn: Connection, scope: Scope, document_id: str, targets: Sequence[DecisionTarget], *, everywhere: bool
) -> Asked:
    values = [{"flag": target.flag, "value": target.value} for target in targets if target.value]
    params = owned_by(scope, document_id=document_id, all=everywhere, wanted=Jsonb(values))
    return [dict(row) for row in conn.execute(_SAME, params).fetchall()]


def _join(first: Asked, more: Asked) -> Asked:
    """Return each place once, the ones asked for first."""
    places_by_key = {(place["document_id"], place["place"], place["flag"]): place for place in [*more, *first]}
    first_keys = [(place["document_id"], place["place"], place["flag"]) for place in first]
    return first + [place for key, place in places_by_key.items() if key not in set(first_keys)]


def _lock(conn: Connection, scope: Scope, document_id: str, asked: Asked) -> Asked:
    """Lock the documents, so that concurrent decisions are both counted. Raises NotFound."""
    ids = sorted({place["document_id"] for place in asked} | {document_id})
    locked = {row["id"] for row in conn.execute(_LOCK, owned_by(scope, ids=ids)).fetchall()}
    if document_id not in locked:
        raise NotFound("no such document")
    return [place for place in asked if place["document_id"] in locked]


def _apply(conn: Connection, asked: Asked, approvals: int) -> None:
    conn.execute(_APPLY, {"asked": Jsonb(asked), "approvals": approvals})


def _states(conn: Connection, asked: Asked) -> list[PlaceState]:
    states = {
        (row["document_id"], row["place"], row["flag"]): FlagState(row["state"])
        for row in conn.execute(_STATES, {"asked": Jsonb(asked)}).fetchall()
    }
    return [
        PlaceState(
            document_id=place["document_id"],
            place=place["place"],
            state=states[place["document_id"], place["place"], place["flag"]],
        )
        for place in asked
    ]


def _audit(conn: Connection, scope: Scope, actor: Actor, action: str, asked: Asked) -> None:
    """Write one audit entry a place: key, decision, block and time."""
    conn.execute(
        _AUDIT,
        {
            "tenant": scope.tenant, "org": scope.org, "by": actor.key_name, "action": action,
            "request": actor.request_id, "asked": Jsonb(asked),
        },
    )  # fmt: skip
