"""Composition of everything about search: which parts exist, from settings to objects. Without SVC_RAG_DB: none.

The `build_*` functions are what replicas call by name; each imports only what it is made of.
"""

from functools import partial
from typing import TYPE_CHECKING

from cluster.bootstrap.opening import find_runtime, open_runtime_store
from cluster.compose.search_handles import ServedEmbedder, ServedIndexWriter, ServedSearcher
from cluster.errors import StartRefused
from cluster.runtime import Runtime
from configs.settings import Settings

if TYPE_CHECKING:
    from actors.reader.inflight import Beats, Inflight
    from actors.reader.publisher import Publishing
    from actors.search.embedder import Embedder
    from actors.search.index_writer import IndexWriting
    from actors.search.searcher import Searcher
    from models.cdom.ports import Embed, IndexDocument
    from serve_apps.api.context.resources import Ports
    from storage.index.opened import IndexPlace
    from storage.store import Store

MIB = 1 << 20  # bytes
NO_EMBEDDER = "none"
ROLE = "index_writer"
INDEXING_ROOM = 8  # documents a reader may have between reading and publishing while the index is busy
PURGES_PER_PASS = 500  # documents erased from the index in one commit
FOLLOW_S = 5.0  # seconds between looks of a searcher at how far its machine's keyword indexes are
LEASE_S = 12.0
"""After a kill the next writer waits this long; readers keep their documents meanwhile."""


def searches(settings: Settings) -> bool:
    """Whether this deployment keeps a search index."""
    return settings.rag_db is not None


def embeds(settings: Settings) -> bool:
    """Whether it has vectors."""
    return searches(settings) and settings.embedder != NO_EMBEDDER


def index_place(settings: Settings) -> "IndexPlace":
    """Where the vectors of this embedder lie. Raises `EmbedderRefused`."""
    from models.neural.embed.load import describe_embedder
    from storage.index.opened import place_index

    assert settings.rag_db is not None
    facts = describe_embedder(settings.embedder)
    return place_index(settings.rag_db, settings.workdir, width=facts.width, model=facts.key)


def check_search(settings: Settings) -> None:
    """Raises `StartRefused` for a model that cannot be loaded, and for an index that another model filled."""
    if not searches(settings):
        return
    from models.neural.embed.load import check_embedder
    from models.neural.embed.sentence_directory import EmbedderRefused
    from storage.index.opened import check_model
    from storage.values.errors import OtherModel

    try:
        check_embedder(settings.embedder)
        check_model(index_place(settings))
    except EmbedderRefused as error:
        raise StartRefused(f"SVC_EMBEDDER: {error}") from None
    except OtherModel as error:
        raise StartRefused(f"SVC_EMBEDDER: {error} (python -m cluster.jobs.reembed)") from None


def served_indexer(settings: Settings) -> "IndexDocument | None":
    """What puts a document into the index, asked over Serve."""
    if not searches(settings):
        return None
    from actors.reader.indexing import DocumentIndexer

    return DocumentIndexer(ServedEmbedder() if embeds(settings) else None, ServedIndexWriter())


def with_search(ports: "Ports", settings: Settings) -> "Ports":
    """The API's ports, with those of search where there is one."""
    if not searches(settings):
        return ports
    from dataclasses import replace

    return replace(ports, search=ServedSearcher(), index_document=served_indexer(settings))


def before_publishing(
    publisher: "Publishing", index: "IndexDocument | None", inflight: "Inflight", beats: "Beats"
) -> "Publishing":
    """Chunks are counted and, with an index, findable before a document is published."""
    from actors.reader.indexing import Indexing, IndexingParts
    from models.derive.chunks.chunking import chunker_name
    from models.derive.chunks.chunks import chunk_tree, count_chunks
    from models.neural.embed.tokenizer import load_tokenizer

    parts = IndexingParts(
        chunk=partial(chunk_tree, tokenizer=load_tokenizer()),
        count=partial(count_chunks, tokenizer=load_tokenizer()),
        chunker=chunker_name(),
        index=index,
        publisher=publisher,
        inflight=inflight,
        beats=beats,
        room=INDEXING_ROOM,
    )
    return Indexing(parts)


def make_embedder(settings: Settings) -> "Embedder":
    from actors.search.embedder import Embedder
    from models.neural.embed.load import load_embedder

    return Embedder(load_embedder(settings.embedder))


def make_searcher(settings: Settings, store: "Store") -> "Searcher":
    """Answers questions; loads its model now, so that the first one is as fast as the next.

    On a machine without the writer it keeps the keyword indexes in step by itself.
    """
    from actors.background.chores import Chore, ChoreRunner, UncontestedRole
    from actors.search.searcher import Searcher
    from models.neural.embed.load import load_embedder
    from storage.index.opened import open_follower, open_search

    place = index_place(settings)
    search = open_search(place, store.db, memory_bytes=settings.search_memory_mb * MIB)
    follower = open_follower(place)
    follow = Chore(name="follow keywords", every_s=FOLLOW_S, run=follower.run)
    embed = load_embedder(settings.embedder).embed_queries if embeds(settings) else None
    searcher = Searcher(search, embed, ChoreRunner(UncontestedRole(), [follow]), follower.age_s)
    searcher.warm_up()
    searcher.start()
    return searcher


def make_index_writer(settings: Settings, store: "Store", embed: "Embed | None") -> "IndexWriting":
    """The one writer, with what keeps the index small, forgetful and equal to SQL."""
    from actors.background.chores import Chore
    from actors.reader.indexing import Reindexer
    from actors.search.index_writer import IndexWriting
    from models.derive.chunks.chunking import chunker_name
    from models.derive.chunks.chunks import chunk_tree
    from models.neural.embed.tokenizer import load_tokenizer
    from storage.index.opened import open_writer
    from storage.index.reconcile import IndexReconciler
    from storage.postgres.leases import RoleLease
    from storage.upkeep.erase import purge_some
    from storage.values.ids import new_worker_id

    writer = open_writer(index_place(settings))
    reindex = Reindexer(store.artifacts, partial(chunk_tree, tokenizer=load_tokenizer()), embed, writer)
    reconciler = IndexReconciler(store.db, writer, reindex, chunker=chunker_name())
    chores = (
        Chore(name="catch up", every_s=60, run=writer.catch_up),
        Chore(
            name="purge",
            every_s=settings.purge_deadline / 4,
            run=lambda: purge_some(store, PURGES_PER_PASS, erase_index=writer.erase),
        ),
        Chore(name="compact index", every_s=30, run=writer.compact),
    )
    slow = (
        Chore(name="reconcile index", every_s=10, run=reconciler.run_when_due),
        Chore(name="vector index", every_s=600, run=writer.index_vectors),
    )
    return IndexWriting(RoleLease(store.db, ROLE, new_worker_id(), ttl_s=LEASE_S), writer, chores, slow)


def build_embedder() -> "Embedder":
    """For a replica."""
    return make_embedder(find_runtime().settings)


def build_searcher() -> "Searcher":
    """For a replica."""
    runtime = find_runtime()
    return make_searcher(runtime.settings, open_runtime_store(runtime))


def served_index_writer(runtime: Runtime) -> "IndexWriting | None":
    """Return the index writer of this process, or None without a search index."""
    if not searches(runtime.settings):
        return None

    embed = ServedEmbedder() if embeds(runtime.settings) else None
    return make_index_writer(runtime.settings, open_runtime_store(runtime), embed)
