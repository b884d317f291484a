"""Runs Alembic's migrations while readers may be at work. Imported only if the schema is out of date."""

import time
from pathlib import Path

import psycopg
import sqlalchemy
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Engine, text

from quire.storage.postgres.database import MIGRATING, session_dsn
from quire.storage.values.errors import StoreUnavailable

LOCK_MS = 500
"""Milliseconds that one attempt waits for a table, during which other users of the table wait too.

Less than the second after which PostgreSQL checks for deadlocks.
"""
PAUSE_S = 0.2  # seconds between attempts, during which readers continue
WAIT_S = 120.0  # seconds after which a migration gives up: a backup, say, holds every table
_TAKEN = (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)
_TABLES = """
select format('%I', relname) from pg_class where relkind in ('r', 'p') and pg_has_role(relowner, 'usage')
  and relnamespace = (select relnamespace from pg_class where oid = 'alembic_version'::regclass)
order by relname
"""


def upgrade(dsn: str, head: str) -> None:
    """Upgrade to HEAD in one transaction. Concurrent callers wait and then have nothing to do; readers may be working.

    Running work holds rows of several tables, so waiting for one table while holding another ends in a deadlock: all
    tables are locked first, or none and the attempt is repeated.
    """
    engine = sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(session_dsn(dsn)), poolclass=sqlalchemy.NullPool
    )
    until = time.monotonic() + WAIT_S
    try:
        while True:
            try:
                return _upgrade(engine, head)
            except sqlalchemy.exc.OperationalError as error:
                if not isinstance(error.orig, _TAKEN) or time.monotonic() > until:
                    raise StoreUnavailable(type(error.orig).__name__) from error
            time.sleep(PAUSE_S)
    finally:
        engine.dispose()


def _upgrade(engine: Engine, head: str) -> None:
    """Make one attempt. Raises OperationalError if another session holds a table, or the right to migrate, too long."""
    with engine.begin() as connection:
        connection.execute(text(f"set local lock_timeout = '{LOCK_MS}ms'; set local statement_timeout = 0"))
        connection.execute(text(f"select pg_advisory_xact_lock({MIGRATING})"))
        revision = MigrationContext.configure(connection).get_current_revision()
        if revision == head:
            return
        if revision is not None:
            names = connection.execute(text(_TABLES)).scalars().all()
            connection.execute(text(f"lock table {', '.join(names)} in access exclusive mode"))
        command.upgrade(alembic_config(connection), "head")


def alembic_config(connection: object) -> Config:
    """Alembic's configuration without an ini file, bound to an open SQLAlchemy connection."""
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations"))
    return config
