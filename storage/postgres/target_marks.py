"""Marks what targets must receive: one row per target and document, however often the document changes.

A row holds no content. The sender derives what to send from the document's state at that time, so a backlog never
holds more rows than there are documents. A mark is made in the transaction of the change itself.
"""

from collections.abc import Sequence

from quire.storage.postgres.database import Connection

IS_PENDING = "wanted > done and refused_at is null"
"""Condition on a row of `target_documents` that is still to be sent. An index has the same condition."""

_AGAIN = """
  wanted = target_documents.wanted + 1, tries = 0, error = null, refused_at = null,
  next_attempt_at = clock_timestamp(),
  wanted_at = case when target_documents.wanted > target_documents.done and target_documents.refused_at is null
              then target_documents.wanted_at else clock_timestamp() end
"""
_MARK = f"""
insert into target_documents (target_id, document_id)
select t.id, d.id from documents d join targets t on t.tenant = d.tenant and t.org = d.org
where d.id = any(%(ids)s) and (%(target)s::text is null or t.id = %(target)s)
  and d.status = 'succeeded' and d.deleted_at is null and d.published_attempt is not null
order by t.id, d.id
on conflict (target_id, document_id) do update set {_AGAIN}
"""
_UNCERTAIN = f"""
insert into target_documents (target_id, document_id, claims)
select t.id, d.id, 1 from targets t cross join unnest(%(ids)s::text[]) as d(id) where t.id = %(target)s order by d.id
on conflict (target_id, document_id) do update set {_AGAIN}
"""
_TOUCH = f"""
with held as (
  select target_id, document_id from target_documents where document_id = any(%(ids)s)
  order by target_id, document_id for update
)
update target_documents set {_AGAIN} from held
where target_documents.target_id = held.target_id and target_documents.document_id = held.document_id
"""


def mark_documents(conn: Connection, document_ids: Sequence[str], *, target_id: str | None = None) -> int:
    """Mark published documents for the targets of their organisation, or for one of them; return the marks."""
    return conn.execute(_MARK, {"ids": list(document_ids), "target": target_id}).rowcount if document_ids else 0


def touch_documents(conn: Connection, document_ids: Sequence[str]) -> None:
    """Mark documents again that targets have or wait for: they were changed or deleted."""
    if document_ids:
        conn.execute(_TOUCH, {"ids": list(document_ids)})


def mark_uncertain(conn: Connection, target_id: str, document_ids: Sequence[str]) -> None:
    """Mark documents that a late sender may have written, also if the target must not have them any more."""
    conn.execute(_UNCERTAIN, {"ids": list(document_ids), "target": target_id})
