"""Lost connections, limits of a session, and errors as ours."""

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from quire.storage.postgres.database import Database, session_dsn
from quire.storage.store import Store
from quire.storage.values.errors import QuotaExceeded, StoreUnavailable


def kill_others(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid()"
        )


def test_every_session_has_its_limits(store: Store) -> None:
    names = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "application_name", "TimeZone")
    values = [store.db.fetch_all(f"show {name}")[0] for name in names]
    assert [next(iter(value.values())) for value in values] == ["30s", "10s", "1min", "quire", "UTC"]


def test_dsn_overrides_our_defaults() -> None:
    given = conninfo_to_dict(
        session_dsn("postgresql://h/db?application_name=mine&connect_timeout=9&options=-c%20geqo%3Doff")
    )
    assert (given["application_name"], given["connect_timeout"]) == ("mine", "9")
    assert str(given["options"]).endswith("-c geqo=off")
    assert "statement_timeout=30s" in str(given["options"])
    assert given["keepalives_idle"] == "30"


def test_idle_connections_that_the_server_closed_are_replaced_unseen(dsn: str, store: Store) -> None:
    for _ in range(3):
        store.db.fetch_one("select 1")
        kill_others(dsn)
    with store.db.transaction() as conn:
        assert conn.execute("select 1 as one").fetchone() == {"one": 1}


def test_read_on_a_dead_connection_is_retried_once(dsn: str, store: Store) -> None:
    tries: list[int] = []

    def read(conn: psycopg.Connection[dict[str, object]]) -> object:
        tries.append(1)
        if len(tries) == 1:
            kill_others(dsn)
        return conn.execute("select 7 as seven").fetchone()

    assert store.db.read(read) == {"seven": 7}
    assert len(tries) == 2


def test_write_on_a_dead_connection_is_unavailable_and_rolled_back(dsn: str, store: Store) -> None:
    def interrupted() -> None:
        with store.db.transaction() as conn:
            conn.execute("insert into watermarks (name) values ('half')")
            kill_others(dsn)
            conn.execute("select 1")

    with pytest.raises(StoreUnavailable):
        interrupted()
    assert store.db.fetch_all("select * from watermarks") == []


def test_a_statement_over_its_time_is_unavailable(store: Store) -> None:
    def slow() -> None:
        with store.db.transaction() as conn:
            conn.execute("set local statement_timeout = '20ms'")
            conn.execute("select pg_sleep(5)")

    with pytest.raises(StoreUnavailable):
        slow()
    assert store.db.fetch_one("select 1 as one") == {"one": 1}


def test_our_own_errors_pass_and_undo_the_transaction(store: Store) -> None:
    def refused() -> None:
        with store.db.transaction() as conn:
            conn.execute("insert into watermarks (name) values ('half')")
            raise QuotaExceeded("no")

    with pytest.raises(QuotaExceeded):
        refused()
    assert store.db.fetch_all("select * from watermarks") == []


def test_a_fault_of_ours_is_not_taken_for_an_outage(store: Store) -> None:
    with pytest.raises(psycopg.ProgrammingError):
        store.db.fetch_all("select nonsense")


def test_a_transaction_that_may_be_lost_says_so_to_the_server(store: Store) -> None:
    for durable, setting in ((True, "on"), (False, "off")):
        with store.db.transaction(durable=durable) as conn:
            assert conn.execute("show synchronous_commit").fetchone() == {"synchronous_commit": setting}
    assert store.db.fetch_one("show synchronous_commit") == {"synchronous_commit": "on"}


def test_a_database_that_is_not_there_is_unavailable(tmp_path: object) -> None:
    db = Database(f"postgresql://quire@/quire?host={tmp_path}")
    with pytest.raises(StoreUnavailable):
        db.fetch_all("select 1")
    db.close()


def test_no_more_connections_are_used_than_allowed(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quire.storage.postgres.database.WAIT_FOR_CONNECTION_S", 0.05)
    db = Database(dsn, pool_size=2)
    with db.autocommit(), db.autocommit(), pytest.raises(StoreUnavailable):
        db.fetch_all("select 1")
    assert db.fetch_one("select 1 as one") == {"one": 1}
    db.close()


def test_connections_are_kept_and_closed_with_the_database(dsn: str) -> None:
    db = Database(dsn)
    first, second = (db.fetch_one("select pg_backend_pid() as pid") for _ in range(2))
    assert first == second
    with db.autocommit() as conn:
        db.close()
    assert conn.closed
