"""The zip package of an Office file: bytes in, parts and their relationships out, all in memory.

The directory is checked before anything is read. Unpacked bytes are counted while reading, because stated sizes may be
wrong. Knows nothing of the parts' meaning.
"""

import posixpath
import re
import struct
import zipfile
import zlib
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from types import MappingProxyType
from typing import Final, cast
from urllib.parse import unquote

from lxml import etree

from quire.models.cdom.errors import Encrypted, Malformed, ResourceLimit
from quire.models.cdom.tree import Metadata
from quire.models.extract.formats.common.installed import load_reader
from quire.models.extract.formats.common.member_names import clean_name
from quire.models.extract.formats.common.parse_cache import keep, keep_package, last_package, take
from quire.models.extract.formats.common.xml import BrokenPart, Element, W, parse_xml, to_transitional

MAX_ENTRIES: Final = 2000
"""Files in a package: a thick book with a picture per page has a thousand."""
MAX_TOTAL_BYTES: Final = 512 * 1024 * 1024
"""Unpacked bytes of a whole package, limited by a sandbox's memory next to the parsed tree."""
MAX_XML_BYTES: Final = 128 * 1024 * 1024
"""Bytes of one XML part: its tree takes about ten times as many."""
MAX_RATIO: Final = 200
"""Unpacked bytes per packed byte: text packs to a tenth, and only attacks to less than a two-hundredth."""
RATIO_FROM_BYTES: Final = 10_000_000
"""Unpacked bytes below which a ratio does no harm: blank pictures pack to almost nothing."""
MAX_PARAGRAPHS: Final = 300_000
"""Paragraphs of a document: ten thousand pages of text."""
MAX_TAGS: Final = 6_000_000
"""Start and end tags of one part; about 0.6 GB as a tree."""

MEMBER_LEFT_OUT: Final = "member-left-out"
"""Warning: members with an unsafe or repeated name, or an unknown compression, were not read."""
_CHUNK: Final = 1 << 20
"""Bytes unpacked at a time, so that an exceeded limit is noticed soon."""
_MOST_KEPT: Final = 8 * _CHUNK
"""Bytes of parts cached unpacked for the next reader of the package, and of a package that is cached."""
_CACHE_KEY: Final = "xml"
_FLAT: Final = "{http://schemas.microsoft.com/office/2006/xmlPackage}"
_WORD_2003: Final = b"http://schemas.microsoft.com/office/word/2003/wordml"
_HEAD_BYTES: Final = 8192
"""Bytes in which a document in a single XML text states its namespaces."""
_PARAGRAPH: Final = re.compile(rb"<(?:\w+:)?p[ />]")
_DRIVE: Final = re.compile(r"^[A-Za-z]:")
_CFB_MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED: Final = 0x1
"""The bit that marks an encrypted entry."""
_SYMLINK: Final = 0o120000
"""The Unix file type of a link, in the upper half of an entry's attributes (bits)."""


@dataclass(frozen=True, slots=True)
class Relation:
    """One relationship: the last word of its type, and its target (part name, or URI when external)."""

    kind: str
    target: str
    external: bool


Relations = Mapping[str, Relation]
NO_RELATIONS: Final[Relations] = MappingProxyType({})


@dataclass(slots=True)
class _Opened:
    """The directory of a package, and a limited number of bytes of its unpacked parts."""

    data: bytes
    archive: zipfile.ZipFile
    entries: dict[str, zipfile.ZipInfo]
    has_left_out: bool = False
    parts: dict[str, bytes] = field(default_factory=dict)
    kept: int = 0

    def keep(self, key: str, part: bytes) -> None:
        """Cache an unpacked part unless the limit is reached."""
        if self.kept + len(part) <= _MOST_KEPT:
            self.parts[key] = part
            self.kept += len(part)


