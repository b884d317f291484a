"""The locked-down child: takes requests on its channel, reads one document at a time, sends frames back.

In: requests and a file descriptor, never a path. Out: facts, pages, assets and trees as JSON in frames. The child ends
after any error; only a clean `done` makes it fit for another document. Nothing of one document remains when the next is
opened.
"""

import array
import json
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NoReturn

from quire.actors.sandbox.assemble_document import finish_tree, read_again
from quire.actors.sandbox.failures import DocumentError, describe_failure
from quire.actors.sandbox.frames import LARGE_BYTES, EndOfFrames, Frame, FrameReader, encode_parts
from quire.actors.sandbox.limits import MIB, SandboxLimits
from quire.actors.sandbox.lockdown import cpu_used_s, grant_cpu
from quire.actors.sandbox.messages import OPTIONS, SEEN, SOURCE
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.ports import DetectedPage, PageMark, PixelPage
from quire.models.cdom.tree import dump_tree, load_tree
from quire.models.extract.contract import (
    PICTURE_NUMBERS,
    ComparesPages,
    OpenDocument,
    PageContent,
    PageRead,
    ReadsAgain,
    dump_facts,
    dump_page,
    failed_page,
)
from quire.models.extract.formats.common.parse_cache import forget_document
from quire.models.extract.formats.flow.document import embedded_of
from quire.models.extract.pipeline.explain import explain_document
from quire.models.extract.pipeline.kept_pages import KeptPages
from quire.models.extract.registry import open_document, open_lock
from quire.models.faults import own_fault
from quire.models.pii.errors import PiiIncomplete
from quire.models.redaction.planning.errors import NotRedactable, RedactionUnproven

_REQUEST_CAP = (
    160 << 20
)  # bytes of one request: with the tree of a file to redact, 5,000 dense pages take ninety million


class Channel:
    """Frames to and from the parent over one socket; descriptors that come along are kept until asked for."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=descriptor)  # no getsockname
        self._reader = FrameReader(self._receive, _REQUEST_CAP)
        self._received: list[int] = []
        self._waiting = bytearray()

    def next(self) -> Frame:
        """Return the next frame."""
        return self._reader.next()

    def send(self, *, wait: bool = False, **message: Any) -> None:
        """Send a frame, or with `wait` together with the next: each write wakes the parent up."""
        for part in encode_parts(message):
            if len(part) > LARGE_BYTES:
                _write_all(self._descriptor, self._waiting)
                self._waiting = bytearray()
                _write_all(self._descriptor, part)
            else:
                self._waiting += part
        if not wait:
            _write_all(self._descriptor, self._waiting)
            self._waiting = bytearray()

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def take_descriptor(self) -> int:
        """Return the first received descriptor."""
        return self._received.pop(0)

    def _receive(self, count: int) -> bytes:
        data, ancillary, _, _ = self._socket.recvmsg(count, socket.CMSG_SPACE(4))
        for level, kind, payload in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                self._received.extend(array.array("i", payload[: len(payload) // 4 * 4]))
        return data


def _write_all(descriptor: int, data: bytes | bytearray) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


@dataclass(slots=True)
class ChannelSession:
    """The document being read: `cpu_end_s` is the CPU second of this process at which its time is over."""

    channel: Channel
    limits: SandboxLimits
    document: OpenDocument | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    data: bytes = b""
    cpu_end_s: float = 0.0
    size: int = 0

    def grant_whole(self) -> None:
        """Allow the CPU time of a step for the whole file: a second more for each MiB of it."""
        self.grant(self.limits.open_cpu_s + self.size // MIB)

    def grant(self, seconds: int) -> None:
        """Allow `seconds` of CPU time, up to the document's end."""
        grant_cpu(seconds, self.cpu_end_s)

    def drop_document(self) -> None:
        """Close the document and drop everything known of it, the password included."""
        if self.document is not None:
            self.document.close()
        self.document, self.options, self.data = None, ReadOptions(), b""
        forget_document()

    def opened(self) -> OpenDocument:
        """Return the open document."""
        if self.document is None:
            raise RuntimeError("nothing is open")
        return self.document


def serve_requests(descriptor: int, limits: SandboxLimits) -> NoReturn:
    """Answer requests until the parent closes the channel or one fails."""
    session = ChannelSession(Channel(descriptor), limits)
    while True:
        try:
            request = session.channel.next()
        except (EndOfFrames, OSError):
            os._exit(0)
        failure = _answer(session, request)
        if failure is not None:
            session.document = None
            session.channel.send(kind="error", code=failure.code.value, detail=failure.detail)
            os._exit(0)


