"""Arrange groups of a page by its structure tags: one group per element, in the tagged order, with the stated type.

Decided block by block: parts without tags, and parts that the page shows better than its tags, stay unchanged. Tagged
tables are used if they are rectangular and contain exactly the text that the page shows there.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

from quire.models.cdom.geometry import Bbox, round_bbox
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.layout.lines.marks import Line, TaggedLine
from quire.models.extract.layout.tables.scoring.find import FoundTable
from quire.models.extract.layout.tags.trust import LIMITS, TagPlan, is_heading_role

_KINDS = {
    "P": BlockType.PARAGRAPH,
    "BlockQuote": BlockType.PARAGRAPH,
    "LI": BlockType.LIST_ITEM,
    "Caption": BlockType.CAPTION,
    "Note": BlockType.FOOTNOTE,
    "FENote": BlockType.FOOTNOTE,
    "Code": BlockType.CODE,
}
_NOTES = frozenset({"Note", "FENote"})
_FURNITURE = frozenset({BlockType.PAGE_HEADER, BlockType.PAGE_FOOTER})
_DEEPEST_LIST = 6
"""Maximum level of a list item, as in lists of the layout."""


@dataclass(slots=True)
class TypedGroup:
    """Lines of one block with its type; `level` if it was stated; `tagged` if the tags state the type."""

    kind: BlockType
    lines: list[Line]
    level: int | None = None
    tagged: bool = False


@dataclass(slots=True)
class _TaggedElement:
    """The lines of an element and the types that the layout assigned to them."""

    role: str
    depth: int
    lines: list[Line]
    kinds: list[BlockType]


def follow_tags(plan: TagPlan, groups: list[list[Line]], kinds: list[BlockType], floats: set[int]) -> list[TypedGroup]:
    """Return the groups as tagged; those of `floats` (indices of `groups`) and running heads stay unchanged."""
    elements: dict[int, _TaggedElement] = {}
    slots: list[TypedGroup | int] = []
    for index, (group, kind) in enumerate(zip(groups, kinds, strict=True)):
        if index in floats or (kind in _FURNITURE and not _are_notes(plan, group)):
            slots.append(TypedGroup(kind, group))
        else:
            _distribute_lines(plan, group, kind, elements, slots)
    has_headings = any(is_heading_role(element.role) for element in elements.values())
    in_order = iter(sorted(slot for slot in slots if isinstance(slot, int)))
    return [
        slot if isinstance(slot, TypedGroup) else _as_stated(elements[next(in_order)], has_headings) for slot in slots
    ]


def _are_notes(plan: TagPlan, group: list[Line]) -> bool:
    """Return True for an apparent running foot that is a note from its beginning; a real foot may seem to end one."""
    tags = [plan.tag_of(line) for line in group]
    if not all(tag is not None and tag.role in _NOTES for tag in tags):
        return False
    return any(tag is not None and plan.begins_element(tag) for tag in tags)


def _distribute_lines(
    plan: TagPlan,
    group: list[Line],
    kind: BlockType,
    elements: dict[int, _TaggedElement],
    slots: list[TypedGroup | int],
) -> None:
    """Put the lines of a group into their elements; a slot for each element that is met first, one for the rest."""
    untagged: list[Line] = []
    for line in group:
        tag = plan.tag_of(line)
        if tag is None or (tag.role not in _KINDS and not is_heading_role(tag.role)):
            untagged.append(line)
            continue
        if tag.element not in elements:
            elements[tag.element] = _TaggedElement(tag.role, tag.depth, [], [])
            slots.append(tag.element)
        elements[tag.element].lines.append(line)
        elements[tag.element].kinds.append(kind)
    if untagged:
        slots.append(TypedGroup(kind, untagged))


def _as_stated(element: _TaggedElement, has_headings: bool) -> TypedGroup:
    """Return the group of an element.

    Authors who tag nothing else use `P` for everything, so it rules out a heading only if other headings are tagged.
    """
    seen = _most_common(element)
    if is_heading_role(element.role):
        return TypedGroup(BlockType.HEADING, element.lines, _stated_level(element.role), True)
    if seen is BlockType.FORMULA:
        return TypedGroup(seen, element.lines)
    stated = _KINDS[element.role]
    if stated is BlockType.PARAGRAPH and seen is not BlockType.PARAGRAPH:
        keeps = seen is not BlockType.HEADING or not has_headings
        return TypedGroup(seen, element.lines) if keeps else TypedGroup(stated, element.lines, tagged=True)
    level = min(max(element.depth, 1), _DEEPEST_LIST) if stated is BlockType.LIST_ITEM else None
    return TypedGroup(stated, element.lines, level, True)


def _stated_level(role: str) -> int | None:
    """Return 1..6 of H1..H6, 1 of a title; None of an H, whose level depends on its nesting."""
    return int(role[1:]) if len(role) < 4 and role[1:].isdecimal() else 1 if role == "Title" else None


def _most_common(element: _TaggedElement) -> BlockType:
    chars: dict[BlockType, int] = defaultdict(int)
    for line, kind in zip(element.lines, element.kinds, strict=True):
        chars[kind] += len(line.text)
    return max(chars, key=lambda kind: chars[kind])


Extent = tuple[float, float]
"""Left and right end."""


def take_tagged_tables(plan: TagPlan, lines: list[Line]) -> tuple[list[FoundTable], list[Line]]:
    """Return the tables that the tags state well, and the lines outside them."""
    cells: dict[int, list[TaggedLine]] = defaultdict(list)
    for tag in plan.tags:
        if tag.table and tag.role in ("TD", "TH"):
            cells[tag.table].append(tag)
    if not cells:
        return [], lines
    inside: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        owner = plan.tag_of(line)
        if owner is not None and owner.role in ("TD", "TH"):
            inside[owner.table].append(line)
    tables = [made for table, tags in cells.items() if (made := _make_table(tags, inside[table])) is not None]
    taken = {id(line) for table in tables for line in table.lines}
    return tables, [line for line in lines if id(line) not in taken]


def _make_table(tags: list[TaggedLine], lines: list[Line]) -> FoundTable | None:
    width = max(tag.column for tag in tags) + 1
    rows: dict[int, dict[int, list[TaggedLine]]] = defaultdict(lambda: defaultdict(list))
    for tag in tags:
        rows[tag.row][tag.column].append(tag)
    if len(rows) < LIMITS.least_rows or not LIMITS.least_columns <= width <= len(tags) or not lines:
        return None
    columns = _find_columns(list(rows.values()), width)
    if columns is None or not _same_text(tags, lines):
        return None
    cells: list[Cell] = []
    for number, row in enumerate(rows.values()):
        made = _make_row(number, row, columns)
        if made is None:
            return None
        cells += made
    table = Table(rows=len(rows), cols=width, cells=tuple(cells))
    return FoundTable(table, _surround([tag.box for tag in tags]), lines, tagged=True)


def _find_columns(rows: list[dict[int, list[TaggedLine]]], width: int) -> list[Extent] | None:
    """Return the horizontal extent of each column in the rows with all cells; None if columns overlap."""
    full = [row for row in rows if len(row) == width] or rows
    columns: list[Extent] = []
    for column in range(width):
        boxes = [tag.box for row in full for tag in row.get(column, ()) if tag.text.strip()]
        if not boxes:
            return None
        columns.append((min(box[0] for box in boxes), max(box[2] for box in boxes)))
    apart = all(after[0] >= before[1] - LIMITS.column_overlap for before, after in pairwise(columns))
    return columns if apart else None


def _make_row(number: int, row: dict[int, list[TaggedLine]], columns: list[Extent]) -> list[Cell] | None:
    """Return the cells of a row, with empty cells for missing ones; in a shorter row each is placed by its text."""
    placed: dict[int, tuple[int, list[TaggedLine]]] = {}
    for column, tags in row.items():
        over = [column] if len(row) == len(columns) else _columns_under(tags, columns)
        if not over or over[0] in placed:
            return None
        placed[over[0]] = (len(over), tags)
    cells: list[Cell] = []
    column = 0
    while column < len(columns):
        span, tags = placed.get(column, (1, []))
        cells.append(_make_cell(number, column, span, tags))
        column += span
    return cells if sum(bool(cell.text) for cell in cells) == sum(_has_text(tags) for tags in row.values()) else None


def _columns_under(tags: list[TaggedLine], columns: list[Extent]) -> list[int]:
    """Return the indices of columns that the text extends over."""
    x0, _, x1, _ = _surround([tag.box for tag in tags])
    slack = LIMITS.column_overlap
    return [column for column, (left, right) in enumerate(columns) if x0 < right - slack and x1 > left + slack]


def _has_text(tags: list[TaggedLine]) -> bool:
    return any(tag.text.strip() for tag in tags)


def _same_text(tags: list[TaggedLine], lines: list[Line]) -> bool:
    stated = sorted("".join("".join(tag.text.split()) for tag in tags))
    return stated == sorted("".join("".join(line.text.split()) for line in lines))


def _make_cell(row: int, column: int, span: int, tags: list[TaggedLine]) -> Cell:
    text = " ".join(" ".join(tag.text for tag in tags).split())
    box = round_bbox(_surround([tag.box for tag in tags])) if tags else None
    header = any(tag.role == "TH" for tag in tags)
    return Cell(row=row, col=column, col_span=span, header=header, text=text, bbox=box)


def _surround(boxes: list[Bbox]) -> Bbox:
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
