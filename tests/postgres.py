"""Real PostgreSQL for tests: one server per session, a migrated template, a database like it per test.

A database that a test leaves with the template's schema is emptied and goes to the next under a new name: making one
is six hundred files and was a third of the suite's CPU time. After any other change it is dropped.
SVC_TEST_DATABASE_URL names an external server (superuser or CREATEDB) to run the same tests on.
"""

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.storage.postgres.schema import migrate

URL = "SVC_TEST_DATABASE_URL"
SCHEMA = """
select md5(string_agg(line, chr(10) order by line)) from (
  select concat_ws(' ', 'class', oid, relname, relkind, relnatts, relhastriggers, relacl, reloptions) as line
    from pg_class where relnamespace >= 16384 or relnamespace = 'public'::regnamespace
  union all select concat_ws(' ', 'column', attrelid, attnum, attname, atttypid, attnotnull, atthasdef, attacl)
    from pg_attribute where attrelid >= 16384 and attnum > 0
      and attrelid not in (select oid from pg_class where relnamespace = 'pg_toast'::regnamespace)
  union all select concat_ws(' ', 'constraint', oid, conname, convalidated) from pg_constraint where oid >= 16384
  union all select concat_ws(' ', 'trigger', oid, tgname, tgenabled) from pg_trigger where oid >= 16384
  union all select concat_ws(' ', 'function', oid, proname, md5(prosrc), proacl) from pg_proc where oid >= 16384
  union all select concat_ws(' ', 'namespace', oid, nspname, nspacl) from pg_namespace where nspname !~ '^pg_'
  union all select concat_ws(' ', 'policy', oid, polname) from pg_policy
  union all select concat_ws(' ', 'database', datacl) from pg_database where datname = current_database()
  union all select concat_ws(' ', 'setting', setrole, setconfig) from pg_db_role_setting
    where setdatabase = (select oid from pg_database where datname = current_database())
) as lines
"""
"""What a database looks like beside its rows, as one value."""
OTHERS_OUT = """
select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = %s
"""
STORED_IN = """
select distinct coalesce(parent.relname, class.relname)
from pg_class as class
left join pg_inherits on inhrelid = class.oid and class.relispartition
left join pg_class as parent on parent.oid = inhparent
where class.relkind = 'r' and class.relnamespace = 'public'::regnamespace and pg_relation_size(class.oid) > 0
order by 1
"""
"""The tables that have a file with something in it, partitions by their parents; no table need be opened for it."""
SEQUENCES_BACK = """
select setval(seqrelid::regclass, seqstart, false) from pg_sequence where pg_sequence_last_value(seqrelid) is not null
"""
FAST = {"fsync": "off", "full_page_writes": "off", "max_connections": "200"}

Connection = psycopg.Connection[tuple[Any, ...]]


class TestServer:
    """A server on which databases come and go."""

    __test__ = False

    def __init__(self, dsn: str) -> None:
        self.admin = make_conninfo(dsn, dbname="postgres")
        self._admin = psycopg.connect(self.admin, autocommit=True)
        self._template = f"quire_template_{secrets.token_hex(4)}"
        self._create(self._template, "template0")
        migrate(self.dsn(self._template))
        self._spare: list[str] = []
        with self._inside(self._template) as connection:
            self._schema = _scalar(connection, SCHEMA)
            self._seeds = {table: _rows(connection, table) for table in _filled(connection)}

    def dsn(self, database: str) -> str:
        return make_conninfo(self.admin, dbname=database)

    @contextmanager
    def database(self) -> Iterator[str]:
        """Yield the DSN of a separate migrated database, dropped afterwards."""
        name = f"quire_test_{secrets.token_hex(4)}"
        if self._spare:
            self._run(sql.SQL("alter database {} rename to {}").format(*map(sql.Identifier, (self._spare.pop(), name))))
        else:
            self._create(name, self._template)
        try:
            yield self.dsn(name)
        finally:
            if self._emptied(name):
                self._spare.append(name)
            else:
                self.drop(name)

    @contextmanager
    def empty_database(self) -> Iterator[str]:
        """The same without a schema."""
        name = f"quire_test_{secrets.token_hex(4)}"
        self._create(name, "template0")
        try:
            yield self.dsn(name)
        finally:
            self.drop(name)

    def close(self) -> None:
        for name in (*self._spare, self._template):
            self.drop(name)
        self.disconnect()

    def disconnect(self) -> None:
        self._admin.close()

    def drop(self, database: str) -> None:
        self._run(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(database)))

    def _emptied(self, name: str) -> bool:
        """Return True when it equals the template again: no connection and no row is left."""
        try:
            self._run(OTHERS_OUT, name)
            with self._inside(name) as connection:
                if _scalar(connection, SCHEMA) != self._schema:
                    return False
                connection.execute("set session_replication_role = replica")  # the audit refuses to be emptied
                changed = [table for table in _filled(connection) if table not in self._seeds]
                if changed:
                    tables = sql.SQL(", ").join(map(sql.Identifier, changed))
                    connection.execute(sql.SQL("truncate {}").format(tables))
                connection.execute(SEQUENCES_BACK)
                return all(_rows(connection, table) == rows for table, rows in self._seeds.items())
        except psycopg.Error:
            return False  # it went with its test, or we may not: one is made anew

    @contextmanager
    def _inside(self, database: str) -> Iterator[Connection]:
        with psycopg.connect(self.dsn(database), autocommit=True) as connection:
            yield connection

    def _create(self, database: str, template: str) -> None:
        self._run(sql.SQL("create database {} template {}").format(sql.Identifier(database), sql.Identifier(template)))

    def _run(self, statement: LiteralString | sql.Composed, *values: str) -> None:
        """Over one connection: opening one costs more than what is asked over it."""
        if self._admin.closed:
            self._admin = psycopg.connect(self.admin, autocommit=True)
        self._admin.execute(statement, values)


def _scalar(connection: Connection, query: str) -> object:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def _filled(connection: Connection) -> list[str]:
    """The tables that hold rows, or held some."""
    return [str(name) for (name,) in connection.execute(STORED_IN)]


def _rows(connection: Connection, table: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql.SQL("select * from {} as t order by t").format(sql.Identifier(table))).fetchall()


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
            server = TestServer(postgres.start())
            yield server
            server.disconnect()
        finally:
            postgres.stop()


test_server.__test__ = False  # type: ignore[attr-defined]
