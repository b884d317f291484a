"""Brings a database to this program's schema, and refuses to work on any other. Alembic is loaded only to migrate."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from storage.postgres.database import Database, session_dsn
from storage.values.errors import SchemaMismatch, StoreUnavailable, unreachable

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Engine

HEAD = "0016"
MIGRATING = 0x5155_4952_45  # "QUIRE": one migration at a time per database
LOCK_MS = 500
"""Milliseconds that one try waits for a table, in which all who want it wait too: less than PostgreSQL's second after
which it looks for deadlocks."""
PAUSE_S = 0.2  # seconds between tries, in which work goes on
WAIT_S = 120.0  # seconds after which a migration gives up: a backup, say, holds every table
_TAKEN = (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)
_TABLES = """
select format('%I', relname) from pg_class where relkind in ('r', 'p') and pg_has_role(relowner, 'usage')
  and relnamespace = (select relnamespace from pg_class where oid = 'alembic_version'::regclass)
order by relname
"""


def migrate(dsn: str) -> None:
    """Upgrade to HEAD in one transaction; racing callers wait and find nothing to do. Readers may be at work.

    Whoever works holds rows of several tables, so waiting for one table while holding another ends in a deadlock: all
    tables are taken first, or none and tried again.
    """
    if _is_at_head(dsn):
        return None
    import sqlalchemy

    engine = sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(session_dsn(dsn)), poolclass=sqlalchemy.NullPool
    )
    until = time.monotonic() + WAIT_S
    try:
        while True:
            try:
                return _upgrade(engine)
            except sqlalchemy.exc.OperationalError as error:
                if not isinstance(error.orig, _TAKEN) or time.monotonic() > until:
                    raise StoreUnavailable(type(error.orig).__name__) from error
            time.sleep(PAUSE_S)
    finally:
        engine.dispose()


def _is_at_head(dsn: str) -> bool:
    """Asked before Alembic is imported, which takes half a CPU second that most starts need not spend."""
    try:
        with psycopg.connect(session_dsn(dsn)) as connection:
            connection.execute("set local statement_timeout = 0")  # whoever migrates now holds the table
            if connection.execute("select to_regclass('alembic_version')").fetchone() == (None,):
                return False
            return connection.execute("select version_num from alembic_version").fetchall() == [(HEAD,)]
    except psycopg.OperationalError as error:
        raise unreachable("database", error) from error


def _upgrade(engine: "Engine") -> None:
    """One try; raises OperationalError when somebody holds a table, or the right to migrate, for too long."""
    from alembic import command
    from alembic.migration import MigrationContext
    from sqlalchemy import text

    with engine.begin() as connection:
        connection.execute(text(f"set local lock_timeout = '{LOCK_MS}ms'; set local statement_timeout = 0"))
        connection.execute(text(f"select pg_advisory_xact_lock({MIGRATING})"))
        found = MigrationContext.configure(connection).get_current_revision()
        if found == HEAD:
            return
        if found is not None:
            names = connection.execute(text(_TABLES)).scalars().all()
            connection.execute(text(f"lock table {', '.join(names)} in access exclusive mode"))
        command.upgrade(alembic_config(connection), "head")


def alembic_config(connection: object) -> "Config":
    """Alembic's configuration without an ini file, bound to an open SQLAlchemy connection."""
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations"))
    return config


def check_schema(db: Database) -> None:
    """Raises SchemaMismatch unless the database is exactly at HEAD."""
    found = _version(db)
    if found != HEAD:
        raise SchemaMismatch(
            f"the database's schema is {found or 'empty'}, this program needs {HEAD}: run `quire migrate`"
        )


def _version(db: Database) -> str | None:
    if db.fetch_one("select to_regclass('alembic_version') is null as missing") == {"missing": True}:
        return None
    row = db.fetch_one("select version_num from alembic_version")
    return str(row["version_num"]) if row else None
