"""Location of an index and opening of its parts: the reading side for searchers, the writing side for the writer."""

import logging
from dataclasses import dataclass, field
from pathlib import Path

from quire.storage.index.keyword.keyword_files import KeywordFiles
from quire.storage.index.keyword.keyword_follower import KeywordFollower
from quire.storage.index.keyword.keywords import Keywords
from quire.storage.index.search import IndexSearch
from quire.storage.index.table.chunk_table import TABLE, ChunkTable
from quire.storage.index.table.power_cut import drop_unsynced
from quire.storage.index.table.siblings import SiblingTables
from quire.storage.index.table.upkeep import Upkeep
from quire.storage.index.vectors.scope_vectors import Blocks
from quire.storage.index.writer import ChunkIndexWriter
from quire.storage.postgres.database import Database
from quire.storage.values.errors import OtherModel

KEYWORDS = "keywords"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPlace:
    """Location of an index. `uri`: directory or s3://bucket/prefix of the chunk table. `keywords`: local directory.

    Every embedding model has its `table`, so that new vectors can be computed while the old ones are searched.
    """

    uri: str
    keywords: Path
    width: int
    table: str = TABLE
    storage_options: dict[str, str] | None = field(default=None, repr=False)


def place_index(
    rag_db: str, workdir: Path, *, width: int, model: str = "", storage_options: dict[str, str] | None = None
) -> IndexPlace:
    """Return the location of an index; keyword indexes are next to a local table, or in the workdir for a bucket.

    `model` is a key of letters, digits and underscores; empty for the model that comes with the service.
    """
    folder = workdir if "://" in rag_db else Path(rag_db)
    return IndexPlace(
        uri=rag_db,
        keywords=folder / (f"{KEYWORDS}_{model}" if model else KEYWORDS),
        width=width,
        table=f"{TABLE}_{model}" if model else TABLE,
        storage_options=storage_options,
    )


def keywords_of(place: IndexPlace, table: str) -> Path:
    """Return the folder of the keyword indexes of another table of the same location."""
    return place.keywords.parent / (KEYWORDS + table.removeprefix(TABLE))


def open_search(place: IndexPlace, db: Database, *, memory_bytes: int) -> IndexSearch:
    """Open the reading side, in any number of processes. Raises StoreUnavailable."""
    table = open_table(place)
    return IndexSearch(db, table, Keywords(place.keywords), Blocks(table, budget=memory_bytes, width=place.width))


def open_writer(place: IndexPlace) -> ChunkIndexWriter:
    """Open the writing side, in the one process that holds the role. Raises StoreUnavailable."""
    table = open_table(place)
    files = KeywordFiles(Keywords(place.keywords), table)
    siblings = SiblingTables(place.uri, place.table, place.storage_options)
    upkeep = Upkeep(place.uri, place.storage_options, table=place.table)
    folder = None if "://" in place.uri else Path(place.uri, f"{place.table}.lance")
    return ChunkIndexWriter(table, files, upkeep, siblings.erase, folder)


def open_follower(place: IndexPlace) -> KeywordFollower:
    """Open a follower in a searching process, possibly on another machine than the writer. Raises StoreUnavailable."""
    table, keywords = open_table(place), Keywords(place.keywords)
    return KeywordFollower(KeywordFiles(keywords, table), keywords, table)


def open_table(place: IndexPlace) -> ChunkTable:
    """Open the chunk table. Raises StoreUnavailable, OtherModel."""
    return ChunkTable(place.uri, width=place.width, table=place.table, storage_options=place.storage_options)


def mend_index(place: IndexPlace) -> None:
    """Take an index in a folder back to what is whole after a power cut; call it before any process opens it."""
    if "://" not in place.uri and (dropped := drop_unsynced(Path(place.uri))):
        log.warning("the search index lost data in a power cut; %d files dropped, %s …", len(dropped), dropped[0])


def check_model(place: IndexPlace) -> None:
    """Raise OtherModel if all stored chunks were embedded by another model, because searches would find nothing."""
    filled = {name: rows for name, rows in SiblingTables(place.uri, "", place.storage_options).rows().items() if rows}
    if place.table in filled:
        open_table(place)
    elif filled:
        others = ", ".join(f"{rows} chunks of {name}" for name, rows in sorted(filled.items()))
        raise OtherModel(f"the search index holds {others} and none of {place.table}: run the job reembed first")
