"""Times that only another clock can have written, after the database's clock was set back: brought back to its reach.

A clock that jumps ahead needs nothing: leases lapse, other readers claim, and the fence refuses the first. Set back by
an hour it would keep work waiting for an hour: a dead reader's lease, a task that was just queued.
"""

from storage.postgres.database import Database

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
    """How many were brought back. `lease_s`: a lease's length; `delay_s`: the longest wait before another try.

    Twice as far ahead as that, nothing was written by the clock of now; what was never tried is due at once.
    """
    with db.transaction() as conn:
        return sum(conn.execute(query, {"lease_s": lease_s, "delay_s": delay_s}).rowcount for query in _HEAL)
