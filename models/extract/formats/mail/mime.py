"""MIME: the bytes of a message in, a tree of parts out. Depth, parts and headers are limited; nothing is decoded."""

import codecs
import re
from dataclasses import dataclass, field
from typing import Final

from quire.models.cdom.errors import Malformed, ResourceLimit
from quire.models.extract.formats.mail.headers import parse_parameters

MAX_DEPTH: Final = 50
"""Nesting depth of parts: each level is a call, and a mail forwarded fifty times is an attack."""
MAX_PARTS: Final = 10_000
"""Parts of a message, with those of messages inside it; each costs parsing its headers."""
MAX_HEADER_BYTES: Final = 1_000_000
"""Header bytes of one part; ordinary ones have a few kilobytes."""
MAX_HEADERS: Final = 2_000
"""Headers stored per part; a message that passed many servers has a hundred."""
_END: Final = re.compile(rb"\r?\n\r?\n|\r\r|\A\r?\n")
_EMLX: Final = re.compile(rb"(\d{1,10}) *\r?\n(?=[A-Za-z-]{2,40}:)")
"""The first line of a mail of Apple Mail: its length in bytes. Properties follow the mail."""
_NAME: Final = re.compile(rb"^([!-9;-~]{1,100})[ \t]*:[ \t]*")
_FOLD: Final = re.compile(rb"(?:\r\n|\r|\n)[ \t]+")


@dataclass(slots=True)
class MimePart:
    """One part: raw `headers` (lower-case names, unfolded), its own `body`, and the parts inside it."""

    path: str
    headers: list[tuple[str, bytes]]
    body: bytes
    parts: list["MimePart"] = field(default_factory=list)
    kind: str = "text/plain"
    parameters: dict[str, str] = field(default_factory=dict)

    def header(self, name: str) -> bytes | None:
        """Return the first header of that name, if there is one."""
        return next((value for key, value in self.headers if key == name), None)

    def stated(self, name: str) -> tuple[str, dict[str, str]]:
        """Return a structured header: its value in lower case and its parameters."""
        value = self.header(name)
        return parse_parameters(value) if value is not None else ("", {})

    def walk(self) -> "list[MimePart]":
        """Return this part and all parts inside it, in order."""
        parts: list[MimePart] = []
        stack = [self]
        while stack:
            part = stack.pop()
            parts.append(part)
            stack.extend(reversed(part.parts))
        return parts


@dataclass(slots=True)
class _Count:
    """Counter of the parts of a message."""

    parts: int = 0


def parse_message(data: bytes, path: str = "1") -> MimePart:
    """Parse the message in `data`, whose place in the outer message is `path`.

    Raises:
        Malformed: The parts are nested too deep.
        ResourceLimit: There are too many parts, or a header is too long.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    if (emlx := _EMLX.match(data)) is not None:
        data = data[emlx.end() : emlx.end() + int(emlx.group(1))]
    if data[:1] in (b"\r", b"\n") and path == "1" and _NAME.match(data.lstrip(b"\r\n")):
        data = data.lstrip(b"\r\n")
    if data.startswith(b"From ") and (end := data.find(b"\n")) >= 0:
        data = data[end + 1 :]
    return _parse(data, path, 0, _Count(), digest=False)


def _parse(data: bytes, path: str, depth: int, count: _Count, *, digest: bool) -> MimePart:
    if depth > MAX_DEPTH:
        raise Malformed("parts of the message are nested too deep")
    count.parts += 1
    if count.parts > MAX_PARTS:
        raise ResourceLimit(f"more than {MAX_PARTS} parts")
    headers, body = split_headers(data)
    part = MimePart(path, headers, body)
    stated, part.parameters = part.stated("content-type")
    part.kind = stated if "/" in stated else ("message/rfc822" if digest else "text/plain")
    boundary = part.parameters.get("boundary", "")
    if part.kind.startswith("multipart/") and boundary:
        is_digest = part.kind == "multipart/digest"
        for number, piece in enumerate(_split(body, boundary.encode("latin-1", "replace")), start=1):
            part.parts.append(_parse(piece, f"{path}.{number}", depth + 1, count, digest=is_digest))
        if part.parts:
            part.body = b""
    return part


def split_headers(data: bytes) -> tuple[list[tuple[str, bytes]], bytes]:
    """Return the unfolded headers of a part, and its body."""
    header_end = _END.search(data[: MAX_HEADER_BYTES + 1])
    if header_end is None and len(data) > MAX_HEADER_BYTES:
        raise ResourceLimit("a header is too long")
    block, body = (data[: header_end.start()], data[header_end.end() :]) if header_end else (data, b"")
    if header_end and header_end.start() == 0 and not block:
        return [], body
    headers: list[tuple[str, bytes]] = []
    lines = _FOLD.sub(b" ", block).replace(b"\r", b"\n").split(b"\n")
    for line in lines:
        name = _NAME.match(line)
        if name is not None and len(headers) < MAX_HEADERS:
            headers.append((name.group(1).decode("ascii", "replace").lower(), line[name.end() :].strip()))
        elif headers and line.strip() and name is None:
            headers[-1] = (headers[-1][0], headers[-1][1] + b" " + line.strip())
    if not headers and lines and lines[0].strip():
        return [], data
    return headers, body


def _split(body: bytes, boundary: bytes) -> list[bytes]:
    """Return the parts between boundary lines; text before the first and after the last is dropped."""
    delimiter = re.compile(rb"(?:\A|\r?\n|\r)--" + re.escape(boundary) + rb"(--)?[ \t]*(?=\r|\n|\Z)")
    pieces: list[bytes] = []
    start: int | None = None
    for match in delimiter.finditer(body):
        if start is not None:
            pieces.append(body[start : match.start()])
        if match.group(1):
            return pieces
        start = match.end()
        start += 2 if body[start : start + 2] == b"\r\n" else int(body[start : start + 1] in (b"\r", b"\n"))
        if len(pieces) > MAX_PARTS:
            raise ResourceLimit(f"more than {MAX_PARTS} parts")
    if start is not None:
        pieces.append(body[start:])
    return pieces
