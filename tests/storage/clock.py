"""A settable clock for one database: the functions by which PostgreSQL tells the time, shifted by what a test asks.

The product takes all times of leases, delays, retention and keys from the database. A function of the schema `public`
that precedes `pg_catalog` on the search path replaces the one of PostgreSQL in every statement and default.
"""

import psycopg
from psycopg import sql

_CLOCK = """
create schema clock;
create table clock.shift (by interval not null);
insert into clock.shift values ('0');
grant usage on schema clock to public;
grant select on clock.shift to public;
"""
_FUNCTIONS = {"clock_timestamp": "volatile", "statement_timestamp": "stable", "transaction_timestamp": "stable",
              "now": "stable"}  # fmt: skip


class DatabaseClock:
    """The clock of an empty database, made before its tables, so that their defaults use it too."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        with psycopg.connect(dsn) as connection:
            connection.execute(_CLOCK)
            for name, kind in _FUNCTIONS.items():
                connection.execute(
                    f"create function public.{name}() returns timestamptz language sql {kind} as"
                    f" 'select pg_catalog.{name}() + by from clock.shift'".encode()
                )
            database = sql.Identifier(connection.info.dbname)
            connection.execute(sql.SQL("alter database {} set search_path = public, pg_catalog").format(database))

    def jump(self, seconds: float) -> None:
        """Set the clock ahead by `seconds`, back when negative."""
        with psycopg.connect(self._dsn) as connection:
            connection.execute("update clock.shift set by = by + %s * interval '1 second'", (seconds,))
