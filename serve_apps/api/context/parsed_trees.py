"""Cache of recently parsed trees: a request for chunks is often followed by one for fields."""

import time
from collections.abc import Callable

from quire.models.cdom.tree import Tree, load_tree
from quire.serve_apps.api.context.kept import KeptValues
from quire.storage.objects.artifacts import TREE
from quire.storage.store import Store
from quire.storage.values.rows import DocumentId

KEPT_BYTES = 32 * 1024 * 1024
"""Stored JSON whose parsed trees are kept; parsed they take about ten times as much."""


class ParsedTrees:
    """Cache of trees by document and attempt. A tree larger than half the budget is not cached. Thread-safe."""

    def __init__(self, budget: int = KEPT_BYTES, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = budget // 2
        self._trees = KeptValues[tuple[DocumentId, int], Tree](budget, clock)

    def __len__(self) -> int:
        return len(self._trees)

    def get(self, store: Store, document_id: DocumentId, attempt: int) -> Tree:
        """Return the tree of an attempt from the cache, or read and parse it.

        Raises:
            NotFound: The attempt has no stored tree.
        """
        key = (document_id, attempt)
        if (cached := self._trees.get(key)) is not None:
            return cached
        stored = store.artifacts.read(document_id, attempt, TREE)
        tree = load_tree(stored)
        if len(stored) <= self._most:
            self._trees.keep(key, tree, len(stored))
        return tree
