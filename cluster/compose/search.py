"""Composition of search, from settings to objects. Without SVC_RAG_DB nothing is built.

Replicas call the `build_*` functions by name; each imports only its own parts.
"""

from functools import partial

from quire.actors.background.chores import Chore, ChoreRunner, UncontestedRole
from quire.actors.reader.indexing import Reindexer
from quire.actors.search.index_writer import IndexWriting
from quire.actors.search.searcher import Searcher
from quire.cluster.bootstrap.enabled import embeds
from quire.cluster.bootstrap.finding import find_runtime
from quire.cluster.bootstrap.opening import open_runtime_store
from quire.cluster.compose.handles import ServedEmbedder
from quire.cluster.compose.indexing import keep_vectors
from quire.cluster.errors import StartRefused
from quire.cluster.runtime import Runtime
from quire.configs.settings import Settings
from quire.models.cdom.ports import Embed
from quire.models.derive.chunks.chunking import chunker_name
from quire.models.derive.chunks.chunks import chunk_tree
from quire.models.neural.embed.load import check_embedder, describe_embedder, load_embedder
from quire.models.neural.embed.sentence_model import EmbedderRefused
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.storage.index.opened import (
    IndexPlace,
    check_model,
    mend_index,
    open_follower,
    open_search,
    open_writer,
    place_index,
)
from quire.storage.index.reconcile import IndexReconciler
from quire.storage.postgres.leases import RoleLease
from quire.storage.store import Store
from quire.storage.upkeep.erase import purge_some
from quire.storage.values.errors import OtherModel
from quire.storage.values.ids import new_worker_id

MIB = 1 << 20  # bytes
ROLE = "index_writer"
PURGES_PER_PASS = 500  # documents erased from the index in one commit
FOLLOW_S = 5.0  # seconds between a searcher's checks of its machine's keyword indexes
LEASE_S = 12.0
"""Seconds that the next writer waits after a kill; readers keep their documents meanwhile."""


def index_place(settings: Settings) -> IndexPlace:
    """Return the location of this embedder's vectors. Raises `EmbedderRefused`."""
    assert settings.rag_db is not None
    facts = describe_embedder(settings.embedder)
    return place_index(settings.rag_db, settings.workdir, width=facts.width, model=facts.key)


def check_search(settings: Settings) -> None:
    """Raise `StartRefused` for a model that cannot be loaded, and for an index that another model filled."""
    try:
        check_embedder(settings.embedder)
        place = index_place(settings)
        mend_index(place)
        check_model(place)
    except EmbedderRefused as error:
        raise StartRefused(f"SVC_EMBEDDER: {error}") from None
    except OtherModel as error:
        raise StartRefused(f"SVC_EMBEDDER: {error} (python -m quire.cluster.jobs.reembed)") from None


def make_searcher(settings: Settings, store: Store) -> Searcher:
    """Return a searcher with its model loaded, so that the first query is as fast as the next.

    On a machine without the writer it updates the keyword indexes itself.
    """
    place = index_place(settings)
    search = open_search(place, store.db, memory_bytes=settings.search_memory_mb * MIB)
    follower = open_follower(place)
    follow = Chore(name="follow keywords", every_s=FOLLOW_S, run=follower.run)
    embed = load_embedder(settings.embedder).embed_queries if embeds(settings) else None
    searcher = Searcher(search, embed, ChoreRunner(UncontestedRole(), [follow]), follower.age_s)
    searcher.warm_up()
    searcher.start()
    return searcher


def make_index_writer(settings: Settings, store: Store, embed: Embed | None) -> IndexWriting:
    """Return the index writer, with the chores that keep the index small, erased and consistent with SQL."""
    writer = open_writer(index_place(settings))
    reindex = Reindexer(
        store.artifacts, partial(chunk_tree, tokenizer=load_tokenizer()), embed, writer,
        kept=keep_vectors(settings, store.artifacts), progress=lambda done, total: writing.advance(),
    )  # fmt: skip
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
    writing = IndexWriting(RoleLease(store.db, ROLE, new_worker_id(), ttl_s=LEASE_S), writer, chores, slow)
    return writing


def build_searcher() -> Searcher:
    """Build the searcher of a replica."""
    runtime = find_runtime()
    return make_searcher(runtime.settings, open_runtime_store(runtime))


def served_index_writer(runtime: Runtime) -> IndexWriting:
    """Return the index writer of this process."""
    embed = ServedEmbedder() if embeds(runtime.settings) else None
    return make_index_writer(runtime.settings, open_runtime_store(runtime), embed)
