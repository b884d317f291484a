"""Form fields in their place: in the cell of a table, or with their printed label."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quire.models.cdom.geometry import Bbox, union_bbox
from quire.models.cdom.table import Cell, Table
from quire.models.extract.layout.lines.marks import Line, PrintedField
from quire.models.extract.layout.tables.scoring.find import FoundTable


@dataclass(frozen=True, slots=True)
class FormLimits:
    """Maximum distances of a label from its field, in points unless stated otherwise."""

    left_gap: float = 80.0
    """Distance between a label and the field to its right."""
    tick_gap: float = 30.0
    """Distance between a tick box and its label."""
    above_gap: float = 12.0
    """Distance between a label and the field below it."""
    slack: float = 3.0
    """Distance by which letters may extend into a field, or out of its row."""
    band: float = 40.0
    """Height of the bands in which lines are indexed; labels end nearer to their field."""
    label_chars: int = 80
    """Maximum characters of a label; a longer text is a sentence."""
    above_chars: int = 40
    """Most characters of a label above its field that has no colon."""
    tick_lines: int = 6
    """Maximum lines of the label of a tick box."""
    label_words: int = 5
    """Most words of a label in a row with its value."""
    row_gap: float = 20.0
    """Distance between a label and its value in a row of a form, relative to the line's height."""
    row_pitch: float = 4.0
    """Maximum distance to the next row of a form, relative to the line's height."""
    same_edge: float = 0.5
    """Distance by which values below each other begin apart, relative to the line's height."""
    word_gap: float = 1.2
    """Distance between recognised pieces of a label, relative to the line's height."""
    pitch: float = 1.6
    """Maximum distance to the next line of a label, relative to the line's height."""


LIMITS = FormLimits()
TICKED, UNTICKED = "☑", "☐"
COLONS = (":", "：")
_INDEX = re.compile(r"\[\d+\]$")


def settle_fields(
    fields: list[PrintedField], tables: list[FoundTable], lines: list[Line]
) -> tuple[list[PrintedField], list[Line]]:
    """Return the fields outside tables with their labels, and the lines that are not labels."""
    free = [field for field in fields if not any(_put_into_table(field, table) for table in tables)]
    return free, take_labels(free, lines)


def pair_rows(lines: list[Line], fields: list[PrintedField]) -> tuple[list[PrintedField], list[Line]]:
    """Return the fields with those of recognised rows of a label, a wide gap and a value, and the lines outside them.

    The values of at least two rows begin below each other.
    """
    pairs: list[tuple[list[Line], list[Line]]] = []
    for colon in lines:
        if colon.recognised and colon.upright and colon.text[-1:] in COLONS:
            row = sorted((line for line in lines if _shares_row(colon.bbox, line.bbox)), key=lambda line: line.x0)
            label, *values = _join_pieces(row)
            is_label = label[-1] is colon and _is_short(" ".join(line.text for line in label))
            value = values[0] if is_label and values else [colon]
            gap = value[0].x0 - colon.x1
            if value[-1].text[-1:] not in COLONS and gap <= LIMITS.row_gap * (colon.y1 - colon.y0):
                pairs.append((label, value))
    aligned = [
        (label, value)
        for label, value in pairs
        if any(
            0 < abs(value[0].base - other[0].base) <= LIMITS.row_pitch * (value[0].y1 - value[0].y0)
            and abs(value[0].x0 - other[0].x0) <= LIMITS.same_edge * (value[0].y1 - value[0].y0)
            for _, other in pairs
        )
    ]
    taken = {id(line) for label, value in aligned for line in (*label, *value)}
    texts = [" ".join(line.text for line in value) for _, value in aligned]
    rows = [
        PrintedField(union_bbox(line.bbox for line in value), "", text, printed=text, label=label)
        for (label, value), text in zip(aligned, texts, strict=True)
    ]
    return [*fields, *rows], [line for line in lines if id(line) not in taken]


def sort_rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines in rows from top to bottom, each from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.y0 + line.y1):
        if rows and _shares_row(rows[-1][0].bbox, line.bbox):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.x0) for row in rows]


def _join_pieces(row: list[Line]) -> list[list[Line]]:
    """Return the pieces of a row from left to right in groups that a blank at most parts."""
    groups = [row[:1]]
    for line in row[1:]:
        last = groups[-1][-1]
        if last.text[-1:] not in COLONS and line.x0 - last.x1 <= LIMITS.word_gap * (last.y1 - last.y0):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _is_short(text: str) -> bool:
    return len(text) <= LIMITS.above_chars and len(text.split()) <= LIMITS.label_words and any(map(str.isalpha, text))


def _shares_row(a: Bbox, b: Bbox) -> bool:
    return min(a[3], b[3]) - max(a[1], b[1]) >= min(a[3] - a[1], b[3] - b[1]) / 2


def plain_name(name: str) -> str:
    """Return the last part of a field's full name, without the index that form designers add."""
    return _INDEX.sub("", name.rpartition(".")[2])


def _put_into_table(field: PrintedField, found_table: FoundTable) -> bool:
    """Write the field into its cell; return False if it is outside the table's cells."""
    x, y = _middle(field.box)
    if not (found_table.box[0] <= x <= found_table.box[2] and found_table.box[1] <= y <= found_table.box[3]):
        return False
    index = _cell_at(found_table.table, x, y)
    if index is None:
        return False
    cells = list(found_table.table.cells)
    cells[index] = _fill(cells[index], field)
    found_table.table = replace(found_table.table, cells=tuple(cells))
    return True


