"""Files worked off by several readers in the service's own sandbox. Knows no Ray, no database and no HTTP."""

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path, PurePath
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

import click

from quire.cluster.cli.documents.advice import explain
from quire.cluster.cli.documents.extract_formats import (
    EXTRACT_FORMATS,
    Extracted,
    MarkdownChoices,
    Write,
    import_writer,
)
from quire.cluster.cli.shared.progress import ProgressBar
from quire.cluster.compose.redacted import HIDDEN_NAME, redact_outcome
from quire.cluster.interrupts import held
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.original import Format, ReadOptions
from quire.models.pii.errors import PiiIncomplete

if TYPE_CHECKING:
    from quire.actors.reading.read_document import DocumentReader
    from quire.actors.recogniser import Recogniser
    from quire.models.cdom.ports import FindElements, ReadOutcome
    from quire.models.cdom.tree import Tree

LOOK_S = 0.1  # seconds between looks for Ctrl-C
STORE_S = 1.0  # seconds that Ctrl-C waits for a result that is being written
_PDF = b"%PDF-"
_JOB = "files"  # the files of one command are one job


@dataclass(frozen=True, slots=True)
class ExtractItem:
    """A file to read, its displayed name, and the path of its result; None = standard output."""

    file: Path
    name: str
    result: Path | None


@dataclass(frozen=True, slots=True)
class Extraction:
    """Result of one file: written to `result`, or not read for the reason `error`.

    `detail` explains the reason, `coverage` is the statement of the document.
    """

    file: str
    result: str | None
    error: str | None
    detail: str = ""
    coverage: dict[str, object] | None = None


class FileBatch:
    """Reads files with several readers, each with separate children. `done` grows as files end.

    `write` replaces the writer of the format.
    """

    def __init__(
        self, items: list[ExtractItem], to: str, options: ReadOptions, bar: "ProgressBar",
        markdown: MarkdownChoices = MarkdownChoices(), redacted: bool = False, layout_model: Path | None = None,
        write: Write | None = None,
    ) -> None:  # fmt: skip
        self._items: SimpleQueue[ExtractItem] = SimpleQueue()
        for item in items:
            self._items.put(item)
        self._to, self._write = to, write or EXTRACT_FORMATS[to][1]
        self._formats = _formats_of(items)
        self._options, self._bar, self._markdown, self._redacted = options, bar, markdown, redacted
        self._lock, self._stopped = threading.Lock(), threading.Event()
        self._storing = threading.Lock()
        self._layout_model = layout_model
        self._recognising: Recogniser | None = None
        self.done: list[Extraction] = []
        self._stated: dict[str, dict[str, object]] = {}
        self._details: dict[str, str] = {}

    def run(self, jobs: int) -> bool:
        """Read all files with `jobs` readers. Return False if Ctrl-C was pressed; the threads may still run then."""
        threads = ThreadPoolExecutor(jobs + 1)
        try:
            with held() as asked:
                working = [threads.submit(self._work) for _ in range(jobs)]
                working.append(threads.submit(import_writer, self._to))
                while wait(working, LOOK_S, FIRST_EXCEPTION).not_done and not _failed(working):
                    if asked.is_set():
                        self._stopped.set()
                        self._storing.acquire(timeout=STORE_S)  # so that no result is begun or left half written
                        return False
            for done in working:
                done.result()
        finally:
            self._stopped.set()
            threads.shutdown(wait=not asked.is_set())
        if self._recognising is not None:
            self._recognising.close()
        return not asked.is_set()

    def _work(self) -> None:
        detector = self._recogniser() if self._options.second_opinion else None
        with open_reader(self._formats, detector) as reader:
            while not self._stopped.is_set():
                try:
                    item = self._items.get_nowait()
                except Empty:
                    return
                code = self._read_safely(reader, item)
                if code is not None and self._stopped.is_set():
                    return  # Ctrl-C ends the children too: the file is not the cause
                with self._lock:
                    self._note(item, code)

    def _read_safely(self, reader: "DocumentReader", item: ExtractItem) -> str | None:
        try:
            return self._read(reader, item)
        except Exception:  # a full disk, a bug in an export: this file's trouble, never a traceback
            return ErrorCode.INTERNAL.value

    def _read(self, reader: "DocumentReader", item: ExtractItem) -> str | None:
        """None, or the code of what went wrong."""
        outcome = self._outcome(reader, item)
        return outcome if isinstance(outcome, str) else self._keep(item, outcome)

    def _outcome(self, reader: "DocumentReader", item: ExtractItem) -> "ReadOutcome | str":
        """Return the outcome with its tree, or the code of the error."""
        from quire.actors.reading.recognise_document import recognise_document
        from quire.models.cdom.ports import ReadOutcome

        try:
            original = item.file.open("rb")
        except OSError:
            return ErrorCode.ORIGINAL_MISSING.value
        with original:
            count_pages = partial(self._bar.count_pages, item.name)
            read = reader.read_until_pixels(original, self._options, count_pages, job=_JOB)
        outcome = read if isinstance(read, ReadOutcome) else recognise_document(read, self._recogniser())
        if outcome.error is not None or outcome.tree is None:
            self._details[item.name] = outcome.detail
            return str(outcome.error or ErrorCode.INTERNAL)
        return outcome

    def _keep(self, item: ExtractItem, outcome: "ReadOutcome") -> str | None:
        assert outcome.tree is not None
        self._stated[item.name] = _state(outcome.tree)
        try:
            data = self._write(self._extracted(item, outcome))
            with self._storing:
                _put(item, data)
        except PiiIncomplete as error:
            return error.code
        except OSError as error:
            return f"cannot write {item.result}: {error.strerror}"
        return None

    def _extracted(self, item: ExtractItem, outcome: "ReadOutcome") -> Extracted:
        """Return the data for the writer.

        Raises:
            PiiIncomplete: The tree was not searched completely for personal data.
        """
        name = HIDDEN_NAME if self._redacted else PurePath(item.name).name
        outcome = redact_outcome(outcome) if self._redacted else outcome
        assert outcome.tree is not None
        return Extracted(tree=outcome.tree, tree_json=outcome.tree_json, name=name, markdown=self._markdown)

    def _recogniser(self) -> "Recogniser":
        """One for all readers, made when the first page needs it."""
        from quire.actors.reading.file_recogniser import make_file_recogniser

        with self._lock:
            if self._recognising is None:
                self._recognising = make_file_recogniser(self._options.ocr_langs, self._layout_model)
            return self._recognising

    def _note(self, item: ExtractItem, code: str | None) -> None:
        written = "-" if item.result is None else str(item.result)
        detail = self._details.pop(item.name, "")
        self.done.append(
            Extraction(item.name, written if code is None else None, code, detail, self._stated.pop(item.name, None))
        )
        if code is not None:
            self._bar.print_line(explain(item.name, code, detail))
        notice = (self.done[-1].coverage or {}).get("notice")
        if code is None and notice:
            self._bar.print_line(f"{item.name}: {notice}")
        self._bar.step(item.name)


