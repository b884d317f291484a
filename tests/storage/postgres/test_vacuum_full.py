"""Erased rows leave the database's own files, too."""

from pathlib import Path

import psycopg
import pytest

from quire.storage.jobs.lifecycle import cancel_job, delete_job
from quire.storage.postgres.database import Database
from quire.storage.postgres.vacuum_full import Scrubber
from quire.storage.store import Store
from quire.storage.upkeep.erase import purge_some
from tests.storage.scenes import ACME, ACTOR, submit

CANARY = "canary0123456789abcdef"


@pytest.fixture
def cluster_folder(dsn: str) -> Path:
    """Return the folder of the test server's files."""
    with psycopg.connect(dsn) as connection:
        row = connection.execute("show data_directory").fetchone()
    assert row
    return Path(row[0])


def places(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and CANARY.encode() in path.read_bytes()
    }


def test_nothing_erased_stays_in_tables_or_log(store: Store, dsn: str, cluster_folder: Path) -> None:
    scrubber = Scrubber(store.db)
    scrubber.run()
    job = submit(store)
    with store.db.autocommit() as conn:
        conn.execute("update documents set source_file = %s where job_id = %s", (CANARY, job.id))
        conn.execute("checkpoint")
    assert places(cluster_folder)
    cancel_job(store.db, ACME, ACTOR, job.id)
    delete_job(store.db, ACME, ACTOR, job.id)
    assert purge_some(store) == 1
    with store.db.autocommit() as conn:
        conn.execute("select pg_stat_force_next_flush()")
    assert scrubber.run()
    assert places(cluster_folder) == set()


def test_without_a_delete_nothing_is_rewritten(store: Store) -> None:
    scrubber = Scrubber(store.db)
    assert scrubber.run()
    submit(store)
    assert not scrubber.run()


def test_a_locked_table_is_done_next_time(store: Store, dsn: str) -> None:
    scrubber = Scrubber(store.db)
    other = Database(dsn)
    try:
        with other.transaction() as conn:
            conn.execute("lock table documents in access share mode")
            conn.execute("update documents set source_file = source_file")
            assert scrubber.run()
        assert scrubber.run()
    finally:
        other.close()
