"""Format detection from bytes, never from the name. Bytes in, a `Format` out; nothing is unpacked or parsed.

The whole file gives the most certain result: a package is identified by its directory, which is at the end.
"""

import re
import struct
from typing import Final

from quire.models.cdom.errors import Encrypted, Malformed, ResourceLimit, UnsupportedFormat
from quire.models.cdom.original import IMAGE_FORMATS, Format
from quire.models.extract.formats.common.compound import CompoundFile
from quire.models.extract.formats.common.member_names import clean_name
from quire.models.extract.formats.common.packed import unpack_head
from quire.models.extract.formats.common.wrapped import PREVIEW, unwrap_signed
from quire.models.extract.formats.sniffing.refused import (
    check_package,
    check_root,
    check_signature,
    check_stated_type,
    refuse,
)
from quire.models.extract.formats.sniffing.texts import sniff_text

MAX_NAMES: Final = 20_000
"""Names of a package's directory that are read to identify it."""
_MIMETYPES: Final = (
    (b"application/epub+zip", Format.EPUB),
    (b"application/vnd.oasis.opendocument.text", Format.ODT),
    (b"application/vnd.oasis.opendocument.spreadsheet", Format.ODS),
    (b"application/vnd.oasis.opendocument.presentation", Format.ODP),
    (b"application/vnd.oasis.opendocument.graphics", Format.ODP),
)
_NAMES: Final = ((PREVIEW, Format.PDF), ("contents/content.hpf", Format.HWPX), ("xl/workbook.bin", Format.XLSB))
"""Members that identify a package."""
_CENTRAL: Final = b"PK\x01\x02"
_END: Final = b"PK\x05\x06"
_TABLE_END_BYTES: Final = 22  # bytes of the last record without its comment, by the format
_LOCATOR, _LOCATOR_BYTES, _ELSEWHERE = b"PK\x06\x07", 20, 0xFFFFFFFF
"""The record before the end of a large ZIP, its size, and the value that refers to a number in another record."""
_LOCAL: Final = re.compile(rb"PK\x03\x04.{22}(..)(..)", re.DOTALL)


def sniff_zip(data: bytes) -> Format:
    """Return the package's format; the head of a file is identified by the names of its first entries."""
    names = [clean_name(name) for name in _directory_names(data) or _local_names(data)]
    if "mimetype" in names:
        stated = _stated_type(data)
        for start, format_ in _MIMETYPES:
            if stated.startswith(start):
                return format_
        check_stated_type(stated)
    folders = {name.partition("/")[0].lower() for name in names if "/" in name}
    lowered = {name.lower() for name in names}
    for name, format_ in _NAMES:
        if name in lowered:
            return format_
    check_package(lowered)
    if "meta-inf/container.xml" in lowered and any(name.endswith(".opf") for name in lowered):
        return Format.EPUB
    if "content.xml" in lowered and "meta-inf/manifest.xml" in lowered:
        return Format.ODT
    return _office_format(folders, lowered)


def _office_format(folders: set[str], names: set[str]) -> Format:
    """Return the format of an Office package by its folders, else by its main part in any folder; ZIP for others."""
    marked = names & {"[content_types].xml", "_rels/.rels"}
    for folder, format_ in (("word", Format.DOCX), ("xl", Format.XLSX), ("ppt", Format.PPTX)):
        if folder in folders and (marked or f"{folder}/{_MAIN[format_]}" in names):
            return format_
    bases = {name.rpartition("/")[2] for name in names} if marked else set[str]()
    for format_ in (Format.XLSX, Format.PPTX):
        if _MAIN[format_] in bases:
            return format_
    return Format.DOCX if marked and not folders & {"xl", "ppt"} else Format.ZIP


_MAIN: Final = {Format.DOCX: "document.xml", Format.XLSX: "workbook.xml", Format.PPTX: "presentation.xml"}


def _directory_names(data: bytes) -> list[str]:
    """Return the names in the central directory; none when the end of the file is missing."""
    end = data.rfind(_END)
    if end < 0 or end + 20 > len(data):
        return []
    size = int.from_bytes(data[end + 12 : end + 16], "little")
    offset = data.find(_CENTRAL, max(0, end - size) if size != 0xFFFFFFFF else 0, end)
    names: list[str] = []
    while 0 <= offset < end and data[offset : offset + 4] == _CENTRAL and len(names) < MAX_NAMES:
        lengths = [int.from_bytes(data[offset + field : offset + field + 2], "little") for field in (28, 30, 32)]
        names.append(data[offset + 46 : offset + 46 + lengths[0]].decode("utf-8", "replace"))
        offset += 46 + sum(lengths)
    return names


def is_zip_cut(data: bytes) -> bool:
    """Return whether a ZIP lacks its directory; that of a ZIP stored inside it may be near the end instead."""
    if not data.startswith(_ZIP[0]):
        return False
    end = data.rfind(_END)
    if end < 0 or len(data) < end + _TABLE_END_BYTES:
        return True
    if data[max(0, end - _LOCATOR_BYTES) : end].startswith(_LOCATOR):
        return False
    size, start = struct.unpack_from("<II", data, end + 12)
    return bool(start != _ELSEWHERE and end - size - start > 0)


