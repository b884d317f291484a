"""The step between reading and publishing: chunks are counted and, with a search index, written to it."""

from dataclasses import replace
from functools import partial

from quire.actors.reader.indexing import DocumentIndexer, EarlierTree, Indexing, IndexingParts
from quire.actors.reader.inflight import Inflight
from quire.actors.reader.publisher import Publishing
from quire.actors.search.embedder import Embedder
from quire.cluster.bootstrap.enabled import embeds, searches
from quire.cluster.bootstrap.finding import find_runtime
from quire.cluster.compose.handles import ServedEmbedder, ServedIndexWriter, ServedSearcher
from quire.configs.settings import Settings
from quire.models.cdom.ports import IndexDocument
from quire.models.cdom.tree import load_tree
from quire.models.derive.chunks.chunking import chunker_name
from quire.models.derive.chunks.chunks import chunk_tree, count_chunks
from quire.models.neural.embed.load import describe_embedder, load_embedder
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.serve_apps.api.context.resources import Ports
from quire.storage.index.vector_parts import VectorParts
from quire.storage.objects.artifacts import TREE, Artifacts
from quire.storage.sources.removed_files import find_earlier
from quire.storage.store import Store
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import Claim
from quire.storage.values.states import Priority

INDEXING_ROOM = 8  # documents a reader may have between reading and publishing while the index is busy


def served_indexer(settings: Settings, artifacts: Artifacts | None = None) -> IndexDocument | None:
    """Return a client that puts documents into the index over Serve; None without a search index.

    `artifacts` keep the vectors of long documents until they are indexed.
    """
    if not searches(settings):
        return None

    embedder = ServedEmbedder() if embeds(settings) else None
    return DocumentIndexer(embedder, ServedIndexWriter(), keep_vectors(settings, artifacts) if artifacts else None)


def keep_vectors(settings: Settings, artifacts: Artifacts) -> VectorParts:
    """Return the place for vectors of documents that are being indexed."""
    facts = describe_embedder(settings.embedder)
    return VectorParts(artifacts, f"{facts.name} {facts.key}", facts.width)


def with_search(ports: Ports, settings: Settings) -> Ports:
    """Return the API's ports, with those of search if there is an index."""
    if not searches(settings):
        return ports

    queue = ServedEmbedder() if embeds(settings) else None
    return replace(ports, search=ServedSearcher(), index_document=served_indexer(settings), index_queue=queue)


def load_earlier(store: Store, claim: Claim) -> EarlierTree | None:
    """Return the version that a document of a source replaces, if it is still stored."""
    earlier = find_earlier(store.db, claim.document_id) if claim.priority is Priority.SYNC else None
    if earlier is None:
        return None
    try:
        tree = load_tree(store.artifacts.read(earlier.document_id, earlier.attempt, TREE))
    except NotFound:  # published again or deleted meanwhile
        return None
    return EarlierTree(earlier.document_id, tree)


def before_publishing(
    publisher: Publishing, index: IndexDocument | None, inflight: Inflight, store: Store
) -> Publishing:
    """Return a publisher that first counts a document's chunks and, with an index, makes them searchable."""
    parts = IndexingParts(
        chunk=partial(chunk_tree, tokenizer=load_tokenizer()),
        count=partial(count_chunks, tokenizer=load_tokenizer()),
        chunker=chunker_name(),
        index=index,
        publisher=publisher,
        inflight=inflight,
        room=INDEXING_ROOM,
        earlier=partial(load_earlier, store),
    )
    return Indexing(parts)


def make_embedder(settings: Settings) -> Embedder:
    """Return the embedder of these settings, with its model loaded."""
    return Embedder(load_embedder(settings.embedder))


def build_embedder() -> Embedder:
    """Build the embedder of a replica, which loads no library of the index."""
    return make_embedder(find_runtime().settings)
