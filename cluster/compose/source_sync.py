"""Sources on a schedule, and the deletes that syncs left for later: the janitor's chores about sources.

A sync may take long, so it runs beside the janitor's own turn; each source's lease makes it the only one.
"""

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from storage.sources.connectors.contract import SourceRefused, SourceUnavailable
from storage.sources.gate import SourceGate
from storage.sources.sync import Reading, due_sources, sync_source
from storage.values.errors import StorageError

if TYPE_CHECKING:
    from storage.store import Store

log = logging.getLogger(__name__)


class BackgroundTask:
    """Runs a chore in a thread of its own, never twice at a time."""

    def __init__(self, run: Callable[[], object]) -> None:
        self._run = run
        self._thread: threading.Thread | None = None

    def __call__(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._try, name="aside", daemon=True)
            self._thread.start()

    def _try(self) -> None:
        try:
            self._run()
        except Exception as error:
            log.warning("sources: %s", getattr(error, "code", type(error).__name__))


def sync_due(store: "Store", gate: SourceGate, read: Callable[[], Reading]) -> int:
    """Syncs every source whose time has come; one that fails keeps none from its turn. Returns how many succeeded."""
    from storage.values.rows import Actor

    done = 0
    for source in due_sources(store.db):
        try:
            sync_source(store, gate, source.scope, Actor(key_name=source.key_name), source.id, read())
            done += 1
        except (StorageError, SourceRefused, SourceUnavailable) as error:
            log.warning("sync of %s: %s", source.id, error.code)
    return done
