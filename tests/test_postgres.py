"""A test's database holds nothing of an earlier test's, after any change by that test."""

import psycopg
import pytest

from tests.postgres import TestServer as Server

WRITES = {
    "rows": """insert into rate_limits values ('mine', now());
        insert into decision_log (act, document_id, place, flag, decision, decided_by)
        values ('', 'd', 'p', 'f', 'masked', 'me')""",
    "seed": "delete from console_plans where name = 'free'",
    "column": "alter table jobs add column mine integer",
    "table": "create table mine (n integer)",
    "trigger off": "alter table audit disable trigger all",
    "right": "revoke select on jobs from public; grant select on jobs to public",
    "setting": "do $$ begin execute format('alter database %I set work_mem = ''1MB''', current_database()); end $$",
}


def look(dsn: str) -> dict[str, object]:
    """Return the state that the next test could notice: rows, columns, disabled triggers, settings, sequences."""
    queries = {
        "columns": "select table_name, column_name from information_schema.columns order by 1, 2",
        "plans": "select * from console_plans order by 1",
        "limits": "select count(*) from rate_limits",
        "decided": "select count(*) from decision_log",
        "off": "select count(*) from pg_trigger where tgenabled = 'D'",
        "settings": "select setconfig from pg_db_role_setting where setdatabase <> 0",
        "sequences": "select sequencename, last_value from pg_sequences order by 1",
    }
    with psycopg.connect(dsn) as connection:
        return {name: connection.execute(query.encode()).fetchall() for name, query in queries.items()}


@pytest.mark.parametrize("write", WRITES)
def test_the_next_database_is_as_the_first_was(postgres_server: Server, write: str) -> None:
    with postgres_server.database() as dsn:
        before = look(dsn)
    with postgres_server.database() as dsn, psycopg.connect(dsn) as connection:
        connection.execute(WRITES[write].encode())
    with postgres_server.database() as dsn:
        assert look(dsn) == before


def test_released_database_has_no_connections_and_no_reused_name(postgres_server: Server) -> None:
    with postgres_server.database() as first:
        left = psycopg.connect(first)
    with postgres_server.database() as second:
        assert second != first
        with pytest.raises(psycopg.OperationalError):
            left.execute("select 1")
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(first)
    left.close()
