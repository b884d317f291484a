"""Brings a database to this program's schema, and refuses to work on any other. Alembic is loaded only to migrate."""

import psycopg

from quire.storage.postgres.database import Database, session_dsn
from quire.storage.values.errors import SchemaMismatch, unreachable

HEAD = "0024"


def migrate(dsn: str) -> bool:
    """Upgrade to HEAD in one transaction and return whether it was needed.

    Concurrent callers wait, then have nothing to do; readers may be working.
    """
    if _is_at_head(dsn):
        return False
    from quire.storage.postgres.upgrading import upgrade  # Alembic: half a CPU second that most starts need not spend

    upgrade(dsn, HEAD)
    return True


def _is_at_head(dsn: str) -> bool:
    """Return whether the schema is current, without importing Alembic, which costs half a CPU second."""
    try:
        with psycopg.connect(session_dsn(dsn)) as connection:
            connection.execute("set local statement_timeout = 0")  # a running migration holds the table
            if connection.execute("select to_regclass('alembic_version')").fetchone() == (None,):
                return False
            return connection.execute("select version_num from alembic_version").fetchall() == [(HEAD,)]
    except psycopg.OperationalError as error:
        raise unreachable("database", error) from error


def check_schema(db: Database) -> None:
    """Raise SchemaMismatch unless the database is exactly at HEAD."""
    version = _version(db)
    if version != HEAD:
        raise SchemaMismatch(
            f"the database's schema is {version or 'empty'}, this program needs {HEAD}: run `quire migrate`"
        )


def _version(db: Database) -> str | None:
    if db.fetch_one("select to_regclass('alembic_version') is null as missing") == {"missing": True}:
        return None
    row = db.fetch_one("select version_num from alembic_version")
    return str(row["version_num"]) if row else None
