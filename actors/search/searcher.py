"""A searcher: computes the query's vector with its model (cached for repeated queries), then searches the index.

Requests become hits. Built from values; any number of threads. Knows no Ray and no HTTP.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from cachetools import LRUCache

from quire.actors.background.chores import ChoreRunner
from quire.models.cdom.ports import PortUnavailable
from quire.models.cdom.search import SearchHit, SearchRequest
from quire.storage.index.table.entries import Vectors
from quire.storage.values.errors import NotFound, StorageError

if TYPE_CHECKING:  # LanceDB: only the process of the index loads it
    from quire.storage.index.search import IndexSearch

PORT = "searcher"
KEPT_QUERIES = 4096  # cached query vectors: 384 floats each, 6 MB in all
CLOSE_S = 10.0  # seconds for the current chore to end


class Searcher:
    """Searches the index; without `embed` by keywords only. `background` runs from `start` to `close`.

    `behind`: seconds for which this machine's keyword index has been behind.
    """

    def __init__(
        self,
        index: "IndexSearch",
        embed: Callable[[list[str]], Vectors] | None,
        background: ChoreRunner | None = None,
        behind: Callable[[], float] = float,
    ) -> None:
        self._index, self._embed, self._background, self._behind = index, embed, background, behind
        self._vectors: LRUCache[str, Vectors] = LRUCache(KEPT_QUERIES)
        self._lock = threading.Lock()

    def warm_up(self) -> None:
        """Load the model and the vector index now instead of at the first query."""
        if self._embed is not None:
            self._embed(["ready"])
            with suppress(StorageError):  # queries say so themselves
                self._index.prewarm()

    def start(self) -> None:
        """Start the background loop."""
        if self._background is not None:
            self._background.start()

    def close(self) -> None:
        """End the background loop."""
        if self._background is not None:
            self._background.drain(CLOSE_S)

    def search(self, request: SearchRequest) -> list[SearchHit] | None:
        """Return hits; None if the caller has no such document or job. Raises `PortUnavailable`."""
        try:
            return self._index.search(request, None if self._embed is None else lambda: self._vector(request.q))
        except NotFound:
            return None
        except StorageError as error:
            raise PortUnavailable(PORT, error.code) from error

    def check(self) -> float:
        """Return the seconds for which the keyword index has been behind. Raises `PortUnavailable` on failure."""
        try:
            self._index.check()
        except StorageError as error:
            raise PortUnavailable(PORT, error.code) from error
        return self._behind()

    def _vector(self, q: str) -> Vectors:
        with self._lock:
            cached = self._vectors.get(q)
        if cached is not None:
            return cached
        assert self._embed is not None
        vector: Vectors = self._embed([q])[0]
        with self._lock:
            self._vectors[q] = vector
        return vector
