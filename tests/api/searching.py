"""A search index next to an app in one process, connected by hand instead of by Ray."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quire.actors.reader.indexing import DocumentIndexer
from quire.actors.search.embedder import Embedder
from quire.actors.search.index_writer import IndexWriting
from quire.actors.search.searcher import Searcher
from quire.models.cdom.search import SearchHit, SearchRequest
from quire.serve_apps.api.context.resources import Ports
from quire.storage.index.table.entries import Vectors
from quire.storage.postgres.leases import RoleLease
from quire.storage.store import Store
from tests.storage.index.library import Library, embed
from tests.waiting import PATIENCE_S


class HashedWords:
    """A model that needs no weights."""

    def embed(self, texts: list[str]) -> Vectors:
        return embed(texts)


class InProcess:
    """The port `SearchIndex` over a searcher in this process."""

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher

    async def search(self, request: SearchRequest) -> list[SearchHit] | None:
        return await asyncio.to_thread(self._searcher.search, request)

    async def check(self) -> float:
        return await asyncio.to_thread(self._searcher.check)


@contextmanager
def search_ports(store: Store, folder: Path) -> Iterator[tuple[Ports, Library]]:
    """Ports of an app with search, and the index behind them."""
    library = Library(store, str(folder / "rag"), folder / "rag" / "keywords")
    embedder = Embedder(HashedWords())
    writing = IndexWriting(RoleLease(store.db, "index_writer", "test", ttl_s=30), library.writer, ())
    embedder.start()
    writing.start()
    searcher = Searcher(library.reader, lambda texts: embed(texts))
    try:
        yield Ports(search=InProcess(searcher), index_document=DocumentIndexer(embedder, writing)), library
    finally:
        writing.drain(PATIENCE_S)
        embedder.drain(PATIENCE_S)