def _answer(session: ChannelSession, request: Frame) -> DocumentError | None:
    try:
        OPERATIONS[request.kind](session, request)
        session.channel.send(kind="done", wait=request.kind == "open" and request.number("more") > 0)
    except Exception as error:
        return describe_failure(error)
    return None


def open_original(session: ChannelSession, request: Frame) -> None:
    """Read the descriptor's bytes, open them and send the facts."""
    session.channel.send(kind="accepted")
    session.drop_document()
    session.cpu_end_s = cpu_used_s() + session.limits.total_cpu_s
    session.size = request.number("size")
    session.grant_whole()
    descriptor = session.channel.take_descriptor()
    data = _read_all(descriptor, request.number("size"))
    os.close(descriptor)
    session.options, session.data = OPTIONS.validate_json(request.data("options")), data
    session.document = open_document(data, session.options)
    session.channel.send(wait=True, kind="opened", facts=dump_facts(session.document.facts))


def _read_all(descriptor: int, size: int) -> bytes:
    """`size` bytes from the start, fewer when the file ends before."""
    parts: list[bytes] = []
    offset = 0
    while offset < size and (part := os.pread(descriptor, size - offset, offset)):
        parts.append(part)
        offset += len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def read_whole(session: ChannelSession, request: Frame) -> None:
    """Every page, then the tree; the pages one by one instead when a recogniser must look at some of them."""
    document = session.opened()
    contents: list[PageContent] = []
    wants_pixels = False
    kept = _open_kept(session, request.number("keep"))
    for embedded in embedded_of(document):
        session.channel.send(wait=True, kind="embedded", path=embedded.path, name=embedded.name, data=embedded.data)
    for number in document.facts.page_numbers:
        read = _take_page(session, kept, number, draw=bool(request.number("draw")))
        contents.append(read.content)
        wants_pixels |= read.pixels is not None or bool(read.pictures)
    if kept is not None:
        session.channel.send(wait=True, kind="kept", reused=kept.reused, data=kept.dump())
    session.channel.send(kind="finishing")
    session.grant_whole()
    if wants_pixels:
        for content in contents:
            _send_content(session, content)
    else:
        source = SOURCE.validate_json(request.data("source"))
        source = replace(source, format=document.facts.format.value)
        tree = dump_tree(finish_tree(document.facts, contents, source=source, options=session.options))
        del document, contents  # the tree of a large table takes what memory there is
        session.drop_document()
        session.channel.send(wait=True, kind="tree", data=tree)
    session.drop_document()


def _take_page(session: ChannelSession, kept: KeptPages | None, number: int, *, draw: bool) -> PageRead:
    """Read a page, or take it from an earlier file; its pictures are sent."""
    read = _reuse_page(session, kept, number) or _read_page(session, number)
    if kept is not None:
        kept.keep(read)
    _draw_pictures(session, read, draw=draw)
    return read


def read_pages(session: ChannelSession, request: Frame) -> None:
    """Send each requested page as soon as it is read; its pictures follow, because the page is good without them."""
    draw = bool(request.number("draw"))
    for number in json.loads(request.data("numbers")):
        read = _read_page(session, number)
        _send_content(session, read.content)
        _draw_pictures(session, read, draw=draw)
    session.drop_document()


def render_page(session: ChannelSession, request: Frame) -> None:
    """Send the picture of a page and the boxes of marks on it."""
    session.grant(session.limits.page_cpu_s)
    area = json.loads(request.data("area"))
    image = session.opened().render_page(
        request.number("page"), request.number("dpi"), tuple(area) if area is not None else None
    )
    boxes = _find_marks(session, request.number("page"), json.loads(request.data("marks")))
    session.channel.send(
        kind="image", boxes=json.dumps(boxes).encode(), data=image.png, width=float(image.width),
        height=float(image.height),
        page_count=image.page_count, media_type=image.media_type,
    )  # fmt: skip


def _find_marks(session: ChannelSession, page: int, asked: list[Any]) -> list[Any]:
    """Return the boxes of texts on a page; empty for formats without glyph positions."""
    if not asked or session.opened().facts.format != Format.PDF:
        return []
    from quire.models.redaction.pdf.boxes import find_boxes  # there since the warm-up, but for servers that redact none

    marks = [PageMark(tuple(bbox), text, tuple(map(tuple, spans))) for bbox, text, spans in asked]
    return find_boxes(session.data, page, marks, session.options.password)


