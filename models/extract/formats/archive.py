"""A zip archive: its directory in, a page that lists its members and their bytes out. Nothing is written anywhere."""

from typing import Final

from models.cdom.errors import Encrypted, ResourceLimit
from models.cdom.original import Embedded, Format, ReadOptions
from models.cdom.tree import BlockType
from models.extract.formats.common.opc import Package
from models.extract.formats.common.xml import BrokenPart
from models.extract.formats.flow.blocks import FlowBlock, FlowPage, clean
from models.extract.formats.flow.document import MAX_EMBEDDED, MAX_EMBEDDED_BYTES, FlowDocument, FlowFile, open_flow

ENGINE: Final = "zip"
_LEFT_OUT: Final = ("__MACOSX/", ".DS_Store", "Thumbs.db")
"""What systems put beside the files of people."""
_LOCKED: Final = 0x1
"""The bit of a member that is under a password."""


def open_zip(data: bytes, options: ReadOptions) -> FlowDocument:
    """The archive in `data`. Raises `ExtractError`: malformed, encrypted, a limit passed."""
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    if _has_locked(data):
        raise Encrypted()
    package = Package(data)
    names = [name for name in package.names() if not name.startswith(_LEFT_OUT[0]) and not name.endswith(_LEFT_OUT[1:])]
    if len(names) > MAX_EMBEDDED or sum(package.size(name) for name in names) > MAX_EMBEDDED_BYTES:
        raise ResourceLimit("the archive has too many or too large members")
    page = FlowPage()
    found: list[Embedded] = []
    for name in names:
        shown = clean(name).strip()
        page.blocks.append(FlowBlock(BlockType.LIST_ITEM, shown, level=1, path=shown, bullet=True))
        try:
            content = package.read(name)
        except BrokenPart:
            page.warnings.append("part-unreadable")
            continue
        if content:
            found.append(Embedded(path=shown, name=shown.rpartition("/")[2], data=content))
    return FlowFile(format=Format.ZIP, pages=[page], engine=ENGINE, reason="archive", embedded=tuple(found))


def _has_locked(data: bytes) -> bool:
    """True when the directory marks a member as under a password."""
    at = data.rfind(b"PK\x05\x06")
    start = int.from_bytes(data[at + 16 : at + 20], "little") if at >= 0 else len(data)
    while 0 <= start < len(data) - 46 and data[start : start + 4] == b"PK\x01\x02":
        if data[start + 8] & _LOCKED:
            return True
        lengths = (int.from_bytes(data[start + shift : start + shift + 2], "little") for shift in (28, 30, 32))
        start += 46 + sum(lengths)
    return False
