"""Records of binary Excel parts: bytes in, kind and data out; also the strings and areas inside them."""

import struct
from collections.abc import Iterator, Sequence
from typing import Final

from quire.models.extract.formats.flow.sheet import Area, Sheet
from quire.models.extract.formats.sheets.values import POINTS_PER_CHAR, ValueWriter, decode_rk


def read_records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield kind and data of each record to the end of the part."""
    offset, end = 0, len(data)
    while offset < end:
        kind = data[offset]
        offset += 1
        if kind & 0x80 and offset < end:
            kind = (kind & 0x7F) | (data[offset] & 0x7F) << 7
            offset += 1
        size = shift = 0
        while offset < end and shift < 28:
            byte = data[offset]
            offset += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        yield kind, data[offset : offset + size]
        offset += size


def read_string(data: bytes, offset: int = 0) -> tuple[str, int]:
    """Return the string at an offset, and its end."""
    count = struct.unpack_from("<I", data, offset)[0]
    if count == 0xFFFFFFFF:
        return "", offset + 4
    end = offset + 4 + 2 * count
    return data[offset + 4 : end].decode("utf-16-le", "replace"), min(end, len(data))


def read_area(data: bytes, offset: int = 0) -> Area:
    """Return the area at an offset, which states rows before columns."""
    top, bottom, left, right = struct.unpack_from("<IIII", data, offset)
    return top, left, bottom, right


MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384
"""Rows and columns of a sheet: the limits of the format."""
_ROW, _MERGE, _COLUMNS, _FILTER = 0, 176, 60, 161
"""Records, by their numbers in the format."""
_RK, _ERROR, _TRUTH, _REAL, _TEXT, _SHARED, _RICH = 2, 3, 4, 5, 6, 7, 62
"""Records of cells, by the kind of value."""
_KINDS: Final = {8: _TEXT, 9: _REAL, 10: _TRUTH, 11: _ERROR, **{kind: kind for kind in range(2, 8)}, _RICH: _RICH}
"""Records of cells; those of formulas map to the kind of their result."""


def read_sheet(data: bytes, sheet: Sheet, values: ValueWriter, strings: Sequence[str]) -> None:
    """Fill `sheet` from its part; skip a record that is too short for its kind, with a warning."""
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
            index = struct.unpack_from("<I", record, 8)[0]
            if index < len(strings):
                values.text(row, column, style, strings[index])


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
