"""Sheets to pages: a heading with the name, a table for each island of filled cells, what lies over them, comments.

Boxes come from row heights and column widths, so that a cell is found again as on paper.
"""

from typing import Final

from models.cdom.flags import COMMENT, HIDDEN_TEXT
from models.cdom.geometry import Bbox, round_bbox
from models.cdom.table import Cell, Table
from models.cdom.tree import BlockType
from models.extract.formats.flow.blocks import FlowBlock, FlowPage, clean
from models.extract.formats.flow.sheet import Area, Place, Sheet, SheetObject, Workbook, area_name

ROW_GAP: Final = 2
"""Empty rows that end a table: one is often left inside it."""
COLUMN_GAP: Final = 2
"""Empty columns that part two tables of one sheet; a single one is a spacer."""
MAX_ISLANDS: Final = 5_000
"""More tables than that on one sheet are one table with gaps."""


def find_islands(places: list[Place], merges: list[Area]) -> list[tuple[Area, list[Place]]]:
    """Areas of filled cells with their places, from top to bottom, then left to right."""
    if not places:
        return []
    work = [places]
    done: list[list[Place]] = []
    while work:
        part = work.pop()
        split = _split(part, 0, ROW_GAP, merges) or _split(part, 1, COLUMN_GAP, merges)
        if split:
            work += reversed(split)
        else:
            done.append(part)
        if len(done) + len(work) > MAX_ISLANDS:
            return [(bounds(places), places)]
    return sorted(((bounds(part), part) for part in done), key=lambda found: found[0])


def bounds(places: list[Place]) -> Area:
    """The smallest area around the places."""
    rows = [row for row, _ in places]
    columns = [column for _, column in places]
    return min(rows), min(columns), max(rows), max(columns)


def _split(places: list[Place], axis: int, gap: int, merges: list[Area]) -> list[list[Place]]:
    """The places in parts between which at least `gap` rows (axis 0) or columns are empty; none when there is one."""
    reach = _reach(places, axis, merges)
    cuts: list[int] = []
    end = -1
    for index in sorted(reach):
        if end >= 0 and index - end > gap:
            cuts.append(index)
        end = max(end, reach[index])
    if not cuts:
        return []
    parts: list[list[Place]] = [[] for _ in range(len(cuts) + 1)]
    part_of: dict[int, int] = {}
    part = 0
    for index in sorted(reach):
        while part < len(cuts) and index >= cuts[part]:
            part += 1
        part_of[index] = part
    for place in places:
        parts[part_of[place[axis]]].append(place)
    return [found for found in parts if found]


def _reach(places: list[Place], axis: int, merges: list[Area]) -> dict[int, int]:
    """Indices that hold something → the last index that a merge from there reaches."""
    reach = {place[axis]: place[axis] for place in places}
    if merges:
        filled = set(places)
        for area in merges:
            if area[:2] in filled:
                reach[area[axis]] = max(reach[area[axis]], min(area[axis + 2], area[axis] + 50))
    return reach


HEADING_LEVEL: Final = 2
"""Level of a sheet's name among headings: below the title of the document."""
MAX_TABLE_CELLS: Final = 2_000_000
"""Places of one island, filled or not: beyond it only its filled cells are given."""


def make_pages(workbook: Workbook) -> list[FlowPage]:
    """A page a sheet, in the order of the workbook."""
    return [_make_page(sheet) for sheet in workbook.sheets]


