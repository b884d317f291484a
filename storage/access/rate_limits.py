"""One limit over all replicas: GCRA in one statement on an UNLOGGED row, on the database's clock.

A bucket is empty again at `empty_at`; each accepted request moves that by one interval, and one that would move it
further ahead than the burst allows is refused and changes nothing.
"""

from datetime import datetime

from storage.postgres.database import Database

BURST = 10  # requests at once above the even rate

SHORTEST_WAIT_S = 0.001  # seconds: a wait of none would be an invitation

_TAKE = """
with clock as materialized (select coalesce(%(now)s::timestamptz, clock_timestamp()) as now)
insert into rate_limits as r (bucket, empty_at)
select %(bucket)s, now + %(interval_s)s * interval '1 second' from clock
on conflict (bucket) do update
  set empty_at = greatest(r.empty_at, (select now from clock)) + %(interval_s)s * interval '1 second'
  where r.empty_at <= (select now from clock) + %(ahead_s)s * interval '1 second'
returning bucket
"""
# A statement of its own: the one above sees the row as it was before those it had to wait for.
_WAIT = """
select extract(epoch from empty_at - coalesce(%(now)s::timestamptz, clock_timestamp()))::float8 - %(ahead_s)s as wait_s
from rate_limits where bucket = %(bucket)s
"""


def take(db: Database, bucket: str, per_minute: float, burst: int = BURST, *, now: datetime | None = None) -> float:
    """0.0 = one request of this bucket is accepted; else the seconds until one will be. `now`: the database's clock."""
    interval_s = 60.0 / per_minute
    params = {"bucket": bucket, "interval_s": interval_s, "ahead_s": interval_s * (burst - 1), "now": now}
    with db.autocommit() as conn:
        if conn.execute(_TAKE, params).fetchone() is not None:
            return 0.0
        row = conn.execute(_WAIT, params).fetchone()
    return max(SHORTEST_WAIT_S, float(row["wait_s"])) if row is not None else SHORTEST_WAIT_S


def forget(db: Database, bucket: str) -> None:
    """The bucket is empty again."""
    with db.autocommit() as conn:
        conn.execute("delete from rate_limits where bucket = %s", (bucket,))


def forget_idle(db: Database) -> int:
    """Drops buckets that have long been empty; returns how many."""
    with db.autocommit() as conn:
        return conn.execute("delete from rate_limits where empty_at < clock_timestamp() - interval '1 hour'").rowcount
