"""`quire extract`: files in, trees out, in the same sandbox as the service but without one.

Knows no Ray, no database and no HTTP: importing this must stay cheap.
"""

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

import click

from cluster.cli.documents.extract_files import NoSuchFile, find_files, name_results
from cluster.cli.documents.extract_formats import EXTRACT_FORMATS, Extracted
from cluster.cli.shared.options import CommandStopped, settings_from
from cluster.compose.redacted import HIDDEN_NAME, name_without_names, redact_outcome
from models.cdom.errors import ErrorCode
from models.cdom.original import OcrMode, ReadOptions
from models.cdom.ports import ReadOutcome
from models.pii.errors import PiiIncomplete

if TYPE_CHECKING:
    from actors.reading.read_document import DocumentReader
    from actors.recogniser import Recogniser

DOCUMENTS_PER_CHILD = 64  # documents of one owner that a child reads before a fresh one: a fork costs three reads


@dataclass(frozen=True, slots=True)
class ExtractItem:
    """One file to read and the name of its result."""

    file: Path
    result: Path


class FileBatch:
    """Files worked off by several readers, each with children of its own. `failed` holds (file, code)."""

    def __init__(
        self, items: list[ExtractItem], to: str, options: ReadOptions, bar: "ProgressBar",
        furniture: bool | None = None, redacted: bool = False,
    ) -> None:  # fmt: skip
        self._items: SimpleQueue[ExtractItem] = SimpleQueue()
        for item in items:
            self._items.put(item)
        self._write = EXTRACT_FORMATS[to][1]
        self._options, self._bar, self._furniture, self._redacted = options, bar, furniture, redacted
        self._lock, self._stopped = threading.Lock(), threading.Event()
        self._recognising: Recogniser | None = None
        self.failed: list[tuple[Path, str]] = []

    def run(self, jobs: int) -> None:
        with ThreadPoolExecutor(jobs) as threads:
            try:
                for done in [threads.submit(self._work) for _ in range(jobs)]:
                    done.result()
            finally:
                self._stopped.set()
        if self._recognising is not None:
            self._recognising.close()

    def _work(self) -> None:
        with _open_reader() as reader:
            while not self._stopped.is_set():
                try:
                    item = self._items.get_nowait()
                except Empty:
                    return
                code = self._read_safely(reader, item)
                with self._lock:
                    self._note(item, code)

    def _read_safely(self, reader: "DocumentReader", item: ExtractItem) -> str | None:
        try:
            return self._read(reader, item)
        except Exception:  # a full disk, a bug in an export: this file's trouble, never a traceback
            return ErrorCode.INTERNAL.value

    def _read(self, reader: "DocumentReader", item: ExtractItem) -> str | None:
        """None, or the code of what went wrong."""
        from actors.reading.recognise_document import recognise_document

        try:
            original = item.file.open("rb")
        except OSError:
            return ErrorCode.ORIGINAL_MISSING.value
        with original:
            read = reader.read_until_pixels(original, self._options)
        outcome = read if isinstance(read, ReadOutcome) else recognise_document(read, self._recogniser())
        if outcome.error is not None or outcome.tree is None:
            return str(outcome.error or ErrorCode.INTERNAL)
        try:
            item.result.write_bytes(self._write(self._extracted(item, outcome)))
        except PiiIncomplete as error:
            return error.code
        except OSError as error:
            return f"cannot write {item.result}: {error.strerror}"
        return None

    def _extracted(self, item: ExtractItem, outcome: ReadOutcome) -> Extracted:
        """What is to be written. Raises `PiiIncomplete`."""
        name = HIDDEN_NAME if self._redacted else item.file.name
        outcome = redact_outcome(outcome) if self._redacted else outcome
        assert outcome.tree is not None
        return Extracted(tree=outcome.tree, tree_json=outcome.tree_json, name=name, furniture=self._furniture)

    def _recogniser(self) -> "Recogniser":
        """One for all readers, made when the first page needs it."""
        from actors.recogniser import Recogniser
        from models.neural.ocr import make_recogniser

        with self._lock:
            if self._recognising is None:
                self._recognising = Recogniser(lambda: make_recogniser(langs=self._options.ocr_langs))
            return self._recognising

    def _note(self, item: ExtractItem, code: str | None) -> None:
        if code is not None:
            self.failed.append((item.file, code))
            self._bar.say(f"{item.file}: {code}")
        self._bar.step()


