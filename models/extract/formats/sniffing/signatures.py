"""What a file is, from its bytes: never from its name. Bytes in, a `Format` out; nothing is unpacked or parsed.

The whole file gives the surest answer: a package is judged by its directory, which stands at the end.
"""

import re
import struct
from typing import Final

from models.cdom.errors import Encrypted, Malformed, ResourceLimit, UnsupportedFormat
from models.cdom.original import Format
from models.extract.formats.common.compound import CompoundFile
from models.extract.formats.sniffing.refused import check_package, check_root, check_signature
from models.extract.formats.sniffing.texts import sniff_text

MAX_NAMES: Final = 20_000
"""Names of a package's directory that are read to tell what it is."""
_MIMETYPES: Final = (
    (b"application/epub+zip", Format.EPUB),
    (b"application/vnd.oasis.opendocument.text", Format.ODT),
    (b"application/vnd.oasis.opendocument.spreadsheet", Format.ODS),
    (b"application/vnd.oasis.opendocument.presentation", Format.ODP),
    (b"application/vnd.oasis.opendocument.graphics", Format.ODP),
)
_CENTRAL: Final = b"PK\x01\x02"
_END: Final = b"PK\x05\x06"
_LOCAL: Final = re.compile(rb"PK\x03\x04.{22}(..)(..)", re.DOTALL)


def sniff_zip(data: bytes) -> Format:
    """The package's format. With only the head of a file the names of its first entries must do."""
    names = _directory_names(data) or _local_names(data)
    if "mimetype" in names:
        stated = _stated_type(data)
        for start, found in _MIMETYPES:
            if stated.startswith(start):
                return found
    folders = {name.partition("/")[0].lower() for name in names if "/" in name}
    lowered = {name.lower() for name in names}
    check_package(lowered)
    if "meta-inf/container.xml" in lowered and any(name.endswith(".opf") for name in lowered):
        return Format.EPUB
    if "content.xml" in lowered and "meta-inf/manifest.xml" in lowered:
        return Format.ODT
    if "xl/workbook.bin" in lowered:
        return Format.XLSB
    marked = lowered & {"[content_types].xml", "_rels/.rels"}
    for folder, found in (("word", Format.DOCX), ("xl", Format.XLSX), ("ppt", Format.PPTX)):
        if folder in folders and (marked or f"{folder}/{_MAIN[found]}" in lowered):
            return found
    return Format.DOCX if marked and not folders & {"xl", "ppt"} else Format.ZIP


_MAIN: Final = {Format.DOCX: "document.xml", Format.XLSX: "workbook.xml", Format.PPTX: "presentation.xml"}


def _directory_names(data: bytes) -> list[str]:
    """Names in the central directory; none when the end of the file is not there."""
    end = data.rfind(_END)
    if end < 0 or end + 20 > len(data):
        return []
    size = int.from_bytes(data[end + 12 : end + 16], "little")
    at = data.find(_CENTRAL, max(0, end - size) if size != 0xFFFFFFFF else 0, end)
    names: list[str] = []
    while 0 <= at < end and data[at : at + 4] == _CENTRAL and len(names) < MAX_NAMES:
        lengths = [int.from_bytes(data[at + shift : at + shift + 2], "little") for shift in (28, 30, 32)]
        names.append(data[at + 46 : at + 46 + lengths[0]].decode("utf-8", "replace").replace("\\", "/"))
        at += 46 + sum(lengths)
    return names


def _local_names(data: bytes) -> list[str]:
    names = []
    for found in _LOCAL.finditer(data[:65_536]):
        length = int.from_bytes(found.group(1), "little")
        names.append(data[found.end() : found.end() + length].decode("utf-8", "replace"))
    return names


def _stated_type(data: bytes) -> bytes:
    """The content of the entry `mimetype`, which is stored first and not packed."""
    length = int.from_bytes(data[26:28], "little")
    extra = int.from_bytes(data[28:30], "little")
    start = 30 + length + extra
    return data[start : start + 100] if data[30 : 30 + length] == b"mimetype" else b""


HEAD_BYTES: Final = 4096
"""As many bytes as the rules for signatures look at."""

