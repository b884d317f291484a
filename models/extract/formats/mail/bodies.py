"""Content of message parts: decodes transfer encodings and charsets, and separates bodies from attachments."""

import binascii
import quopri
import re
from dataclasses import dataclass, field
from typing import Final

from quire.models.extract.formats.common.html.parse import decode_named
from quire.models.extract.formats.common.wrapped import is_signed, read_content
from quire.models.extract.formats.mail.headers import decode_base64, decode_header
from quire.models.extract.formats.mail.mime import MimePart, parse_message
from quire.models.extract.formats.sniffing.charset import decode_file

_NAMES: Final = re.compile(r"[\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
_EXTENSIONS: Final = {
    "text/plain": "txt", "text/html": "html", "text/csv": "csv", "message/rfc822": "eml", "application/pdf": "pdf",
    "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/tiff": "tif",
}  # fmt: skip
_ENCRYPTED: Final = frozenset(("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"))

_SIGNATURES: Final = frozenset(
    ("application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature")
)
"""Signatures of the other parts: no file of the sender."""
_REPORTS: Final = frozenset(("message/delivery-status", "message/disposition-notification"))
"""Fields for programs that say whether a mail was delivered or read."""


@dataclass(slots=True)
class Contents:
    """The parts of a message: `plain`, `html` and `calendar` form the body.

    `inline` are pictures by content id or location.
    """

    @property
    def is_empty(self) -> bool:
        """Whether no part with content was found yet."""
        return not (self.plain or self.html or self.calendar or self.inline or self.attached)

    plain: list[MimePart] = field(default_factory=list)
    html: list[MimePart] = field(default_factory=list)
    calendar: list[MimePart] = field(default_factory=list)
    inline: dict[str, MimePart] = field(default_factory=dict)
    attached: list[MimePart] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def sort_parts(message: MimePart) -> Contents:
    """Sort the parts of a message into bodies and attachments."""
    contents = Contents()
    _sort(message, contents, alternative=False)
    return contents


def _sort(part: MimePart, contents: Contents, *, alternative: bool) -> None:
    if part.kind in _ENCRYPTED:
        if signed := read_signed(part):
            _sort(signed, contents, alternative=alternative)
            return
        contents.warnings.append("encrypted-part")
    if part.parts:
        for inner in part.parts:
            _sort(inner, contents, alternative=part.kind == "multipart/alternative")
        return
    if part.kind.startswith("multipart/"):
        if part.body.strip():
            contents.plain.append(part)
        return
    _sort_leaf(part, contents, alternative=alternative)


def _sort_leaf(part: MimePart, contents: Contents, *, alternative: bool) -> None:
    disposition, _ = part.stated("content-disposition")
    cid = (part.header("content-id") or b"").decode("latin-1").strip("<> ")
    cid = cid or decode_header(part.header("content-location"))
    if part.kind.startswith("image/") and disposition != "attachment" and cid:
        contents.inline[cid] = part
    is_body = disposition != "attachment" and (not _file_name(part) or contents.is_empty)
    if part.kind == "text/html" and is_body:
        contents.html.append(part)
    elif part.kind == "text/calendar" and disposition != "attachment":
        contents.calendar.append(part)
    elif part.kind in _REPORTS and is_body:
        contents.plain.append(part)
    elif part.kind.startswith("text/") and is_body and part.kind != "text/x-vcard":
        if not (alternative and part.kind != "text/plain"):
            contents.plain.append(part)
    elif not (cid and cid in contents.inline) and part.kind not in _SIGNATURES:
        contents.attached.append(part)


def read_signed(part: MimePart) -> MimePart | None:
    """Return the message inside a signed part, if it holds one."""
    data = part_bytes(part)
    content = read_content(data) if is_signed(data) else b""
    return parse_message(content, part.path) if content else None


def part_name(part: MimePart) -> str:
    """Return the file name that a part states, made safe; empty when it states none."""
    name = _file_name(part)
    if not name and (location := decode_header(part.header("content-location"))):
        name = location.rpartition("/")[2] if not location.lower().startswith(("cid:", "data:")) else ""
    return safe_name(name)


def _file_name(part: MimePart) -> str:
    """Return the file name of the part's disposition or type, but not its content location."""
    _, stated = part.stated("content-disposition")
    return stated.get("filename") or part.parameters.get("name") or ""


def safe_name(name: str) -> str:
    """Return a file name without folders, control characters and characters that change text direction."""
    return _NAMES.sub("", name).replace("\\", "/").rpartition("/")[2].strip()[:255].lstrip(".")


def default_name(part: MimePart) -> str:
    """Return a name for a part without a stated name."""
    return f"part-{part.path}.{_EXTENSIONS.get(part.kind, 'bin')}"


def part_bytes(part: MimePart) -> bytes:
    """Return the part's content with its transfer encoding decoded."""
    encoding = decode_header(part.header("content-transfer-encoding")).lower().strip(" ;")
    match encoding:
        case "base64":
            return decode_base64(part.body)
        case "quoted-printable":
            return quopri.decodestring(part.body)
        case "x-uuencode" | "uuencode" | "x-uue" | "uue":
            return decode_uu(part.body)
        case _:
            return part.body


def decode_uu(data: bytes) -> bytes:
    """Decode uuencoded lines between `begin` and `end`; return other data unchanged."""
    lines = data.replace(b"\r\n", b"\n").split(b"\n")
    start = next((i for i, line in enumerate(lines) if line.startswith(b"begin ")), None)
    if start is None:
        return data
    out = bytearray()
    for line in lines[start + 1 :]:
        if line.strip() in (b"end", b"`", b""):
            break
        try:
            out += binascii.a2b_uu(line)
        except binascii.Error:
            length = (((line[0] - 32) & 63) * 4 + 5) // 3
            try:
                out += binascii.a2b_uu(line[:length])
            except binascii.Error:
                break
    return bytes(out)


def part_text(part: MimePart) -> str:
    """Return the part's text in its charset, or a detected one when that is missing or wrong; join flowed lines."""
    text = _decode(part)
    if part.kind == "text/plain" and part.parameters.get("format", "").lower() == "flowed":
        return _join_flowed(text, delete_space=part.parameters.get("delsp", "").lower() == "yes")
    return text


def _join_flowed(text: str, *, delete_space: bool) -> str:
    """Join lines that end with a blank to the next one (RFC 3676). Quoted lines and signature marks stay."""
    lines: list[str] = []
    is_open = False
    for line in text.replace("\r\n", "\n").split("\n"):
        is_quoted = line.startswith(">")
        stuffed = line[1:] if line.startswith(" ") else line
        if is_open and not is_quoted and stuffed != "-- ":
            lines[-1] = (lines[-1][:-1] if delete_space else lines[-1]) + stuffed
        else:
            lines.append(stuffed)
        is_open = not is_quoted and stuffed.endswith(" ") and stuffed != "-- "
    return "\n".join(lines)


def _decode(part: MimePart) -> str:
    data = part_bytes(part)
    charset = part.parameters.get("charset", "")
    if charset and charset.lower() not in ("us-ascii", "ascii", "unknown-8bit", "x-unknown"):
        text = decode_named(data, charset)
        if text is not None:
            return text
    return decode_file(data).text
