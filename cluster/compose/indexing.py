"""The step between reading and publishing: chunks are counted and, with a search index, written to it."""

from dataclasses import replace
from functools import partial

from actors.reader.indexing import DocumentIndexer, Indexing, IndexingParts
from actors.reader.inflight import Beats, Inflight
from actors.reader.publisher import Publishing
from cluster.bootstrap.enabled import embeds, searches
from cluster.compose.handles import ServedEmbedder, ServedIndexWriter, ServedSearcher
from configs.settings import Settings
from models.cdom.ports import IndexDocument
from models.derive.chunks.chunking import chunker_name
from models.derive.chunks.chunks import chunk_tree, count_chunks
from models.neural.embed.tokenizer import load_tokenizer
from serve_apps.api.context.resources import Ports

INDEXING_ROOM = 8  # documents a reader may have between reading and publishing while the index is busy


def served_indexer(settings: Settings) -> IndexDocument | None:
    """Return a client that puts documents into the index over Serve; None without a search index."""
    if not searches(settings):
        return None

    return DocumentIndexer(ServedEmbedder() if embeds(settings) else None, ServedIndexWriter())


def with_search(ports: Ports, settings: Settings) -> Ports:
    """Return the API's ports, with those of search if there is an index."""
    if not searches(settings):
        return ports

    return replace(ports, search=ServedSearcher(), index_document=served_indexer(settings))


def before_publishing(
    publisher: Publishing, index: IndexDocument | None, inflight: Inflight, beats: Beats
) -> Publishing:
    """Return a publisher that first counts a document's chunks and, with an index, makes them searchable."""
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
