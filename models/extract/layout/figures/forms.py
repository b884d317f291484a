"""Form fields in their place: in the cell of a table, or with their printed label."""

import re
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
    pairs: list[tuple[Line, Line]] = []
    for label in lines:
        if label.recognised and label.upright and label.text[-1:] in COLONS and _is_short(label.text):
            row = [line for line in lines if line is not label and _shares_row(label, line)]
            value = min((line for line in row if line.x0 > label.x1), key=lambda line: line.x0, default=None)
            if (
                value is not None
                and all(line.x0 > label.x0 for line in row)  # else it may be the rest of a label
                and value.text[-1:] not in COLONS
                and value.x0 - label.x1 <= LIMITS.row_gap * (label.y1 - label.y0)
            ):
                pairs.append((label, value))
    aligned = [
        (label, value)
        for label, value in pairs
        if any(
            0 < abs(value.base - other.base) <= LIMITS.row_pitch * (value.y1 - value.y0)
            and abs(value.x0 - other.x0) <= LIMITS.same_edge * (value.y1 - value.y0)
            for _, other in pairs
        )
    ]
    taken = {id(line) for pair in aligned for line in pair}
    rows = [PrintedField(value.bbox, "", value.text, printed=value.text, label=[label]) for label, value in aligned]
    return [*fields, *rows], [line for line in lines if id(line) not in taken]


def _is_short(text: str) -> bool:
    return len(text) <= LIMITS.above_chars and len(text.split()) <= LIMITS.label_words and any(map(str.isalpha, text))


def _shares_row(a: Line, b: Line) -> bool:
    return min(a.y1, b.y1) - max(a.y0, b.y0) >= min(a.y1 - a.y0, b.y1 - b.y0) / 2


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
