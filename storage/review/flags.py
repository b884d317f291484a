"""Flags of published trees as rows, written in the transaction that publishes the tree they are from."""

from collections.abc import Sequence

from psycopg.types.json import Jsonb

from models.cdom.flags import FlaggedPlace
from storage.postgres.database import Connection

_INSERT = """
insert into flags (document_id, attempt, block_id, flag, place, page, block_order)
select document_id, attempt, block_id, flag, place, page, block_order from jsonb_to_recordset(%s)
  as f(document_id text, attempt bigint, block_id text, flag text, place text, page bigint, block_order bigint)
"""


def keep_flags(conn: Connection, published: Sequence[tuple[str, int, Sequence[FlaggedPlace]]]) -> None:
    """Per (document, attempt): its flags. Most documents have none and cost nothing."""
    rows = [
        {
            "document_id": document_id,
            "attempt": attempt,
            "block_id": flag.block_id,
            "flag": flag.flag,
            "place": flag.place,
            "page": flag.page,
            "block_order": flag.order,
        }
        for document_id, attempt, flags in published
        for flag in flags
    ]
    if rows:
        conn.execute(_INSERT, (Jsonb(rows),))
