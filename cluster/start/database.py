"""The service's database: the one the settings name, or the workdir's own, running and at this version's schema.

Before it is created or migrated, and again before a service uses it, the stores' marks are compared with it.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from psycopg.conninfo import conninfo_to_dict

from quire.cluster.errors import StartRefused
from quire.cluster.interrupts import undone_by
from quire.cluster.postgres.binaries import PostgresUnavailable
from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.configs.settings import Settings
from quire.storage.objects.marks import MarkedStore
from quire.storage.postgres.schema import migrate
from quire.storage.postgres.service_role import let_service_in
from quire.storage.store import marked_store, marked_stores
from quire.storage.upkeep.deployment import (
    INDEX,
    WORKDIR,
    WrongStore,
    refuse_copied_workdir,
    refuse_other_database,
    settle_stores,
)
from quire.storage.values.errors import StorageError


class OpenDatabase(NamedTuple):
    """A database that runs and has this version's schema."""

    dsn: str
    migrated_steps: int


def open_database(settings: Settings, *, adopt: bool = False) -> OpenDatabase:
    """Start, create or migrate the database as needed. Raises `StartRefused`.

    The embedded database's schema belongs to its owner, and the service works as a role with fewer rights.
    `adopt` accepts a database that the stores do not know.
    """
    try:
        dsn = settings.database_url
        if not adopt:
            refuse_copied_workdir(_workdir(settings))
            if dsn is None and not EmbeddedPostgres(settings.workdir).exists():
                refuse_other_database(None, place_of(settings), stores_of(settings))
        dsn = dsn or EmbeddedPostgres(settings.workdir).start()
        if not adopt:
            refuse_other_database(dsn, place_of(settings), stores_of(settings))
        steps = migrate(dsn)
        return OpenDatabase(dsn if settings.database_url else let_service_in(dsn, service_password(dsn)), steps)
    except (PostgresUnavailable, WrongStore) as error:
        raise StartRefused(str(error)) from None
    except StorageError as error:
        raise StartRefused(f"the database cannot be used: {error}") from None


def settle(settings: Settings, dsn: str, *, adopt: bool = False) -> None:
    """Compare all stores with the database and mark those that are new. Raises `StartRefused`."""
    try:
        settle_stores(dsn, place_of(settings), stores_of(settings), adopt=adopt)
    except StorageError as error:
        raise StartRefused(str(error) or error.code) from None


@contextmanager
def running_database(settings: Settings, *, adopt: bool = False) -> Iterator[OpenDatabase]:
    """Yield `open_database`; an embedded database that did not run before is stopped afterwards."""
    embedded = None if settings.database_url else EmbeddedPostgres(settings.workdir)
    if embedded is None or embedded.is_running():
        yield open_database(settings, adopt=adopt)
        return
    with undone_by(embedded.kill):
        try:
            yield open_database(settings, adopt=adopt)
        finally:
            embedded.stop()


def stores_of(settings: Settings) -> tuple[MarkedStore, ...]:
    """Return the stores that carry the deployment's mark."""
    index = (marked_store(INDEX, settings.rag_db),) if settings.rag_db else ()
    return (_workdir(settings), *marked_stores(settings.workdir, settings.blobs), *index)


def place_of(settings: Settings) -> str:
    """Return the place of the database as people should read it, without a password."""
    if settings.database_url is None:
        return str(EmbeddedPostgres(settings.workdir).data)
    parts = conninfo_to_dict(settings.database_url)
    return f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"


def service_password(owner_dsn: str) -> str:
    """Return the password of the service's role, derived so that it does not reveal the owner's."""
    return hashlib.sha256(f"service role of {owner_dsn}".encode()).hexdigest()


def _workdir(settings: Settings) -> MarkedStore:
    return MarkedStore(WORKDIR, settings.workdir)
