"""Reads one original in the sandbox and reports the outcome. Never raises for a document.

In: open bytes and options. Out: a tree, an error code, or pages that wait for a recogniser. Knows no queue.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import BinaryIO, TypeVar

from quire.actors.reading.attempts import Attempts, DocumentFailed
from quire.actors.reading.child_session import ChildSession, Decisions, OnPage, SessionDocument
from quire.actors.reading.childpool import DOCUMENTS_PER_CHILD, ChildPool
from quire.actors.reading.conversation import ChildFailed
from quire.actors.reading.forkserver import ForkServer, ServerGone
from quire.actors.reading.original import borrow_descriptor, identify
from quire.actors.reading.partial_document import PartialDocument
from quire.actors.reading.pending_ocr import PendingOcr, finish_outcome
from quire.actors.sandbox.failures import DocumentError
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.errors import RETRYABLE, ErrorCode, ExtractError, MlUnavailable
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import FindElements, PageImage, PageMark, PeerDied, PortUnavailable, ReadOutcome
from quire.models.cdom.tree import Source

_RENDER_TRIES = 2  # children tried for a page's picture: the second is a fresh one
Answer = TypeVar("Answer")


def _ignore(done: int, total: int) -> None:
    """Ignore page progress."""


class RenderFailed(ExtractError):
    """A page could not be drawn, or a file not be made; `code` says why."""

    def __init__(self, error: DocumentError) -> None:
        super().__init__(error.detail)
        self.code = error.code


class DocumentReader:
    """One fork server and its children; one call at a time.

    `side_by_side` children work on one long document. `documents_per_child`: of one job, one after the other.
    `server`: one that is launched already. `draw`: pictures that must be drawn are drawn while reading. `detector`
    looks at doubted pages where the options ask for a second opinion. `keep_from`: pages of the shortest document whose
    pages are compared with an earlier file; 0 for none.
    """

    def __init__(
        self,
        limits: SandboxLimits,
        *,
        side_by_side: int = 1,
        documents_per_child: int = DOCUMENTS_PER_CHILD,
        draw: bool = False,
        entry: str = "quire.actors.sandbox.server",
        server: ForkServer | None = None,
        detector: FindElements | None = None,
        keep_from: int = 0,
    ) -> None:
        self._limits, self._side_by_side, self._draw, self._detector = limits, side_by_side, draw, detector
        self._keep_from = keep_from
        self._server = server or ForkServer(limits, entry=entry)
        self._pool = ChildPool(self._server, documents_per_child)

    @property
    def server(self) -> ForkServer:
        """Return the fork server."""
        return self._server

    def start(self) -> None:
        """Start the fork server now instead of at the first document. Raises `ServerGone`, `SandboxRefused`."""
        self._server.start()

    def read(self, original: BinaryIO, options: ReadOptions, on_page: OnPage = _ignore) -> ReadOutcome:
        """Read the document without a recogniser; one that needs it ends `ml-unavailable`."""
        read = self.read_until_pixels(original, options, on_page)
        return read.give_up() if isinstance(read, PendingOcr) else read

    def read_until_pixels(
        self,
        original: BinaryIO,
        options: ReadOptions,
        on_page: OnPage = _ignore,
        *,
        job: str | None = None,
        earlier: Callable[[], bytes] = bytes,
    ) -> ReadOutcome | PendingOcr:
        """Read the document up to the pages that need a recogniser. Raises only the errors of `on_page`.

        Args:
            original: The file, open for reading.
            options: How to read it.
            on_page: Called with the pages done and the pages in all.
            job: Name of the job, tenant included. Documents of one job may share a child; None shares none.
            earlier: Returns `ReadOutcome.kept_pages` of an earlier file of the name, or nothing.
        """
        try:
            with borrow_descriptor(original) as descriptor:
                try:
                    source = identify(descriptor, options.password)
                except OSError:
                    return ReadOutcome(error=ErrorCode.INTERNAL, detail="the original cannot be read")
                if options.second_opinion and self._detector is None:
                    raise MlUnavailable("no layout detector for a second opinion")
                collected = PartialDocument(source, options, self._limits)
                detector = self._detector if options.second_opinion else None
                return self._read(
                    SessionDocument(descriptor, collected, self._draw, on_page, job, detector, earlier, self._keep_from)
                )
        except ExtractError as error:
            return ReadOutcome(error=error.code, detail=error.detail)
        except DocumentFailed as failed:
            return ReadOutcome(error=failed.error.code, detail=failed.error.detail)
        except ServerGone:
            return ReadOutcome(error=ErrorCode.WORKER_KILLED, detail="parser unavailable", charged=False)
        except PortUnavailable as error:
            return ReadOutcome(error=ErrorCode.WORKER_KILLED, detail=str(error), charged=isinstance(error, PeerDied))

    def render(
        self,
        original: BinaryIO,
        page: int,
        dpi: int,
        password: str | None = None,
        area: Bbox | None = None,
        marks: Sequence[PageMark] = (),
    ) -> PageImage:
        """Page `page` (1-based), or `area` of it, as PNG, drawn in the sandbox, with the places of marks in a PDF.

        Raises `ExtractError`.
        """
        with borrow_descriptor(original) as descriptor:
            options = ReadOptions(password=password)
            collected = PartialDocument(
                Source(format="", sha256="", bytes=os.fstat(descriptor).st_size), options, self._limits
            )
            document = SessionDocument(descriptor, collected, draw=False, on_page=_ignore)
            return self._alone(document, lambda session: session.render(page, dpi, area, marks))

    def redact(self, original: BinaryIO, tree: bytes, decisions: Decisions, password: str | None = None) -> bytes:
        """Return the original as a redacted file of its kind.

        Raises:
            RedactionRefused: The file cannot be redacted.
            ExtractError: The file cannot be read.
        """
        with borrow_descriptor(original) as descriptor:
            source = Source(format="", sha256="", bytes=os.fstat(descriptor).st_size)
            collected = PartialDocument(source, ReadOptions(password=password), self._limits)
            document = SessionDocument(descriptor, collected, draw=False, on_page=_ignore)
            return self._alone(document, lambda session: session.redact(tree, decisions))

    def explain(self, original: BinaryIO, options: ReadOptions, without: Sequence[str] = ()) -> bytes:
        """Return, as JSON, the blocks of the document and the passes that set them, with some passes left out.

        Raises:
            ExtractError: The file cannot be read.
        """
        with borrow_descriptor(original) as descriptor:
            source = Source(format="", sha256="", bytes=os.fstat(descriptor).st_size)
            document = SessionDocument(
                descriptor, PartialDocument(source, options, self._limits), draw=False, on_page=_ignore
            )
            return self._alone(document, lambda session: session.explain(without))

    def end_job(self, job: str) -> None:
        """End the children kept for a job, and with them what they hold of its documents."""
        self._pool.end_job(job)

    def close(self) -> None:
        """Stop the children and the fork server."""
        self._pool.close()
        self._server.close()

    def _read(self, document: SessionDocument) -> ReadOutcome | PendingOcr:
        collected = document.collected
        tree = Attempts(self._pool, document, self._limits, self._side_by_side).run()
        if tree is not None:
            return ReadOutcome(
                tree=tree, tree_json=document.collected.tree_json, assets=collected.assets,
                embedded=tuple(collected.embedded.values()), kept_pages=collected.kept_pages,
            )  # fmt: skip
        assert collected.facts is not None
        contents = [collected.contents[number] for number in collected.facts.page_numbers]
        if len(collected.pixels):
            return PendingOcr(
                facts=collected.facts, contents=tuple(contents), pixels=collected.pixels, assets=collected.assets,
                source=collected.source, options=collected.options, embedded=tuple(collected.embedded.values()),
                kept_pages=collected.kept_pages,
            )  # fmt: skip
        outcome = finish_outcome(
            collected.facts, contents, assets=collected.assets, source=collected.source, options=collected.options
        )
        return replace(outcome, embedded=tuple(collected.embedded.values()))

    def _alone(self, document: SessionDocument, ask: Callable[[ChildSession], Answer]) -> Answer:
        """Send one request to a fresh child, and retry when the machine and not the file is to blame."""
        failure = DocumentError(ErrorCode.WORKER_KILLED, "parser unavailable")
        for _ in range(_RENDER_TRIES):
            try:
                with ChildSession(self._pool.take(document.job, fresh=True), document, self._pool) as sitting:
                    return ask(sitting)
            except ChildFailed as failed:
                failure = failed.error
            except ServerGone:
                break
            if failure.code not in RETRYABLE and failure.code is not ErrorCode.PARSER_CRASH:
                break
        raise RenderFailed(failure)
