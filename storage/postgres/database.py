"""Connections to PostgreSQL: a few of them, limits on every session, and one mapping of driver errors to ours.

Everything above sees `Connection`s in autocommit mode, `StoreUnavailable`, and nothing else of the driver's failures.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, LiteralString, TypeVar

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row

from quire.storage.postgres.connections import Connection as Connection
from quire.storage.postgres.connections import Connections
from quire.storage.values.errors import NoSpace, StoreUnavailable, unreachable

MIGRATING = 0x5155_4952_45  # "QUIRE": one migration at a time per database
T = TypeVar("T")
Row = dict[str, Any]
Params = dict[str, Any]

# The default cost of a random page is that of a turning disk: plans then read tables of some thousand rows as a whole.
SESSION = (
    "-c statement_timeout=30s -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s -c timezone=UTC -c jit=off"
    " -c random_page_cost=1.1"
)
KEEPALIVE = {"keepalives": 1, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
CONNECT_TIMEOUT_S = 5  # seconds
WAIT_FOR_CONNECTION_S = 10.0  # seconds a caller waits for one of the few connections

_UNAVAILABLE = (
    psycopg.OperationalError,  # lost, refused, shut down, timed out, deadlocked, disk full
    psycopg.InterfaceError,  # used after it was lost
    errors.IdleInTransactionSessionTimeout,
    errors.ReadOnlySqlTransaction,  # a replica after a failover
)


class Database:
    """One process's door to PostgreSQL: at most `pool_size` connections. Thread-safe. Never share one over a fork."""

    def __init__(self, dsn: str, *, pool_size: int = 4) -> None:
        settings = session_dsn(dsn)
        self._connections = Connections(
            lambda: psycopg.Connection.connect(settings, autocommit=True, row_factory=dict_row),
            limit=pool_size,
            wait_s=WAIT_FOR_CONNECTION_S,
        )

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[Connection]:
        """BEGIN … COMMIT around the block, ROLLBACK on an exception. `durable=False`: a database crash may lose it."""
        return self._transaction(durable)

    def autocommit(self) -> AbstractContextManager[Connection]:
        """Lend a connection on which each statement is its own transaction."""
        return self._borrow()

    def read(self, action: Callable[[Connection], T]) -> T:
        """Run reading statements, and repeat them once if their connection died."""
        try:
            with self._borrow() as connection:
                return action(connection)
        except _LostConnection:
            with self._borrow() as connection:
                return action(connection)

    def fetch_all(self, query: LiteralString, params: Params | None = None) -> list[Row]:
        """All rows of one reading statement."""
        return self.read(lambda connection: connection.execute(query, params).fetchall())

    def fetch_one(self, query: LiteralString, params: Params | None = None) -> Row | None:
        """Return the first row of one reading statement, or None without rows."""
        rows = self.fetch_all(query, params)
        return rows[0] if rows else None

    def close(self) -> None:
        """Close all connections."""
        self._connections.close()

    @contextmanager
    def _transaction(self, durable: bool) -> Iterator[Connection]:
        with self._borrow() as connection, connection.transaction():
            if not durable:
                connection.execute("set local synchronous_commit to off")
            yield connection

    @contextmanager
    def _borrow(self) -> Iterator[Connection]:
        connection: Connection | None = None
        try:
            with self._connections.borrow() as connection:
                yield connection
        except _UNAVAILABLE as error:
            if isinstance(error, errors.DiskFull):
                raise NoSpace("the disk of the database is full") from error
            if connection is None:
                raise unreachable("database", error) from error
            raise (_LostConnection if connection.closed else StoreUnavailable)(type(error).__name__) from error


class _LostConnection(StoreUnavailable):
    """The connection died while a statement ran on it: the outcome of a write is unknown, a read may be repeated."""


def session_dsn(dsn: str, *, application: str = "quire") -> str:
    """`dsn` with our session limits, keepalives and name added; what the caller states wins."""
    given = conninfo_to_dict(dsn)
    options = f"{SESSION} {given.pop('options', None) or ''}".strip()
    settings: dict[str, Any] = {"connect_timeout": CONNECT_TIMEOUT_S, "application_name": application, **KEEPALIVE}
    return make_conninfo(**{**settings, **given, "options": options})