def _make_page(sheet: Sheet) -> FlowPage:
    flags = () if sheet.visible else (HIDDEN_TEXT,)
    page = FlowPage(label=sheet.name, warnings=list(sheet.warnings))
    if not sheet.visible:
        page.warnings.append("hidden-sheet")
    name = clean(sheet.name).strip()
    if name:
        heading = FlowBlock(
            BlockType.HEADING,
            name,
            level=HEADING_LEVEL,
            flags=flags,
            path=area_name(sheet.name, (0, 0, 0, 0)).partition("!")[0],
        )
        page.blocks.append(heading)
    shown = [place for place in sheet.cells if not sheet.is_hidden(place)]
    hidden = [place for place in sheet.cells if sheet.is_hidden(place)]
    for area, places in find_islands(shown, sheet.merges):
        page.blocks.append(_make_table(sheet, area, places, flags))
    for item in sheet.objects:
        page.blocks += _make_object(sheet, item, flags)
    if hidden:
        page.warnings.append("hidden-cells")
        for area, places in find_islands(hidden, []):
            page.blocks.append(_make_table(sheet, area, places, (HIDDEN_TEXT,)))
    for place, text in sheet.comments:
        area = (*place, *place)
        page.notes.append(
            FlowBlock(
                BlockType.FOOTNOTE,
                clean(text).strip(),
                bbox=_box(sheet, area),
                flags=(COMMENT, *flags),
                path=area_name(sheet.name, area),
            )
        )
    used = bounds(
        [*sheet.cells, *(place for place, _ in sheet.comments), *(one.place for one in sheet.objects), (0, 0)]
    )
    _, _, page.width, page.height = _box(sheet, (0, 0, used[2], used[3]))
    return page


def _make_table(sheet: Sheet, area: Area, places: list[Place], flags: tuple[str, ...]) -> FlowBlock:
    top, left, bottom, right = area
    merged = {merge[:2]: merge for merge in sheet.merges if top <= merge[0] <= bottom and left <= merge[1] <= right}
    covered = _find_covered(merged, area, places)
    headers = _header_rows(sheet, area)
    rows, columns = bottom - top + 1, right - left + 1
    if rows * columns > MAX_TABLE_CELLS:
        where = sorted(places)
    else:
        where = [(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]
    cells = []
    for place in where:
        if place in covered:
            continue
        merge = merged.get(place)
        end = (min(merge[2], bottom), min(merge[3], right)) if merge is not None else place
        cells.append(
            Cell(
                row=place[0] - top,
                col=place[1] - left,
                row_span=end[0] - place[0] + 1,
                col_span=end[1] - place[1] + 1,
                header=place[0] - top < headers,
                text=clean(sheet.cells.get(place, "")),
                bbox=_box(sheet, (*place, *end)),
            )
        )
    return FlowBlock(
        BlockType.TABLE,
        table=Table(rows=rows, cols=columns, cells=tuple(cells)),
        bbox=_box(sheet, area),
        flags=flags,
        path=area_name(sheet.name, area),
    )


def _find_covered(merged: dict[tuple[int, int], Area], area: Area, places: list[Place]) -> set[Place]:
    """Places that lie under a merged cell, but those that hold something of their own."""
    covered: set[Place] = set()
    for start, merge in list(merged.items()):
        under = {
            (row, column)
            for row in range(merge[0], min(merge[2], area[2]) + 1)
            for column in range(merge[1], min(merge[3], area[3]) + 1)
        } - {start}
        if under & covered or start in covered:
            del merged[start]
            continue
        covered |= under
    return covered


def _header_rows(sheet: Sheet, area: Area) -> int:
    """1 when the first row is stated to be a header, or holds words above columns with numbers."""
    top, left, bottom, right = area
    if any(stated[0] == top and stated[1] >= left and stated[3] <= right for stated in sheet.headers):
        return 1
    first = [(top, column) for column in range(left, right + 1)]
    if bottom == top or right == left or not all(place in sheet.cells for place in first[1:]):
        return 0
    if any(place in sheet.numbers for place in first):
        return 0
    return int(any((top + 1, column) in sheet.numbers for column in range(left, right + 1)))


def _make_object(sheet: Sheet, item: SheetObject, flags: tuple[str, ...]) -> list[FlowBlock]:
    area = (*item.place, *item.place)
    box, path, text = _box(sheet, area), area_name(sheet.name, area), clean(item.text).strip()
    if not item.drawn:
        return [FlowBlock(BlockType.PARAGRAPH, text, bbox=box, flags=flags, path=path)] if text else []
    picture = FlowBlock(BlockType.PICTURE, text, asset=item.asset, bbox=box, flags=flags, path=path)
    if item.table is None:
        return [picture]
    return [picture, FlowBlock(BlockType.TABLE, table=item.table, parent=picture, bbox=box, flags=flags, path=path)]


def _box(sheet: Sheet, area: Area) -> Bbox:
    top, left, bottom, right = area
    return round_bbox(
        (sheet.columns.start(left), sheet.rows.start(top), sheet.columns.start(right + 1), sheet.rows.start(bottom + 1))
    )
