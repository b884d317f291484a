"""Read documents without a service: what `from quire import read` gives.

Files are read in the sandbox of the service, in child processes without network and files, so a hostile file cannot
hurt the process of the caller. The sandbox starts at the first call, takes about a second, and is kept until the
process ends. Knows no Ray, no database and no HTTP.
"""

import atexit
import io
import json
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePath
from typing import Any, BinaryIO, Generic, NamedTuple, TypeVar, overload

from pydantic import BaseModel
from quire_client.documents.document import Document as ClientDocument
from quire_client.documents.document import Markdown

from quire.actors.reader.pii_scan import redact
from quire.actors.reading.file_recogniser import make_file_recogniser
from quire.actors.reading.forkserver import ForkServer, ServerGone
from quire.actors.reading.read_document import DocumentReader
from quire.actors.reading.recognise_document import recognise_document
from quire.actors.recogniser import Recogniser
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom import errors
from quire.models.cdom.chunk import Chunk
from quire.models.cdom.coverage import Coverage
from quire.models.cdom.errors import ErrorCode, ExtractError
from quire.models.cdom.original import Embedded, Format, OcrMode, ReadOptions, TableParts, parse_pages
from quire.models.cdom.ports import ReadOutcome
from quire.models.cdom.tree import Tree, serve_tree
from quire.models.derive.chunks.chunks import ChunkSettings, chunk_tree
from quire.models.export.html import tree_to_html
from quire.models.export.markdown import markdown_parts, tree_to_markdown
from quire.models.export.text import tree_to_text
from quire.models.neural.embed.tokenizer import load_tokenizer

ReadOrOpenError = ExtractError | OSError
"""The errors of `read`."""
Input = str | os.PathLike[str] | bytes | BinaryIO
"""A path, the bytes of a file, or a file opened for reading in binary mode."""
Data = TypeVar("Data")
Model = TypeVar("Model", bound=BaseModel)
_PDF = b"%PDF-"
_NO_SANDBOX = "the sandbox does not start on this machine (`sandbox=False` reads trusted files without it)"
_CLASSES: dict[str, type[ExtractError]] = {
    kind.code.value: kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ExtractError)
}


@dataclass(frozen=True)
class Values(Generic[Data]):
    """Values by a schema.

    `data` is a dict, or an instance of the Pydantic class that was given. `evidence` has the text, the places and the
    confidence of each value, and `missing` the reason for each value that was not found, both by JSON pointer.
    """

    data: Data
    evidence: Mapping[str, Any]
    missing: Mapping[str, Any]
    valid: bool


