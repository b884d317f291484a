"""One child at one document: sends it the bytes and the requests, notes what comes back, and knows how far it came.

After a `ChildFailed` the caller looks at `phase` and `page` to see what ended it.
"""

import json
import logging
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from quire.actors.reading.childpool import ChildPool
from quire.actors.reading.conversation import Conversation, printable_detail
from quire.actors.reading.partial_document import PartialDocument, note_image
from quire.actors.sandbox.failures import SandboxEnd
from quire.actors.sandbox.frames import BadFrame, Frame, TooMuchOutput
from quire.actors.sandbox.messages import OPTIONS, SEEN, SOURCE
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import FindElements, PageImage, PageMark, PixelPage, RedactionRefused
from quire.models.cdom.tree import PageStatus, Tree

log = logging.getLogger(__name__)
MOST_DOUBTED_BYTES = 16 << 20  # of a doubted page's picture: a million pixels of noise are three million
MOST_TREE_BYTES = 150 << 20
"""Of a document that is redacted: 5,000 dense pages take ninety million; a child takes requests of ten more."""

Decisions = Mapping[tuple[str, str, int], str]
"""(block id, flag) → decision."""
OnPage = Callable[[int, int], None]
"""(pages done, pages in all), first with 0; an exception it raises ends the reading and comes out of it."""


class SessionPhase(StrEnum):
    """State of a document when its child ended."""

    SENT = "sent"
    OPENING = "opening"
    READING = "reading"
    DRAWING = "drawing"
    FINISHING = "finishing"


@dataclass(slots=True)
class SessionDocument:
    """A document while it is read: its bytes, what is known of it so far, and who wants to hear about progress.

    `job`: documents of the same job may be read by the same child; None shares no child. `detector` looks at doubted
    pages. `earlier` returns the pages of an earlier file; asked for documents of at least `keep_from` pages (0: never).
    """

    descriptor: int
    collected: PartialDocument
    draw: bool
    on_page: OnPage
    job: str | None = None
    detector: FindElements | None = None
    earlier: Callable[[], bytes] = bytes
    keep_from: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)
    _reported: int = -1
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def report_progress(self, done: int) -> None:
        """Report progress, which never decreases, even when pages are read again."""
        facts = self.collected.facts
        with self._lock:
            if facts is not None and done > self._reported:
                self._reported = done
                self.on_page(done, len(facts.page_numbers))


class SessionStopped(Exception):
    """Another child of the same document met the document's end."""