class ProgressBar:
    """Progress on a terminal, plain lines elsewhere; everything goes to stderr."""

    def __init__(self, total: int) -> None:
        self._progress = None
        if sys.stderr.isatty() and total > 1:
            from rich.console import Console
            from rich.progress import Progress

            self._progress = Progress(console=Console(stderr=True), transient=True)
            self._task = self._progress.add_task("reading", total=total)

    @contextmanager
    def shown(self) -> Iterator["ProgressBar"]:
        with self._progress or nullcontext():
            yield self

    def step(self) -> None:
        if self._progress is not None:
            self._progress.advance(self._task)

    def say(self, line: str) -> None:
        if self._progress is not None:
            self._progress.console.print(line, markup=False, highlight=False)
        else:
            click.echo(line, err=True)


@contextmanager
def _open_reader() -> Iterator["DocumentReader"]:
    from actors.reading.forkserver import ServerGone
    from actors.reading.read_document import DocumentReader
    from actors.sandbox.limits import SandboxLimits

    reader = DocumentReader(SandboxLimits(), documents_per_child=DOCUMENTS_PER_CHILD)
    try:
        reader.start()
        yield reader
    except ServerGone as error:
        raise click.ClickException(f"the sandbox does not work here: {error}") from None
    finally:
        reader.close()


def _parse_pages(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[tuple[int, int], ...]:
    """ "1-3,8" → ((1, 3), (8, 8))."""
    try:
        ranges = tuple(_parse_range(part) for part in value.split(",")) if value else ()
    except ValueError:
        raise click.BadParameter(f"{value!r} is not like 1-3,8", ctx, param) from None
    if any(not 1 <= first <= last for first, last in ranges):
        raise click.BadParameter(f"{value!r}: pages count from 1 upwards", ctx, param)
    return ranges


def _parse_range(part: str) -> tuple[int, int]:
    first, _, last = part.partition("-")
    return int(first), int(last or first)


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--to", type=click.Choice(list(EXTRACT_FORMATS)), default="tree", show_default=True, help="What to write."
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), default=Path(), help="Folder of the results."
)
@click.option("--jobs", type=click.IntRange(1, 64), help="Documents read side by side; one per core by default.")
@click.option("--pages", callback=_parse_pages, help="Only these pages, like 1-3,8.")
@click.option("--password", help="Opens encrypted files.")
@click.option(
    "--ocr", type=click.Choice([mode.value for mode in OcrMode]), default=OcrMode.AUTO.value, show_default=True
)
@click.option("--no-furniture", is_flag=True, help="Markdown without running headers and footers.")
@click.option("--redacted", is_flag=True, help="Mask personal data; results are named by number.")
@click.option("--workdir", type=click.Path(path_type=Path, file_okay=False), help="Folder for temporary files.")
def extract(
    paths: tuple[str, ...], to: str, output: Path, jobs: int | None, pages: tuple[tuple[int, int], ...],
    password: str | None, ocr: str, no_furniture: bool, redacted: bool, workdir: Path | None,
) -> None:  # fmt: skip
    """Read files, folders and patterns; write one result per document.

    Exit status: 0 all were read, 1 some failed ("FILE: code" on stderr), 2 wrong use.
    """
    try:
        files = find_files(paths)
    except NoSuchFile as error:
        raise click.UsageError(f"no such file: {error}") from None
    if not files:
        raise click.UsageError("no document found")
    _prepare_folders(output, workdir)
    if redacted:
        _check_detector()
    suffix = EXTRACT_FORMATS[to][0]
    results = name_without_names(len(files), suffix) if redacted else name_results(files, suffix)
    items = [ExtractItem(file, output / name) for file, name in zip(files, results, strict=True)]
    with ProgressBar(len(items)).shown() as bar:
        batch = FileBatch(
            items,
            to,
            ReadOptions(pages=pages, password=password, ocr=OcrMode(ocr)),
            bar,
            False if no_furniture else None,
            redacted,
        )
        batch.run(min(jobs or os.cpu_count() or 1, len(items)))
    if batch.failed:
        sys.exit(1)


def _check_detector() -> None:
    """The engine that the settings name must be there before anything is read."""
    from models.pii.engines.choose import check_engine
    from models.pii.errors import EngineMissing

    settings = settings_from()
    try:
        check_engine(settings.pii_engine, settings.pii_languages)
    except EngineMissing as error:
        raise CommandStopped(str(error)) from None


def _prepare_folders(output: Path, workdir: Path | None) -> None:
    try:
        output.mkdir(parents=True, exist_ok=True)
        if workdir is not None:
            temporary = workdir.expanduser() / "tmp"
            temporary.mkdir(parents=True, exist_ok=True)
            tempfile.tempdir = str(temporary)
    except OSError as error:
        raise click.UsageError(f"cannot write there: {error}") from None
