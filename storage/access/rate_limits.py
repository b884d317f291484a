"""One limit over all replicas: GCRA in one statement on an UNLOGGED row, on the database's clock.

A bucket is empty again at `empty_at`; each accepted request moves that by one interval, and one that would move it
further ahead than the burst allows is refused and changes nothing.
"""

from datetime import datetime

from quire.storage.postgres.database import Database

BURST = 10  # requests at once above the even rate

SHORTEST_WAIT_S = 0.001  # seconds: a wait of 0 would mean that the request was accepted

_TAKE = """
with clock as materialized (select coalesce(%(now)s::timestamptz, clock_timestamp()) as now)
insert into rate_limits as r (bucket, empty_at)
select %(bucket)s, now + %(interval_s)s * interval '1 second' from clock
on conflict (bucket) do update
  set empty_at = greatest(r.empty_at, (select now from clock)) + %(interval_s)s * interval '1 second'
  where r.empty_at <= (select now from clock) + %(ahead_s)s * interval '1 second'
returning bucket
"""
# A separate statement: the one above sees the row as it was before concurrent updates.
_WAIT = """
select extract(epoch from empty_at - coalesce(%(now)s::timestamptz, clock_timestamp()))::float8 - %(ahead_s)s as wait_s
from rate_limits where bucket = %(bucket)s
"""


def take(db: Database, bucket: str, per_minute: float, burst: int = BURST, *, now: datetime | None = None) -> float:
    """Take one request from a bucket; return 0.0 if it is accepted, else the seconds until the next one will be.

    Args:
        db: Database of the buckets.
        bucket: Name of the bucket.
        per_minute: Requests a minute in the long run.
        burst: Requests at once above the even rate.
        now: Time for tests; by default the database's clock.
    """
    interval_s = 60.0 / per_minute
    params = {"bucket": bucket, "interval_s": interval_s, "ahead_s": interval_s * (burst - 1), "now": now}
    with db.autocommit() as conn:
        if conn.execute(_TAKE, params).fetchone() is not None:
            return 0.0
        row = conn.execute(_WAIT, params).fetchone()
    return max(SHORTEST_WAIT_S, float(row["wait_s"])) if row is not None else SHORTEST_WAIT_S


def reset_bucket(db: Database, bucket: str) -> None:
    """Empty the bucket."""
    with db.autocommit() as conn:
        conn.execute("delete from rate_limits where bucket = %s", (bucket,))


def delete_idle_buckets(db: Database) -> int:
    """Delete buckets that have been empty for an hour and return their number."""
    with db.autocommit() as conn:
        return conn.execute("delete from rate_limits where empty_at < clock_timestamp() - interval '1 hour'").rowcount
