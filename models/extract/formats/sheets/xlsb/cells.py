"""The cells of one sheet of a binary package: its part in, a filled sheet out. Formulas give their last value."""

import struct
from collections.abc import Sequence
from typing import Final

from models.extract.formats.flow.sheet import Sheet
from models.extract.formats.sheets.values import POINTS_PER_CHAR, ValueWriter, decode_rk
from models.extract.formats.sheets.xlsb.records import read_area, read_records, read_string

MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384
"""Rows and columns of a sheet: the bounds of the format."""
_ROW, _MERGE, _COLUMNS, _FILTER = 0, 176, 60, 161
"""Records by their numbers in the format."""
_RK, _ERROR, _TRUTH, _REAL, _TEXT, _SHARED, _RICH = 2, 3, 4, 5, 6, 7, 62
"""Records of cells by what they hold."""
_KINDS: Final = {8: _TEXT, 9: _REAL, 10: _TRUTH, 11: _ERROR, **{kind: kind for kind in range(2, 8)}, _RICH: _RICH}
"""Records of cells, those of formulas as the value they gave."""


def read_sheet(data: bytes, sheet: Sheet, values: ValueWriter, strings: Sequence[str]) -> None:
    """Fills `sheet` from its part; a record too short for its kind is passed over with a warning."""
    row = 0
    for kind, record in read_records(data):
        try:
            if kind == _ROW:
                row = _take_row(record, sheet)
            elif kind in _KINDS and row < MAX_ROWS:
                _take_cell(_KINDS[kind], record, row, values, strings)
            elif kind in (_MERGE, _FILTER):
                _take_area(kind, record, sheet)
            elif kind == _COLUMNS:
                _take_columns(record, sheet)
        except (struct.error, IndexError):
            sheet.warnings.append("part-unreadable")


def _take_row(record: bytes, sheet: Sheet) -> int:
    row, height, flags = struct.unpack_from("<I4xHxB", record)
    if 0 < height < 0x8000:
        sheet.rows.stated[row] = height / 20
    if flags & 0x10:
        sheet.hidden_rows.add(row)
    return int(row)


def _take_cell(kind: int, record: bytes, row: int, values: ValueWriter, strings: Sequence[str]) -> None:
    column, style = struct.unpack_from("<II", record)
    style &= 0xFFFFFF
    if column >= MAX_COLUMNS:
        return
    match kind:
        case 2:
            values.number(row, column, style, decode_rk(struct.unpack_from("<I", record, 8)[0]))
        case 3:
            values.error(row, column, record[8])
        case 4:
            values.truth(row, column, record[8])
        case 5:
            values.number(row, column, style, struct.unpack_from("<d", record, 8)[0])
        case 6:
            values.text(row, column, style, read_string(record, 8)[0])
        case 62:
            values.text(row, column, style, read_string(record, 9)[0])
        case 7:
            at = struct.unpack_from("<I", record, 8)[0]
            if at < len(strings):
                values.text(row, column, style, strings[at])


def _take_area(kind: int, record: bytes, sheet: Sheet) -> None:
    area = read_area(record)
    if area[0] > area[2] or area[1] > area[3]:
        return
    if kind == _FILTER:
        sheet.filters.append(area)
        sheet.headers.append(area)
    elif area[:2] != area[2:]:
        sheet.add_merge(area)


def _take_columns(record: bytes, sheet: Sheet) -> None:
    first, last, width, _, flags = struct.unpack_from("<IIIIH", record)
    last = min(last, MAX_COLUMNS - 1)
    if last - first < 1000:
        sheet.columns.stated.update(dict.fromkeys(range(first, last + 1), width / 256 * POINTS_PER_CHAR))
    if flags & 1:
        sheet.hidden_columns.append((first, last))
