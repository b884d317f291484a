"""Search hits with redacted text, taken from the redacted trees. Blocks: call in a thread.

Chunks of a redacted tree may be cut differently, so a hit becomes the redacted chunk that shares most blocks with it.
"""

from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial

from quire.models.cdom.chunk import Chunk
from quire.models.cdom.search import SearchHit
from quire.models.derive.chunks.chunking import settings_of
from quire.models.derive.chunks.chunks import chunk_tree
from quire.serve_apps.api.context.deps import Call
from quire.serve_apps.api.documents.redacting import locate_scanned, redact_for
from quire.serve_apps.api.documents.trees import HIDDEN_NAME
from quire.storage.jobs.documents import locate_tree
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import DocumentId, JobId

SNIPPET_CHARS = 240  # characters, as the index's own snippets


async def scan_hits(call: Call, hits: list[SearchHit]) -> None:
    """Scan the documents of the hits if names were not searched for in them. Raises `ScanRunning`."""
    for job_id, document_id in {(hit.job_id, hit.document_id): None for hit in hits}:
        with suppress(NotFound):
            await locate_scanned(call, JobId(job_id), DocumentId(document_id))


def redact_hits(call: Call, hits: list[SearchHit]) -> list[SearchHit]:
    """Return the hits with redacted text, without hits whose documents were deleted in the meantime.

    Raises:
        PiiIncomplete: The tree of a hit has no finished scan.
    """
    chunks: dict[str, list[Chunk]] = {}
    shown = []
    for hit in hits:
        if hit.document_id not in chunks:
            chunks[hit.document_id] = _redacted_chunks(call, hit)
        best = max(chunks[hit.document_id], key=lambda chunk: len({*chunk.block_ids} & {*hit.block_ids}), default=None)
        if best is not None:
            shown.append(_masked(hit, best))
    return shown


def _redacted_chunks(call: Call, hit: SearchHit) -> list[Chunk]:
    resources, document_id = call.running.resources, DocumentId(hit.document_id)
    try:
        where = locate_tree(call.store.db, call.scope, hit.job_id, document_id)
        tree = call.running.trees.get(call.store, document_id, where.attempt)
    except NotFound:
        return []
    chunking = settings_of(where.chunker, resources.chunking)
    cut = partial(chunk_tree, tokenizer=resources.tokenizer, settings=chunking)
    return call.running.work.run(cut, redact_for(call.store, document_id, tree))


def _masked(hit: SearchHit, chunk: Chunk) -> SearchHit:
    return replace(
        hit,
        chunk_id=chunk.id,
        text=chunk.text,
        section_path=chunk.section_path,
        pages=chunk.pages,
        block_ids=chunk.block_ids,
        bboxes=tuple(asdict(box) for box in chunk.bboxes),
        source_file=HIDDEN_NAME,
        snippet=chunk.text[:SNIPPET_CHARS],
        highlights=(),
    )
