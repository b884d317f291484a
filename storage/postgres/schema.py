"""Brings a database to this program's schema, and refuses to work on any other. Alembic is loaded only to migrate."""

from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from storage.postgres.database import Database, session_dsn
from storage.values.errors import SchemaMismatch, StoreUnavailable

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "0015"
MIGRATING = 0x5155_4952_45  # "QUIRE": one migration at a time per database


def migrate(dsn: str) -> None:
    """Upgrade to HEAD in one transaction under an advisory lock; racing callers wait and find nothing to do."""
    import sqlalchemy
    from alembic import command

    engine = sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(session_dsn(dsn)), poolclass=sqlalchemy.NullPool
    )
    try:
        with engine.begin() as connection:
            connection.execute(sqlalchemy.text("set local lock_timeout = '120s'; set local statement_timeout = 0"))
            connection.execute(sqlalchemy.text(f"select pg_advisory_xact_lock({MIGRATING})"))
            command.upgrade(alembic_config(connection), "head")
    except sqlalchemy.exc.OperationalError as error:
        raise StoreUnavailable(type(error.orig).__name__) from error
    finally:
        engine.dispose()


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