def _local_names(data: bytes) -> list[str]:
    names = []
    for match in _LOCAL.finditer(data[:65_536]):
        length = int.from_bytes(match.group(1), "little")
        names.append(data[match.end() : match.end() + length].decode("utf-8", "replace"))
    return names


def _stated_type(data: bytes) -> bytes:
    """Return the content of the entry `mimetype`, which is stored first and uncompressed."""
    length = int.from_bytes(data[26:28], "little")
    extra = int.from_bytes(data[28:30], "little")
    start = 30 + length + extra
    return data[start : start + 100] if data[30 : 30 + length] == b"mimetype" else b""


HEAD_BYTES: Final = 4096
"""Bytes that the signature rules examine."""

_PDF_HEADER_WITHIN: Final = 1024
"""Bytes before a PDF's header that may hold other data, as Acrobat allows."""
TAR_AT: Final = 257
"""Bytes before the signature of a tar archive."""
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
    (b"\0\0\0\x0cjP  ", Format.JPEG2000),
    (b"\xff\x4f\xff\x51", Format.JPEG2000),
    (b"{\\rtf", Format.RTF),
    (b"\x78\x9f\x3e\x22", Format.TNEF),
)
_BRANDS: Final = {
    b"avif": Format.AVIF, b"avis": Format.AVIF, b"heic": Format.HEIC, b"heix": Format.HEIC, b"heim": Format.HEIC,
    b"heis": Format.HEIC, b"hevc": Format.HEIC, b"mif1": Format.HEIC, b"msf1": Format.HEIC,
}  # fmt: skip
_STREAMS: Final = (
    ("encryptedpackage", None), ("worddocument", Format.DOC), ("workbook", Format.XLS), ("book", Format.XLS),
    ("powerpoint document", Format.PPT), ("__properties_version1.0", Format.MSG),
)  # fmt: skip
"""Streams that identify the format of a compound file."""


def sniff(data: bytes) -> Format:
    """Return the format of a file.

    Raises:
        UnsupportedFormat: The format is unknown or not read.
        Encrypted: The file is an encrypted Office package.
    """
    if (content := unwrap_signed(data)) is not None:
        return sniff(content)
    if (head := unpack_head(data)) is not None:
        return _sniff_packed(head)
    if (known := _sniff_start(data)) is not None:
        return known
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


def _sniff_packed(head: bytes) -> Format:
    """Return the format of the file inside a packed file, which is read in its place."""
    if (format_ := sniff(head)) in IMAGE_FORMATS:
        raise refuse("a packed picture", "unpack it")
    return format_


def _sniff_start(data: bytes) -> Format | None:
    """Return the format that the first bytes state."""
    if data[TAR_AT : TAR_AT + 5] == b"ustar":
        return Format.TAR
    for magic, format_ in _MAGIC:
        if data.startswith(magic):
            return format_
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return Format.WEBP
    return _find_brand(data) if data[4:8] == b"ftyp" else None


def is_compound(head: bytes) -> bool:
    """Return whether the file is a compound file (old Office, Outlook)."""
    return head.startswith(_CFB)


def is_container(head: bytes) -> bool:
    """Return whether the head is not enough to identify the file: a zip archive or a compound file."""
    return head.startswith((*_ZIP, _CFB))


def check_head(head: bytes) -> None:
    """Check that a file with this head may be of a known format.

    Raises:
        UnsupportedFormat: The format is unknown or not read.
    """
    if not head.startswith(_CFB):
        sniff(head)


def is_locked(data: bytes) -> bool:
    """Return whether the file is an encrypted Office package."""
    return data.startswith(_CFB) and "encryptedpackage" in _root_names(data)


def _is_bitmap(data: bytes) -> bool:
    """Check the header size too, because many texts also begin with `BM`."""
    return data.startswith(b"BM") and (len(data) < 18 or data[14:18] in _BITMAP_HEADERS)


_BITMAP_HEADERS: Final = frozenset(size.to_bytes(4, "little") for size in (12, 16, 40, 52, 56, 64, 108, 124))


def _find_brand(data: bytes) -> Format | None:
    size = min(int.from_bytes(data[:4], "big"), 256)
    brands = [data[8:12], *(data[i : i + 4] for i in range(16, size - 3, 4))]
    named = [_BRANDS[brand] for brand in brands if brand in _BRANDS]
    return Format.AVIF if Format.AVIF in named else (named[0] if named else None)


def _sniff_compound(data: bytes) -> Format:
    """Return the format by the root storage alone: embedded objects have their own storages below it."""
    names = _root_names(data)
    for name, format_ in _STREAMS:
        if name in names:
            if format_ is None:
                raise Encrypted()
            return format_
    check_root(names)
    raise UnsupportedFormat("a compound file of an unknown kind")


def _root_names(data: bytes) -> set[str]:
    """Return names at the root of a compound file in lower case; of all entries when its directory is broken."""
    try:
        return CompoundFile(data).root_names()
    except (Malformed, ResourceLimit, struct.error):
        return {name for name, _ in _STREAMS if _has_stream(data, name)}


def _has_stream(data: bytes, name: str) -> bool:
    """Return whether a directory entry (128 bytes long and aligned) has that name, ignoring case."""
    entry_name = re.compile(re.escape(name.encode("utf-16-le") + b"\0\0"), re.IGNORECASE)
    return any(match.start() % 128 == 0 and match.start() >= 512 for match in entry_name.finditer(data))
