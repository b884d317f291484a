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
    """Return the DSN of a database that runs and has this version's schema. Raises `StartRefused`.

    The embedded database's schema belongs to its owner, and the service works as a role with fewer rights.
    """
    dsn = settings.database_url or start_embedded(settings.workdir)
    try:
        migrate(dsn)
        return dsn if settings.database_url else let_service_in(dsn, service_password(dsn))
    except StorageError as error:
        raise StartRefused(f"the database cannot be used: {error}") from None


def service_password(owner_dsn: str) -> str:
    """Return the password of the service's role, derived so that it does not reveal the owner's."""
    return hashlib.sha256(f"service role of {owner_dsn}".encode()).hexdigest()


def start_embedded(workdir: Path) -> str:
    """Return the DSN of the workdir's own database, started if needed."""
    try:
        return EmbeddedPostgres(workdir).start()
    except PostgresUnavailable as error:
        raise StartRefused(str(error)) from None
