"""The fence, in one place: a write about a held task happens only while this worker's claim is the newest one.

`attempt` rises with every claim. Claims may be lost in a database crash (they commit asynchronously), so one number can
be used twice; the worker's random id distinguishes them. A write about several tasks locks them by id first, so that a
heartbeat and the end of the same documents cannot deadlock.
"""

from collections.abc import Sequence

from quire.storage.postgres.database import Connection, Params, Row
from quire.storage.values.rows import Claim, DocumentId

# `t` is the tasks table, `held` the claims of the caller. Only a running task has a worker. Naming the state would make
# the index of running tasks usable, which a planner prefers to the key while its statistics are old.
HELD = "t.attempt = held.attempt and t.worker = held.worker"
CLAIMS = "unnest(%(ids)s::text[], %(attempts)s::bigint[], %(workers)s::text[]) as held(document_id, attempt, worker)"

_LOCK_HELD = f"""
select d.id, d.job_id, d.source_file, d.run, d.tenant, d.org, d.key_name, d.bytes, d.status, d.attempt,
       d.reserved_pages, d.reserved_month
from {CLAIMS}
join tasks t on t.document_id = held.document_id and {HELD}
join documents d on d.id = t.document_id
order by d.id for update of t, d
"""


def locked_first(claims: str, condition: str = HELD) -> str:
    """Return SQL of a CTE `mine`: ids of tasks `t` that meet `condition` with a row `held` of `claims`, now locked."""
    return f"""mine as materialized (
  select t.document_id from {claims} join tasks t on t.document_id = held.document_id and {condition}
  order by t.document_id for update of t
)"""


def claims_params(claims: Sequence[Claim]) -> Params:
    """Return the parameters of CLAIMS."""
    return {
        "ids": [claim.document_id for claim in claims],
        "attempts": [claim.attempt for claim in claims],
        "workers": [claim.worker for claim in claims],
    }


def lock_held(conn: Connection, claims: Sequence[Claim]) -> dict[DocumentId, Row]:
    """Lock task and document of every claim that still holds and return their rows; lost claims are absent."""
    rows = conn.execute(_LOCK_HELD, claims_params(claims)).fetchall()
    return {DocumentId(row["id"]): row for row in rows}
