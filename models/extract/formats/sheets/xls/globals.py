"""What all sheets of a binary workbook share: its first records in, sheets, strings, format codes, epoch out."""

from dataclasses import dataclass, field
from typing import Final

from models.cdom.errors import Encrypted, Malformed, ResourceLimit, UnsupportedFormat
from models.extract.formats.common.compound import decode
from models.extract.formats.sheets.formats import BUILT_IN
from models.extract.formats.sheets.xls.records import BiffRecord, StringReader, read_records

BOF, EOF = 0x809, 0x0A
"""Records that begin and end a part of the stream."""
MAX_STRINGS: Final = 2_000_000
"""Shared strings: more than cells that a workbook may have filled."""
MAX_SHEETS: Final = 2000
"""Sheets of one workbook, as for XLSX."""
_BIFF8, _BIFF5 = 0x600, 0x500
"""Versions of the format: Excel 97 to 2003, Excel 5 and 95."""
_HIDDEN: Final = 3
"""Bits of a sheet's state: hidden, or hidden so that only a macro shows it."""


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """A sheet as the workbook lists it: where its records begin, and what kind it is (0 = cells, 2 = a chart)."""

    name: str
    start: int
    visible: bool
    kind: int


@dataclass(slots=True)
class XlsGlobals:
    """Filled by the records before the first sheet."""

    wide: bool = True
    code_page: int = 1252
    epoch_1904: bool = False
    sheets: list[SheetEntry] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    formats: dict[int, str] = field(default_factory=lambda: dict(BUILT_IN))
    styles: list[int] = field(default_factory=list)
    macros: bool = False
    external: bool = False

    def codes(self) -> list[str]:
        """Format codes by the index of the cell style."""
        return [self.formats.get(number, "General") for number in self.styles]

    def narrow(self, data: bytes, length_bytes: int) -> str:
        """A string of the older format: its length, then bytes of the workbook's code page."""
        size = int.from_bytes(data[:length_bytes], "little")
        return decode(data[length_bytes : length_bytes + size], self.code_page)

    def string(self, record: BiffRecord, at: int, length_bytes: int = 2) -> str:
        """A string inside a record, as the workbook's version writes it."""
        if self.wide:
            return StringReader(record.parts, at).string(length_bytes)
        return self.narrow(record.data[at:], length_bytes)


def read_globals(stream: bytes) -> XlsGlobals:
    """Raises `Encrypted`, `UnsupportedFormat` for versions before Excel 5, `Malformed`, `ResourceLimit`."""
    found = XlsGlobals()
    for at, record in enumerate(read_records(stream)):
        if at == 0:
            version = int.from_bytes(record.data[:2], "little")
            if record.kind != BOF:
                raise UnsupportedFormat("a workbook older than Excel 5")
            found.wide = version == _BIFF8
            if version not in (_BIFF8, _BIFF5):
                raise Malformed("a workbook of an unknown version")
        elif record.kind == EOF:
            break
        else:
            _take(found, record)
    return found


def _take(found: XlsGlobals, record: BiffRecord) -> None:
    data = record.data
    match record.kind:
        case 0x2F:
            raise Encrypted()
        case 0x42:
            found.code_page = int.from_bytes(data[:2], "little")
        case 0x22:
            found.epoch_1904 = bool(int.from_bytes(data[:2], "little"))
        case 0x85:
            _take_sheet(found, record)
        case 0xFC:
            found.strings = _read_strings(record)
        case 0x41E:
            found.formats[int.from_bytes(data[:2], "little")] = found.string(record, 2, 2 if found.wide else 1)
        case 0xE0:
            found.styles.append(int.from_bytes(data[2:4], "little"))
        case 0xD3:
            found.macros = True
        case 0x1AE:
            found.external = found.external or data[2:4] not in (b"\x01\x04", b"\x01\x3a")


def _take_sheet(found: XlsGlobals, record: BiffRecord) -> None:
    data = record.data
    if len(found.sheets) >= MAX_SHEETS or len(data) < 7:
        return
    name = found.string(record, 6, 1)
    kind = data[5]
    found.macros = found.macros or kind in (1, 6)
    found.sheets.append(SheetEntry(name, int.from_bytes(data[:4], "little"), not data[4] & _HIDDEN, kind))


def _read_strings(record: BiffRecord) -> list[str]:
    count = int.from_bytes(record.data[4:8], "little")
    if count > MAX_STRINGS:
        raise ResourceLimit("a workbook has too many strings")
    reader = StringReader(record.parts, 8)
    strings: list[str] = []
    while len(strings) < count and not reader.ended:
        strings.append(reader.string())
    return strings
