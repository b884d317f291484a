"""`python -m cluster.jobs.bulk_extract FROM -o TO`: a corpus into trees and other outputs, on all CPUs of a cluster.

FROM is a folder, a file or s3://…, TO a folder that every node sees, or s3://…. What is done is skipped; errors end up
in a table. Progress goes to the job log.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from cluster.cli.extract_formats import EXTRACT_FORMATS
from cluster.jobs.folders import Folder, absolute_url, open_folder
from cluster.jobs.kinds import Shape
from cluster.jobs.ledger import (
    Block,
    Item,
    claim_folder,
    find_undone,
    find_unplanned,
    make_items,
    make_plan,
    read_manifest,
    read_plans,
    read_records,
    write_tables,
)
from cluster.jobs.spread import JobStopped, Progress, Row, connect, spread
from models.cdom.original import OcrMode, ReadOptions
from models.cdom.tree import SERVICE_VERSION

log = logging.getLogger("quire.jobs")
BLOCKS_PER_WORKER = 32
MOST = {Shape.FILES: 64, Shape.JSONL: 512, Shape.PARQUET: 512}
"""Documents of a block: what a kill costs a worker, and what a shard holds."""


def find_items(source: str, manifest: str | None) -> tuple[str, list[Item]]:
    """The root and the documents below it, or those of them that a manifest names."""
    if manifest is not None:
        return source, make_items((name, 0) for name in read_manifest(Path(manifest).read_text()))
    if "://" not in source and Path(source).is_file():
        return str(Path(source).parent), make_items([(Path(source).name, Path(source).stat().st_size)])
    return source, make_items(open_folder(source).names())


def block_size(documents: int, workers: int, most: int) -> int:
    """So many that a worker gets a few dozen blocks, none too large to lose."""
    return max(1, min(most, documents // (workers * BLOCKS_PER_WORKER)))


class ReadRow:
    """A row is a block as JSON; the answer counts what became of its documents."""

    def __init__(self, source: str, output: str, formats: Sequence[str], shape: str, ocr: str, redacted: bool) -> None:
        from cluster.cli.extract_redacted import HIDDEN_NAME, redact_outcome
        from cluster.jobs.outputs import FolderOutput
        from cluster.jobs.pipeline import BlockReader, as_read, make_cpu_recogniser

        options = ReadOptions(ocr=OcrMode(ocr))
        target = FolderOutput(
            open_folder(output, make=True), formats, Shape(shape),
            (lambda _: HIDDEN_NAME) if redacted else (lambda item: item.name),
        )  # fmt: skip
        self._reader = BlockReader(
            open_folder(source), target, options, lambda: make_cpu_recogniser(options.ocr_langs),
            finish=redact_outcome if redacted else as_read,
        )  # fmt: skip

    def __call__(self, row: Row) -> Row:
        records = self._reader.read_block(load_block(row["block"]))
        failed = sum(record.error is not None for record in records)
        return {"documents": len(records), "pages": sum(record.pages for record in records), "failed": failed}


def dump_block(block: Block) -> str:
    """ASCII, so that a name no text can hold travels too."""
    return json.dumps([block.name, [asdict(item) for item in block.items]])


def load_block(text: str) -> Block:
    name, items = json.loads(text)
    return Block(name, tuple(Item(**item) for item in items))


def plan_work(folder: Folder, items: Sequence[Item], size: int, *, again: bool) -> list[Block]:
    """Blocks without records, after a plan was made for what has none; `again`: one more for what failed."""
    plans = read_plans(folder)
    failed = [key for key, record in read_records(folder).items() if record.error] if again else []
    plans = make_plan(folder, plans, find_unplanned(plans, items), size)
    return find_undone(folder, make_plan(folder, plans, sorted(failed), size), items)


def run(blocks: Sequence[Block], worker_arguments: tuple[Any, ...], workers: int) -> None:
    """Do all blocks on the cluster; returns when the last record is written. Raises `JobStopped`."""
    progress = Progress(sum(len(block.items) for block in blocks))
    rows = [{"block": dump_block(block)} for block in blocks]
    for row in spread(rows, ReadRow, worker_arguments, workers=workers):
        progress.step(int(row["documents"]), {"pages": int(row["pages"]), "failed": int(row["failed"])})


@click.command()
@click.argument("source", metavar="FROM")
@click.option("-o", "--output", required=True, metavar="TO", help="Folder that every node sees, or s3://bucket/prefix.")
@click.option("--to", "formats", multiple=True, default=("tree",), type=click.Choice(list(EXTRACT_FORMATS)))
@click.option("--as", "shape", type=click.Choice([shape.value for shape in Shape]), default=Shape.FILES.value)
@click.option("--manifest", type=click.Path(exists=True, dir_okay=False), help="Names below FROM, one a line.")
@click.option("--workers", type=click.IntRange(1, 10_000), help="Documents read at once; one per CPU by default.")
@click.option("--ocr", type=click.Choice([mode.value for mode in OcrMode]), default=OcrMode.AUTO.value)
@click.option("--redacted", is_flag=True, help="Mask personal data; no name of a file is told.")
@click.option("--again", is_flag=True, help="Read failed documents again.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
def main(
    source: str, output: str, formats: tuple[str, ...], shape: str, manifest: str | None, workers: int | None, ocr: str,
    redacted: bool, again: bool, dry_run: bool,
) -> None:  # fmt: skip
    """Read a corpus; resumable, each document once."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    output = absolute_url(output)
    try:
        root, items = find_items(absolute_url(source), manifest)
    except NotADirectoryError:
        raise click.UsageError(f"no such folder: {source}") from None
    if dry_run:
        click.echo(json.dumps(_look(output, items)))
        return
    folder = open_folder(output, make=True)
    facts = {"formats": sorted(set(formats)), "as": shape, "options": ReadOptions(ocr=OcrMode(ocr)).digest()}
    if not claim_folder(folder, facts | {"redacted": redacted, "version": SERVICE_VERSION}):
        raise click.UsageError(f"{output} holds results of other options or another version; take a new folder")
    folder.sweep()
    count = workers or connect()
    blocks = plan_work(folder, items, block_size(len(items), count, MOST[Shape(shape)]), again=again)
    log.info("%d documents, %d to read in %d blocks", len(items), sum(len(b.items) for b in blocks), len(blocks))
    if blocks:
        connect()
    try:
        run(blocks, (root, output, tuple(dict.fromkeys(formats)), shape, ocr, redacted), count)
    except JobStopped as error:
        raise click.ClickException(f"stopped, run it again to go on: {error}") from None
    click.echo(json.dumps(write_tables(folder, items)))


def _look(output: str, items: Sequence[Item]) -> dict[str, int]:
    """How much there is to do; nothing is written."""
    try:
        records = read_records(open_folder(output))
    except NotADirectoryError:
        records = {}
    return {"documents": len(items), "to_read": sum(item.key not in records for item in items)}


if __name__ == "__main__":
    main()