def _fill(cell: Cell, field: PrintedField) -> Cell:
    mark = field.sign or ("" if field.is_checked is None else TICKED if field.is_checked else UNTICKED)
    parts = [cell.text, field.printed or field.value]
    if mark:
        parts = [field.printed or mark, *(line.text for line in field.label), cell.text]
    boxes = [field.box] if cell.bbox is None else [cell.bbox, field.box]
    return replace(cell, text=" ".join(part for part in parts if part), bbox=union_bbox(boxes))


def _cell_at(table: Table, x: float, y: float) -> int | None:
    """Index of the cell in whose row and column the point lies, by where the text of both stands."""
    rows: dict[int, list[Bbox]] = {}
    columns: dict[int, list[Bbox]] = {}
    for cell in table.cells:
        if cell.bbox is not None and cell.row_span == cell.col_span == 1:
            rows.setdefault(cell.row, []).append(cell.bbox)
            columns.setdefault(cell.col, []).append(cell.bbox)
    if not rows:
        return None
    row = min(rows, key=lambda number: (_outside(y, rows[number], 1), number))
    column = min(columns, key=lambda number: (_outside(x, columns[number], 0), number))
    for index, cell in enumerate(table.cells):
        if cell.row <= row < cell.row + cell.row_span and cell.col <= column < cell.col + cell.col_span:
            return index
    return None


def _outside(position: float, boxes: list[Bbox], axis: int) -> float:
    """Return the distance of a coordinate from the stretch that the boxes cover."""
    return max(min(box[axis] for box in boxes) - position, position - max(box[axis + 2] for box in boxes), 0.0)


def take_labels(fields: list[PrintedField], lines: list[Line]) -> list[Line]:
    """Assign the nearest possible label to each field and return the remaining lines."""
    bands: dict[int, list[int]] = {}
    for place, line in enumerate(lines):
        bands.setdefault(int(line.y1 // LIMITS.band), []).append(place)
    near = [
        (distance, number, place)
        for number, field in enumerate(fields)
        for band in range(
            int((field.box[1] - LIMITS.band) // LIMITS.band), int((field.box[3] + LIMITS.band) // LIMITS.band) + 1
        )
        for place in bands.get(band, ())
        if (distance := _distance(field, lines[place])) is not None
    ]
    taken: set[int] = set()
    for _, number, place in sorted(near):
        field = fields[number]
        if place in taken or field.label:
            continue
        taken.add(place)
        field.label = [lines[place]]
        taken |= _extend_label(field, fields, lines, taken)
        if field.is_checked is not None:
            taken |= _follow_label(field, fields, lines, place, taken)
    return [line for place, line in enumerate(lines) if place not in taken]


def _distance(field: PrintedField, line: Line) -> float | None:
    """Return the points from a field to a line that can be its label, or None."""
    x0, y0, x1, y1 = field.box
    slack = LIMITS.slack * field.unit
    in_row = y0 - slack <= (line.y0 + line.y1) / 2 <= y1 + slack
    if not line.upright or line.hidden:
        return None
    if field.is_checked is not None:
        gap = max(line.x0 - x1, x0 - line.x1 + slack)
        return gap if in_row and -slack <= gap <= LIMITS.tick_gap * field.unit else None
    if len(line.text) > LIMITS.label_chars:
        return None
    if in_row and -slack <= x0 - line.x1 <= LIMITS.left_gap * field.unit:
        return max(0.0, x0 - line.x1)
    above, is_label = y0 - line.y1, line.text.endswith(":") or len(line.text) <= LIMITS.above_chars
    stands_over = x0 - slack <= line.x0 <= x1 and not line.text.endswith(".")
    if is_label and stands_over and -slack <= above <= LIMITS.above_gap * field.unit:
        return LIMITS.left_gap * field.unit + above
    return None


def _extend_label(field: PrintedField, fields: list[PrintedField], lines: list[Line], taken: set[int]) -> set[int]:
    """Add recognised pieces in the row of the label that belong to it; return their indices."""
    indices: set[int] = set()
    first = last = field.label[0]
    row = [index for index, line in enumerate(lines) if line.recognised and _shares_row(line.bbox, first.bbox)]
    edges = [edge for other in fields if _shares_row(other.box, first.bbox) for edge in other.box[::2]]

    def joins(left: Line, right: Line) -> bool:
        is_near = 0 <= right.x0 - left.x1 <= LIMITS.word_gap * (first.y1 - first.y0)
        return is_near and not any(left.x1 - 1 <= edge <= right.x0 + 1 for edge in edges)

    for index in sorted(set(row) - taken, key=lambda index: lines[index].x0):
        if joins(last, lines[index]):
            last = lines[index]
            field.label.append(last)
            indices.add(index)
    for index in sorted(set(row) - taken, key=lambda index: -lines[index].x0):
        if joins(lines[index], first):
            first = lines[index]
            field.label.insert(0, first)
            indices.add(index)
    return indices


def _follow_label(
    field: PrintedField, fields: list[PrintedField], lines: list[Line], place: int, taken: set[int]
) -> set[int]:
    """Return the indices of lines that continue the label of a tick box."""
    indices: set[int] = set()
    last = lines[place]
    if last.x0 < field.box[0]:
        return indices
    for index, line in sorted(enumerate(lines), key=lambda entry: entry[1].y0):
        step = line.base - last.base
        if (
            index in taken
            or not 0 < step <= LIMITS.pitch * (last.y1 - last.y0)
            or abs(line.x0 - last.x0) > LIMITS.slack * field.unit
        ):
            continue
        if len(indices) >= LIMITS.tick_lines - 1 or any(_distance(other, line) is not None for other in fields):
            break
        indices.add(index)
        field.label.append(line)
        last = line
    return indices


def _middle(box: Bbox) -> tuple[float, float]:
    return ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
