"""The janitor's chores about sources: scheduled syncs, and the deletes that syncs postponed.

A sync may take long, so it runs on a separate thread; each source's lease prevents a second sync.
"""

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from quire.storage.sources.connectors.contract import SourceRefused, SourceUnavailable
from quire.storage.sources.gate import SourceGate
from quire.storage.sources.sync import Reading, due_sources, sync_source
from quire.storage.values.errors import StorageError
from quire.storage.values.rows import Actor

if TYPE_CHECKING:
    from quire.storage.store import Store

log = logging.getLogger(__name__)


class BackgroundTask:
    """Runs a chore on a separate thread, never twice at a time."""

    def __init__(self, run: Callable[[], object]) -> None:
        self._run = run
        self._thread: threading.Thread | None = None

    def __call__(self) -> None:
        """Start the chore unless it still runs."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._try, name="background-task", daemon=True)
            self._thread.start()

    def _try(self) -> None:
        try:
            self._run()
        except Exception as error:
            log.warning("sources: %s", getattr(error, "code", type(error).__name__))


def sync_due(store: "Store", gate: SourceGate, read: Callable[[], Reading]) -> int:
    """Sync every due source and return how many succeeded; a failure does not stop the others."""
    done = 0
    for source in due_sources(store.db):
        try:
            sync_source(store, gate, source.scope, Actor(key_name=source.key_name), source.id, read())
            done += 1
        except (StorageError, SourceRefused, SourceUnavailable) as error:
            log.warning("sync of %s: %s", source.id, error.code)
    return done
