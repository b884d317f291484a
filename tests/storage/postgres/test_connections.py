"""The pool of one process: what is kept, what is closed, and how many there are at most."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import psycopg
import pytest

from quire.storage.postgres import connections
from quire.storage.postgres.connections import UNUSED_S, Connection, Connections, ConnectionsBusy


@dataclass
class Pool:
    """Connections to the tests' server, on a clock that the test moves."""

    dsn: str
    limit: int = 3
    now: float = 1000.0
    made: list[Connection] = field(default_factory=list)
    pool: Connections = field(init=False)

    def __post_init__(self) -> None:
        self.pool = Connections(self.connect, self.limit, 0.01)

    def connect(self) -> Connection:
        self.made.append(cast(Connection, psycopg.connect(self.dsn, autocommit=True)))
        return self.made[-1]

    def use(self, together: int) -> None:
        with ExitStack() as stack:
            for _ in range(together):
                stack.enter_context(self.pool.borrow()).execute("select 1")

    @property
    def open(self) -> int:
        return sum(not one.closed for one in self.made)


@pytest.fixture
def pool(dsn: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    made = Pool(dsn)
    monkeypatch.setattr(connections, "time", SimpleNamespace(monotonic=lambda: made.now))
    yield made
    made.pool.close()


def test_connections_are_kept_for_the_next_and_never_more_than_the_limit(pool: Pool) -> None:
    pool.use(2)
    pool.use(2)
    assert (len(pool.made), pool.open) == (2, 2)
    pool.use(3)
    with pytest.raises(ConnectionsBusy):
        pool.use(4)
    assert (len(pool.made), pool.open) == (3, 3)


def test_unused_connections_are_closed_after_a_burst(pool: Pool) -> None:
    pool.use(3)
    for _ in range(4):
        pool.now += UNUSED_S / 3
        pool.use(1)
    assert (len(pool.made), pool.open) == (3, 2)  # one at a time
    pool.use(1)
    pool.use(1)
    assert (len(pool.made), pool.open) == (3, 1)


def test_one_that_is_used_now_and_then_is_kept(pool: Pool) -> None:
    for _ in range(5):
        pool.use(1)
        pool.now += 10 * UNUSED_S
    assert (len(pool.made), pool.open) == (1, 1)


def test_broken_or_open_transaction_connection_is_not_reused(pool: Pool) -> None:
    with pool.pool.borrow() as connection:
        connection.execute("begin")
    assert pool.open == 0
    pool.use(1)
    with psycopg.connect(pool.dsn, autocommit=True) as other:
        other.execute("select pg_terminate_backend(%s, 30000)", [pool.made[-1].info.backend_pid])
    pool.use(1)
    assert (len(pool.made), pool.open) == (3, 1)


def test_closing_closes_the_idle_now_and_the_borrowed_when_they_come_back(pool: Pool) -> None:
    pool.use(2)
    with pool.pool.borrow():
        pool.pool.close()
        assert pool.open == 1
    assert pool.open == 0