class Package:
    """Parts of one package by name; its methods raise `Malformed`, `Encrypted` or `ResourceLimit`."""

    def __init__(self, data: bytes) -> None:
        if data.startswith(_CFB_MAGIC):
            raise Encrypted() if "EncryptedPackage".encode("utf-16-le") in data else Malformed("not a package")
        self._opened = _open(data)
        self._entries = self._opened.entries
        self._read_bytes = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about members that were left out."""
        return (MEMBER_LEFT_OUT,) if self._opened.has_left_out else ()

    def has(self, name: str) -> bool:
        """Return whether the package has a part of that name, ignoring case."""
        return name.casefold() in self._entries

    def names(self) -> list[str]:
        """Return the files in the package without folders, in the order of the directory."""
        return [_part_name(entry) for entry in self._entries.values() if not entry.is_dir()]

    def size(self, name: str) -> int:
        """Return the bytes of a part as the directory states them; reading never returns more."""
        entry = self._entries.get(name.casefold())
        return entry.file_size if entry is not None else 0

    def read(self, name: str) -> bytes:
        """Return the bytes of a part; empty when it does not exist."""
        part = b"".join(self.chunks(name))
        return to_transitional(part) if name.endswith((".xml", ".rels")) else part

    def xml(self, name: str) -> Element | None:
        """Return the root of a part, or None when it does not exist; check its size before building the tree."""
        if not self.has(name):
            return None
        chunks: list[bytes] = []
        size = paragraphs = tags = 0
        for chunk in self.chunks(name):
            size += len(chunk)
            tags += chunk.count(b"<")
            paragraphs += len(_PARAGRAPH.findall(chunk))
            if size > MAX_XML_BYTES or tags > MAX_TAGS or paragraphs > MAX_PARAGRAPHS:
                raise ResourceLimit("a part is too large")
            chunks.append(chunk)
        part = b"".join(chunks)
        return keep(_CACHE_KEY, part, parse_xml(part))

    def xml_again(self, name: str) -> Element | None:
        """Return the root of a part for the caller alone, who may change it; a reader's parse is reused."""
        cached = take(_CACHE_KEY, self.read(name))
        return self.xml(name) if cached is None else cast(Element, cached)

    def relations(self, part: str) -> Relations:
        """Return the relationships of a part by id (`part` "" for those of the package)."""
        folder, name = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", name + ".rels"))
        if root is None:
            return NO_RELATIONS
        return {node.get("Id", ""): _relation(node, folder) for node in root if isinstance(node.tag, str)}

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of a part piece by piece; nothing when it does not exist."""
        key = name.casefold()
        entry = self._entries.get(key)
        if entry is None:
            return
        if (cached := self._opened.parts.get(key)) is not None:
            self._count(cached)
            yield cached
            return
        try:
            with self._opened.archive.open(entry) as stream:
                while chunk := stream.read(_CHUNK):
                    self._count(chunk)
                    if len(chunk) == entry.file_size:
                        self._opened.keep(key, chunk)
                    yield chunk
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, RuntimeError, NotImplementedError):
            raise BrokenPart("a part cannot be unpacked") from None

    def _count(self, chunk: bytes) -> None:
        self._read_bytes += len(chunk)
        if self._read_bytes > MAX_TOTAL_BYTES:
            raise ResourceLimit("the package unpacks to too many bytes")


def _open(data: bytes) -> _Opened:
    """Return the checked directory of the package in exactly these bytes."""
    last = last_package()
    if isinstance(last, _Opened) and last.data is data:
        return last
    source = data if data.startswith(b"PK") else _pack_flat(data)
    _check_entry_count(source)
    try:
        archive = zipfile.ZipFile(BytesIO(source))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, struct.error):
        raise Malformed("not a readable package") from None
    entries = archive.infolist()
    if len(entries) > MAX_ENTRIES:
        raise ResourceLimit("the package has too many entries")
    _check_sizes(entries, len(source))
    if any(entry.flag_bits & _LOCKED for entry in entries):
        raise Malformed("an entry is under a password")
    safe: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        if _is_safe(entry):
            safe.setdefault(_part_name(entry).casefold(), entry)
    opened = _Opened(data, archive, safe, has_left_out=len(safe) < len(entries))
    if len(data) <= _MOST_KEPT:
        keep_package(opened)
    return opened


def _pack_flat(data: bytes) -> bytes:
    """Return the zip archive of a document that is a single XML text (Flat OPC, Word 2003 XML)."""
    head = data[:_HEAD_BYTES]
    is_word_2003 = _WORD_2003 in head
    if not is_word_2003 and b"xmlPackage" not in head:
        raise Malformed("not a package")
    if len(data) > MAX_XML_BYTES or data.count(b"<") > MAX_TAGS or len(_PARAGRAPH.findall(data)) > MAX_PARAGRAPHS:
        raise ResourceLimit("the package is too large")
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, content in _parts_of_word_2003(data).items() if is_word_2003 else _parts_of_flat(data):
            archive.writestr(zipfile.ZipInfo(name), content)
    return packed.getvalue()


def _parts_of_word_2003(data: bytes) -> dict[str, bytes]:
    convert = load_reader("word-2003")
    return cast(dict[str, bytes], convert(parse_xml(data.strip().replace(_WORD_2003, W[1:-1].encode()))))


def _parts_of_flat(data: bytes) -> Iterator[tuple[str, bytes]]:
    for part in parse_xml(data.strip()).iterfind(_FLAT + "part"):
        name = (part.get(_FLAT + "name") or "").lstrip("/")
        xml, binary = part.find(_FLAT + "xmlData"), part.find(_FLAT + "binaryData")
        content = etree.tostring(xml[0], with_tail=False) if xml is not None and len(xml) else b""
        if binary is not None:
            content = b64decode("".join((binary.text or "").split()) + "==")
        if name:
            yield name, content


def _relation(node: Element, folder: str) -> Relation:
    target = node.get("Target", "")
    kind = node.get("Type", "").rstrip("/").rpartition("/")[2]
    if node.get("TargetMode", "").lower() == "external":
        return Relation(kind, target, True)
    path = unquote(target.partition("#")[0]).replace("\\", "/")
    return Relation(kind, posixpath.normpath(posixpath.join("/", folder, path)).lstrip("/"), False)


def _check_entry_count(data: bytes) -> None:
    """Count directory records in the bytes: zipfile would build them all, and the stated count may be wrong."""
    end = data.rfind(b"PK\x05\x06")
    if end < 0 or end + 20 > len(data):
        raise Malformed("not a package")
    size = int.from_bytes(data[end + 12 : end + 16], "little")
    start = 0 if size == 0xFFFFFFFF else max(0, end - size - 76)
    if data.count(b"PK\x01\x02", start, end) > MAX_ENTRIES:
        raise ResourceLimit("the package has too many entries")


def _part_name(entry: zipfile.ZipInfo) -> str:
    return clean_name(entry.filename)


def _is_safe(entry: zipfile.ZipInfo) -> bool:
    """Return whether the member is readable and its name does not lead outside the package."""
    name = entry.orig_filename.replace("\\", "/")
    return not (
        "\0" in name
        or ".." in name.split("/")
        or _DRIVE.match(name) is not None
        or entry.external_attr >> 16 & 0o170000 == _SYMLINK
        or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    )


def _check_sizes(entries: list[zipfile.ZipInfo], packed: int) -> None:
    total = sum(entry.file_size for entry in entries)
    if total > MAX_TOTAL_BYTES or _is_bomb(total, packed):
        raise ResourceLimit("the package unpacks to too many bytes")
    if any(_is_bomb(entry.file_size, entry.compress_size) for entry in entries):
        raise ResourceLimit("an entry unpacks to too many bytes")
    end = -1
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end:
            raise Malformed("entries overlap")
        end = entry.header_offset + 30 + entry.compress_size


def _is_bomb(size: int, packed: int) -> bool:
    return size > RATIO_FROM_BYTES and size > packed * MAX_RATIO


MAX_CHARS: Final = 1000
"""Characters of a title or an author that are stored; longer values are not names."""
_DC: Final = "{http://purl.org/dc/elements/1.1/}"
_TERMS: Final = "{http://purl.org/dc/terms/}"


def read_metadata(core: Element | None, styles: Element | None) -> Metadata:
    """Return the stated properties, None for empty ones. The language may come from the styles' defaults."""
    language = styles.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr/{W}lang") if styles is not None else None
    return Metadata(
        title=_text(core, _DC + "title"),
        author=_text(core, _DC + "creator"),
        created=_text(core, _TERMS + "created"),
        modified=_text(core, _TERMS + "modified"),
        language=_text(core, _DC + "language") or (language.get(W + "val") if language is not None else None),
    )


def _text(core: Element | None, name: str) -> str | None:
    node = core.find(name) if core is not None else None
    text = "".join(node.itertext()).strip() if node is not None else ""
    return text[:MAX_CHARS] or None
