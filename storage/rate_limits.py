"""One limit over all replicas: GCRA in one statement on an UNLOGGED row, on the database's clock.

A bucket is empty again at `empty_at`; each accepted request moves that by one interval, and one that would move it
further ahead than the burst allows is refused and changes nothing.
"""

from storage.database import Database

BURST = 10

_TAKE = """
with taken as (
  insert into rate_limits as r (bucket, empty_at)
  values (%(bucket)s, clock_timestamp() + %(interval_s)s * interval '1 second')
  on conflict (bucket) do update
    set empty_at = greatest(r.empty_at, clock_timestamp()) + %(interval_s)s * interval '1 second'
    where r.empty_at <= clock_timestamp() + %(ahead_s)s * interval '1 second'
  returning 0.0::float8 as wait_s
)
select wait_s from taken union all
select extract(epoch from empty_at - clock_timestamp())::float8 - %(ahead_s)s from rate_limits
where bucket = %(bucket)s and not exists (select from taken)
"""


def take(db: Database, bucket: str, per_minute: float, burst: int = BURST) -> float:
    """0.0 = one request of this bucket is accepted; else the seconds until one will be."""
    interval_s = 60.0 / per_minute
    params = {"bucket": bucket, "interval_s": interval_s, "ahead_s": interval_s * (burst - 1)}
    with db.reading() as conn:
        rows = conn.execute(_TAKE, params).fetchall()
    return max(0.0, float(rows[0]["wait_s"])) if rows else 0.0


def forget_idle(db: Database) -> int:
    """Drops buckets that have long been empty; returns how many."""
    with db.reading() as conn:
        return conn.execute("delete from rate_limits where empty_at < clock_timestamp() - interval '1 hour'").rowcount
