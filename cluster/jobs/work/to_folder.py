"""Bulk extraction into a folder or bucket, without a service: the worker, and the blocks that are not done."""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cluster.compose.redacted import HIDDEN_NAME, redact_outcome
from cluster.jobs.work.blocks import block_size, dump_block, load_block
from cluster.jobs.work.folders import Folder, open_folder
from cluster.jobs.work.kinds import Shape
from cluster.jobs.work.ledger import (
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
from cluster.jobs.work.outputs import FolderOutput
from cluster.jobs.work.pipeline import BlockReader, as_read, make_cpu_recogniser
from cluster.jobs.work.spread import Progress, Row, connect, spread
from models.cdom.original import OcrMode, ReadOptions
from models.cdom.version import SERVICE_VERSION

log = logging.getLogger("quire.jobs")
MOST = {Shape.FILES: 64, Shape.JSONL: 512, Shape.PARQUET: 512}
"""Most documents of a block, which is the loss of a killed worker and the size of a shard."""


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
        }


class ReadRow:
    """Worker whose row is a block as JSON; it returns counts."""

    def __init__(self, job: FolderJob) -> None:
        name_of = (lambda _: HIDDEN_NAME) if job.redacted else (lambda item: item.name)
        self._reader = BlockReader(
            open_folder(job.source),
            FolderOutput(open_folder(job.output, make=True), job.formats, job.shape, name_of, job.schema),
            job.options,
            lambda: make_cpu_recogniser(job.options.ocr_langs),
            finish=redact_outcome if job.redacted else as_read,
        )

    def __call__(self, row: Row) -> Row:
        """Read the documents of a block."""
        records = self._reader.read_block(load_block(row["block"]))
        failed = sum(record.error is not None for record in records)
        return {"documents": len(records), "pages": sum(record.pages for record in records), "failed": failed}

    def close(self) -> None:
        """End the reader."""
        self._reader.close()


def read_into_folder(job: FolderJob, items: Sequence[WorkItem], workers: int | None, *, again: bool) -> dict[str, Any]:
    """Read all documents that are not done; return the summary. Raises `OtherResults`, `JobStopped`."""
    folder = open_folder(job.output, make=True)
    if not claim_folder(folder, job.facts()):
        raise OtherResults
    folder.sweep()
    count = workers or connect()
    blocks = plan_work(folder, items, block_size(len(items), count, MOST[job.shape]), again=again)
    total = sum(len(block.items) for block in blocks)
    log.info("%d documents, %d to read in %d blocks", len(items), total, len(blocks))
    if blocks:
        connect()
    progress = Progress(total)
    rows = [{"block": dump_block(block)} for block in blocks]
    for row in spread(rows, ReadRow, (job,), workers=count):
        progress.step(int(row["documents"]), {"pages": int(row["pages"]), "failed": int(row["failed"])})
    return write_tables(folder, items)


def plan_work(folder: Folder, items: Sequence[WorkItem], size: int, *, again: bool) -> list[WorkBlock]:
    """Return blocks without records, after planning new documents and, with `again`, failed ones."""
    plans = read_plans(folder)
    failed = [key for key, record in read_records(folder).items() if record.error] if again else []
    plans = make_plan(folder, plans, find_unplanned(plans, items), size)
    return find_undone(folder, make_plan(folder, plans, sorted(failed), size), items)


def look_at_folder(output: str, items: Sequence[WorkItem]) -> dict[str, int]:
    """Return the number of documents in all and to read; write nothing."""
    try:
        records = read_records(open_folder(output))
    except NotADirectoryError:
        records = {}
    return {"documents": len(items), "to_read": sum(item.key not in records for item in items)}
