"""Sheets to pages: a heading with the name, the tables of islands of filled cells, objects over them, comments.

Boxes come from row heights and column widths, so that a cell has a position as on paper.
"""

from bisect import bisect_right
from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import Final

from quire.models.cdom.flags import COMMENT, HIDDEN_TEXT
from quire.models.cdom.geometry import Bbox, round_bbox
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, clean
from quire.models.extract.formats.flow.charts import part_caption
from quire.models.extract.formats.flow.islands import bounds, find_islands, names_columns, part_island
from quire.models.extract.formats.flow.sheet import Area, Place, Sheet, SheetObject, Sizes, Workbook, area_name

HEADING_LEVEL: Final = 2
"""Level of a sheet's name among headings: below the title of the document."""
MAX_NAMED_AREAS: Final = 50
"""Areas in the path of a table with hidden rows or columns; with more gaps the path names the area around all."""
MAX_TABLE_CELLS: Final = 1_000_000
"""Cells of one island, filled or not: beyond it only its filled cells are in the table."""


def make_pages(workbook: Workbook) -> list[FlowPage]:
    """Return one page per sheet, in the order of the workbook."""
    return [_make_page(sheet) for sheet in workbook.sheets]


def _make_page(sheet: Sheet) -> FlowPage:
    flags = () if sheet.visible else (HIDDEN_TEXT,)
    page = FlowPage(label=sheet.name, warnings=list(sheet.warnings))
    if not sheet.visible:
        page.warnings.append("hidden-sheet")
    page.headers = [FlowBlock(BlockType.PAGE_HEADER, clean(text), flags=flags) for text in sheet.printed_heads]
    page.footers = [FlowBlock(BlockType.PAGE_FOOTER, clean(text), flags=flags) for text in sheet.printed_feet]
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
    shown, hidden = _part_hidden(sheet)
    hidden_rows = sorted(row for row in sheet.hidden_rows if sheet.is_hidden_row(row))
    hidden_columns = sorted({column for first, last in sheet.hidden_columns for column in range(first, last + 1)})
    for _, places in find_islands(list(shown), sheet.merges, (hidden_rows, hidden_columns)):
        for part in part_island(sheet, places):
            make = partial(_make_table, visible_only=True, may_be_headed=not part.is_above)
            page.blocks.append(
                (_make_text if part.is_text else make)(sheet, bounds(part.places), part.places, shown, flags)
            )
    for item in sheet.objects:
        page.blocks += _make_object(sheet, item, (HIDDEN_TEXT,) if item.hidden else _flags_at(sheet, item.place, flags))
    if hidden:
        page.warnings.append("hidden-cells")
        for area, places in find_islands(list(hidden), []):
            page.blocks.append(_make_table(sheet, area, places, hidden, (HIDDEN_TEXT,), visible_only=False))
    for place, text in sheet.comments:
        area = (*place, *place)
        page.notes.append(
            FlowBlock(
                BlockType.FOOTNOTE,
                clean(text).strip(),
                bbox=_box(sheet, area),
                flags=(COMMENT, *_flags_at(sheet, place, flags)),
                path=area_name(sheet.name, area),
            )
        )
    used = bounds(
        [*sheet.cells, *(place for place, _ in sheet.comments), *(item.place for item in sheet.objects), (0, 0)]
    )
    _, _, page.width, page.height = _box(sheet, (0, 0, used[2], used[3]))
    return page


def _flags_at(sheet: Sheet, place: Place, flags: tuple[str, ...]) -> tuple[str, ...]:
    """Return the flags of an object or comment at a place: those of the sheet, or hidden like its cell."""
    return (HIDDEN_TEXT,) if not flags and sheet.is_hidden(place) else flags


