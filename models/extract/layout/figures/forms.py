"""Form fields where they stand: in the cell of a table, or with the printed label that they answer."""

import re
from dataclasses import dataclass, replace

from models.cdom.geometry import Bbox, union_bbox
from models.cdom.table import Cell, Table
from models.extract.layout.lines.marks import Line, PrintedField
from models.extract.layout.tables.scoring.find import FoundTable


@dataclass(frozen=True, slots=True)
class FormLimits:
    """How far a label may stand from its field, in points unless said otherwise."""

    left_gap: float = 80.0
    """Between a label and the field to its right."""
    tick_gap: float = 30.0
    """Between a box to tick and its label."""
    above_gap: float = 12.0
    """Between a label and the field below it."""
    slack: float = 3.0
    """By which letters may reach into a field, or stand out of its row."""
    band: float = 40.0
    """Height of the bands in which lines are looked up: no label ends further from its field."""
    label_chars: int = 80
    """Most characters of a label; longer is a sentence."""
    above_chars: int = 40
    """Most characters of a label above its field that has no colon."""
    tick_lines: int = 6
    """Most lines of the label of a box to tick."""
    pitch: float = 1.6
    """Of a line's height: the next line of a label comes within it."""


LIMITS = FormLimits()
TICKED, UNTICKED = "☑", "☐"
_INDEX = re.compile(r"\[\d+\]$")


def settle_fields(
    fields: list[PrintedField], tables: list[FoundTable], lines: list[Line]
) -> tuple[list[PrintedField], list[Line]]:
    """The fields that stand outside tables, with their labels, and the lines that are no label."""
    free = [field for field in fields if not any(_put_into_table(field, found) for found in tables)]
    return free, _take_labels(free, lines)


def plain_name(name: str) -> str:
    """The last part of a field's full name, without the index that form designers add."""
    return _INDEX.sub("", name.rpartition(".")[2])


def _put_into_table(field: PrintedField, found: FoundTable) -> bool:
    """Write the field into the cell it stands in; false when it stands in none."""
    x, y = _middle(field.box)
    if not (found.box[0] <= x <= found.box[2] and found.box[1] <= y <= found.box[3]):
        return False
    at = _cell_at(found.table, x, y)
    if at is None:
        return False
    cells = list(found.table.cells)
    cells[at] = _fill(cells[at], field)
    found.table = replace(found.table, cells=tuple(cells))
    return True


def _fill(cell: Cell, field: PrintedField) -> Cell:
    mark = "" if field.is_checked is None else TICKED if field.is_checked else UNTICKED
    parts = [cell.text, field.printed or field.value]
    if mark:
        parts = [field.printed or mark, cell.text]
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
    row = min(rows, key=lambda one: (_outside(y, rows[one], 1), one))
    column = min(columns, key=lambda one: (_outside(x, columns[one], 0), one))
    for index, cell in enumerate(table.cells):
        if cell.row <= row < cell.row + cell.row_span and cell.col <= column < cell.col + cell.col_span:
            return index
    return None


def _outside(at: float, boxes: list[Bbox], axis: int) -> float:
    """How far a coordinate lies outside the stretch that the boxes cover."""
    return max(min(box[axis] for box in boxes) - at, at - max(box[axis + 2] for box in boxes), 0.0)


def _take_labels(fields: list[PrintedField], lines: list[Line]) -> list[Line]:
    """Give each field the nearest line that can be its label; the lines that were not given away."""
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
    """Points from a field to a line that can be its label, null when it cannot."""
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
    """Places of the lines on which the label of a box to tick goes on."""
    found: set[int] = set()
    last = lines[place]
    if last.x0 < field.box[0]:
        return found
    for at, line in sorted(enumerate(lines), key=lambda one: one[1].y0):
        step = line.base - last.base
        if at in taken or not 0 < step <= LIMITS.pitch * (last.y1 - last.y0) or abs(line.x0 - last.x0) > LIMITS.slack:
            continue
        if len(found) >= LIMITS.tick_lines - 1 or any(_distance(other, line) is not None for other in fields):
            break
        found.add(at)
        field.label.append(line)
        last = line
    return found


def _middle(box: Bbox) -> tuple[float, float]:
    return ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
