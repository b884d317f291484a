"""Mails: the text of the body that they show and of its alternatives. Splits parts itself, apart from the reader."""

import binascii
import codecs
import quopri
import re
from dataclasses import dataclass, field
from email.header import decode_header, make_header
from typing import Final

from quire.models.cdom.errors import Malformed
from quire.models.extract.coverage.stated.markup import state_markup
from quire.models.extract.coverage.stated.text import REPEATED, StatedText
from quire.models.extract.formats.common.html.parse import decode_named
from quire.models.extract.formats.common.wrapped import is_signed, read_content
from quire.models.extract.formats.mail.bodies import decode_uu
from quire.models.extract.formats.sniffing.charset import decode_again

_ADDRESSED: Final = (b"from", b"to", b"cc")
_PAGES: Final = (b"text/html", b"application/xhtml+xml")
_SIGNED: Final = (b"application/pkcs7-mime", b"application/x-pkcs7-mime")
_MOST_DEPTH: Final = 50
"""Nesting depth of parts: each level is a call, and a mail forwarded fifty times is an attack."""
_FOLD: Final = re.compile(rb"\r?\n[ \t]+")
_NO_NAME: Final = bytes(point for point in range(256) if not 32 < point < 127)
_EMLX: Final = re.compile(rb"(\d{1,10}) *\r?\n(?=[A-Za-z-]{2,40}:)")
_FIELD: Final = re.compile(rb"[!-9;-~]{1,100}[ \t]?:")
_PARAMETER: Final = re.compile(
    rb"""(boundary|charset|(?:file)?name)\*?[0-9*]{0,9}[ \t]*=[ \t]*(?:"([^"]*)"|([^\s;"]+))""", re.I
)


@dataclass(slots=True)
class _StatedPart:
    """A part as its header describes it: names of fields and of parameters are in lower case."""

    fields: dict[bytes, bytes]
    body: bytes
    kind: bytes = b"text/plain"
    parameters: dict[bytes, bytes] = field(default_factory=dict)
    inner: list["_StatedPart"] = field(default_factory=list)

    def is_attached(self, *, is_first: bool) -> bool:
        """Return whether the part is declared as attached, or has a file name and is not the first with content."""
        stated = self.fields.get(b"content-disposition", b"")
        if stated[:10].lower() == b"attachment":
            return True
        return not is_first and (b"name" in self.parameters or b"filename" in _parameters(stated))


def state_eml(data: bytes) -> StatedText:
    """Return the HTML body if there is one, else the plain one; headers are decoded as people read them.

    Raises:
        Malformed: The parts are not what they declare, so that the start of the body would be a guess.
    """
    message = _parse(data)
    plain: list[str] = []
    html: list[str] = []
    _sort_bodies(message, plain, html, [])
    stated = StatedText()
    for page in html:
        stated.add(state_markup(page))
    if any(text and not text.isspace() for text in stated.text):
        stated.allow(REPEATED, "".join(plain))
    else:
        stated = StatedText(text=plain)
    subject = _decoded(message.fields.get(b"subject", b""))
    subject_texts = stated.formed if "\ufffd" in subject else stated.text  # the encoding of its bytes is a guess
    subject_texts.append(subject)
    stated.formed += [_decoded(message.fields[name]) for name in _ADDRESSED if name in message.fields]
    return stated


def state_mhtml(data: bytes) -> StatedText:
    """Return the text of the first page of a saved website."""
    waiting = [_parse(data)]
    while waiting:
        part = waiting.pop()
        if part.kind in _PAGES:
            return state_markup(_text_of(part))
        waiting += reversed(part.inner)
    return state_eml(data)


