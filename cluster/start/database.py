"""The service's database: the one the settings name, or the workdir's own, running and at this version's schema."""

import hashlib
from pathlib import Path

from cluster.errors import StartRefused
from cluster.postgres.binaries import PostgresUnavailable
from cluster.postgres.embedded import EmbeddedPostgres
from configs.settings import Settings
from storage.postgres.schema import migrate
from storage.postgres.service_role import let_service_in
from storage.values.errors import StorageError


def open_database(settings: Settings) -> str:
    """DSN of a database that runs and has this version's schema. Raises `StartRefused`.

    In one of our own the schema is its owner's, and the service works as a role with less.
    """
    dsn = settings.database_url or start_embedded(settings.workdir)
    try:
        migrate(dsn)
        return dsn if settings.database_url else let_service_in(dsn, service_password(dsn))
    except StorageError as error:
        raise StartRefused(f"the database cannot be used: {error}") from None


def service_password(owner_dsn: str) -> str:
    """The password of the service's role: one secret is kept, and this one does not tell it."""
    return hashlib.sha256(f"service role of {owner_dsn}".encode()).hexdigest()


def start_embedded(workdir: Path) -> str:
    """DSN of the workdir's own database, started where it is not running."""
    try:
        return EmbeddedPostgres(workdir).start()
    except PostgresUnavailable as error:
        raise StartRefused(str(error)) from None
