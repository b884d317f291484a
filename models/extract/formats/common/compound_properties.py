"""What an old Office file states about itself: its summary stream in, metadata out."""

import struct
from datetime import UTC, datetime, timedelta
from typing import Final

from models.cdom.errors import Malformed
from models.cdom.tree import Metadata
from models.extract.formats.common.compound import CompoundFile

SUMMARY: Final = "\x05SummaryInformation"
MAX_CHARS: Final = 1000
"""Characters of one property that are kept, as for other formats."""
_TITLE, _AUTHOR, _CREATED, _SAVED = 2, 4, 12, 13
"""Properties by the numbers of the format."""
_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)


def read_summary(file: CompoundFile) -> Metadata:
    """Title, author and dates; nothing where the stream is missing or broken."""
    try:
        found = _read_properties(file.read((SUMMARY,)))
    except (struct.error, IndexError, ValueError, OverflowError, Malformed):
        return Metadata()
    return Metadata(
        title=found.get(_TITLE), author=found.get(_AUTHOR), created=found.get(_CREATED), modified=found.get(_SAVED)
    )


def filetime(value: int) -> str | None:
    """100-nanosecond steps since 1601 as ISO time; None for none."""
    return (_EPOCH + timedelta(microseconds=value // 10)).isoformat() if 0 < value < 2**62 else None


def codec_of(code_page: int) -> str:
    """The codec of a Windows code page number."""
    return _CODECS.get(code_page, f"cp{code_page}")


_CODECS: Final = {
    1200: "utf-16-le", 65001: "utf-8", 10000: "mac_roman", 32768: "mac_roman", 32769: "cp1252", 20127: "ascii",
    28591: "latin-1", 50220: "iso2022_jp", 50221: "iso2022_jp", 50222: "iso2022_jp", 51932: "euc_jp", 51949: "euc_kr",
    20866: "koi8_r", 21866: "koi8_u", 54936: "gb18030",
}  # fmt: skip


def decode(data: bytes, code_page: int) -> str:
    """Bytes of a code page as text; an unknown one is read as Windows-1252."""
    try:
        return data.decode(codec_of(code_page), "replace")
    except LookupError:
        return data.decode("cp1252", "replace")


def _read_properties(data: bytes) -> dict[int, str]:
    if len(data) < 48:
        return {}
    start = struct.unpack_from("<I", data, 44)[0]
    count = min(struct.unpack_from("<I", data, start + 4)[0], 100)
    places = dict(struct.unpack_from("<II", data, start + 8 + 8 * at) for at in range(count))
    code_page = struct.unpack_from("<H", data, start + places[1] + 4)[0] if 1 in places else 1252
    found: dict[int, str] = {}
    for name in (_TITLE, _AUTHOR, _CREATED, _SAVED):
        if name in places and (text := _read_value(data, start + places[name], code_page)):
            found[name] = text
    return found


def _read_value(data: bytes, at: int, code_page: int) -> str | None:
    kind, size = struct.unpack_from("<II", data, at)
    if kind == 0x40:
        return filetime(struct.unpack_from("<Q", data, at + 4)[0])
    size = min(size, 2 * MAX_CHARS)
    raw = data[at + 8 : at + 8 + size * (2 if kind == 0x1F else 1)]
    text = raw.decode("utf-16-le", "replace") if kind == 0x1F else decode(raw, code_page)
    return text.partition("\0")[0].strip()[:MAX_CHARS] or None
