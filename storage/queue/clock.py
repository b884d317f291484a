"""Repairs times in the far future after the database's clock was set back.

A clock that jumps ahead needs no repair: leases expire, other readers claim, and the fence rejects the first reader. A
clock set back by an hour would delay work by an hour: a dead reader's lease, a task that was just queued.
"""

from quire.storage.postgres.database import Database

_HEAL = (
    """update tasks set lease_until = clock_timestamp() + %(lease_s)s * interval '1 second'
       where state = 'running' and lease_until > clock_timestamp() + 2 * %(lease_s)s * interval '1 second'""",
    """update tasks set available_at = clock_timestamp()
       where state = 'queued' and starts + lapses = 0 and available_at > clock_timestamp()""",
    """update tasks set available_at = clock_timestamp() + %(delay_s)s * interval '1 second'
       where state = 'queued' and available_at > clock_timestamp() + 2 * %(delay_s)s * interval '1 second'""",
    """update deliveries set next_attempt_at = clock_timestamp()
       where state = 'pending' and attempt = 0 and worker is null and next_attempt_at > clock_timestamp()""",
    """update purges set not_before = clock_timestamp() where tries = 0 and not_before > clock_timestamp()""",
)


def heal_clock(db: Database, *, lease_s: float, delay_s: float) -> int:
    """Move times that are too far ahead back into reach and return how many changed.

    A time more than twice the expected delay ahead was not written by the current clock. Work never attempted is due
    now.

    Args:
        db: Database to repair.
        lease_s: Length of a lease in seconds.
        delay_s: Longest retry delay in seconds.
    """
    with db.transaction() as conn:
        return sum(conn.execute(query, {"lease_s": lease_s, "delay_s": delay_s}).rowcount for query in _HEAL)
