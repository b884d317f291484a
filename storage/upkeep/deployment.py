"""The identity of a deployment: its database and its stores carry one id, and a start or a clean-up compares them.

The row `deployment` of the database holds the id, the places of the marked stores, and a count (`tick`) that each start
and each hourly comparison raises. Marks in the stores repeat id and count. Knows no settings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from quire.storage.objects.marks import Mark, MarkedStore
from quire.storage.postgres.database import Database, session_dsn
from quire.storage.values.errors import StorageError

_FACTS = """
select id, tick, stores, created_at, exists (select from jobs) as is_used
from deployment
"""
WORKDIR, INDEX = "workdir", "index"
"""Names of stores with rules of their own: every machine has a workdir, and an index is derived from the trees."""


class WrongStore(StorageError):
    """A store is not the one that this deployment knows. Nothing was changed."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code


def refuse_other_database(dsn: str | None, place: str, stores: Sequence[MarkedStore]) -> None:
    """Raise `WrongStore` if a store is marked and this database, still to be created if `dsn` is None, is not its own.

    Called before a migration, so that no empty database gets a schema next to an existing one.
    """
    for store in stores:
        mark = store.read()
        if mark is None:
            continue
        found = dsn and _deployment_of(dsn)
        if not found:
            raise WrongStore(
                "database-missing",
                f"the {store.name} at {store.place} belong to deployment {mark.id}, whose database was at "
                f"{mark.database}. The database at {place} is {'empty or of an older version' if dsn else 'missing'}. "
                "Bring the known database back, or restore a backup",
            )
        if found != mark.id:
            raise _disagreement(store, mark, found, place)


def refuse_copied_workdir(workdir: MarkedStore) -> None:
    """Raise `WrongStore` if this workdir is a copy, and its original is still there; a moved one is accepted."""
    mark = workdir.read()
    if mark is None or mark.place == workdir.place:
        return
    original = MarkedStore(WORKDIR, mark.place)
    other = original.read()
    if other is not None and other.id == mark.id and not Path(mark.place).samefile(workdir.place):
        raise WrongStore(
            "workdir-copied",
            f"{workdir.place} is a copy of {mark.place}. Two services with one identity send everything twice. Start "
            "the original, or run `quire reconcile --adopt` if this copy replaces it",
        )


def settle_stores(dsn: str, database: str, stores: Sequence[MarkedStore], *, adopt: bool = False) -> None:
    """Compare the marks of all stores with the database, and mark stores that are new. Raises `WrongStore`.

    Args:
        dsn: Connection string of the migrated database.
        database: Its place, as people should read it.
        stores: Stores of the settings.
        adopt: Whether an operator has decided that these stores belong to this database.
    """
    with psycopg.connect(session_dsn(dsn), row_factory=dict_row) as conn:
        row = conn.execute(f"{_FACTS} for update").fetchone()
        assert row is not None
        if not adopt:
            _compare(row, stores, database)
            _refuse_unknown_files(row, stores, database)
        highest = max([row["tick"], *(mark.tick for store in stores if adopt and (mark := store.read()))])
        for store in stores:  # first, so that a crash never leaves a recorded store without a mark
            if store.read() is None:
                store.write(Mark(id=row["id"], tick=row["tick"], database=database, place=store.place))
        places = row["stores"] | {store.name: store.place for store in stores if store.name != WORKDIR}
        conn.execute("update deployment set tick = %s, stores = %s", (highest + 1, Jsonb(places)))
    for store in stores:
        store.write(Mark(id=row["id"], tick=highest + 1, database=database, place=store.place))


def forget_stores(dsn: str) -> None:
    """Prepare a restored database: its files are at new places, and a bucket outside the backup is newer than it."""
    with psycopg.connect(session_dsn(dsn)) as conn:
        if conn.execute("select to_regclass('deployment')").fetchone() != (None,):
            conn.execute("update deployment set stores = '{}', tick = tick - 1")


def note_backup(dsn: str, folder: Path) -> None:
    """Remember where a backup is, for reports on erased documents that it still has."""
    with psycopg.connect(session_dsn(dsn)) as conn:
        if conn.execute("select to_regclass('backups')").fetchone() != (None,):
            conn.execute(
                "insert into backups (path) values (%s) on conflict (path) do update set made_at = clock_timestamp()",
                (str(folder),),
            )


def silence(dsn: str) -> None:
    """Disable all webhooks and pause all targets, so that a copy sends nothing a second time."""
    with psycopg.connect(session_dsn(dsn)) as conn:
        conn.execute("update webhooks set disabled_at = clock_timestamp() where disabled_at is null")
        conn.execute("update deliveries set state = 'failed', error = 'disabled' where state = 'pending'")
        if conn.execute("select to_regclass('targets')").fetchone() != (None,):
            conn.execute("update targets set paused = true")


def check_stores(db: Database, stores: Sequence[MarkedStore]) -> None:
    """Raise `WrongStore` if a store's mark does not fit the database."""
    row = db.fetch_one(_FACTS)
    assert row is not None
    _compare(row, stores, "this database")


def advance_tick(db: Database, stores: Sequence[MarkedStore]) -> None:
    """Raise the count in the database, then in the marks."""
    with db.transaction() as conn:
        row = conn.execute("update deployment set tick = tick + 1 returning tick").fetchone()
    assert row is not None
    for store in stores:
        if mark := store.read():
            store.write(replace(mark, tick=row["tick"]))


def _compare(row: Mapping[str, Any], stores: Sequence[MarkedStore], database: str) -> None:
    for store in stores:
        mark, known = store.read(), row["stores"].get(store.name)
        if mark is not None and mark.id != row["id"]:
            raise _disagreement(store, mark, row["id"], database)
        if mark is not None and mark.tick > row["tick"] and store.name != INDEX:
            raise WrongStore(
                "database-older",
                f"the database at {database} is older than the {store.name} at {store.place}: it was restored from a "
                "backup, or is a copy. Use the newer database, or run `quire reconcile --adopt` to continue with this "
                "one (files that it does not know go to quarantine for 7 days)",
            )
        if mark is None and known is not None:
            raise WrongStore(
                "store-missing",
                f"the database at {database} knows its {store.name} at {known}, but {store.place} does not carry its "
                "mark: a mount is missing, the folder was emptied, or the setting names another place. Bring the "
                "files back, or run `quire reconcile --adopt` to continue with this place",
            )


def _refuse_unknown_files(row: Mapping[str, Any], stores: Sequence[MarkedStore], database: str) -> None:
    """Raise `WrongStore` for files without a mark next to a database that never had a job."""
    for store in stores:
        if row["is_used"] or store.name in (WORKDIR, INDEX) or store.read() is not None or store.is_empty():
            continue
        raise WrongStore(
            "database-missing",
            f"the {store.name} at {store.place} hold files, but the database at {database} is empty. Bring their "
            "database back, or run `quire reconcile --adopt` to continue without it (unknown files go to "
            "quarantine for 7 days)",
        )


def _disagreement(store: MarkedStore, mark: Mark, found: str, place: str) -> WrongStore:
    return WrongStore(
        "stores-disagree",
        f"the {store.name} at {store.place} belong to deployment {mark.id} with the database at {mark.database}, but "
        f"the database at {place} is of deployment {found}. Name the stores of one deployment",
    )


def _deployment_of(dsn: str) -> str | None:
    with psycopg.connect(session_dsn(dsn)) as conn:
        if conn.execute("select to_regclass('deployment')").fetchone() == (None,):
            return None
        row = conn.execute("select id from deployment").fetchone()
        return row[0] if row else None
