"""Which package a zip archive is, from the names in its directory; a plain archive when it is none."""

import re
from typing import Final

from models.cdom.original import Format

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
        names.append(data[at + 46 : at + 46 + lengths[0]].decode("utf-8", "replace"))
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
