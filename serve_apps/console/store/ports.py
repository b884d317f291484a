"""Ports that the console needs from the deployment around it; `quire.cluster.serve.console_ports` provides them.

The console reaches the engine over HTTP. The console's tables are in a database that it may share with the engine; the
audit trail, rate limits and webhook receivers in that database belong to the deployment.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, LiteralString, Protocol

import psycopg

from quire.storage.values.paging import ListPage
from quire.storage.values.rows import Actor, Scope

Row = dict[str, Any]
Connection = psycopg.Connection[Row]


class ConsoleTables(Protocol):
    """A database with the console's tables."""

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[Connection]:
        """Commit when the block ends, roll back on an exception. `durable=False`: a database crash may lose it."""

    def fetch_all(self, query: LiteralString, params: dict[str, Any] | None = None) -> list[Row]:
        """Return all rows of a query."""

    def fetch_one(self, query: LiteralString, params: dict[str, Any] | None = None) -> Row | None:
        """Return the first row of a query, or None."""


class AuditedDatabase(ConsoleTables, Protocol):
    """A database that also stores the audit trail and the rate limits."""

    def record(self, conn: Connection, scope: Scope, actor: Actor, action: str, object_id: str) -> None:
        """Add a row to the audit trail in the transaction of the act."""

    def take(self, bucket: str, per_minute: float, burst: int | None = None) -> float:
        """Count a request; return 0.0 if it is accepted, else the seconds until one will be."""

    def forget(self, bucket: str) -> None:
        """Reset a rate limit's bucket."""


class Receiver(Protocol):
    """A registered webhook receiver."""

    @property
    def id(self) -> str:
        """Return the receiver's id."""

    @property
    def url(self) -> str:
        """Return the receiver's address."""

    @property
    def events(self) -> Sequence[str]:
        """Return the event types it gets."""

    @property
    def created_at(self) -> datetime:
        """Return the time of its registration."""


class Receivers(Protocol):
    """Webhook receivers of the tenants, and the deliveries to them."""

    def check(self, url: str) -> object:
        """Raise `UrlRefused` for an address that must not be called."""

    def register(self, scope: Scope, actor: Actor, url: str) -> tuple[Receiver, str]:
        """Register a checked address for `document.finished`; return the receiver and its new secret."""

    def list(self, scope: Scope) -> Sequence[Receiver]:
        """List the receivers of a scope."""

    def delete(self, scope: Scope, actor: Actor, webhook_id: str) -> None:
        """Delete a receiver."""

    def send_test(self, scope: Scope, actor: Actor, webhook_id: str) -> object:
        """Send a test event to a receiver."""

    def redeliver(self, scope: Scope, actor: Actor, delivery_id: str) -> object:
        """Send a delivery again."""

    def list_deliveries(self, scope: Scope, limit: int, cursor: str | None) -> ListPage[Any]:
        """List deliveries, newest first."""
