"""The trees parsed last, kept for a while: who asks for a document's chunks soon asks for its fields."""

import threading
from collections import OrderedDict

from models.cdom.tree import Tree, load_tree
from storage.objects.artifacts import TREE
from storage.store import Store
from storage.values.rows import DocumentId

KEPT_BYTES = 32 * 1024 * 1024
"""Stored JSON whose parsed trees are kept; parsed they take about ten times as much."""


class ParsedTrees:
    """The trees parsed last, by document and attempt. Thread-safe."""

    def __init__(self, budget: int = KEPT_BYTES) -> None:
        self._budget, self._held = budget, 0
        self._trees: OrderedDict[tuple[DocumentId, int], tuple[int, Tree]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, store: Store, document_id: DocumentId, attempt: int) -> Tree:
        """The tree; read and parsed when it is not kept. Raises `NotFound`."""
        key = (document_id, attempt)
        with self._lock:
            if key in self._trees:
                self._trees.move_to_end(key)
                return self._trees[key][1]
        stored = store.artifacts.read(document_id, attempt, TREE)
        tree = load_tree(stored)
        self._keep(key, len(stored), tree)
        return tree

    def _keep(self, key: tuple[DocumentId, int], size: int, tree: Tree) -> None:
        with self._lock:
            if size > self._budget // 2 or key in self._trees:
                return
            self._trees[key] = (size, tree)
            self._held += size
            while self._held > self._budget:
                _, (dropped, _) = self._trees.popitem(last=False)
                self._held -= dropped
