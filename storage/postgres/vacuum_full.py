"""After documents were erased: rewrites the embedded database's files and log, which still hold the old bytes.

A deleted row stays in its page until that is rewritten, and in the write-ahead log until that segment goes. Needs a
superuser and `wal_recycle = off`. Safe at any time and any number of times; what is locked now is done next time.
"""

import logging
from contextlib import suppress

import psycopg

from quire.storage.postgres.database import Connection, Database

log = logging.getLogger(__name__)
REWRITTEN_BYTES = 32 << 20
"""Tables up to this size are rewritten (0.2 s under an exclusive lock); larger ones vacuumed: the place is reused."""

_ERASED = "select n_tup_del from pg_stat_user_tables where relname = 'purges'"
_TABLES = """
select format('%I', relname) as name, pg_total_relation_size(relid) as bytes from pg_stat_user_tables order by relname
"""


class Scrubber:
    """Rewrites tables after erasures. `run` acts on its first call and if a document was erased since the last call."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._erased: int | None = None

    def run(self) -> bool:
        """Rewrite or vacuum the tables if needed and return whether it did. Raises `StoreUnavailable`."""
        row = self._db.fetch_one(_ERASED)
        erased = int(row["n_tup_del"]) if row else 0
        if erased == self._erased:
            return False
        with self._db.autocommit() as conn:
            conn.execute("set statement_timeout = 0")
            conn.execute("set lock_timeout = '1s'")
            try:
                is_complete = _rewrite(conn)
            finally:
                conn.execute("reset statement_timeout")
                conn.execute("reset lock_timeout")
        self._erased = erased if is_complete else None
        return True


def _rewrite(conn: Connection) -> bool:
    """Rewrite or vacuum all tables. False means that some table was locked for too long."""
    is_complete = True
    for table in conn.execute(_TABLES).fetchall():
        mode = "full" if table["bytes"] <= REWRITTEN_BYTES else "skip_locked"
        try:
            conn.execute(f"vacuum ({mode}) {table['name']}")
        except psycopg.errors.LockNotAvailable:
            is_complete = False
    with suppress(psycopg.errors.InsufficientPrivilege):
        conn.execute("checkpoint")
        conn.execute("select pg_switch_wal()")
        conn.execute("checkpoint")
    return is_complete
