"""Files that were inside a document become documents of its job, in the transaction that publishes it.

Their originals are on disk before. Depth, count and bytes are bounded over all levels of a job; beyond them the
document that holds them ends as `resource-limit`. A document that is read again has them already.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from psycopg.types.json import Jsonb

from quire.storage.jobs.intake import VTIME, keep_originals
from quire.storage.postgres.database import Connection, Row
from quire.storage.queue.usage import THIS_MONTH
from quire.storage.store import Store
from quire.storage.values.ids import new_document_id
from quire.storage.values.reading_options import dump_options
from quire.storage.values.rows import DocumentId, Succeeded

MAX_DEPTH: Final = 3
"""Files around a file: a mail in an archive with an archive attached is three."""
MAX_MEMBERS: Final = 1_000
"""Files inside the documents of one job, over all levels."""
MAX_BYTES: Final = 1_000_000_000
"""Bytes of all of them."""

_TOTALS: Final = """
select d.depth, exists (select 1 from documents m where m.parent_document_id = d.id) as read_before,
       (select coalesce(max(position), 0) from documents a where a.job_id = d.job_id) as last,
       (select count(*) from documents m where m.job_id = d.job_id and m.parent_document_id is not null) as members,
       (select coalesce(sum(m.bytes), 0)::bigint from documents m
        where m.job_id = d.job_id and m.parent_document_id is not null) as bytes
from documents d where d.id = %s
"""
_INSERT: Final = f"""
with given as materialized (
  select * from jsonb_to_recordset(%(documents)s) as g(id text, position bigint, source_file text, sha256 text,
                                                     bytes bigint, options jsonb, path text)
), reserved as (insert into quota_deltas (month, reserved) select {THIS_MONTH}, %(total)s
), document as (
  insert into documents (id, job_id, tenant, org, key_name, position, source_file, sha256, bytes, options,
                         reserved_pages, reserved_month, parent_document_id, path, depth,
                         principals)
  select id, %(job_id)s, %(tenant)s, %(org)s, %(key_name)s, position, source_file, sha256, bytes, options, 1,
         {THIS_MONTH}, %(parent)s, path, %(depth)s, (select principals from documents where id = %(parent)s)
  from given
), virtual as materialized (select {VTIME} as now
), task as (
  insert into tasks (document_id, job_id, tenant, priority, vtime, traceparent)
  select id, %(job_id)s, %(tenant)s, %(priority)s, virtual.now + position, %(traceparent)s from given, virtual
), act as (
  insert into audit (tenant, org, actor, action, object, request_id, result)
  values (%(tenant)s, %(org)s, %(key_name)s, 'document.opened', %(parent)s, null, 'ok')
)
update jobs set n_total = n_total + %(total)s, n_queued = n_queued + %(total)s where id = %(job_id)s
"""


def add_members(store: Store, conn: Connection, done: Succeeded, document: Row) -> str | None:
    """Insert the documents; return a reason instead if they pass a bound. The caller has locked `document`."""
    if not done.members:
        return None
    conn.execute("select from jobs where id = %s for update", (document["job_id"],))
    totals = conn.execute(_TOTALS, (document["id"],)).fetchall()[0]
    if totals["read_before"]:
        return None
    if reason := _passes_bounds(done, totals):
        return reason
    keep_originals(store, conn, [member.blob.sha256 for member in done.members])
    conn.execute(_INSERT, _parameters(store, done, document, totals))
    return None


def _passes_bounds(done: Succeeded, totals: Row) -> str | None:
    if totals["depth"] + 1 > MAX_DEPTH:
        return f"files nested more than {MAX_DEPTH} deep"
    if totals["members"] + len(done.members) > MAX_MEMBERS:
        return f"more than {MAX_MEMBERS} files inside the documents of a job"
    if totals["bytes"] + sum(member.blob.bytes for member in done.members) > MAX_BYTES:
        return f"more than {MAX_BYTES} bytes inside the documents of a job"
    return None


def _parameters(store: Store, done: Succeeded, document: Row, totals: Row) -> dict[str, Any]:
    claim = done.claim
    options = replace(claim.options, pages=())
    records: Sequence[dict[str, Any]] = [
        {
            "id": (key := DocumentId(new_document_id())),
            "position": totals["last"] + offset,
            "source_file": member.name,
            "sha256": member.blob.sha256,
            "bytes": member.blob.bytes,
            "options": dump_options(store.signer, key, options),
            "path": member.path,
        }
        for offset, member in enumerate(done.members, start=1)
    ]
    return {
        "documents": Jsonb(list(records)), "total": len(records), "job_id": document["job_id"],
        "tenant": document["tenant"], "org": document["org"], "key_name": document["key_name"],
        "parent": document["id"], "depth": totals["depth"] + 1, "priority": int(claim.priority),
        "traceparent": claim.traceparent,
    }  # fmt: skip
