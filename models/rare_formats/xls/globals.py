"""Workbook-wide records of a binary workbook: its first records in; sheets, strings, format codes, epoch out."""

from dataclasses import dataclass, field
from typing import Final

from quire.models.cdom.errors import Encrypted, Malformed, ResourceLimit, UnsupportedFormat
from quire.models.extract.formats.common.compound import decode
from quire.models.extract.formats.sheets.formats import BUILT_IN
from quire.models.rare_formats.xls.records import BiffRecord, StringReader, read_records

BOF, EOF = 0x809, 0x0A
"""Records that begin and end a part of the stream."""
MAX_STRINGS: Final = 2_000_000
"""Shared strings: more than a workbook may have filled cells."""
MAX_SHEETS: Final = 2000
"""Sheets of one workbook, as for XLSX."""
_BIFF8, _BIFF5 = 0x600, 0x500
"""Versions of the format: Excel 97 to 2003, Excel 5 and 95."""
_HIDDEN: Final = 3
"""Bits of a sheet's state: hidden, or hidden so that only a macro shows it."""


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """A sheet in the workbook's list: the start of its records, and its kind (0 = cells, 2 = a chart)."""

    name: str
    start: int
    visible: bool
    kind: int


@dataclass(slots=True)
class XlsGlobals:
    """Workbook-wide data, filled from the records before the first sheet."""

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
        """Return format codes by the index of the cell style."""
        return [self.formats.get(number, "General") for number in self.styles]

    def narrow(self, data: bytes, length_bytes: int) -> str:
        """Return a string of the older format: its length, then bytes in the workbook's code page."""
        size = int.from_bytes(data[:length_bytes], "little")
        return decode(data[length_bytes : length_bytes + size], self.code_page)

    def string(self, record: BiffRecord, offset: int, length_bytes: int = 2) -> str:
        """Return a string at an offset of a record, as the workbook's version writes it."""
        if self.wide:
            return StringReader(record.parts, offset).string(length_bytes)
        return self.narrow(record.data[offset:], length_bytes)


def read_globals(stream: bytes) -> XlsGlobals:
    """Read the records before the first sheet.

    Raises:
        Encrypted: The workbook has a password.
        UnsupportedFormat: The workbook is older than Excel 5.
        Malformed: The version is unknown.
        ResourceLimit: The workbook has too many strings.
    """
    book = XlsGlobals()
    for index, record in enumerate(read_records(stream)):
        if index == 0:
            version = int.from_bytes(record.data[:2], "little")
            if record.kind != BOF:
                raise UnsupportedFormat("a workbook older than Excel 5")
            book.wide = version == _BIFF8
            if version not in (_BIFF8, _BIFF5):
                raise Malformed("a workbook of an unknown version")
        elif record.kind == EOF:
            break
        else:
            _take(book, record)
    return book


def _take(book: XlsGlobals, record: BiffRecord) -> None:
    data = record.data
    match record.kind:
        case 0x2F:
            raise Encrypted()
        case 0x42:
            book.code_page = int.from_bytes(data[:2], "little")
        case 0x22:
            book.epoch_1904 = bool(int.from_bytes(data[:2], "little"))
        case 0x85:
            _take_sheet(book, record)
        case 0xFC:
            book.strings = _read_strings(record)
        case 0x41E:
            book.formats[int.from_bytes(data[:2], "little")] = book.string(record, 2, 2 if book.wide else 1)
        case 0xE0:
            book.styles.append(int.from_bytes(data[2:4], "little"))
        case 0xD3:
            book.macros = True
        case 0x1AE:
            book.external = book.external or data[2:4] not in (b"\x01\x04", b"\x01\x3a")


def _take_sheet(book: XlsGlobals, record: BiffRecord) -> None:
    data = record.data
    if len(book.sheets) >= MAX_SHEETS or len(data) < 7:
        return
    name = book.string(record, 6, 1)
    kind = data[5]
    book.macros = book.macros or kind in (1, 6)
    book.sheets.append(SheetEntry(name, int.from_bytes(data[:4], "little"), not data[4] & _HIDDEN, kind))


def _read_strings(record: BiffRecord) -> list[str]:
    count = int.from_bytes(record.data[4:8], "little")
    if count > MAX_STRINGS:
        raise ResourceLimit("a workbook has too many strings")
    reader = StringReader(record.parts, 8)
    strings: list[str] = []
    while len(strings) < count and not reader.ended:
        strings.append(reader.string())
    return strings
