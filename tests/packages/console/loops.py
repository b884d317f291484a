"""A console's loops for a separate process, alone here because the process imports their module."""

import threading
import time
from pathlib import Path

from quire.actors.background.webhook_dispatcher import Dispatcher
from quire.serve_apps.console.sending.watcher import Watcher
from quire.storage.store import open_store
from quire.storage.values import crash_points as crash
from quire.storage.webhooks.egress import Egress
from quire.storage.webhooks.outbox import StoreOutbox


def watch_and_deliver(dsn: str, folder: Path, keys: tuple[bytes, str], engine_url: str, crash_at: str | None) -> None:
    """A console's loops until they are killed, at a line or from outside. `keys`: that signs, the engine's."""
    crash.arm(crash_at)
    store = open_store(dsn, folder, signing_key=keys[0])
    watcher = Watcher(store.db, engine_url, keys[1], poll_s=0.01)
    dispatcher = Dispatcher(
        StoreOutbox(store, f"wrk_{time.time_ns()}", lease_s=1), Egress(allow=["127.0.0.1"]).post, poll_s=0.02
    )
    watcher.start()
    dispatcher.start()
    threading.Event().wait()
