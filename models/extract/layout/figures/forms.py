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
    pitch: float = 1.6
    """Maximum distance to the next line of a label, relative to the line's height."""


LIMITS = FormLimits()
TICKED, UNTICKED = "☑", "☐"
_INDEX = re.compile(r"\[\d+\]$")


def settle_fields(
    fields: list[PrintedField], tables: list[FoundTable], lines: list[Line]
) -> tuple[list[PrintedField], list[Line]]:
    """Return the fields outside tables with their labels, and the lines that are not labels."""
    free = [field for field in fields if not any(_put_into_table(field, table) for table in tables)]
    return free, _take_labels(free, lines)


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
    mark = "" if field.is_checked is None else TICKED if field.is_checked else UNTICKED
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


def _take_labels(fields: list[PrintedField], lines: list[Line]) -> list[Line]:
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
    in_row = y0 - LIMITS.slack <= (line.y0 + line.y1) / 2 <= y1 + LIMITS.slack
    if not line.upright or line.hidden:
        return None
    if field.is_checked is not None:
        gap = max(line.x0 - x1, x0 - line.x1 + LIMITS.slack)
        return gap if in_row and -LIMITS.slack <= gap <= LIMITS.tick_gap else None
    if len(line.text) > LIMITS.label_chars:
        return None
    if in_row and -LIMITS.slack <= x0 - line.x1 <= LIMITS.left_gap:
        return max(0.0, x0 - line.x1)
    above, is_label = y0 - line.y1, line.text.endswith(":") or len(line.text) <= LIMITS.above_chars
    stands_over = x0 - LIMITS.slack <= line.x0 <= x1 and not line.text.endswith(".")
    if is_label and stands_over and -LIMITS.slack <= above <= LIMITS.above_gap:
        return LIMITS.left_gap + above
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
            or abs(line.x0 - last.x0) > LIMITS.slack
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
