"""The trees parsed last, kept for a while: who asks for a document's chunks soon asks for its fields."""

import threading
import time
from collections.abc import Callable

from cachetools import TTLCache

from models.cdom.tree import Tree, load_tree
from storage.objects.artifacts import TREE
from storage.store import Store
from storage.values.rows import DocumentId

KEPT_BYTES = 32 * 1024 * 1024
"""Stored JSON whose parsed trees are kept; parsed they take about ten times as much."""
KEPT_S = 300.0
"""After the last time that somebody asked for a tree: longer than a person looks at a page."""


class ParsedTrees:
    """The trees parsed last, by document and attempt, until nobody asked for them for five minutes.

    One that would take half the budget is not kept. Thread-safe.
    """

    def __init__(self, budget: int = KEPT_BYTES, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = budget // 2
        self._trees: TTLCache[tuple[DocumentId, int], tuple[int, Tree]] = TTLCache(
            budget, KEPT_S, clock, getsizeof=lambda kept: kept[0]
        )
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._trees)

    def get(self, store: Store, document_id: DocumentId, attempt: int) -> Tree:
        """The tree; read and parsed when it is not kept. Raises `NotFound`."""
        key = (document_id, attempt)
        with self._lock:
            self._trees.expire()
            if kept := self._trees.get(key):
                self._trees[key] = kept  # its five minutes begin again
                return kept[1]
        stored = store.artifacts.read(document_id, attempt, TREE)
        tree = load_tree(stored)
        if len(stored) <= self._most:
            with self._lock:
                self._trees[key] = (len(stored), tree)
        return tree