def _part_hidden(sheet: Sheet) -> tuple[dict[Place, str], dict[Place, str]]:
    """Return the texts of shown and of hidden cells by place.

    A merged cell that is partly visible is shown. Its text moves to the first visible place.
    """
    shown: dict[Place, str] = {}
    hidden: dict[Place, str] = {}
    if not sheet.hidden_rows and not sheet.hidden_columns:
        return sheet.cells, hidden
    merged = {merge[:2]: merge for merge in sheet.merges}
    for place, text in sheet.cells.items():
        if not sheet.is_hidden(place):
            shown[place] = text
        elif place in merged and (visible := _first_visible(sheet, merged[place])) is not None:
            shown.setdefault(visible, text)
        else:
            hidden[place] = text
    return shown, hidden


def _first_visible(sheet: Sheet, area: Area) -> Place | None:
    """Return the first place of an area that is not hidden."""
    row = next((row for row in range(area[0], area[2] + 1) if not sheet.is_hidden_row(row)), None)
    column = next((column for column in range(area[1], area[3] + 1) if not sheet.is_hidden_column(column)), None)
    return None if row is None or column is None else (row, column)


def _make_table(
    sheet: Sheet,
    area: Area,
    places: list[Place],
    texts: Mapping[Place, str],
    flags: tuple[str, ...],
    *,
    visible_only: bool,
    may_be_headed: bool = True,
) -> FlowBlock:
    """Return the table of one island.

    Args:
        sheet: The sheet with merges and sizes.
        area: The bounds of the island.
        places: Its filled cells.
        texts: Texts by place. Places without a text are empty cells.
        flags: Flags of the block.
        visible_only: Leave out rows and columns that are hidden by hand.
        may_be_headed: The first row may be a header.
    """
    top, left, bottom, right = area
    rows = [row for row in range(top, bottom + 1) if not (visible_only and sheet.is_hidden_row(row))]
    columns = [column for column in range(left, right + 1) if not (visible_only and sheet.is_hidden_column(column))]
    merged = _find_merges(sheet, area) if visible_only else {}
    covered = _find_covered(merged, area, places)
    headers = _header_rows(sheet, rows, columns, texts) if may_be_headed else 0
    row_index = {row: index for index, row in enumerate(rows)}
    column_index = {column: index for index, column in enumerate(columns)}
    heights, widths = _find_edges(sheet.rows, rows), _find_edges(sheet.columns, columns)
    cells = []
    for place in [place for place in _list_places(rows, columns, places) if place not in covered]:
        merge = merged.get(place)
        index, column = row_index[place[0]], column_index[place[1]]
        (y0, y1), (x0, x1) = heights[place[0]], widths[place[1]]
        end_row, end_column = index + 1, column + 1
        if merge is not None:
            end = (min(merge[2], bottom), min(merge[3], right))
            end_row, end_column = bisect_right(rows, end[0]), bisect_right(columns, end[1])
            _, _, x1, y1 = _box(sheet, (*place, *end))
        cells.append(
            Cell(
                row=index,
                col=column,
                row_span=end_row - index,
                col_span=end_column - column,
                header=index < headers,
                text=clean(texts.get(place, "")),
                bbox=(x0, y0, x1, y1),
                value=sheet.moments.get(place) if place in texts else None,
                spans=sheet.spans.get(place, ()) if place in texts else (),
            )
        )
    return FlowBlock(
        BlockType.TABLE,
        table=Table(rows=len(rows), cols=len(columns), cells=tuple(cells)),
        bbox=_box(sheet, area),
        flags=flags,
        path=_name_areas(sheet.name, rows, columns) or area_name(sheet.name, area),
    )


def _make_text(
    sheet: Sheet, area: Area, places: list[Place], texts: Mapping[Place, str], flags: tuple[str, ...]
) -> FlowBlock:
    """Return the text of a cell above a table."""
    (place,) = places
    merge = next((merge for merge in sheet.merges if merge[:2] == place), area)
    return FlowBlock(
        BlockType.PARAGRAPH,
        clean(texts[place]),
        spans=sheet.spans.get(place, ()),
        bbox=_box(sheet, merge),
        flags=flags,
        path=area_name(sheet.name, area),
    )


