"""A searcher: the question's vector from the model beside it (kept for questions that come again), then the index.

In come requests, out go hits. Built from values; any number of threads. Knows no Ray and no HTTP.
"""

import threading
from collections.abc import Callable
from typing import Protocol

from cachetools import LRUCache

from models.cdom.ports import PortUnavailable
from models.cdom.search import SearchHit, SearchRequest
from storage.index.table.entries import Vectors
from storage.values.errors import NotFound, StorageError

PORT = "searcher"
KEPT_QUERIES = 4096  # vectors of questions kept: 384 floats each, 6 MB in all
CLOSE_S = 10.0  # seconds for the chore at hand to end


class Index(Protocol):
    """`storage.index.search.IndexSearch`."""

    def search(self, request: SearchRequest, vector: Callable[[], Vectors] | None) -> list[SearchHit]: ...
    def check(self) -> None: ...


class Beside(Protocol):
    """`actors.background.chores.ChoreRunner`: what runs for as long as questions are answered."""

    def start(self) -> None: ...
    def drain(self, timeout_s: float) -> bool: ...


class Searcher:
    """`embed` None: there is no model, and words answer every question. `beside` runs from `start` to `close`.

    `behind`: seconds for which this machine's keyword index has been behind.
    """

    def __init__(
        self,
        index: Index,
        embed: Callable[[list[str]], Vectors] | None,
        beside: Beside | None = None,
        behind: Callable[[], float] = float,
    ) -> None:
        self._index, self._embed, self._beside, self._behind = index, embed, beside, behind
        self._vectors: LRUCache[str, Vectors] = LRUCache(KEPT_QUERIES)
        self._lock = threading.Lock()

    def warm_up(self) -> None:
        """Load the model now instead of at the first question."""
        if self._embed is not None:
            self._embed(["ready"])

    def start(self) -> None:
        if self._beside is not None:
            self._beside.start()

    def close(self) -> None:
        if self._beside is not None:
            self._beside.drain(CLOSE_S)

    def search(self, request: SearchRequest) -> list[SearchHit] | None:
        """None = no such document or job for this caller. Raises `PortUnavailable`."""
        try:
            return self._index.search(request, None if self._embed is None else lambda: self._vector(request.q))
        except NotFound:
            return None
        except StorageError as error:
            raise PortUnavailable(PORT, error.code) from error

    def check(self) -> float:
        """Seconds for which the keyword index has been behind. Raises `PortUnavailable` when the index is not read."""
        try:
            self._index.check()
        except StorageError as error:
            raise PortUnavailable(PORT, error.code) from error
        return self._behind()

    def _vector(self, q: str) -> Vectors:
        with self._lock:
            kept = self._vectors.get(q)
        if kept is not None:
            return kept
        assert self._embed is not None
        vector: Vectors = self._embed([q])[0]
        with self._lock:
            self._vectors[q] = vector
        return vector