_PDF_HEADER_WITHIN: Final = 1024
"""Bytes before a PDF's header that may hold something else, as Acrobat allows."""
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_CFB: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_MAGIC: Final[tuple[tuple[bytes, Format], ...]] = (
    (b"\x89PNG\r\n\x1a\n", Format.PNG),
    (b"\xff\xd8\xff", Format.JPEG),
    (b"GIF87a", Format.GIF),
    (b"GIF89a", Format.GIF),
    (b"II*\x00", Format.TIFF),
    (b"MM\x00*", Format.TIFF),
    (b"II+\x00", Format.TIFF),
    (b"MM\x00+", Format.TIFF),
    (b"{\\rtf", Format.RTF),
)
_BRANDS: Final = {
    b"avif": Format.AVIF, b"avis": Format.AVIF, b"heic": Format.HEIC, b"heix": Format.HEIC, b"heim": Format.HEIC,
    b"heis": Format.HEIC, b"hevc": Format.HEIC, b"mif1": Format.HEIC, b"msf1": Format.HEIC,
}  # fmt: skip
_STREAMS: Final = (
    ("encryptedpackage", None), ("worddocument", Format.DOC), ("workbook", Format.XLS), ("book", Format.XLS),
    ("powerpoint document", Format.PPT), ("__properties_version1.0", Format.MSG),
)  # fmt: skip
"""Streams of compound files by what they make of it."""


def sniff(data: bytes) -> Format:
    """The format of a file. Raises `UnsupportedFormat`, or `Encrypted` for a package under a password."""
    for magic, found in _MAGIC:
        if data.startswith(magic):
            return found
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return Format.WEBP
    if data[4:8] == b"ftyp" and (brand := _find_brand(data)) is not None:
        return brand
    if data.startswith(_ZIP):
        return sniff_zip(data)
    if data.startswith(_CFB):
        return _sniff_compound(data)
    if b"%PDF-" in data[: _PDF_HEADER_WITHIN + 5]:
        return Format.PDF
    if _is_bitmap(data):
        return Format.BMP
    check_signature(data)
    return sniff_text(data)


def is_compound(head: bytes) -> bool:
    """True for a compound file (old Office, Outlook)."""
    return head.startswith(_CFB)


def is_container(head: bytes) -> bool:
    """True for a file that its beginning alone does not tell: a zip archive or a compound file."""
    return head.startswith((*_ZIP, _CFB))


def check_head(head: bytes) -> None:
    """Raises `UnsupportedFormat` when a file that begins so is of no format that is known here."""
    if not head.startswith(_CFB):
        sniff(head)


def is_locked(data: bytes) -> bool:
    """True for an Office package under a password."""
    return data.startswith(_CFB) and "encryptedpackage" in _root_names(data)


def _is_bitmap(data: bytes) -> bool:
    """`BM` begins many a text too: the header after it must have a size that bitmaps have."""
    return data.startswith(b"BM") and (len(data) < 18 or data[14:18] in _BITMAP_HEADERS)


_BITMAP_HEADERS: Final = frozenset(size.to_bytes(4, "little") for size in (12, 16, 40, 52, 56, 64, 108, 124))


def _find_brand(data: bytes) -> Format | None:
    size = min(int.from_bytes(data[:4], "big"), 256)
    brands = [data[8:12], *(data[at : at + 4] for at in range(16, size - 3, 4))]
    named = [_BRANDS[brand] for brand in brands if brand in _BRANDS]
    return Format.AVIF if Format.AVIF in named else (named[0] if named else None)


def _sniff_compound(data: bytes) -> Format:
    """The kind by the root storage alone: embedded objects have storages of their own below it."""
    names = _root_names(data)
    for name, found in _STREAMS:
        if name in names:
            if found is None:
                raise Encrypted()
            return found
    check_root(names)
    raise UnsupportedFormat("a compound file of an unknown kind")


def _root_names(data: bytes) -> set[str]:
    """Names at the root of a compound file, in lower case; those of all entries when its directory is broken."""
    try:
        return CompoundFile(data).root_names()
    except (Malformed, ResourceLimit, struct.error):
        return {name for name, _ in _STREAMS if _has_stream(data, name)}


def _has_stream(data: bytes, name: str) -> bool:
    """True when a directory entry (they are 128 bytes long and aligned) has that name, whatever its case."""
    wanted = re.compile(re.escape(name.encode("utf-16-le") + b"\0\0"), re.IGNORECASE)
    return any(match.start() % 128 == 0 and match.start() >= 512 for match in wanted.finditer(data))
