"""`quire bench`: how fast these documents are read here and how well, as a page with plots and as JSON.

Read in the service's own sandbox, nothing is written but the report. Knows no Ray, no database and no HTTP.
"""

import json
import os
import resource
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click

from quire.actors.reading.read_document import DocumentReader
from quire.cluster.cli.documents.batch import ExtractItem, FileBatch
from quire.cluster.cli.documents.extract_files import FoundFiles, NoSuchFile, find_files
from quire.cluster.cli.documents.extract_formats import MarkdownChoices
from quire.cluster.cli.shared.progress import ProgressBar
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.derive.quality import DocumentQuality, rate_document, rate_failure, summarise
from quire.models.export.bar_plot import PlotBar, bar_plot
from quire.models.export.markup import Markup
from quire.models.export.quality_html import report_to_html, totals

_EXAMPLES = """\b
Examples:
  quire bench scans/ -o report.html             a page with plots
  quire bench *.pdf --json > bench.json          for programs
  quire bench reports/ --jobs 1 --ocr never      one document after the other, text layers only
"""
_MOST_BARS = 60
"""Bars of a plot; more are too thin to distinguish."""


@dataclass(frozen=True, slots=True)
class Timing:
    """One document: when it was done, in seconds since the first began, how long it took, its pages."""

    done_s: float
    seconds: float
    pages: int


@dataclass(slots=True)
class BenchRun:
    """Measurements of a run. `wall_s` and `cpu_s` cover all processes, with the sandbox's start."""

    timings: dict[str, Timing] = field(default_factory=dict)
    ratings: dict[str, DocumentQuality] = field(default_factory=dict)
    wall_s: float = 0.0
    cpu_s: float = 0.0

    def speed(self) -> dict[str, float | int]:
        """Return pages, seconds and the rates of both."""
        pages = sum(timing.pages for timing in self.timings.values())
        return {
            "pages": pages,
            "wall_s": round(self.wall_s, 3),
            "cpu_s": round(self.cpu_s, 3),
            "pages_per_s": round(pages / self.wall_s, 2) if self.wall_s else 0.0,
            "pages_per_cpu_s": round(pages / self.cpu_s, 2) if self.cpu_s else 0.0,
        }


class BenchBatch(FileBatch):
    """Reads and rates instead of writing."""

    def __init__(
        self, items: list[ExtractItem], options: ReadOptions, bar: ProgressBar, choices: MarkdownChoices
    ) -> None:
        super().__init__(items, "tree", options, bar, choices)
        self.measured = BenchRun()
        self._began = time.monotonic()

    def _read(self, reader: DocumentReader, item: ExtractItem) -> str | None:

        began = time.monotonic()
        read = self._outcome(reader, item)
        now = time.monotonic()
        if isinstance(read, str):
            self.measured.ratings[item.name] = rate_failure(item.name, ErrorCode(read))
            return read
        assert read.tree is not None
        pages = len(read.tree.pages)
        self.measured.timings[item.name] = Timing(now - self._began, now - began, pages)
        self.measured.ratings[item.name] = rate_document(item.name, read.tree)
        return None


@click.command(epilog=_EXAMPLES)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write the report as an HTML page."
)
@click.option("--json", "as_json", is_flag=True, help="Write the report as JSON to standard output.")
@click.option("--jobs", type=click.IntRange(1, 64), help="Documents to read in parallel. The default is one per core.")
@click.option(
    "--ocr", type=click.Choice([mode.value for mode in OcrMode]), default=OcrMode.AUTO.value, show_default=True
)
def bench(paths: tuple[str, ...], output: Path | None, as_json: bool, jobs: int | None, ocr: str) -> None:
    """Measure how fast documents are read on this machine, and how well they can be read.

    Exit status: 0 all were read, 1 some failed ("FILE: code: what to do" on stderr), 2 wrong use.
    """
    files = _select_files(paths).files
    items = [ExtractItem(file.path, str(file.place), None) for file in files]
    measured = _measure(items, ReadOptions(ocr=OcrMode(ocr)), min(jobs or os.cpu_count() or 1, len(items)))
    if output is not None:
        output.write_text(render_report(measured), encoding="utf-8")
    if as_json:
        click.echo(json.dumps(_report(measured), ensure_ascii=False, indent=1))
    speed, failed = measured.speed(), len(items) - len(measured.timings)
    click.echo(
        f"{len(measured.timings)} read{f', {failed} failed' if failed else ''}: {speed['pages']} pages in "
        f"{speed['wall_s']:.1f} s, {speed['pages_per_s']} a second, {speed['pages_per_cpu_s']} a CPU second"
        + (f" → {output}" if output is not None else ""),
        err=True,
    )
    if failed:
        raise click.exceptions.Exit(1)


def _select_files(paths: Sequence[str]) -> FoundFiles:
    try:
        selection = find_files(paths)
    except NoSuchFile as error:
        raise click.UsageError(f"no such file: {error}") from None
    if not selection.files:
        raise click.UsageError("no document found")
    return selection


def _measure(items: list[ExtractItem], options: ReadOptions, jobs: int) -> BenchRun:

    began, cpu = time.monotonic(), _cpu_s()
    with ProgressBar(len(items)).shown() as bar:
        batch = BenchBatch(items, options, bar, MarkdownChoices())
        batch.run(jobs)
    batch.measured.wall_s, batch.measured.cpu_s = time.monotonic() - began, _cpu_s() - cpu
    return batch.measured


def _cpu_s() -> float:
    """CPU seconds of this process and of all that it has waited for: the sandbox waits for its own children."""
    used = [resource.getrusage(target) for target in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _report(measured: BenchRun) -> dict[str, object]:

    quality = asdict(summarise([measured.ratings[name] for name in sorted(measured.ratings)]))
    for row in quality["documents"]:
        timing = measured.timings.get(row["source_file"])
        row["seconds"] = None if timing is None else round(timing.seconds, 3)
    return {"speed": measured.speed(), **quality}


def render_report(measured: BenchRun) -> str:
    """Render the page: speed with its plots, then the evaluation of the same documents."""
    names = {
        "pages": "Pages", "wall_s": "Seconds", "cpu_s": "CPU seconds", "pages_per_s": "Pages a second",
        "pages_per_cpu_s": "Pages a CPU second",
    }  # fmt: skip
    speed = totals(measured.speed(), tuple(names.items()))
    return report_to_html(
        _report(measured), title="Reading speed and quality", first=Markup(speed + "".join(_plots(measured)))
    )


def _plots(measured: BenchRun) -> list[Markup]:

    slowest = sorted(measured.timings.items(), key=lambda timing: -timing[1].seconds / max(1, timing[1].pages))[
        :_MOST_BARS
    ]
    each = [PlotBar(name, round(1000 * timing.seconds / max(1, timing.pages))) for name, timing in slowest]
    step = max(1.0, measured.wall_s / _MOST_BARS)
    slots = [0] * (int(measured.wall_s / step) + 1)
    for timing in measured.timings.values():
        slots[min(int(timing.done_s / step), len(slots) - 1)] += timing.pages
    over_time = [PlotBar(f"{slot * step:.0f} s", pages) for slot, pages in enumerate(slots)]
    return [
        bar_plot("Pages done, over the run", over_time),
        bar_plot("Milliseconds a page, slowest first", each, summed=False),
    ]
