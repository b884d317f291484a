"""Real PostgreSQL for tests: one server per session, a migrated template, a fresh copy of it per test.

SVC_TEST_DATABASE_URL names an external server (superuser or CREATEDB) to run the same tests on.
"""

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from cluster.postgres.embedded import EmbeddedPostgres
from storage.postgres.schema import migrate

URL = "SVC_TEST_DATABASE_URL"
FAST = {"fsync": "off", "full_page_writes": "off", "max_connections": "200"}


class TestServer:
    """A server on which databases come and go."""

    __test__ = False

    def __init__(self, dsn: str) -> None:
        self.admin = make_conninfo(dsn, dbname="postgres")
        self._template = f"quire_template_{secrets.token_hex(4)}"
        self._create(self._template, "template0")
        migrate(self.dsn(self._template))

    def dsn(self, database: str) -> str:
        return make_conninfo(self.admin, dbname=database)

    @contextmanager
    def database(self) -> Iterator[str]:
        """The DSN of a migrated database of one's own, gone afterwards."""
        with self._database(self._template) as dsn:
            yield dsn

    @contextmanager
    def empty_database(self) -> Iterator[str]:
        """The same without a schema."""
        with self._database("template0") as dsn:
            yield dsn

    def close(self) -> None:
        self.drop(self._template)

    def drop(self, database: str) -> None:
        self._run(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(database)))

    @contextmanager
    def _database(self, template: str) -> Iterator[str]:
        name = f"quire_test_{secrets.token_hex(4)}"
        self._create(name, template)
        try:
            yield self.dsn(name)
        finally:
            self.drop(name)

    def _create(self, database: str, template: str) -> None:
        self._run(sql.SQL("create database {} template {}").format(sql.Identifier(database), sql.Identifier(template)))

    def _run(self, statement: sql.Composed) -> None:
        with psycopg.connect(self.admin, autocommit=True) as connection:
            connection.execute(statement)


@contextmanager
def test_server() -> Iterator[TestServer]:
    """The external server if one is named, else an embedded one in a temporary folder, stopped at the end."""
    external = os.environ.get(URL)
    if external:
        server = TestServer(external)
        yield server
        server.close()
        return
    with tempfile.TemporaryDirectory(prefix="quire-test-pg-") as folder:
        Path(folder).chmod(0o711)
        postgres = EmbeddedPostgres(Path(folder), FAST)
        try:
            yield TestServer(postgres.start())
        finally:
            postgres.stop()


test_server.__test__ = False  # type: ignore[attr-defined]