def _parse(data: bytes, depth: int = 0, kind: bytes = b"text/plain") -> _StatedPart:
    """Parse a part and the parts inside it.

    Raises:
        Malformed: The parts are nested too deep, or a header line is not a field.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    if (emlx := _EMLX.match(data)) is not None and depth == 0:
        data = data[emlx.end() : emlx.end() + int(emlx.group(1))]
    if depth == 0 and _FIELD.match(data.lstrip(b"\r\n")):
        data = data.lstrip(b"\r\n")
    if data.startswith(b"From "):
        data = data[data.find(b"\n") + 1 :]
    if depth > _MOST_DEPTH:
        raise Malformed("parts of a mail are nested too deep")
    head, body = _part_head(data)
    fields: dict[bytes, bytes] = {}
    for line in head.splitlines():
        name, colon, value = line.partition(b":")
        name = name.rstrip().lower()
        if not colon or not name or name != name.translate(None, _NO_NAME):
            raise Malformed("a line in the header of a mail is no field")
        fields.setdefault(name, value.strip())
    part = _StatedPart(fields, body, kind)
    if b"content-type" in fields:
        stated = fields[b"content-type"]
        part.kind = stated.partition(b";")[0].strip().lower()
        part.kind = part.kind if b"/" in part.kind else kind
        part.parameters = _parameters(stated)
    if part.kind.startswith(b"multipart/"):
        kind = b"message/rfc822" if part.kind == b"multipart/digest" else b"text/plain"
        pieces = _split(body, part.parameters.get(b"boundary", b""))
        part.inner = [_parse(piece, depth + 1, kind) for piece in pieces]
    return part


def _part_head(data: bytes) -> tuple[bytes, bytes]:
    """Return the header with each field in one line, and the body."""
    if data[:1] in (b"\n", b"\r"):
        return b"", data[2 if data[:2] == b"\r\n" else 1 :]
    ends = [(end, len(sign)) for sign in (b"\n\n", b"\n\r\n") if (end := data.find(sign)) >= 0]
    end, length = min(ends, default=(len(data), 0))
    head = data[:end]
    return _FOLD.sub(b" ", head) if b"\n " in head or b"\n\t" in head else head, data[end + length :]


def _parameters(stated: bytes) -> dict[bytes, bytes]:
    return {name.lower(): quoted or plain for name, quoted, plain in _PARAMETER.findall(stated)}


def _split(body: bytes, boundary: bytes) -> list[bytes]:
    """Return the parts between the lines of a boundary.

    Raises:
        Malformed: The boundary does not occur, or the last part has no end.
    """
    line = b"\n--" + boundary
    first, *pieces = (b"\n" + body).split(line)
    parts: list[bytes] = []
    for piece in pieces if boundary else ():
        end, newline, after = piece.partition(b"\n")
        if not end.strip() and newline:
            parts.append(after)
        elif end.strip() == b"--":
            return parts
        elif parts:  # the boundary of a part inside begins with the same letters
            parts[-1] += line + piece
    raise Malformed(f"a mail of {len(first)} bytes without the end of its parts")


def _sort_bodies(part: _StatedPart, plain: list[str], html: list[str], seen: list[_StatedPart]) -> None:
    """Collect the bodies without attached files and messages; `seen` collects the parts that hold no other parts."""
    for inner in part.inner:
        _sort_bodies(inner, plain, html, seen)
    if part.inner:
        return
    is_first = not seen
    seen.append(part)
    if part.kind.startswith(b"message/") or part.is_attached(is_first=is_first):
        return
    if part.kind in _SIGNED and (content := _read_signed(part)):
        _sort_bodies(_parse(content), plain, html, seen)
    elif part.kind == b"text/html":
        html.append(_text_of(part))
    elif part.kind == b"text/plain":
        plain.append(_text_of(part))


def _read_signed(part: _StatedPart) -> bytes:
    data = _unpack(part.body, part.fields.get(b"content-transfer-encoding", b"").strip(b" \t;").lower())
    return read_content(data) if is_signed(data) else b""


def _text_of(part: _StatedPart) -> str:
    data = _unpack(part.body, part.fields.get(b"content-transfer-encoding", b"").strip(b" \t;").lower())
    charset = part.parameters.get(b"charset", b"").decode("latin-1")
    named = decode_named(data, charset) if charset.lower() not in ("", "us-ascii", "ascii") else None
    return named if named is not None else decode_again(data)


def _unpack(body: bytes, encoding: bytes) -> bytes:
    """Decode a transfer encoding."""
    if encoding == b"quoted-printable":
        return quopri.decodestring(body)
    if encoding == b"base64":
        return binascii.a2b_base64(body)
    return decode_uu(body) if encoding in (b"x-uuencode", b"uuencode", b"x-uue", b"uue") else body


def _decoded(field: bytes) -> str:
    text = field.decode("utf-8", "replace")
    if "=?" not in text:
        return text
    try:
        return str(make_header(decode_header(text)))
    except (LookupError, ValueError):
        return ""