class ChildSession:
    """A context: call one of `open`, `read_whole`, `read_pages`, `render` in it; after `ChildFailed` it is over."""

    def __init__(self, child: Conversation, document: SessionDocument, pool: ChildPool) -> None:
        self._child, self._document, self._collected = child, document, document.collected
        self._pool = pool
        self.fresh = child.documents == 0
        self.phase, self.page, self.pages_begun = SessionPhase.SENT, 0, 0
        self._asked: Sequence[int] = ()
        self._doubted: set[int] = set()
        self._whole = self._open = False
        self.has_anomaly = self._gave_earlier = False
        self._tree: Tree | None = None
        self._image: PageImage | None = None
        self._file: bytes | None = None
        self._marks = 0
        self._refusal: RedactionRefused | None = None
        self._handlers: dict[str, Callable[[Frame], None]] = {
            "accepted": self._note_accepted,
            "opened": self._note_opened,
            "page": self._note_page,
            "content": self._note_content,
            "fault": self._note_fault,
            "asset": self._collected.note_asset,
            "embedded": self._collected.note_embedded,
            "pixels": self._note_pixels,
            "doubted": self._note_doubted,
            "earlier": self._note_earlier,
            "kept": self._note_kept,
            "drawing": self._note_drawing,
            "finishing": self._note_finishing,
            "tree": self._note_tree,
            "image": self._note_image,
            "file": self._note_file,
            "refused": self._note_refusal,
        }

    def __enter__(self) -> "ChildSession":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Return a child to the pool when its document ended well and without an anomaly; kill any other."""
        if error is None and not self._open and not self.has_anomaly:
            self._pool.give_back(self._document.job, self._child)
        else:
            self._child.close()

    @property
    def is_doubtful(self) -> bool:
        """Whether a document read before may be the reason for an anomaly of this one."""
        return self.has_anomaly and not self.fresh

    @property
    def page_was_alone(self) -> bool:
        """Nothing but the page being read can have ended the child."""
        return self.fresh and self.pages_begun == 1

    def open(self) -> None:
        """Only the facts. Raises `ChildFailed`."""
        self._open = True
        self._begin()
        self._listen()

    def read_whole(self) -> Tree | None:
        """Read the whole document.

        Returns:
            The tree, or None when pages wait for a recogniser; these are then collected.

        Raises:
            ChildFailed: The child ended early or reported an error.
        """
        self._begin(self._whole_request())
        self._listen()
        return self._await_whole()

    def go_on_whole(self) -> Tree | None:
        """`read_whole` after `open`. Raises `ChildFailed`."""
        self._child.ask(self._whole_request())
        return self._await_whole()

    def read_pages(self, numbers: Sequence[int], *, draw: bool | None = None) -> None:
        """Read these pages into `collected`; `draw` overrides the document's setting.

        Raises:
            ChildFailed: The child ended early or reported an error.
        """
        self._asked = numbers
        requested = json.dumps(list(numbers)).encode()
        drawn = self._document.draw if draw is None else draw
        self._begin({"kind": "pages", "numbers": requested, "draw": int(drawn)})
        self._listen()
        self._listen()
        if any(number not in self._collected.contents for number in numbers):
            raise self._child.fail(SandboxEnd.BAD_MESSAGE)

    def render(self, page: int, dpi: int, area: Bbox | None = None, marks: Sequence[PageMark] = ()) -> PageImage:
        """One page, or an area of it, as an image, and where the marks stand. Raises `ChildFailed`."""
        asked = json.dumps([[mark.bbox, mark.text, mark.spans] for mark in marks]).encode()
        self._begin({"kind": "render", "page": page, "dpi": dpi, "area": json.dumps(area).encode(), "marks": asked})
        self._marks = len(marks)
        self._listen()
        self._listen()
        if self._image is None:
            raise self._child.fail(SandboxEnd.BAD_MESSAGE)
        return self._image

    def redact(self, tree: bytes, decisions: Decisions) -> bytes:
        """Return the open file redacted.

        Raises:
            ChildFailed: The child ended early or reported an error.
            RedactionRefused: The file cannot be redacted.
        """
        asked = json.dumps([[*key, decision] for key, decision in decisions.items()]).encode()
        if len(tree) + len(asked) > MOST_TREE_BYTES:
            raise RedactionRefused(RedactionRefused.code, "the document's tree is too large to be redacted at once")
        self._begin({"kind": "redact", "tree": tree, "decisions": asked})
        self._listen()
        self._listen()
        if self._refusal is not None:
            raise self._refusal
        if self._file is None:
            raise self._child.fail(SandboxEnd.BAD_MESSAGE)
        return self._file

    def explain(self, without: Sequence[str]) -> bytes:
        """Return, as JSON, the blocks of the document and the passes that set them. Raises `ChildFailed`."""
        self._begin({"kind": "explain", "without": json.dumps(list(without)).encode()})
        self._listen()
        self._listen()
        if self._file is None:
            raise self._child.fail(SandboxEnd.BAD_MESSAGE)
        return self._file

    def _note_file(self, frame: Frame) -> None:
        self._file = frame.data("data")

    def _note_refusal(self, frame: Frame) -> None:
        self._refusal = RedactionRefused(frame.text("code"), frame.text("detail")[:200])

    def _whole_request(self) -> dict[str, Any]:
        self._whole, self._open = True, False
        facts = self._collected.facts
        self._asked = facts.page_numbers if facts else ()
        source = SOURCE.dump_json(self._collected.source)
        draw, keep = int(self._document.draw), self._document.keep_from
        return {"kind": "read", "source": source, "draw": draw, "keep": keep}

    def _await_whole(self) -> Tree | None:
        self._listen()
        if self._tree is None and not self._all_collected():
            raise self._child.fail(SandboxEnd.BAD_MESSAGE)
        return self._tree

    def _begin(self, *more: dict[str, Any]) -> None:
        options = OPTIONS.dump_json(self._collected.options)
        self._child.begin(
            [{"kind": "open", "options": options, "size": self._collected.source.bytes, "more": len(more)}, *more],
            self._document.descriptor,
        )

    def _listen(self) -> None:
        """Take in frames until the child is done with one request."""
        while True:
            frame = self._child.next()
            if self._document.stopped.is_set():
                raise SessionStopped
            try:
                if self._note(frame):
                    return
            except BadFrame:
                raise self._child.fail(SandboxEnd.BAD_MESSAGE) from None
            except TooMuchOutput:
                raise self._child.fail(SandboxEnd.TOO_MUCH_OUTPUT) from None

    def _note(self, frame: Frame) -> bool:
        """Take in one frame; true when the child is done with the request."""
        if frame.kind == "done":
            return True
        handler = self._handlers.get(frame.kind)
        if handler is None:
            raise BadFrame(frame.kind)
        handler(frame)
        return False

    def _note_accepted(self, frame: Frame) -> None:
        self.phase = SessionPhase.OPENING

    def _note_fault(self, frame: Frame) -> None:
        self.has_anomaly = True
        log.error("page %d met a fault of ours: %s", frame.number("number"), printable_detail(frame))

    def _note_drawing(self, frame: Frame) -> None:
        self.phase = SessionPhase.DRAWING

    def _note_finishing(self, frame: Frame) -> None:
        self.phase = SessionPhase.FINISHING
        self._document.report_progress(len(self._asked))

    def _note_pixels(self, frame: Frame) -> None:
        self._collected.note_pixels(frame, self._asked)

    def _note_doubted(self, frame: Frame) -> None:
        """Have the detector look at the page being read, once, and send its elements to the child.

        Raises:
            PortUnavailable: The detector does not answer.
        """
        number, detector = frame.number("number"), self._document.detector
        if detector is None or number != self.page or number in self._doubted:
            raise BadFrame("no opinion was offered")
        self._doubted.add(number)
        picture = frame.data("data")
        if len(picture) > MOST_DOUBTED_BYTES:
            raise TooMuchOutput
        page = PixelPage(number=number, image=picture, width=frame.real("width"), height=frame.real("height"))
        seen = detector.find_elements(page, math.inf)
        self._child.ask({"kind": "seen", "seen": SEEN.dump_json(seen)})

    def _note_earlier(self, frame: Frame) -> None:
        """Send the child the pages of an earlier file, once."""
        if self._gave_earlier or not self._document.keep_from:
            raise BadFrame("no earlier file was offered")
        self._gave_earlier = True
        self._child.ask({"kind": "earlier", "data": self._document.earlier()})

    def _note_kept(self, frame: Frame) -> None:
        if not self._gave_earlier:
            raise BadFrame("kept pages were not asked for")
        self._collected.note_kept(frame)
        if reused := frame.number("reused"):
            log.info("%d of %d pages are those of an earlier file", reused, len(self._asked))

    def _note_tree(self, frame: Frame) -> None:
        self._tree = self._collected.note_tree(frame)
        self.has_anomaly |= any(page.status is PageStatus.FAILED for page in self._tree.pages)

    def _note_image(self, frame: Frame) -> None:
        self._image = note_image(frame, self._marks)

    def _note_opened(self, frame: Frame) -> None:
        facts = self._collected.note_facts(frame)
        if self._whole:
            self._asked = facts.page_numbers
        self._document.report_progress(0)

    def _note_page(self, frame: Frame) -> None:
        number = frame.number("number")
        if self.pages_begun >= len(self._asked) or number != self._asked[self.pages_begun]:
            raise BadFrame("page out of turn")
        if self._whole:
            self._document.report_progress(self.pages_begun)
        self.phase, self.page = SessionPhase.READING, number
        self.pages_begun += 1

    def _note_content(self, frame: Frame) -> None:
        content = self._collected.note_content(frame, self._asked)
        self.has_anomaly |= content.status is PageStatus.FAILED
        if not self._whole:
            self._document.report_progress(len(self._collected.contents))

    def _all_collected(self) -> bool:
        return len(self._collected.pixels) > 0 and len(self._collected.contents) == len(self._asked)