@dataclass(frozen=True)
class Document(ClientDocument):
    """A document that was read here. `images` are pictures by the `asset_ref` of their blocks."""

    outcome: ReadOutcome = field(repr=False, compare=False, default_factory=ReadOutcome)
    drawn: bool = field(repr=False, compare=False, default=False)
    """Whether `images` has the pictures of PDF pages, which the Markdown then links."""

    @property
    def coverage(self) -> Coverage | None:
        """How much of the file was read. `coverage.complete` is true if every page was and nothing is lost."""
        return self._read.coverage

    @property
    def notice(self) -> str | None:
        """A sentence on what is wrong with the file, or None."""
        return self._read.describe_damage()

    @property
    def images(self) -> Mapping[str, bytes]:
        """Pictures of the document as PNG or JPEG files."""
        return self.outcome.assets

    @property
    def attachments(self) -> tuple[Embedded, ...]:
        """Files inside the file, such as attachments of a mail. `read(one.data)` reads one."""
        return self.outcome.embedded

    @property
    def _read(self) -> Tree:
        assert self.outcome.tree is not None
        return self.outcome.tree

    def html(self) -> str:
        """Return the document as HTML."""
        return tree_to_html(self._read)

    def docx(self) -> bytes:
        """Return the document as a Word file."""
        from quire.models.export.word import tree_to_docx

        return tree_to_docx(self._read, title=self.name)

    def markdown_pages(self) -> list[str]:
        """Return the Markdown of each page, in the order of `pages`."""
        texts = dict.fromkeys((page.number for page in self.pages), "")
        for part in markdown_parts(self._read, furniture=False, pictures=self.drawn):
            texts[part.block.page] += part.glue + part.text
        return [text.strip("\n") for text in texts.values()]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the document into a file: `.md`, `.html`, `.docx`, `.txt` or `.json`. Markdown has its pictures beside.

        Raises:
            ValueError: There is no output with this ending.
        """
        file = Path(path)
        if file.suffix == ".md":
            data: str | bytes = self.markdown
            for name, picture in self.images.items():
                file.with_name(name).write_bytes(picture)
        elif file.suffix == ".html":
            data = self.html()
        elif file.suffix == ".docx":
            data = self.docx()
        elif file.suffix == ".txt":
            data = tree_to_text(self._read)
        elif file.suffix == ".json":
            data = json.dumps(self.tree, ensure_ascii=False)
        else:
            raise ValueError(f"{file.name}: the ending is not .md, .html, .docx, .txt or .json")
        file.write_bytes(data.encode() if isinstance(data, str) else data)

    def chunks(self, max_tokens: int = 254, overlap_tokens: int = 32) -> list[Chunk]:
        """Return passages for a search index, in reading order, each under its headings.

        Raises:
            ValueError: The overlap does not fit into the budget.
        """
        settings = ChunkSettings(max_tokens=max_tokens, overlap_tokens=overlap_tokens, min_tokens=min(64, max_tokens))
        return chunk_tree(self._read, load_tokenizer(), settings)

    @overload
    def extract(self, schema: type[Model]) -> Values[Model]: ...
    @overload
    def extract(self, schema: Mapping[str, Any]) -> Values[dict[str, Any]]: ...

    def extract(self, schema: type[Model] | Mapping[str, Any]) -> Values[Model] | Values[dict[str, Any]]:
        """Return the values that a JSON Schema or a Pydantic class describes.

        Raises:
            SchemaRefused: The schema cannot be used.
            pydantic.ValidationError: The class requires a value that the document does not have.
        """
        from quire.models.derive.schema.extract import extract_data, read_schema

        model = schema if isinstance(schema, type) else None
        found = extract_data(self._read, read_schema(model.model_json_schema() if model else schema))
        if model is None:
            return Values(found.data, found.evidence, found.missing, found.valid)
        return Values(model.model_validate(found.data), found.evidence, found.missing, found.valid)

    def redacted(self, engine: str = "names", languages: Iterable[str] = ("en",)) -> "Document":
        """Return the document with personal data masked and without pictures. The file itself is not changed.

        Args:
            engine: `regex` (numbers, addresses), `names` (people and places too) or `presidio`.
            languages: Languages of `presidio`.

        Raises:
            EngineMissing: The engine is not installed.
            PiiIncomplete: The document was not searched completely.
        """
        from quire.models.pii.engines.choose import make_flagger

        return _as_document("[REDACTED]", redact(self.outcome, make_flagger(engine, tuple(languages))))


class _ReaderKind(NamedTuple):
    """Formats that the children of a reader are prepared for."""

    formats: tuple[str, ...]
    detector: Recogniser | None
    draw: bool
    locked: bool


class _Library:
    """The sandboxes and the recognisers of this process, made when they are needed and closed at its end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._idle: dict[_ReaderKind, list[DocumentReader]] = {}
        self._recognisers: dict[tuple[str, ...], Recogniser] = {}

    @contextmanager
    def reader(self, kind: _ReaderKind) -> Iterator[DocumentReader]:
        """Yield a started reader that no other thread has."""
        self._forget_parent()
        with self._lock:
            idle = self._idle.setdefault(kind, [])
            reader = idle.pop() if idle else None
        if reader is None:
            limits = SandboxLimits(formats=kind.formats, locked=kind.locked)
            server = ForkServer(limits)
            server.launch()
            reader = DocumentReader(limits, server=server, draw=kind.draw, detector=kind.detector)
            try:
                reader.start()
            except ServerGone as error:
                reader.close()
                raise _error(ErrorCode.WORKER_KILLED, f"{_NO_SANDBOX}: {error}") from None
        try:
            yield reader
        except BaseException:  # Ctrl-C in the middle of a document: its child may still answer
            reader.close()
            raise
        with self._lock:
            idle.append(reader)

    def recogniser(self, langs: tuple[str, ...]) -> Recogniser:
        """Return the recogniser of scans in these languages."""
        self._forget_parent()
        with self._lock:
            if langs not in self._recognisers:
                self._recognisers[langs] = make_file_recogniser(langs)
            return self._recognisers[langs]

    def close(self) -> None:
        """End the child processes."""
        if self._pid == os.getpid():
            for reader in [reader for idle in self._idle.values() for reader in idle]:
                reader.close()
            for recogniser in self._recognisers.values():
                recogniser.close()
        self._idle, self._recognisers = {}, {}

    def _forget_parent(self) -> None:
        """Leave the children of the parent to it, after a fork."""
        if self._pid != os.getpid():
            self.__init__()  # type: ignore[misc]


_LIBRARY = _Library()
atexit.register(_LIBRARY.close)


