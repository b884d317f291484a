"""Pages: admission against the month's quota, reservations of running documents, and what was used.

The month is the database's, in UTC. Admission waits for one row; a finishing document only inserts a delta, so that no
document waits for another one. Deltas are folded by the next admission and by the janitor.
"""

from dataclasses import dataclass
from datetime import date, datetime

from quire.storage.postgres.database import Connection, Database
from quire.storage.queue.fence import CLAIMS, HELD, claims_params, lock_held
from quire.storage.values.errors import LostLease, QuotaExceeded
from quire.storage.values.rows import Claim, PageQuota

THIS_MONTH = "date_trunc('month', clock_timestamp())::date"
SURE_SHARE = 0.99
"""Share of a month's pages up to which a reservation does not wait for deltas to be folded.

The margin covers the pages of a few seconds.
"""

AMPLE_PAGES = 20_000
"""Pages below the quota from which admissions no longer wait for each other: 100 simultaneous jobs of 200 documents."""
_TAKEN = f"""
select coalesce((select used + reserved from quota where month = {THIS_MONTH}), 0)
     + coalesce((select sum(used + reserved) from quota_deltas where month = {THIS_MONTH}), 0)::bigint as taken
"""

# The reservation of one document in one statement, within this month. It commits asynchronously, because the row of the
# quota is held until then: a database crash may lose reservations of its last moment, with the document's own count.
_GROW = f"""
with relaxed as materialized (select set_config('synchronous_commit', 'off', true)),
mine as materialized (
  select d.id, d.reserved_pages as kept, d.reserved_month = {THIS_MONTH} as fits, d.reserved_month as month
  from {CLAIMS} join tasks t on t.document_id = held.document_id and {HELD} join documents d on d.id = t.document_id
  for update of t, d
), grown as (
  GROWN
), noted as (
  update documents d set reserved_pages = %(pages)s from mine m, grown, relaxed where d.id = m.id
)
select fits and (kept >= %(pages)s or exists (select from grown)) as done from mine
"""
_GROW_WITHIN = _GROW.replace(
    "GROWN",
    """update quota q set reserved = q.reserved + %(pages)s - m.kept from mine m
  where m.fits and q.month = m.month and m.kept < %(pages)s
    and q.used + q.reserved + %(pages)s - m.kept <= %(sure)s
  returning q.month""",
)
_GROW_FREELY = _GROW.replace(
    "GROWN",
    """insert into quota_deltas (month, reserved) select month, %(pages)s - kept from mine
  where fits and kept < %(pages)s returning month""",
)


@dataclass(frozen=True, slots=True)
class MonthUsage:
    """Pages of the current month: metered, and held for documents that are not finished."""

    used: int
    reserved: int


def admit(conn: Connection, quota: PageQuota, pages: int) -> date:
    """Reserve `pages` in this transaction and return the month that they count in. Raises QuotaExceeded."""
    if quota.max_pages_per_month is None:
        statement = f"insert into quota_deltas (month, reserved) values ({THIS_MONTH}, %s) returning month"
        reserved_month: date = conn.execute(statement, (pages,)).fetchall()[0]["month"]
        return reserved_month
    month: date = conn.execute(f"select {THIS_MONTH} as month").fetchall()[0]["month"]
    usage = _lock_and_fold(conn, month)
    if usage.used + usage.reserved + pages > quota.max_pages_per_month:
        raise QuotaExceeded(f"{quota.max_pages_per_month} pages a month")
    conn.execute("update quota set reserved = reserved + %s where month = %s", (pages, month))
    return month


def has_ample_room(conn: Connection, quota: PageQuota, pages: int) -> bool:
    """Return whether `pages` fit so far below the quota that simultaneous admissions cannot exceed it either.

    The caller then only inserts a delta and waits for no row.
    """
    if quota.max_pages_per_month is None:
        return True
    taken: int = conn.execute(_TAKEN).fetchall()[0]["taken"]
    return taken + pages + AMPLE_PAGES <= quota.max_pages_per_month


def reserve_pages(db: Database, claim: Claim, pages: int, quota: PageQuota) -> None:
    """Raise the document's reservation to `pages`. Raises QuotaExceeded, LostLease."""
    if not _grow(db, claim, pages, quota.max_pages_per_month):
        _reserve_exactly(db, claim, pages, quota)


def _grow(db: Database, claim: Claim, pages: int, limit: int | None) -> bool:
    """Reserve in one round trip; False near the limit, at the turn of a month and for the first document of one."""
    params = {**claims_params([claim]), "pages": pages, "sure": None if limit is None else int(limit * SURE_SHARE)}
    with db.autocommit() as conn:
        row = conn.execute(_GROW_FREELY if limit is None else _GROW_WITHIN, params).fetchone()
    if row is None:
        raise LostLease(claim.document_id)
    return bool(row["done"])


def _reserve_exactly(db: Database, claim: Claim, pages: int, quota: PageQuota) -> None:
    """Reserve under the lock of the month's row, with all deltas folded."""
    with db.transaction() as conn:
        row = lock_held(conn, [claim]).get(claim.document_id)
        if row is None:
            raise LostLease(claim.document_id)
        this_month = conn.execute(f"select {THIS_MONTH} as month").fetchall()[0]["month"]
        reserved = row["reserved_pages"] if row["reserved_month"] == this_month else 0
        if pages <= reserved:
            return
        month = admit(conn, quota, pages - reserved)
        if not reserved and row["reserved_pages"]:
            conn.execute(
                "insert into quota_deltas (month, reserved) values (%s, %s)",
                (row["reserved_month"], -row["reserved_pages"]),
            )
        conn.execute(
            "update documents set reserved_pages = %s, reserved_month = %s where id = %s",
            (pages, month, claim.document_id),
        )


def month_usage(db: Database) -> MonthUsage:
    """Return the usage of the current month, deltas included."""
    row = db.fetch_one(
        f"""select coalesce(sum(used), 0)::bigint as used, coalesce(sum(reserved), 0)::bigint as reserved
            from (select used, reserved from quota where month = {THIS_MONTH}
                  union all select used, reserved from quota_deltas where month = {THIS_MONTH}) as both_tables"""
    )
    return MonthUsage(row["used"], row["reserved"]) if row else MonthUsage(0, 0)


def fold_quota(db: Database) -> None:
    """Fold every month's deltas into its row, so that the insert-only table stays small."""
    for row in db.fetch_all("select distinct month from quota_deltas"):
        with db.transaction() as conn:
            _lock_and_fold(conn, row["month"])


def check_clock(db: Database) -> datetime:
    """Return the highest time this database has ever seen, now included, so that a clock set back is noticed."""
    with db.transaction() as conn:
        rows = conn.execute(
            """insert into watermarks (name, at)
               select 'clock', greatest(clock_timestamp(), (select at from audit order by entry desc limit 1))
               on conflict (name) do update set at = greatest(watermarks.at, excluded.at) returning at"""
        ).fetchall()
        latest: datetime = rows[0]["at"]
        return latest


def _lock_and_fold(conn: Connection, month: date) -> MonthUsage:
    conn.execute("insert into quota (month) values (%s) on conflict do nothing", (month,))
    conn.execute("select from quota where month = %s for update", (month,))
    row = conn.execute(
        """with folded as (delete from quota_deltas where month = %(month)s returning used, reserved)
           update quota set used = used + (select coalesce(sum(used), 0) from folded),
                            reserved = reserved + (select coalesce(sum(reserved), 0) from folded)
           where month = %(month)s returning used, reserved""",
        {"month": month},
    ).fetchall()[0]
    return MonthUsage(row["used"], row["reserved"])
