"""Trees prepared for redacted output: scanned for names first, with reviewers' decisions applied."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from quire.models.cdom.tree import Tree
from quire.models.pii.places import decide_blocks
from quire.models.pii.redact import redact_tree
from quire.serve_apps.api.context.deps import Call
from quire.serve_apps.api.http.refusals import ScanRunning
from quire.storage.jobs.document_list import ChosenDocument
from quire.storage.jobs.documents import PublishedTree, locate_tree
from quire.storage.review.reviews import read_decisions
from quire.storage.store import Store
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import DocumentId, JobId


async def locate_scanned(call: Call, job_id: JobId, document_id: DocumentId) -> PublishedTree:
    """Locate the tree that redacted outputs are made of; the document is scanned first if names were not searched for.

    Raises:
        NotFound: The document is unknown, foreign, deleted or unfinished.
        ScanRunning: The scan takes longer than a request waits.
    """
    return await scanned(
        call, document_id, await call.running.sql.run(locate_tree, call.store.db, call.scope, job_id, document_id)
    )


async def scanned(call: Call, document_id: DocumentId, where: PublishedTree) -> PublishedTree:
    """Return the place of the document's tree after the scan that redacted outputs need. Raises `ScanRunning`."""
    tree = await call.running.disk.run(call.running.trees.get, call.store, document_id, where.attempt)
    return replace(
        where, attempt=await call.running.scans.scanned_attempt(document_id, where.attempt, tree, call.scan_wait_s)
    )


async def scan_all(
    call: Call, trees: Sequence[tuple[DocumentId, PublishedTree]]
) -> list[tuple[DocumentId, PublishedTree]]:
    """Return documents with the places of their trees after the scans that redacted outputs need.

    Documents that are deleted meanwhile are left out. A scan that outlasts the request continues and is kept.

    Raises:
        ScanRunning: The scans take longer than a request waits.
    """
    ready = []
    try:
        async with asyncio.timeout(call.scan_wait_s):
            for document_id, where in trees:
                with suppress(NotFound):
                    ready.append((document_id, await scanned(call, document_id, where)))
    except TimeoutError:
        raise ScanRunning("names are being searched for in these documents; ask again at Location") from None
    return ready


async def scan_chosen(call: Call, chosen: Sequence[ChosenDocument]) -> list[ChosenDocument]:
    """Return the documents with the places of their scanned trees; see `scan_all`. Raises `ScanRunning`."""
    trees = [(item.document.id, item.tree) for item in chosen if item.tree is not None]
    places = dict(await scan_all(call, trees))
    return [replace(item, tree=places.get(item.document.id)) for item in chosen]


def read_block_decisions(store: Store, document_id: DocumentId, tree: Tree) -> dict[tuple[str, str, int], str]:
    """Return the decisions for the values of `tree` by (block id, flag, index of the span)."""
    return decide_blocks(tree, read_decisions(store.db, document_id))


def redact_for(store: Store, document_id: DocumentId, tree: Tree) -> Tree:
    """Return `tree` with every flagged value masked, except those a reviewer rejected.

    Raises:
        PiiIncomplete: The tree has no finished scan.
    """
    return redact_tree(tree, read_block_decisions(store, document_id, tree))