def read(
    source: Input,
    *,
    name: str | None = None,
    pages: str | Iterable[int] | None = None,
    password: str | None = None,
    ocr: str = "auto",
    ocr_langs: Iterable[str] = ("en",),
    table_parts: str = "joined",
    words: bool = False,
    accurate: bool = False,
    pictures: bool = False,
    sandbox: bool = True,
) -> Document:
    """Read a document.

    Args:
        source: A path, the bytes of a file, or an open file.
        name: Name of the document; without it the name of the file.
        pages: Pages to read, as `"1-3,8"` or as numbers from 1. All without it.
        password: Password of an encrypted file.
        ocr: `auto` recognises pages without a usable text layer, `always` all pages, `never` none.
        ocr_langs: Languages of scans, such as `("en", "zh")`.
        table_parts: `joined`: a table that continues over pages is one table. `apart`: one per page.
        words: Keep the words of PDF pages and pictures with their boxes; extracted values then cite the boxes of words.
        accurate: Check doubtful tables with a layout detector. Slower.
        pictures: Draw the pictures of PDF pages for `Document.images`. Other formats always have theirs.
        sandbox: False reads in a child process that keeps your files, your network and your user. A hostile file can
            then do what your program can. Limits of time and memory remain.

    Raises:
        OSError: The file cannot be opened.
        ReadError: The document cannot be read; `code` is stable, and classes such as `Encrypted` derive from it.
    """
    options = ReadOptions(
        pages=_parse_pages(pages), password=password, ocr=OcrMode(ocr), ocr_langs=tuple(ocr_langs),
        table_parts=TableParts(table_parts), second_opinion=accurate,
        words=words,
    )  # fmt: skip
    read_file = partial(_read, options=options, draw=pictures, locked=sandbox)
    if isinstance(source, bytes | bytearray | memoryview):
        return read_file(io.BytesIO(source), name or "document")
    if isinstance(source, str | os.PathLike):
        with Path(source).open("rb") as file:
            return read_file(file, name or Path(source).name)
    return read_file(source, name or PurePath(str(getattr(source, "name", "document"))).name)


def read_many(
    sources: Iterable[Input],
    *,
    jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Iterator[Document | ReadOrOpenError]:
    """Read documents on several processors and yield them in the given order.

    A document that cannot be read is yielded as its error, so that the others go on. Few documents are in memory at
    a time.

    Args:
        sources: Paths, bytes or open files.
        jobs: Documents read at the same time. One per core without it.
        progress: Called with the number of documents that are done.
        options: Options of `read`.
    """
    jobs = jobs or os.cpu_count() or 1
    waiting: deque[Future[Document]] = deque()
    threads = ThreadPoolExecutor(jobs, thread_name_prefix="quire-read")

    def results() -> Iterator[Document | ReadOrOpenError]:
        for source in sources:
            waiting.append(threads.submit(partial(read, source, **options)))
            if len(waiting) >= 2 * jobs:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())

    try:
        for done, result in enumerate(results(), 1):
            yield result
            if progress is not None:
                progress(done)
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


def _result(future: "Future[Document]") -> Document | ReadOrOpenError:
    try:
        return future.result()
    except (ExtractError, OSError) as error:
        return error


def _read(original: BinaryIO, name: str, *, options: ReadOptions, draw: bool, locked: bool) -> Document:
    start = original.tell()
    is_pdf = original.read(len(_PDF)) == _PDF
    original.seek(start)
    detector = _LIBRARY.recogniser(options.ocr_langs) if options.second_opinion else None
    kind = _ReaderKind((Format.PDF.value,) if is_pdf else (), detector, draw, locked)
    with _LIBRARY.reader(kind) as reader:
        read = reader.read_until_pixels(original, options)
    if isinstance(read, ReadOutcome):
        outcome = read
    else:
        outcome = recognise_document(read, _LIBRARY.recogniser(options.ocr_langs))
    if outcome.error is not None or outcome.tree is None:
        raise _error(outcome.error or ErrorCode.INTERNAL, outcome.detail)
    return _as_document(name, outcome, drawn=draw)


def _error(code: ErrorCode, detail: str) -> ExtractError:
    """Return the error of a code: of its class, or a plain one that has the code."""
    error = _CLASSES.get(code.value, ExtractError)(detail)
    error.code = code
    return error


def _as_document(name: str, outcome: ReadOutcome, *, drawn: bool = False) -> Document:
    assert outcome.tree is not None
    sha256 = outcome.tree.source.sha256
    return Document(
        id=sha256,
        job_id="",
        name=name,
        markdown=Markdown(tree_to_markdown(outcome.tree, pictures=drawn)),
        tree=json.loads(serve_tree(outcome.tree_json, document_id=sha256, name=name)),
        outcome=outcome,
        drawn=drawn,
    )


def _parse_pages(pages: str | Iterable[int] | None) -> tuple[tuple[int, int], ...]:
    if pages is None:
        return ()
    text = pages if isinstance(pages, str) else ",".join(map(str, pages))
    try:
        return parse_pages(text)
    except ValueError as error:
        raise ValueError(f"pages: {error}") from None
