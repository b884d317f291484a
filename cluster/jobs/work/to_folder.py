"""Bulk extraction into a folder or bucket, without a service: the worker, and the blocks that are not done."""

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from quire.cluster.bootstrap.vlm import VlmChoice, choose_vlm
from quire.cluster.compose.redacted import HIDDEN_NAME, redact_outcome
from quire.cluster.jobs.work.blocks import block_size, cut_by_bytes, dump_block, load_block
from quire.cluster.jobs.work.folders import Folder, open_folder
from quire.cluster.jobs.work.kinds import Shape
from quire.cluster.jobs.work.ledger import (
    WorkBlock,
    WorkItem,
    claim_folder,
    find_undone,
    find_unplanned,
    make_plan,
    read_plans,
    read_records,
    write_tables,
)
from quire.cluster.jobs.work.outputs import FolderOutput, OutputMaker
from quire.cluster.jobs.work.pipeline import BlockReader, as_read
from quire.cluster.jobs.work.spread import Progress, Row, connect, spread
from quire.cluster.jobs.work.vlm_pool import DOCUMENTS_AT_ONCE, VlmAccess, make_bulk_recogniser, start_pool
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.version import SERVICE_VERSION

log = logging.getLogger("quire.jobs")
MOST = {Shape.FILES: 64, Shape.JSONL: 4096, Shape.PARQUET: 4096}
"""Most documents of a block, which is the loss of a killed worker and the size of a shard."""
BLOCKS_OF_WORKER = {Shape.FILES: 32, Shape.JSONL: 4, Shape.PARQUET: 4}
"""Blocks that a worker gets on average: few for shards, so that a small corpus has few files."""
LEAST = {Shape.FILES: 1, Shape.JSONL: 32, Shape.PARQUET: 32}
"""Least documents of a block, unless they are large."""
BLOCK_BYTES = 64 << 20  # originals of a block: their outputs are a shard of about the same size


class OtherResults(Exception):
    """The folder holds the results of another way of reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderJob:
    """Source, output and options of a job, as plain values that travel to the workers. `schema`: of the format data."""

    source: str
    output: str
    formats: tuple[str, ...]
    shape: Shape
    ocr: OcrMode
    redacted: bool
    schema: str | None = None
    vlm: str | None = None
    """SVC_VLM_OCR of the job."""
    vlm_key: str | None = field(default=None, repr=False)

    @property
    def options(self) -> ReadOptions:
        """Reading options of the job."""
        return ReadOptions(ocr=self.ocr)

    def facts(self) -> dict[str, object]:
        """Return the options that must be the same for every document of a folder."""
        return {
            "formats": sorted(self.formats),
            "as": self.shape.value,
            "redacted": self.redacted,
            "options": self.options.digest(),
            "version": SERVICE_VERSION,
            **({} if self.schema is None else {"schema": hashlib.sha256(self.schema.encode()).hexdigest()}),
            **({} if self.vlm is None else {"vlm": choose_vlm(self.vlm, self.vlm_key).model}),
        }


class ReadRow:
    """Worker whose row is a block as JSON; it returns counts."""

    def __init__(self, job: FolderJob, vlm: VlmAccess | None = None) -> None:
        name_of = (lambda _: HIDDEN_NAME) if job.redacted else (lambda item: item.name)
        maker = OutputMaker(job.formats, job.schema)
        self._reader = BlockReader(
            open_folder(job.source),
            FolderOutput(open_folder(job.output, make=True), maker, job.shape, name_of),
            job.options,
            lambda: make_bulk_recogniser(job.options.ocr_langs, vlm),
            finish=redact_outcome if job.redacted else as_read,
            recognised_at_once=1 if vlm is None else DOCUMENTS_AT_ONCE,
        )

    def __call__(self, row: Row) -> Row:
        """Read the documents of a block."""
        records = self._reader.read_block(load_block(row["block"]))
        failed = sum(record.error is not None for record in records)
        return {"documents": len(records), "pages": sum(record.pages for record in records), "failed": failed}

    def close(self) -> None:
        """End the reader."""
        self._reader.close()


def read_into_folder(
    job: FolderJob,
    items: Sequence[WorkItem],
    workers: int | None,
    *,
    again: bool,
    start: Callable[[VlmChoice, str | None], VlmAccess] = start_pool,
) -> dict[str, Any]:
    """Read all documents that are not done; return the summary. `start` starts the engines of the job's model.

    Raises:
        OtherResults: The folder holds the results of other options.
        JobStopped: A worker failed.
        PortUnavailable: The model cannot be used.
    """
    folder = open_folder(job.output, make=True)
    if not claim_folder(folder, job.facts()):
        raise OtherResults
    folder.sweep()
    count = workers or connect()
    size = block_size(len(items), count, MOST[job.shape], per_worker=BLOCKS_OF_WORKER[job.shape])
    size = max(size, LEAST[job.shape])
    blocks = plan_work(folder, items, size, again=again)
    total = sum(len(block.items) for block in blocks)
    log.info("%d documents, %d to read in %d blocks", len(items), total, len(blocks))
    vlm = None
    if blocks:
        connect()
        vlm = None if job.vlm is None else start(choose_vlm(job.vlm, job.vlm_key), job.vlm_key)
    progress = Progress(total)
    rows = [{"block": dump_block(block)} for block in blocks]
    for row in spread(rows, ReadRow, (job, vlm), workers=workers):
        progress.step(int(row["documents"]), {"pages": int(row["pages"]), "failed": int(row["failed"])})
    return write_tables(folder, items)


def plan_work(folder: Folder, items: Sequence[WorkItem], size: int, *, again: bool) -> list[WorkBlock]:
    """Return blocks without records, after planning new documents and, with `again`, failed ones."""
    plans = read_plans(folder)
    failed = {key for key, record in read_records(folder).items() if record.error} if again else set()
    plans = make_plan(folder, plans, cut_by_bytes(find_unplanned(plans, items), size, BLOCK_BYTES))
    known = {item.key: item for item in items}
    retried = [known.get(key) or WorkItem(name="", key=key) for key in sorted(failed)]
    return find_undone(folder, make_plan(folder, plans, cut_by_bytes(retried, size, BLOCK_BYTES)), items)


def look_at_folder(output: str, items: Sequence[WorkItem]) -> dict[str, int]:
    """Return the number of documents in all and to read; write nothing."""
    try:
        records = read_records(open_folder(output))
    except NotADirectoryError:
        records = {}
    return {"documents": len(items), "to_read": sum(item.key not in records for item in items)}
