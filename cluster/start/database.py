"""The service's database: the one the settings name, or the workdir's own, running and at this version's schema."""

from pathlib import Path

from cluster.errors import StartRefused
from configs.settings import Settings


def open_database(settings: Settings) -> str:
    """DSN of a database that runs and has this version's schema. Raises `StartRefused`."""
    from storage.postgres.schema import migrate
    from storage.values.errors import StorageError

    dsn = settings.database_url or start_embedded(settings.workdir)
    try:
        migrate(dsn)
    except StorageError as error:
        raise StartRefused(f"the database cannot be used: {error}") from None
    return dsn


def start_embedded(workdir: Path) -> str:
    """DSN of the workdir's own database, started where it is not running."""
    from cluster.postgres.binaries import PostgresUnavailable
    from cluster.postgres.embedded import EmbeddedPostgres

    try:
        return EmbeddedPostgres(workdir).start()
    except PostgresUnavailable as error:
        raise StartRefused(str(error)) from None
