"""`python -m cluster.jobs.extract FROM -o TO`: a corpus into trees and other outputs, on all CPUs of a cluster.

FROM is a folder, a file or s3://…, TO a folder that every node sees, or s3://…. What is done is skipped; errors end up
in a table. Progress goes to the job log.
"""

import json
import logging
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from cluster.cli.extract_formats import EXTRACT_FORMATS
from cluster.jobs.folders import Folder
from cluster.jobs.ledger import Item, claim_folder, find_undone, make_items, read_manifest, read_records, write_tables
from models.cdom.original import OcrMode, ReadOptions
from models.cdom.tree import SERVICE_VERSION

log = logging.getLogger("quire.jobs.extract")
BATCH = 4
REPORT_S = 10.0


def find_items(source: str, manifest: str | None) -> list[Item]:
    """The documents below `source`, or those of them that a manifest names."""
    if manifest is not None:
        return make_items(source, read_manifest(Path(manifest).read_text()))
    if "://" not in source and Path(source).is_file():
        return make_items(str(Path(source).parent), [Path(source).name])
    return make_items(source, (name for name, _ in Folder(source).names()))


def run(items: Sequence[Item], output: str, formats: Sequence[str], options: ReadOptions, workers: int | None) -> None:
    """Read all items on the cluster this process belongs to; returns when the last record is written."""
    import ray
    import ray.data

    from cluster.jobs.reading import ReadBatches

    ray.init(ignore_reinit_error=True, log_to_driver=False)
    cores = int(ray.cluster_resources().get("CPU", 1))
    count = max(1, min(workers or cores, -(-len(items) // BATCH)))
    ray.data.DataContext.get_current().enable_progress_bars = False
    blocks = min(len(items), count * 8)  # small ones: a slow document holds up little, and a lost node loses little
    rows = ray.data.from_items([asdict(item) for item in items], override_num_blocks=blocks)
    done = rows.map_batches(
        ReadBatches,
        fn_constructor_args=(output, tuple(formats), options),
        batch_size=BATCH,
        batch_format="numpy",
        num_cpus=1,
        compute=ray.data.ActorPoolStrategy(size=count, max_tasks_in_flight_per_actor=2),
    )
    _report(done, len(items))


def _report(rows: Any, total: int) -> None:
    """Counts in the job log, every ten seconds and at the end."""
    begun = shown = time.monotonic()
    documents = pages = failed = 0
    for row in rows.iter_rows():
        documents, pages, failed = documents + 1, pages + int(row["pages"]), failed + bool(row["error"])
        if time.monotonic() - shown >= REPORT_S or documents == total:
            shown = time.monotonic()
            rate = pages / (shown - begun)
            log.info("%d of %d documents, %d pages (%.1f a second), %d failed", documents, total, pages, rate, failed)


@click.command()
@click.argument("source", metavar="FROM")
@click.option("-o", "--output", required=True, metavar="TO", help="Folder that every node sees, or s3://bucket/prefix.")
@click.option("--to", "formats", multiple=True, default=("tree",), type=click.Choice(list(EXTRACT_FORMATS)))
@click.option("--manifest", type=click.Path(exists=True, dir_okay=False), help="Names below FROM, one a line.")
@click.option("--workers", type=click.IntRange(1, 10_000), help="Documents read at once; one per CPU by default.")
@click.option("--ocr", type=click.Choice([mode.value for mode in OcrMode]), default=OcrMode.AUTO.value)
@click.option("--again", is_flag=True, help="Read failed documents again.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
def main(
    source: str, output: str, formats: tuple[str, ...], manifest: str | None, workers: int | None, ocr: str,
    again: bool, dry_run: bool,
) -> None:  # fmt: skip
    """Read a corpus; resumable, each document once."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    source = source if "://" in source else str(Path(source).absolute())
    output = output if "://" in output else str(Path(output).absolute())
    try:
        items = find_items(source, manifest)
    except NotADirectoryError:
        raise click.UsageError(f"no such folder: {source}") from None
    folder = Folder(output, make=not dry_run or "://" in output)
    undone = find_undone(items, read_records(folder), again=again)
    log.info("%d documents, %d done before, %d to read", len(items), len(items) - len(undone), len(undone))
    if dry_run:
        return
    options = ReadOptions(ocr=OcrMode(ocr))
    facts = {"formats": sorted(set(formats)), "options": options.digest(), "version": SERVICE_VERSION}
    if not claim_folder(folder, facts):
        raise click.UsageError(f"{output} holds results of other options or another version; take a new folder")
    if undone:
        run(undone, output, formats, options, workers)
    click.echo(json.dumps(write_tables(folder, items)))


if __name__ == "__main__":
    main()
