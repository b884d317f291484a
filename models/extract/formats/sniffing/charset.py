"""The encoding of a text file, from its bytes: byte order marks, UTF-8, wide encodings, escapes, then statistics."""

import codecs
import re
from typing import Final, NamedTuple, cast

from quire.models.extract.formats.common.parse_cache import keep, take
from quire.models.extract.formats.sniffing.guess import guess

_CACHE_KEY: Final = "text"
SAMPLE_BYTES: Final = 32_768
"""Bytes that are searched for escapes and control characters."""
UNCERTAIN: Final = "encoding-uncertain"
"""Warning of a tree whose text may be in another encoding."""
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_WIDE: Final = ("utf-32-be", "utf-32-le", "utf-16-be", "utf-16-le")
_ESCAPES: Final = ((b"\x1b$)C", "iso2022_kr"), (b"\x1b$", "iso2022_jp_2"), (b"\x1b(J", "iso2022_jp_2"))
_HZ: Final = re.compile(rb"~\{[!-w][!-~]")
_WRONG_BYTE: Final = re.compile(r"[\udc80-\udcff]")
"""A byte that is not UTF-8, as Python decodes it with `surrogateescape`."""
_OUTSIDE_ASCII: Final = re.compile(r"[\x80-\ud7ff\ue000-\U0010ffff]")
_LEAST_RIGHT: Final = 4
"""Characters of UTF-8 outside ASCII for each byte that is not UTF-8; legacy encodings have hardly one in ten."""
_MOST_CUT: Final = 3
"""Bytes of a character that is cut at the end of the text."""
_CUT_END: Final = re.compile(rb"(?:[\xc3-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z")
"""The start of a character that is cut at the end of the text."""
_CONTROL: Final = re.compile(rb"[\x00-\x08\x10-\x1a\x1c-\x1f\x7f]")
_STATED: Final = re.compile(rb"""(?:encoding|charset)\s*=\s*["']?([A-Za-z0-9_.\-]{3,30})""", re.IGNORECASE)


class DecodedText(NamedTuple):
    """The text of a file. `is_certain` is False when another encoding explains its bytes nearly as well."""

    text: str
    encoding: str
    is_certain: bool = True

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of a tree of this text."""
        return () if self.is_certain else (UNCERTAIN,)


def decode_text(data: bytes) -> DecodedText:
    """Decode a file by its own marks, else by statistics; undecodable bytes become replacement characters."""
    for bom, name in _BOMS:
        if data.startswith(bom):
            return DecodedText(data.decode(name, "replace"), name)
    if (wide := _find_wide(data)) is not None:
        return DecodedText(data.decode(wide, "replace"), wide)
    for mark, name in _ESCAPES:
        if mark in data[:SAMPLE_BYTES] and (text := _try_decode(data, name)) is not None:
            return DecodedText(text, name)
    if _HZ.search(data[:SAMPLE_BYTES]) and (text := _try_decode(data, "hz")) is not None:
        return DecodedText(text, "hz")
    for likely in ("utf-8", _find_stated(data)):
        if likely and (text := _try_decode(data, likely)) is not None:
            return DecodedText(text, likely)
    if (text := decode_mostly_utf8(data)) is not None:
        return DecodedText(text, "utf-8", is_certain=False)
    name, is_certain = guess(data)
    return DecodedText(data.decode(name, "replace"), name, is_certain)


def decode_mostly_utf8(data: bytes) -> str | None:
    """Return a text that is UTF-8 apart from a few bytes, which are read as Windows-1252; None for other texts.

    Such texts are cut inside a character, or put together from files in two encodings.
    """
    text = data.decode("utf-8", "surrogateescape")
    wrong = len(_WRONG_BYTE.findall(text))
    right = len(_OUTSIDE_ASCII.findall(text))
    is_cut = (
        wrong <= _MOST_CUT and _CUT_END.search(data) is not None and not _WRONG_BYTE.search(text, 0, len(text) - wrong)
    )
    if is_cut and right > 1:
        return data.decode("utf-8", "replace")
    if right < _LEAST_RIGHT * wrong:
        return None
    return _WRONG_BYTE.sub(lambda match: match[0].encode("utf-8", "surrogateescape").decode("cp1252", "replace"), text)


def decode_file(data: bytes) -> DecodedText:
    """Decode a file as `decode_text` does, and cache the result for the coverage statement."""
    return keep(_CACHE_KEY, data, decode_text(data))


def decode_again(data: bytes) -> str:
    """Return the text of these bytes; a reader's result is reused."""
    cached = take(_CACHE_KEY, data)
    return (decode_text(data) if cached is None else cast(DecodedText, cached)).text


def is_text(data: bytes) -> bool:
    """Return whether bytes are text in some encoding: a wide one, or one with almost no control characters."""
    if not data:
        return False
    head = data[:SAMPLE_BYTES]
    if any(data.startswith(bom) for bom, _ in _BOMS) or _find_wide(data) is not None:
        return True
    return b"\0" not in head and len(_CONTROL.findall(head)) <= len(head) // 200


def _find_wide(data: bytes) -> str | None:
    """Return UTF-16 or UTF-32 without a mark, recognised by zero bytes in the expected positions."""
    head = data[:2048]
    if b"\0" not in head or len(head) < 4:
        return None
    for name in _WIDE:
        width = 4 if "32" in name else 2
        complete = head[: len(head) // width * width]
        try:
            text = complete.decode(name, "strict" if width == 4 else "replace")
        except UnicodeDecodeError:
            continue
        plain_count = sum(char.isprintable() or char in "\r\n\t" for char in text) - text.count("\ufffd")
        ascii_count = sum(char.isascii() for char in text)
        if plain_count >= 0.97 * len(text) and "\0" not in text and ascii_count * 4 >= len(text):
            return name
    return None


def _find_stated(data: bytes) -> str | None:
    """Return the encoding that the text itself states in its first lines."""
    match = _STATED.search(data[:1024])
    return match.group(1).decode() if match else None


def _try_decode(data: bytes, name: str) -> str | None:
    try:
        return data.decode(name) if codecs.lookup(name)._is_text_encoding else None
    except (UnicodeError, LookupError, ValueError):
        return None
