"""Blocks of documents on their way to workers and their cut. Knows no outputs."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from cluster.jobs.work.ledger import WorkBlock, WorkItem

BLOCKS_PER_WORKER = 32  # blocks a worker gets on average: enough that the last ones end together


def block_size(documents: int, workers: int, most: int, *, per_worker: int = BLOCKS_PER_WORKER) -> int:
    """So many that a worker gets `per_worker` blocks or more, none too large to lose."""
    return max(1, min(most, documents // (workers * per_worker)))


def cut_blocks(items: Sequence[WorkItem], size: int) -> list[WorkBlock]:
    """Blocks of work that is remembered elsewhere."""
    cuts = range(0, len(items), size)
    return [WorkBlock(f"{at // size:07}", tuple(items[at : at + size])) for at in cuts]


def dump_block(block: WorkBlock) -> str:
    """ASCII, so that a name no text can hold travels too."""
    return json.dumps([block.name, [asdict(item) for item in block.items]])


def load_block(text: str) -> WorkBlock:
    """The inverse."""
    name, items = json.loads(text)
    return WorkBlock(name, tuple(WorkItem(**item) for item in items))