def explain(session: ChannelSession, request: Frame) -> None:
    """Send the open original's blocks with the passes that set them, as JSON."""
    session.grant(session.limits.total_cpu_s)
    without = json.loads(request.data("without"))
    session.channel.send(kind="file", data=explain_document(session.data, session.options, without))
    session.drop_document()


def redact(session: ChannelSession, request: Frame) -> None:
    """Send the open original without its masked values, after reading the result again."""
    from quire.models.redaction.redact import (
        redact_original,  # there since the warm-up, but for servers that redact none
    )

    session.grant(session.limits.redact_cpu_s)
    tree, asked = load_tree(request.data("tree")), json.loads(request.data("decisions"))
    decisions = {(block, flag, span): decision for block, flag, span, decision in asked}
    try:
        made = redact_original(
            open_lock(session.data, session.options), tree, decisions, read_again, session.options.password
        )
    except (RedactionUnproven, NotRedactable, PiiIncomplete) as error:
        session.channel.send(kind="refused", code=error.code, detail=str(error))
    else:
        session.channel.send(kind="file", data=made)
    session.drop_document()


def _read_page(session: ChannelSession, number: int) -> PageRead:
    """One page; what pictures cost nothing and its pixels are sent at once, so that they never pile up here."""
    session.channel.send(kind="page", number=number)
    session.grant(session.limits.page_cpu_s)
    document = session.opened()
    read = _read_or_fail(number, document.read_page)
    if read.doubted is not None and isinstance(document, ReadsAgain):
        seen = _ask_opinion(session, read.doubted)
        session.grant(session.limits.page_cpu_s)
        read = _read_or_fail(number, partial(document.read_page_again, seen=seen))
    if read.fault is not None:
        session.channel.send(kind="fault", number=number, detail=read.fault)
    _send_pictures(session, read.assets)
    numbered = [(number, read.pixels)] if read.pixels is not None else []
    numbered += [(number + k * PICTURE_NUMBERS, page) for k, page in enumerate(read.pictures, start=1)]
    for at, page in numbered:
        session.channel.send(
            kind="pixels", number=at, data=page.image, width=float(page.width), height=float(page.height)
        )
    return read


def _open_kept(session: ChannelSession, least_pages: int) -> KeptPages | None:
    """Ask the parent for the pages of an earlier file, if this one has at least so many pages (0: never)."""
    document = session.opened()
    if not 0 < least_pages <= len(document.facts.page_numbers) or not isinstance(document, ComparesPages):
        return None
    session.channel.send(kind="earlier")
    return KeptPages(document, session.options, session.channel.next().data("data"))


def _reuse_page(session: ChannelSession, kept: KeptPages | None, number: int) -> PageRead | None:
    read = kept.find(number) if kept is not None else None
    if read is not None:
        session.channel.send(wait=True, kind="page", number=number)
    return read


def _ask_opinion(session: ChannelSession, page: PixelPage) -> DetectedPage:
    """Return the elements that the parent's layout detector finds on a page; the child waits for this answer only."""
    session.channel.send(
        kind="doubted", number=page.number, data=page.image, width=float(page.width), height=float(page.height)
    )
    return SEEN.validate_json(session.channel.next().data("seen"))


def _read_or_fail(number: int, read: Callable[[int], PageRead]) -> PageRead:
    try:
        return read(number)
    except Exception as error:
        failure = describe_failure(error)
        if failure.code is ErrorCode.RESOURCE_LIMIT:
            raise
        return PageRead(content=failed_page(number, failure.code), fault=own_fault(error))


def _draw_pictures(session: ChannelSession, read: PageRead, *, draw: bool) -> None:
    if not draw or all(block.asset_ref in read.assets for block in read.content.blocks if block.asset_ref):
        return
    session.channel.send(kind="drawing", number=read.content.number)
    session.grant(session.limits.page_cpu_s)
    _send_pictures(session, session.opened().render_assets(read.content))


def _send_pictures(session: ChannelSession, pictures: dict[str, bytes]) -> None:
    for name, data in pictures.items():
        session.channel.send(kind="asset", name=name, data=data)


def _send_content(session: ChannelSession, content: PageContent) -> None:
    session.channel.send(kind="content", number=content.number, data=dump_page(content))


Operation = Callable[[ChannelSession, Frame], None]
OPERATIONS: dict[str, Operation] = {
    "open": open_original,
    "read": read_whole,
    "pages": read_pages,
    "render": render_page,
    "explain": explain,
    "redact": redact,
}
