"""Mail headers: encoded words, parameters and addresses. Raw header bytes in, text out."""

import binascii
import re
from base64 import b64decode
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import unquote_to_bytes

from quire.models.extract.formats.common.html.parse import decode_named
from quire.models.extract.formats.flow.blocks import clean
from quire.models.extract.formats.flow.counting import natural
from quire.models.extract.formats.mail.addresses import split_addresses
from quire.models.extract.formats.sniffing.charset import decode_text

MAX_CHARS: Final = 200_000
"""Characters of one address header."""
_WORD: Final = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*(?:\?(?!=)[^?]*)*)\?=")
_BETWEEN: Final = re.compile(r"(\?=)\s+(=\?)")
_PARAMETER: Final = re.compile(r";\s*([^\s=;]{1,80})\s*=\s*(\"(?:\\.|[^\"\\])*\"?|[^;]*)", re.DOTALL)
_COMMENT: Final = re.compile(r"(?<!\s)\s*\([^()]*\)")
_ESCAPED: Final = re.compile(r"\\(.)")


def decode_header(value: bytes | None) -> str:
    """Return a header as people read it: encoded words decoded, 8-bit text in its likeliest charset."""
    if value is None:
        return ""
    return clean(_decode_words(_decode_raw(value))).replace("\n", " ").strip()


def _decode_raw(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return decode_text(value).text


def _decode_words(text: str) -> str:
    if "=?" not in text:
        return text
    text = _BETWEEN.sub(r"\1\2", text)
    out: list[str] = []
    copied_to, pending, charset = 0, b"", ""
    for match in _WORD.finditer(text):
        between = text[copied_to : match.start()]
        name = match.group(1).partition("*")[0].lower()
        if pending and (between or name != charset):
            out.append(_decode(pending, charset))
            pending = b""
        out.append(between)
        pending, charset, copied_to = pending + _word_bytes(match.group(2), match.group(3)), name, match.end()
    if pending:
        out.append(_decode(pending, charset))
    return "".join(out) + text[copied_to:]


def _word_bytes(kind: str, text: str) -> bytes:
    raw = text.encode("latin-1", "replace")
    if kind in "bB":
        return decode_base64(raw)
    return re.sub(rb"=([0-9A-Fa-f]{2})", lambda match: bytes([int(match.group(1), 16)]), raw.replace(b"_", b" "))


def _decode(data: bytes, charset: str) -> str:
    text = decode_named(data, charset)
    if text is None or ("\ufffd" in text and charset in ("utf-8", "us-ascii", "ascii")):
        return text if text is not None else data.decode("utf-8", "replace")
    return text


def decode_base64(data: bytes) -> bytes:
    """Decode base64, ignoring other characters and an incomplete end."""
    digits = re.sub(
        rb"[^A-Za-z0-9+/]", b"", data.partition(b"=")[0] if data.count(b"=") <= 2 else data.replace(b"=", b"")
    )
    if len(digits) % 4 == 1:
        digits = digits[:-1]
    try:
        return b64decode(digits + b"=" * (-len(digits) % 4))
    except (binascii.Error, ValueError):
        return b""


def parse_parameters(value: bytes) -> tuple[str, dict[str, str]]:
    """Return a structured header's value in lower case and its parameters, with RFC 2231 continuations joined."""
    text = _decode_raw(value[:65_536])
    if ";" not in text:
        return _COMMENT.sub("", text).strip().lower(), {}
    head, _, stated_parameters = text.partition(";")
    plain: dict[str, str] = {}
    pieces: dict[str, dict[int, tuple[bool, str]]] = {}
    for name, raw in _PARAMETER.findall(";" + stated_parameters):
        stated = _unquote(raw.strip())
        key, star, index = name.lower().partition("*")
        if not star:
            plain.setdefault(key, _decode_words(stated))
            continue
        is_encoded = index.endswith("*") or not index
        number = index.rstrip("*")
        pieces.setdefault(key, {})[natural(number, 0)] = (is_encoded, stated)
    for key, parts in pieces.items():
        plain[key] = _join_pieces(parts)
    return _COMMENT.sub("", head).strip().lower(), plain


def _join_pieces(parts: dict[int, tuple[bool, str]]) -> str:
    charset = "utf-8"
    data = b""
    for number in sorted(parts):
        is_encoded, text = parts[number]
        if is_encoded and number == min(parts) and text.count("'") >= 2:
            charset, _, text = text.split("'", 2)
        data += unquote_to_bytes(text) if is_encoded else text.encode("utf-8", "replace")
    return decode_named(data, charset or "utf-8") or data.decode("utf-8", "replace")


def _unquote(raw: str) -> str:
    if raw.startswith('"'):
        return _ESCAPED.sub(r"\1", raw[1:].removesuffix('"'))
    return raw.partition(" ")[0] if "(" in raw else raw


def parse_addresses(values: list[bytes]) -> list[tuple[str, str]]:
    """Return (name, address) of each mailbox in headers; groups are expanded, invalid addresses left out."""
    pairs = (pair for value in values for pair in split_addresses(_decode_raw(value)[:MAX_CHARS]))
    return [(clean(_decode_words(name)).strip(), clean(_decode_words(address)).strip()) for name, address in pairs]


def parse_date(value: bytes | None) -> str | None:
    """Return a date header as ISO text, or None when it cannot be parsed."""
    try:
        return parsedate_to_datetime(_decode_raw(value or b"")).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
