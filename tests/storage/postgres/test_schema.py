"""The migrated database is what the tables say, and nothing works on any other."""

import subprocess
import sys
import threading
from pathlib import Path

import psycopg
import pytest

from quire.storage.postgres.database import Database
from quire.storage.postgres.schema import HEAD, UPGRADES, check_schema, migrate
from quire.storage.values.errors import SchemaMismatch, StoreUnavailable
from tests.postgres import TestServer


def test_upgrades_form_one_chain_to_head() -> None:
    oldest, *later = sorted(UPGRADES)
    assert [path.stem[-4:] for path in map(UPGRADES.__getitem__, sorted(UPGRADES))] == [*later, HEAD]
    assert oldest == "0007"


def test_migrated_database_is_accepted_and_migrating_again_is_a_no_op(dsn: str) -> None:
    migrate(dsn)
    db = Database(dsn)
    check_schema(db)
    db.close()


def test_current_database_is_left_alone_without_loading_migration_tools(dsn: str) -> None:
    lines = (
        "import sys\n"
        "from quire.storage.postgres.schema import migrate\n"
        "migrate(sys.argv[1])\n"
        "print('sqlmodel' in sys.modules, 'sqlalchemy' in sys.modules)"
    )
    command = [sys.executable, "-c", lines, dsn]
    said = subprocess.run(command, cwd=Path(__file__).parents[3], check=True, capture_output=True, text=True).stdout
    assert said.strip() == "False False"


@pytest.mark.parametrize(
    ("version", "advice"),
    [
        ("0001", "`quire migrate` of version 0.11.0 first"),
        ("0019", "0.11.0 first"),
        ("9999", "made by a newer version.*restore a backup"),
    ],
)
def test_schema_of_no_release_is_refused(dsn: str, version: str, advice: str) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute("update alembic_version set version_num = %s", (version,))
    db = Database(dsn)
    with pytest.raises(SchemaMismatch, match=advice if version > HEAD else version):
        check_schema(db)
    db.close()
    with pytest.raises(SchemaMismatch, match=advice):
        migrate(dsn)


def test_racing_migrations_of_an_empty_database_both_succeed(postgres_server: TestServer) -> None:
    with postgres_server.empty_database() as dsn:
        db = Database(dsn)
        with pytest.raises(SchemaMismatch, match="empty"):
            check_schema(db)
        racers = [threading.Thread(target=migrate, args=(dsn,)) for _ in range(3)]
        for racer in racers:
            racer.start()
        for racer in racers:
            racer.join()
        check_schema(db)
        db.close()


def test_progress_is_unlogged_and_the_queue_table_is_tuned(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        kinds = connection.execute("select relpersistence from pg_class where relname = 'page_progress'").fetchall()
        options = connection.execute("select reloptions from pg_class where relname = 'tasks'").fetchall()
    assert kinds == [("u",)]
    assert options == [(["fillfactor=70", "autovacuum_vacuum_scale_factor=0.01"],)]


def test_a_database_that_does_not_answer_is_unavailable(tmp_path: object) -> None:
    with pytest.raises(StoreUnavailable):
        migrate(f"postgresql://quire@/quire?host={tmp_path}")
