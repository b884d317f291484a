"""The console's ports (`quire.serve_apps.console.store.ports`) over this deployment's store."""

from contextlib import AbstractContextManager
from typing import Any, LiteralString

from quire.storage.access import audit, rate_limits
from quire.storage.postgres.database import Connection, Database, Row
from quire.storage.store import Store
from quire.storage.values.paging import ListPage
from quire.storage.values.rows import Actor, Scope
from quire.storage.values.states import EventKind
from quire.storage.webhooks import receivers
from quire.storage.webhooks.egress import CheckedUrl, Egress
from quire.storage.webhooks.signatures import new_secret


class ConsoleDatabase:
    """The database with its audit trail and rate limits."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[Connection]:
        """Open a transaction."""
        return self._database.transaction(durable=durable)

    def fetch_all(self, query: LiteralString, params: dict[str, Any] | None = None) -> list[Row]:
        """Return all rows of a query."""
        return self._database.fetch_all(query, params)

    def fetch_one(self, query: LiteralString, params: dict[str, Any] | None = None) -> Row | None:
        """Return the first row of a query, or None."""
        return self._database.fetch_one(query, params)

    def record(self, conn: Connection, scope: Scope, actor: Actor, action: str, object_id: str) -> None:
        """Record an act in the audit trail."""
        audit.record(conn, scope, actor, action, object_id)

    def take(self, bucket: str, per_minute: float, burst: int | None = None) -> float:
        """Take from a rate limit; return the seconds to wait, 0 when allowed."""
        return rate_limits.take(self._database, bucket, per_minute, rate_limits.BURST if burst is None else burst)

    def forget(self, bucket: str) -> None:
        """Reset a rate limit."""
        rate_limits.reset_bucket(self._database, bucket)


class ConsoleReceivers:
    """Webhook receivers kept by the store; `egress` decides which addresses may be called."""

    def __init__(self, store: Store, egress: Egress) -> None:
        self._store, self._egress = store, egress

    def check(self, url: str) -> CheckedUrl:
        """Resolve a URL and check that it may be called."""
        return self._egress.check(url)

    def register(self, scope: Scope, actor: Actor, url: str) -> tuple[receivers.WebhookRow, str]:
        """Register a receiver; return it with its secret."""
        secret, events = new_secret(), [EventKind.DOCUMENT_FINISHED]
        return receivers.register_webhook(self._store, scope, actor, url, events, secret), secret

    def list(self, scope: Scope) -> list[receivers.WebhookRow]:
        """Return the receivers of an organisation."""
        return receivers.list_webhooks(self._store.db, scope)

    def delete(self, scope: Scope, actor: Actor, webhook_id: str) -> None:
        """Delete a receiver."""
        receivers.delete_webhook(self._store.db, scope, actor, webhook_id)

    def send_test(self, scope: Scope, actor: Actor, webhook_id: str) -> receivers.DeliveryRow:
        """Send a test delivery to a receiver."""
        return receivers.test_webhook(self._store.db, scope, actor, webhook_id)

    def redeliver(self, scope: Scope, actor: Actor, delivery_id: str) -> receivers.DeliveryRow:
        """Send a delivery again."""
        return receivers.redeliver(self._store.db, scope, actor, delivery_id)

    def list_deliveries(self, scope: Scope, limit: int, cursor: str | None) -> ListPage[Any]:
        """Return a page of deliveries."""
        return receivers.list_deliveries(self._store, scope, limit=limit, cursor=cursor)
