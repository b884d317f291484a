"""A store filled by version 0.9.20 opens in this version: nothing is lost, and running work continues."""

import random
import threading
from pathlib import Path

import psycopg
import pytest

from quire.storage.jobs.jobs import get_job
from quire.storage.jobs.measures import measure
from quire.storage.postgres import schema
from quire.storage.postgres.schema import HEAD, UPGRADES, check_schema, migrate
from quire.storage.postgres.service_role import let_service_in
from quire.storage.queue.publish import finish
from quire.storage.store import open_store
from quire.storage.values.errors import StoreUnavailable
from quire.storage.values.states import JobStatus
from tests.conftest import SIGNING_KEY
from tests.postgres import TestServer
from tests.storage.postgres.catalog import read_catalog
from tests.storage.scenes import ACME, claim, put_blob, read_counter, success, worker
from tests.waiting import until

RELEASED = Path(__file__).with_name("releases") / "0.9.20.sql"

_FILL = """
insert into jobs (id, tenant, org, key_name, n_total, n_succeeded, n_failed, n_queued, n_running, finished_at) values
  ('job_done', 'acme', 'default', 'acme', 2, 1, 1, 0, 0, now()),
  ('job_open', 'acme', 'default', 'acme', 2, 0, 0, 1, 1, null);
insert into documents (id, job_id, tenant, org, key_name, position, source_file, sha256, bytes, status, attempt,
                       attempts, pages, route_counts, error, published_attempt, finished_at, options)
select v.id, v.job, 'acme', 'default', 'acme', v.position, v.id || '.pdf', %(sha256)s, 8, v.status, v.attempt,
       v.attempt, v.pages, v.routes::jsonb, v.error, v.published, v.ended, %(options)s
from (values ('doc_a', 'job_done', 0, 'succeeded', 1, 5, '{"fast": 4, "ocr": 1}', null, 1, now()),
             ('doc_b', 'job_done', 1, 'failed', 3, null, '{}', 'malformed', null, now()),
             ('doc_c', 'job_open', 0, 'queued', 0, null, '{}', null, null, null),
             ('doc_d', 'job_open', 1, 'running', 1, null, '{}', null, null, null))
  as v(id, job, position, status, attempt, pages, routes, error, published, ended);
insert into meter (document_id, run, tenant, org, key_name, month, pages, bytes)
  values ('doc_a', 1, 'acme', 'default', 'acme', date_trunc('month', now())::date, 5, 8);
insert into tasks (document_id, job_id, tenant, priority, vtime, state, phase, attempt, starts, worker,
                   lease_until) values
  ('doc_c', 'job_open', 'acme', 10, 1, 'queued', null, 0, 0, null, null),
  ('doc_d', 'job_open', 'acme', 10, 0, 'running', 'reading', 1, 1, 'a reader of 0.9.20', now() - interval '1 second');
"""


def to_released(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute(RELEASED.read_bytes())


def test_upgraded_schema_equals_a_new_one(postgres_server: TestServer, dsn: str) -> None:
    with postgres_server.empty_database() as old:
        to_released(old)
        assert read_catalog(old) - read_catalog(dsn)
        assert migrate(old)
        let_service_in(old, "password")
        let_service_in(dsn, "password")
        assert read_catalog(old) ^ read_catalog(dsn) == set()


@pytest.mark.parametrize("seed", range(20))
def test_an_interrupted_upgrade_changes_nothing(
    postgres_server: TestServer, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance, versions = random.Random(seed), sorted(UPGRADES)
    version = versions[seed % len(versions)]
    statements = UPGRADES[version].read_text().split(";\n")
    statements.insert(chance.randrange(len(statements)), "select pg_terminate_backend(pg_backend_pid())")
    (tmp_path / UPGRADES[version].name).write_text(";\n".join(statements))
    with postgres_server.empty_database() as old:
        to_released(old)
        before = read_catalog(old)
        with monkeypatch.context() as patch:
            patch.setitem(schema.UPGRADES, version, tmp_path / UPGRADES[version].name)
            with pytest.raises(StoreUnavailable):
                migrate(old)
        assert read_catalog(old) == before
        assert migrate(old) == len(UPGRADES)
        assert migrate(old) == 0
        for database in (old, dsn):
            let_service_in(database, "password")
        assert read_catalog(old) ^ read_catalog(dsn) == set()


def test_an_interrupted_first_start_leaves_an_empty_database(
    postgres_server: TestServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with postgres_server.empty_database() as empty:
        (tmp_path / "create.sql").write_text("select pg_terminate_backend(pg_backend_pid())")
        with monkeypatch.context() as patch:
            patch.setattr(schema, "MIGRATIONS", tmp_path)
            with pytest.raises(StoreUnavailable):
                migrate(empty)
        assert read_catalog(empty) == set()
        assert migrate(empty) == 1


def test_a_store_of_the_release_opens_and_its_open_documents_are_finished(
    postgres_server: TestServer, tmp_path: Path
) -> None:
    with postgres_server.empty_database() as dsn:
        to_released(dsn)
        store = open_store(dsn, tmp_path, signing_key=SIGNING_KEY)
        with psycopg.connect(dsn) as connection:
            values = {"sha256": put_blob(store).sha256, "options": "{}"}
            for statement in filter(str.strip, _FILL.split(";\n")):
                connection.execute(statement.encode(), values if "%(" in statement else None)
        migrate(dsn)
        check_schema(store.db)
        assert read_counter(store, "documents") == {"succeeded": 1, "failed": 1}
        assert read_counter(store, "errors") == {"malformed": 1}
        assert read_counter(store, "pages") == {"": 5}
        assert read_counter(store, "routes") == {"fast": 4, "ocr": 1}
        assert measure(store.db)
        queue = worker(store)
        taken = [claim(queue), claim(queue)]
        assert [(one.document_id, one.starts) for one in taken] == [
            ("doc_d", 1),
            ("doc_c", 1),
        ]  # a lapse charges no start
        assert finish(store, [success(one) for one in taken]) == [True, True]
        assert get_job(store.db, ACME, taken[0].job_id).status is JobStatus.SUCCEEDED
        assert read_counter(store, "documents") == {"succeeded": 3, "failed": 1}
        store.close()


def test_migration_and_work_with_another_lock_order_do_not_deadlock(
    postgres_server: TestServer,
) -> None:
    with postgres_server.empty_database() as dsn, psycopg.connect(dsn) as reader, psycopg.connect(dsn) as watch:
        to_released(dsn)
        watch.autocommit = True
        reader.execute("lock table flags in row exclusive mode")  # as by writing one
        migration = threading.Thread(target=migrate, args=(dsn,))
        migration.start()
        waiting = "select from pg_locks where not granted and relation = 'flags'::regclass"
        assert until(lambda: watch.execute(waiting).fetchone() is not None)
        reader.execute("update documents set attempt = 1")
        reader.commit()
        migration.join()
        assert watch.execute("select version_num from alembic_version").fetchone() == (HEAD,)
