"""Metered usage by key: one organisation's documents, pages and bytes of a month."""

from dataclasses import dataclass
from datetime import date

from quire.storage.postgres.database import Database
from quire.storage.queue.usage import THIS_MONTH
from quire.storage.values.rows import Scope


@dataclass(frozen=True, slots=True)
class KeyUsage:
    """`documents` counts runs that succeeded: each is metered once."""

    key: str
    documents: int
    pages: int
    bytes: int


def current_month(db: Database) -> date:
    """Return the month that pages count in now: the database's, in UTC."""
    row = db.fetch_one(f"select {THIS_MONTH} as month")
    assert row is not None
    month: date = row["month"]
    return month


def usage_by_key(db: Database, scope: Scope, month: date) -> list[KeyUsage]:
    """Return one line per key that was metered in that month, by name."""
    rows = db.fetch_all(
        """select key_name, count(*) as documents, sum(pages)::bigint as pages, sum(bytes)::bigint as bytes
           from meter where month = %(month)s and tenant = %(tenant)s and org = %(org)s
           group by key_name order by key_name""",
        {"month": month, "tenant": scope.tenant, "org": scope.org},
    )
    return [KeyUsage(row["key_name"], row["documents"], row["pages"], row["bytes"]) for row in rows]
