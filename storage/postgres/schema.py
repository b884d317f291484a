"""Brings a database to this program's schema, and refuses to work on any other.

The SQLModel classes define the tables of a new database, and `migrations/create.sql` the rest. A script `FROM-TO.sql`
upgrades a database of an earlier release. SQLAlchemy is loaded only to make a new database.
"""

import time
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import scalar_row

from quire.storage.postgres.database import MIGRATING, Database, session_dsn
from quire.storage.values.errors import SchemaMismatch, StoreUnavailable, unreachable

MIGRATIONS = Path(__file__).parents[1] / "migrations"
UPGRADES = {path.stem[:4]: path for path in MIGRATIONS.glob("????-????.sql")}
"""Schema version -> the script that upgrades a database from it to that of the next release."""
HEAD = max(path.stem[-4:] for path in UPGRADES.values())
LAST_WITH_ALL_STEPS = "0.11.0"
"""The last release that upgrades a database of any earlier version, also of one between releases."""

LOCK_MS = 500
"""Milliseconds that one attempt waits for a table, during which other users of the table wait too.

Less than the second after which PostgreSQL checks for deadlocks.
"""
PAUSE_S = 0.2  # seconds between attempts, during which readers continue
WAIT_S = 120.0  # seconds after which a migration gives up: a backup, say, holds every table
_TAKEN = (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)
_TABLES = """
select string_agg(format('%I', relname), ', ' order by relname) from pg_class
where relkind in ('r', 'p') and pg_has_role(relowner, 'usage')
  and relnamespace = (select relnamespace from pg_class where oid = 'alembic_version'::regclass)
"""


def migrate(dsn: str) -> int:
    """Upgrade to HEAD in one transaction and return the number of steps, one for a new database.

    Concurrent callers wait and then have nothing to do; readers may be working. Running work holds rows of several
    tables, so waiting for one table while holding another ends in a deadlock: all tables are locked first, or none and
    the attempt is repeated.

    Raises:
        SchemaMismatch: This version cannot upgrade the database.
        StoreUnavailable: The database cannot be reached, or another client holds a table for two minutes.
    """
    until = time.monotonic() + WAIT_S
    while True:
        try:
            with psycopg.connect(session_dsn(dsn)) as connection:
                return _migrate(connection)
        except _TAKEN as error:
            if time.monotonic() > until:
                raise StoreUnavailable(type(error).__name__) from error
        except psycopg.OperationalError as error:
            raise unreachable("database", error) from error
        time.sleep(PAUSE_S)


def check_schema(db: Database) -> None:
    """Raise SchemaMismatch unless the database is exactly at HEAD."""
    version = db.read(_read_version)
    if version is not None and version > HEAD:
        raise _newer(version)
    if version != HEAD:
        raise SchemaMismatch(
            f"the database's schema is {version or 'empty'}, this program needs {HEAD}: run `quire migrate`"
        )


def _migrate(connection: psycopg.Connection[Any]) -> int:
    """Make one attempt. Raises OperationalError if another session holds a table, or the right to migrate, too long."""
    connection.execute("set local statement_timeout = 0")  # a running migration holds the table
    if _read_version(connection) == HEAD:
        return 0
    connection.execute(f"set local lock_timeout = '{LOCK_MS}ms'".encode())
    connection.execute("select pg_advisory_xact_lock(%s)", (MIGRATING,))
    version = _read_version(connection)
    if version is None:
        from quire.storage.postgres.new_database import (
            create_tables,  # half a CPU second that most starts need not spend
        )

        create_tables(connection)
        connection.execute((MIGRATIONS / "create.sql").read_bytes())
        connection.execute("insert into alembic_version values (%s)", (HEAD,))
        return 1
    return _upgrade(connection, version)


def _upgrade(connection: psycopg.Connection[Any], version: str) -> int:
    scripts = _find_scripts(version)
    if not scripts:
        return 0
    names = connection.execute(_TABLES).fetchone()
    assert names is not None
    connection.execute(f"lock table {names[0]} in access exclusive mode".encode())
    for script in scripts:
        connection.execute(script.read_bytes())
    connection.execute("update alembic_version set version_num = %s", (HEAD,))
    return len(scripts)


def _find_scripts(version: str) -> list[Path]:
    """Return the scripts that lead from a schema version to HEAD. Raises SchemaMismatch without one."""
    scripts = []
    while version != HEAD:
        if version not in UPGRADES:
            if version > HEAD:
                raise _newer(version)
            raise SchemaMismatch(
                f"the database's schema {version} cannot be upgraded to {HEAD} at once: run `quire migrate` of version "
                f"{LAST_WITH_ALL_STEPS} first"
            )
        scripts.append(UPGRADES[version])
        version = scripts[-1].stem[-4:]
    return scripts


def _newer(version: str) -> SchemaMismatch:
    return SchemaMismatch(
        f"the database's schema {version} was made by a newer version, this one needs {HEAD}: restore a backup of this "
        "version, or start the newer one"
    )


def _read_version(connection: psycopg.Connection[Any]) -> str | None:
    """Return the schema version, or None if the database is empty. The table's name is that of earlier releases."""
    cursor = connection.cursor(row_factory=scalar_row)
    if cursor.execute("select to_regclass('alembic_version')").fetchone() is None:
        return None
    version: str | None = cursor.execute("select version_num from alembic_version").fetchone()
    return version
