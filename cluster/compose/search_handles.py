"""The search ports over Serve handles: what readers, the API and the index writer ask of one another."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cluster.compose.handles import BACKGROUND, GRACE_S, HandleClient
from models.cdom.search import SearchHit, SearchRequest

if TYPE_CHECKING:
    from storage.index.table.entries import DocumentChunks, Vectors

EMBEDDER, SEARCHER = "embedder", "searcher"
SEARCH_TIMEOUT_S = 10.0  # seconds; a question at a million chunks takes a tenth of one
CHECK_TIMEOUT_S = 3.0  # seconds for a sign of life, below what health may take


class ServedEmbedder:
    """The port `Embed`, for threads."""

    def __init__(self) -> None:
        self._peer = HandleClient(EMBEDDER)

    def embed(self, texts: Sequence[str], *, timeout_s: float, urgent: bool = False) -> "Vectors":
        vectors: Vectors = self._peer.call("embed", list(texts), timeout_s, urgent, timeout_s=timeout_s + GRACE_S)
        return vectors


class ServedIndexWriter:
    """The port `WriteIndex`, for threads."""

    def __init__(self) -> None:
        self._peer = HandleClient(BACKGROUND)

    def write(self, documents: "Sequence[DocumentChunks]", *, timeout_s: float, urgent: bool = False) -> None:
        self._peer.call("write", list(documents), timeout_s, urgent, timeout_s=timeout_s + GRACE_S)


class ServedSearcher:
    """The port `SearchIndex`, for the API's event loop."""

    def __init__(self) -> None:
        self._peer = HandleClient(SEARCHER)

    async def search(self, request: SearchRequest) -> list[SearchHit] | None:
        hits: list[SearchHit] | None = await self._peer.ask("search", request, timeout_s=SEARCH_TIMEOUT_S)
        return hits

    async def check(self) -> float:
        behind_s: float | None = await self._peer.ask("check", timeout_s=CHECK_TIMEOUT_S)
        return behind_s or 0.0  # a searcher of the version before says nothing
