"""Flags of published trees as rows, written in the transaction that publishes the tree they are from."""

from collections.abc import Sequence

from psycopg.types.json import Jsonb

from quire.models.cdom.flags import FlaggedPlace
from quire.storage.postgres.database import Connection

_INSERT = """
insert into flags (document_id, attempt, block_id, flag, place, page, block_order, value, confidence, number)
select document_id, attempt, block_id, flag, place, page, block_order, value, confidence, number
from jsonb_to_recordset(%s) as f(document_id text, attempt bigint, block_id text, flag text, place text, page bigint,
  block_order bigint, value text, confidence double precision, number bigint)
"""


def store_flags(conn: Connection, published: Sequence[tuple[str, int, Sequence[FlaggedPlace]]]) -> None:
    """Store the flags of each (document, attempt); an empty list needs no statement."""
    rows = [
        {
            "document_id": document_id,
            "attempt": attempt,
            "block_id": flag.block_id,
            "flag": flag.flag,
            "place": flag.place,
            "page": flag.page,
            "block_order": flag.order,
            "value": flag.value,
            "confidence": flag.confidence,
            "number": number,
        }
        for document_id, attempt, flags in published
        for number, flag in enumerate(flags)
    ]
    if rows:
        conn.execute(_INSERT, (Jsonb(rows),))
