"""The cells of one sheet of a binary workbook: its records in, a filled sheet out. Formulas yield their last value."""

import struct
from collections.abc import Callable
from typing import Final

from quire.models.extract.formats.flow.sheet import Sheet
from quire.models.extract.formats.sheets.values import POINTS_PER_CHAR, ValueWriter, decode_rk
from quire.models.rare_formats.xls.globals import BOF, EOF, XlsGlobals
from quire.models.rare_formats.xls.records import BiffRecord, StringReader, read_records

MAX_COLUMNS: Final = 256
"""Columns of a sheet in this format."""
_TEXT_OBJECT, _NOTE, _OBJECT = 0x1B6, 0x1C, 0x5D
"""Records, by their numbers in the format."""


class XlsSheet:
    """Takes the records of one sheet."""

    def __init__(self, sheet: Sheet, values: ValueWriter, book: XlsGlobals) -> None:
        self._sheet, self._values, self._book = sheet, values, book
        self._pending: tuple[int, int, int] | None = None
        self._object = 0
        self._texts: dict[int, str] = {}
        self._notes: list[tuple[int, int, int]] = []
        self._filtered = False

    def read(self, stream: bytes, start: int) -> None:
        """Read from the sheet's first record to its end; skip charts inside it."""
        depth = 0
        for record in read_records(stream, start):
            depth += record.kind == BOF
            if record.kind == EOF:
                depth -= 1
                if depth <= 0:
                    break
            elif depth == 1:
                try:
                    self._take(record)
                except (struct.error, IndexError):
                    self._sheet.warnings.append("part-unreadable")
        for row, column, number in self._notes:
            if text := self._texts.get(number, "").strip():
                self._sheet.comments.append(((row, column), text))
        self._sheet.comments.sort(key=lambda comment: comment[0])
        if self._filtered and self._sheet.hidden_rows:
            self._sheet.filters.append((0, 0, max(self._sheet.hidden_rows), MAX_COLUMNS - 1))

    def _take(self, record: BiffRecord) -> None:
        handler = _CELLS.get(record.kind)
        if handler is not None:
            row, column, style = struct.unpack_from("<HHH", record.data)
            handler(self, record, row, column, style)
            return
        match record.kind:
            case 0x207:
                self._take_result(record)
            case 0xE5:
                self._take_merges(record.data)
            case 0x208:
                self._take_row(record.data)
            case 0x7D:
                self._take_columns(record.data)
            case 0x9B:
                self._filtered = True
            case _ if record.kind in (_NOTE, _OBJECT, _TEXT_OBJECT) and self._book.wide:
                self._take_object(record)

    def _take_number(self, record: BiffRecord, row: int, column: int, style: int) -> None:
        self._values.number(row, column, style, struct.unpack_from("<d", record.data, 6)[0])

    def _take_rk(self, record: BiffRecord, row: int, column: int, style: int) -> None:
        self._values.number(row, column, style, decode_rk(struct.unpack_from("<I", record.data, 6)[0]))

    def _take_rk_row(self, record: BiffRecord, row: int, column: int, style: int) -> None:
        for step in range((len(record.data) - 6) // 6):
            own, raw = struct.unpack_from("<HI", record.data, 4 + 6 * step)
            self._values.number(row, column + step, own, decode_rk(raw))

    def _take_shared(self, record: BiffRecord, row: int, column: int, style: int) -> None:
        index = struct.unpack_from("<I", record.data, 6)[0]
        if index < len(self._book.strings):
            self._values.text(row, column, style, self._book.strings[index])

    def _take_label(self, record: BiffRecord, row: int, column: int, style: int) -> None:
        self._values.text(row, column, style, self._book.string(record, 6))

    def _take_boolean_or_error(self, record: BiffRecord, row: int, column: int, style: int) -> None:
        put = self._values.error if record.data[7] else self._values.truth
        put(row, column, record.data[6])

    def _take_formula(self, record: BiffRecord, row: int, column: int, style: int) -> None:
        result = record.data[6:14]
        self._pending = None
        if result[6:8] != b"\xff\xff":
            self._values.number(row, column, style, struct.unpack("<d", result)[0])
        elif result[0] == 0:
            self._pending = row, column, style
        elif result[0] == 1:
            self._values.truth(row, column, result[2])
        elif result[0] == 2:
            self._values.error(row, column, result[2])

    def _take_result(self, record: BiffRecord) -> None:
        """Take the text result of a formula."""
        if self._pending is not None:
            self._values.text(*self._pending, self._book.string(record, 0))
            self._pending = None

    def _take_merges(self, data: bytes) -> None:
        for index in range(min(struct.unpack_from("<H", data)[0], (len(data) - 2) // 8)):
            top, bottom, left, right = struct.unpack_from("<HHHH", data, 2 + 8 * index)
            if (bottom > top or right > left) and bottom >= top and right >= left:
                self._sheet.add_merge((top, left, bottom, right))

    def _take_row(self, data: bytes) -> None:
        row, height, flags = struct.unpack_from("<H4xH4xH", data)
        if not height & 0x8000:
            self._sheet.rows.stated[row] = height / 20
        if flags & 0x20:
            self._sheet.hidden_rows.add(row)

    def _take_columns(self, data: bytes) -> None:
        first, last, width, _, flags = struct.unpack_from("<HHHHH", data)
        last = min(last, MAX_COLUMNS - 1)
        self._sheet.columns.stated.update(dict.fromkeys(range(first, last + 1), width / 256 * POINTS_PER_CHAR))
        if flags & 1:
            self._sheet.hidden_columns.append((first, last))

    def _take_object(self, record: BiffRecord) -> None:
        """Take a record of a comment: an object, its text, or the note that links both to a cell."""
        data = record.data
        if record.kind == _OBJECT:
            self._object = struct.unpack_from("<H", data, 6)[0] if data[:2] == b"\x15\0" else 0
        elif record.kind == _NOTE:
            row, column, _, number = struct.unpack_from("<HHHH", data)
            self._notes.append((row, column, number))
        elif len(record.parts) > 1:
            count = struct.unpack_from("<H", data, 10)[0]
            reader = StringReader(record.parts[1:])
            wide = bool(reader.number(1) & 1)
            self._texts[self._object] = reader.characters(count, wide=wide)


_Handler = Callable[[XlsSheet, BiffRecord, int, int, int], None]
_CELLS: Final[dict[int, _Handler]] = {
    0x203: XlsSheet._take_number, 0x27E: XlsSheet._take_rk, 0xBD: XlsSheet._take_rk_row, 0xFD: XlsSheet._take_shared,
    0x204: XlsSheet._take_label, 0xD6: XlsSheet._take_label, 0x205: XlsSheet._take_boolean_or_error,
    0x06: XlsSheet._take_formula,
}  # fmt: skip
