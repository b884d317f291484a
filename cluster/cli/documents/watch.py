"""`quire watch`: reads every document that is added to a folder and writes its result next to the others."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click

from quire.cluster.cli.documents.batch import ExtractItem, FileBatch, has_newer_result
from quire.cluster.cli.documents.extract_files import reason_to_skip
from quire.cluster.cli.documents.extract_formats import EXTRACT_FORMATS
from quire.cluster.cli.shared.choices import NamedChoice
from quire.cluster.cli.shared.progress import ProgressBar
from quire.cluster.interrupts import exit_interrupted
from quire.models.cdom.original import ReadOptions
from quire.models.export import ALIASES

Stamp = tuple[int, int]
"""Size and time of change (ns): a file that is still being copied has another one at the next look."""
_EXAMPLES = """\b
Examples:
  quire watch inbox/ -o out/ --to md
  quire watch inbox/ -o out/ --once        read new files, then exit (for cron)
"""


@dataclass(slots=True)
class FolderWatch:
    """Finds new and changed files of a folder that are no longer being written. `results` is outside the folder."""

    folder: Path
    results: Path
    suffix: str
    _seen: dict[Path, Stamp] = field(default_factory=dict)
    _done: dict[Path, Stamp] = field(default_factory=dict)

    def look(self, *, patient: bool = True) -> list[Path]:
        """Files to read now. `patient`: only those that looked the same the last time."""
        stamps = dict(self._stamps())
        ready = [
            path
            for path, stamp in stamps.items()
            if self._done.get(path) != stamp and (not patient or self._seen.get(path) == stamp)
        ]
        self._seen = stamps
        self._done |= {path: stamps[path] for path in ready}
        return [path for path in ready if not self._is_read(path) and reason_to_skip(path) is None]

    def result_of(self, path: Path) -> Path:
        """`inbox/a/b.pdf` → `out/a/b.pdf.md`: the whole name, so that nothing ever clashes."""
        inner = path.relative_to(self.folder)
        return self.results / inner.with_name(inner.name + self.suffix)

    def _is_read(self, path: Path) -> bool:
        return has_newer_result(path, self.result_of(path))

    def _stamps(self) -> Iterator[tuple[Path, Stamp]]:
        for path in sorted(self.folder.rglob("*")):
            try:
                stat = path.stat()
            except OSError:
                continue
            inner = path.relative_to(self.folder)
            hidden = any(part.startswith(".") for part in inner.parts)
            if path.is_file() and not hidden and not path.is_relative_to(self.results):
                yield path, (stat.st_size, stat.st_mtime_ns)


@click.command(epilog=_EXAMPLES)
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, help="Results.")
@click.option(
    "--to", type=NamedChoice(list(EXTRACT_FORMATS), ALIASES), default="markdown", show_default=True,
    metavar="|".join(EXTRACT_FORMATS), help="Output format (md, json).",
)  # fmt: skip
@click.option(
    "--every",
    type=click.FloatRange(0.1, 3600),
    default=2.0,
    show_default=True,
    help="Seconds between scans of the folder.",
)
@click.option("--once", is_flag=True, help="Read new files, then exit.")
@click.option("--password", help="Password of encrypted files.")
def watch(folder: Path, output: Path, to: str, every: float, once: bool, password: str | None) -> None:
    """Read every document that comes into FOLDER; a changed one is read again. Ctrl-C ends it.

    Exit status: 0 all were read (with --once), 1 some failed (with --once), 2 wrong use, 130 ended by Ctrl-C.
    """
    output.mkdir(parents=True, exist_ok=True)
    looking = FolderWatch(folder.resolve(), output.resolve(), EXTRACT_FORMATS[to][0])
    options = ReadOptions(password=password)
    if once:
        if not _read(looking, looking.look(patient=False), to, options):
            raise click.exceptions.Exit(1)
        return
    click.echo(f"watching {folder} → {output} (press Ctrl-C to stop)", err=True)
    while True:
        _read(looking, looking.look(), to, options)
        time.sleep(every)


def _read(looking: FolderWatch, paths: list[Path], to: str, options: ReadOptions) -> bool:
    """Read the files and print each result; the batch prints failures. Return True when all were read."""
    if not paths:
        return True
    items = [ExtractItem(path, str(path.relative_to(looking.folder)), looking.result_of(path)) for path in paths]
    with ProgressBar(len(items)).shown() as bar:
        batch = FileBatch(items, to, options, bar)
        if not batch.run(min(os.cpu_count() or 1, len(items))):
            exit_interrupted()
    for item in batch.done:
        if item.result is not None:
            click.echo(f"{item.file} → {item.result}", err=True)
    return all(item.error is None for item in batch.done)
