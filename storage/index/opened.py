"""Where an index lies and how its parts are opened: the reading side for searchers, the writing side for the writer."""

from dataclasses import dataclass, field
from pathlib import Path

from storage.database import Database
from storage.index.blocks import Blocks
from storage.index.chunk_table import ChunkTable
from storage.index.keyword_files import KeywordFiles
from storage.index.keywords import Keywords
from storage.index.search import IndexSearch
from storage.index.upkeep import Upkeep
from storage.index.writer import IndexWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPlace:
    """`uri`: a directory or s3://bucket/prefix of the chunk table. `keywords`: a directory of this machine."""

    uri: str
    keywords: Path
    width: int
    storage_options: dict[str, str] | None = field(default=None, repr=False)


def place_index(rag_db: str, workdir: Path, *, width: int, storage_options: dict[str, str] | None = None) -> IndexPlace:
    """Keyword indexes lie beside a local table, and in the workdir when the table is in a bucket."""
    remote = "://" in rag_db
    keywords = workdir / "keywords" if remote else Path(rag_db) / "keywords"
    return IndexPlace(uri=rag_db, keywords=keywords, width=width, storage_options=storage_options)


def open_search(place: IndexPlace, db: Database, *, memory_bytes: int) -> IndexSearch:
    """For any number of processes. Raises StoreUnavailable."""
    table = ChunkTable(place.uri, width=place.width, storage_options=place.storage_options)
    return IndexSearch(db, table, Keywords(place.keywords), Blocks(table, budget=memory_bytes, width=place.width))


def open_writer(place: IndexPlace) -> IndexWriter:
    """For the one process that holds the role. Raises StoreUnavailable."""
    table = ChunkTable(place.uri, width=place.width, storage_options=place.storage_options)
    files = KeywordFiles(Keywords(place.keywords), table)
    return IndexWriter(table, files, Upkeep(place.uri, place.storage_options))