def _failed(working: "list[Future[None]]") -> bool:
    return any(done.done() and done.exception() is not None for done in working)


def _state(tree: "Tree") -> dict[str, object]:
    """Return the coverage of the whole document; its pages and boxes are in the tree."""
    if tree.coverage is None:
        return {"complete": False}
    return {
        "characters": asdict(tree.coverage.characters),
        "complete": tree.coverage.complete,
        "notice": tree.describe_damage(),
        "unknown": list(tree.coverage.unknown),
    }


def _put(item: ExtractItem, data: bytes) -> None:
    if item.result is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    item.result.parent.mkdir(parents=True, exist_ok=True)
    write_whole(item.result, data)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that its name never shows a part of it, even if the command is killed."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def has_newer_result(original: Path, result: Path) -> bool:
    """Return True when the result was written after the last change of its file."""
    try:
        return result.stat().st_mtime_ns > original.stat().st_mtime_ns
    except OSError:
        return False


def _formats_of(items: list[ExtractItem]) -> tuple[str, ...]:
    """Return the format to load if all files are PDF; a sandbox that can read all formats starts a second later."""
    return (Format.PDF.value,) if all(_begins_as_pdf(item.file) for item in items) else ()


def _begins_as_pdf(file: Path) -> bool:
    if not file.is_file():
        return False  # a look into a named pipe waits for its writer and takes what it sends
    try:
        with file.open("rb") as opened:
            return opened.read(len(_PDF)) == _PDF
    except OSError:
        return False


@contextmanager
def open_reader(formats: tuple[str, ...] = (), detector: "FindElements | None" = None) -> Iterator["DocumentReader"]:
    """Yield a reader with its sandbox; `formats` are all formats it will read, when known.

    `detector` gives second opinions.
    """
    from quire.actors.reading.forkserver import ForkServer, ServerGone
    from quire.actors.sandbox.limits import SandboxLimits

    limits = SandboxLimits(formats=formats)
    server = ForkServer(limits)
    server.launch()
    from quire.actors.reading.read_document import DocumentReader  # imported while the server comes up

    reader = DocumentReader(limits, server=server, detector=detector)
    try:
        reader.start()
        yield reader
    except ServerGone as error:
        raise click.ClickException(f"the sandbox does not start on this machine: {error}") from None
    finally:
        reader.close()
