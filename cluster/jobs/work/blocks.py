"""Blocks of documents on their way to workers and their cut. Knows no outputs."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from quire.cluster.jobs.work.ledger import WorkBlock, WorkItem

BLOCKS_PER_WORKER = 32  # blocks a worker gets on average: enough that the last ones end together


def block_size(documents: int, workers: int, most: int, *, per_worker: int = BLOCKS_PER_WORKER) -> int:
    """Return the size of blocks with which a worker gets `per_worker` of them or more, at most `most`."""
    return max(1, min(most, documents // (workers * per_worker)))


def cut_by_bytes(items: Sequence[WorkItem], documents: int, size: int) -> list[list[WorkItem]]:
    """Return runs of at most so many documents, or of `size` bytes and the document that exceeds them."""
    blocks: list[list[WorkItem]] = []
    left = 0
    for item in items:
        if not blocks or len(blocks[-1]) >= documents or left <= 0:
            blocks.append([])
            left = size
        blocks[-1].append(item)
        left -= item.bytes
    return blocks


def cut_blocks(items: Sequence[WorkItem], size: int) -> list[WorkBlock]:
    """Return blocks of work whose completion is recorded elsewhere."""
    cuts = range(0, len(items), size)
    return [WorkBlock(f"{start // size:07}", tuple(items[start : start + size])) for start in cuts]


def dump_block(block: WorkBlock) -> str:
    """Return the block as ASCII JSON, so that undecodable file names survive."""
    return json.dumps([block.name, [asdict(item) for item in block.items]])


def load_block(text: str) -> WorkBlock:
    """Return the block of its JSON."""
    name, items = json.loads(text)
    return WorkBlock(name, tuple(WorkItem(**item) for item in items))