def _find_edges(axis: Sizes, numbers: list[int]) -> dict[int, tuple[float, float]]:
    """Return where each row or column begins and ends, in points."""
    return {number: (_round(axis.start(number)), _round(axis.start(number + 1))) for number in numbers}


def _list_places(rows: list[int], columns: list[int], filled: list[Place]) -> list[Place]:
    """Return the places of a table's cells: all of its rows and columns, of a very large one the filled places."""
    if len(rows) * len(columns) > MAX_TABLE_CELLS:
        return sorted(filled)
    return [(row, column) for row in rows for column in columns]


def _name_areas(name: str, rows: list[int], columns: list[int]) -> str:
    """Return the names of the areas that rows and columns with gaps make; empty for too many."""
    row_runs, column_runs = _find_runs(rows), _find_runs(columns)
    if len(row_runs) * len(column_runs) > MAX_NAMED_AREAS:
        return ""
    areas = ((top, left, bottom, right) for top, bottom in row_runs for left, right in column_runs)
    return ",".join(area_name(name, area) for area in areas)


def _find_runs(indices: list[int]) -> list[tuple[int, int]]:
    """Return the first and last index of each run of neighbours."""
    starts = [i for i, index in enumerate(indices) if not i or indices[i - 1] != index - 1]
    return [(indices[start], indices[end - 1]) for start, end in pairwise((*starts, len(indices)))]


def _find_merges(sheet: Sheet, area: Area) -> dict[Place, Area]:
    """Return the merges that begin in the area, by their first visible cell."""
    top, left, bottom, right = area
    merged: dict[Place, Area] = {}
    for stated in sheet.merges:
        start = _first_visible(sheet, stated)
        if start is not None and top <= start[0] <= bottom and left <= start[1] <= right:
            merged[start] = (*start, *stated[2:])
    return merged


def _find_covered(merged: dict[tuple[int, int], Area], area: Area, places: list[Place]) -> set[Place]:
    """Return the places under a merged cell; drop a merge that overlaps another one."""
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


def _header_rows(sheet: Sheet, rows: list[int], columns: list[int], texts: Mapping[Place, str]) -> int:
    """Return 1 when the first row is stated to be a header, or names columns: words above numbers or other words."""
    top, left, right = rows[0], columns[0], columns[-1]
    if any(stated[0] == top and stated[1] >= left and stated[3] <= right for stated in sheet.headers):
        return 1
    first = [(top, column) for column in columns]
    if len(rows) == 1 or len(columns) == 1 or not all(place in texts for place in first[1:]):
        return 0
    if any(place in sheet.numbers for place in first):
        return 0
    has_numbers = any((rows[1], column) in sheet.numbers for column in columns)
    return int(has_numbers or names_columns(texts, top, rows[1:], columns))


def _make_object(sheet: Sheet, item: SheetObject, flags: tuple[str, ...]) -> list[FlowBlock]:
    area = (*item.place, *item.place)
    box, path, text = _box(sheet, area), area_name(sheet.name, area), clean(item.text).strip()
    if not item.drawn:
        return [FlowBlock(BlockType.PARAGRAPH, text, bbox=box, flags=flags, path=path)] if text else []
    return part_caption(
        FlowBlock(BlockType.PICTURE, text, table=item.table, bbox=box, picture=item.picture, asset=item.asset,
                  flags=flags, path=path)
    )  # fmt: skip


def _round(points: float) -> float:
    return round(points, 3) + 0.0


def _box(sheet: Sheet, area: Area) -> Bbox:
    top, left, bottom, right = area
    return round_bbox(
        (sheet.columns.start(left), sheet.rows.start(top), sheet.columns.start(right + 1), sheet.rows.start(bottom + 1))
    )
