"""Names the columns and rows of a table: heads of all levels, title, sections, units and scale.

Heads may stand in rows that are not marked as such, or above the table; currency and percent signs may have a column of
their own. In: a table and the blocks before it. Out: names by column and row.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import Block, BlockType
from quire.models.export.tables.numbers import find_decimal_mark, read_number

MAX_HEADS = 6  # first rows of a table that may be heads
MAX_BEFORE = 6  # blocks before a table that may name it or its columns
MAX_TITLE = 200  # characters of a title
MAX_LINE = 60  # characters of a line that heads columns
MAX_NAME, LEAST_NAMES = 40, 3  # characters of the name of a column of words, and such columns of a table
REACH = 4.0  # heights of such a line between it and the table or the next one
CLOSED = ")"
"""The closing bracket of a negative number, which may be in the next cell."""
MARKS = frozenset({"$", "€", "£", "¥", "₹", "%", CLOSED, "US$", "EUR", "USD", "CHF", "zł", "kr"})
"""Texts that belong to the number next to them."""
BEHIND = frozenset({"%", CLOSED})
"""Marks that stand behind their number."""
ALIGNED = 3.0  # points between the edges of a column on two pages
MAX_SHIFT = 60.0  # points between the margins of two pages
_NO_HEADS = frozenset({BlockType.CAPTION, BlockType.PAGE_HEADER, BlockType.PAGE_FOOTER, BlockType.FOOTNOTE})
_DATE = re.compile(r"\b(?:19|20)\d\d\b")
_YEAR = re.compile(r"(?:(?:FY|CY|Q[1-4])\s?)?\(?(?:19|20)\d\d\)?\*?")
_UNIT = re.compile(r"[$€£¥₹%]|\b(?:US\$|EUR|USD|CHF|GBP|zł|kr)")
_SCALE = re.compile(
    r"\b(?:in|en|w|em)\s(?:(?:US\s?)?[$€£]\s?|EUR\s|USD\s|Euro\s)?(?P<word>thousands?|millions?|billions?|tausend|tsd|"
    r"mio|millionen|mrd|milliarden|milliers|milliards|miles|millones|migliaia|milioni|miliardi|duizenden|miljoenen|"
    r"milhares|milhões|tys|mln|mld)\b|(?P<short>\bT(?:EUR|€)|\bk€|\bM(?:EUR|€)|\bMio\.?\s?(?:EUR|€)|[$€]\s?(?:000|m\b))",
    re.IGNORECASE,
)
_POWERS = (
    (1e9, ("billion", "mrd", "milliard", "miliardi", "mld")),
    (1e6, ("million", "mio", "millonen", "millon", "milioni", "miljoen", "milhõ", "mln", "m€", "meur", "$m", "€m")),
    (1e3, ("thousand", "tausend", "tsd", "millier", "miles", "migliaia", "duizend", "milhares", "tys", "t", "k", "$",
           "€", "£")),
)  # fmt: skip
Paths = Mapping[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TableNames:
    """Names of a table's parts: `paths` by column from the top level down, `heads` the rows that hold them.

    `merged` leads from cells that only hold a mark to the cell of their number, by index.
    """

    title: str = ""
    scale: float = 1.0
    heads: frozenset[int] = frozenset()
    paths: Paths = field(default_factory=dict)
    sections: Mapping[int, str] = field(default_factory=dict)
    merged: Mapping[int, int] = field(default_factory=dict)
    units: Mapping[int, str] = field(default_factory=dict)
    closed: frozenset[int] = frozenset()
    """Cells whose closing bracket is in the next one."""
    first: Mapping[int, str] = field(default_factory=dict)
    """Texts of the first row by column, in a table without heads."""
    data: frozenset[int] = frozenset()
    """Rows of data that are marked as heads."""

    def path(self, cell: Cell) -> tuple[str, ...]:
        """Return the heads above a cell: those of the first of its columns that has any."""
        columns = range(cell.col, cell.col + cell.col_span)
        return next((self.paths[column] for column in columns if self.paths.get(column)), ())


def find_scale(text: str) -> float:
    """Return what `in millions` in a text multiplies numbers by; 1 without such words."""
    match = _SCALE.search(text)
    if match is None:
        return 1.0
    word = "".join((match["word"] or match["short"]).lower().split()).rstrip(".")
    return next((power for power, words in _POWERS if any(word.startswith(start) for start in words)), 1.0)


def name_table(block: Block, table: Table, before: Sequence[Block]) -> TableNames:
    """Return the names of a table; `before` are the visible blocks before it, the last one next to it."""
    rows = _list_rows(table)
    mark = find_decimal_mark(cell.text for cell in table.cells)
    near = [other for other in before[-MAX_BEFORE:] if other.page == block.page and other.table is None]
    titles = _find_titles(table, rows)
    heads = _find_heads(table, rows, mark, titles)
    merged = _find_marks(table, rows, heads)
    lines, rest = _lines_over(block, table, near, heads)
    paths = _read_paths(table, rows, heads, lines)
    _share_paths(table, merged, paths)
    context = " ".join([*(other.text for other in near), *(part for path in paths.values() for part in path),
                        *(table.cells[index].text for row in sorted(heads) for index in rows[row])])  # fmt: skip
    units, closed = _read_marks(table, merged)
    sections = _find_sections(table, rows, heads, mark)
    title = " ".join(titles)[:MAX_TITLE] or _find_title(rest)
    top = sorted(rows)[len(titles)] if rows else 0
    first = {} if paths else _read_paths(table, rows, frozenset({top}), ())
    names = {column: text for column, (text,) in first.items() if len(text) <= MAX_TITLE}
    data = frozenset({top} - heads if all(table.cells[index].header for index in rows[top]) else ())
    return TableNames(title, find_scale(context), heads, paths, sections, merged, units, closed, names, data)


def continue_names(block: Block, before: Sequence[Block], above: TableNames) -> TableNames | None:
    """Return the names of a table that goes on with the one before it, at the top of the next page; None for others.

    `before` are the blocks from that table on, `above` its names. Its columns stand at the same places, so its first
    row is data even if it is marked as a head.
    """
    first, table = before[0] if before else None, block.table
    if first is None or first.table is None or table is None or not above.paths or first.table.cols != table.cols:
        return None
    last_page = first.table.parts[-1].page if first.table.parts else first.page
    is_next = block.page == last_page + 1 and all(other.type in _BETWEEN for other in before[1:])
    if not is_next or not _are_aligned(first.table, table, above.heads):
        return None
    rows = _list_rows(table)
    top = {cell.col: " ".join(cell.text.split()) for cell in table.cells if cell.row == 0}
    heads = frozenset({0} if any(text and text in above.paths.get(col, ()) for col, text in top.items()) else ())
    merged = _find_marks(table, rows, heads)
    units, closed = _read_marks(table, merged)
    sections = _find_sections(table, rows, heads, find_decimal_mark(cell.text for cell in table.cells))
    return TableNames(above.title, above.scale, heads, above.paths, sections, merged, units, closed)


_BETWEEN = frozenset({BlockType.PAGE_HEADER, BlockType.PAGE_FOOTER, BlockType.PICTURE, BlockType.FOOTNOTE})
"""What may stand between the parts of a table on two pages."""


def _are_aligned(first: Table, second: Table, heads: frozenset[int]) -> bool:
    """Return whether each column begins, ends or has its middle at the same place in both tables.

    All columns may be moved by the same distance, as on left and right pages of a book.
    """
    edges: list[dict[int, tuple[float, float]]] = [{}, {}]
    for found, table, skipped in zip(edges, (first, second), (heads, frozenset[int]()), strict=True):
        for cell in table.cells:
            if cell.bbox is not None and cell.col_span == 1 and cell.row not in skipped:
                left, right = found.get(cell.col, (cell.bbox[0], cell.bbox[2]))
                found[cell.col] = min(left, cell.bbox[0]), max(right, cell.bbox[2])
    shared = edges[0].keys() & edges[1].keys()
    moved = edges[1][min(shared)][0] - edges[0][min(shared)][0] if len(shared) > 1 else 0.0
    return len(shared) > 1 and any(
        all(_distance(edges[0][col], edges[1][col], shift) <= ALIGNED for col in shared)
        for shift in (0.0, *([moved] if abs(moved) <= MAX_SHIFT else []))
    )


def _distance(one: tuple[float, float], other: tuple[float, float], shift: float) -> float:
    left, right = (second - first - shift for first, second in zip(one, other, strict=True))
    return min(abs(left), abs(right), abs(left + right) / 2)


def _list_rows(table: Table) -> dict[int, list[int]]:
    """Return the indexes of the cells that begin in each row."""
    rows: dict[int, list[int]] = defaultdict(list)
    for index, cell in enumerate(table.cells):
        rows[cell.row].append(index)
    return rows


def _read_marks(table: Table, merged: Mapping[int, int]) -> tuple[dict[int, str], frozenset[int]]:
    """Return the units of the cells that have their mark next to them, and the cells whose bracket is closed there."""
    texts = [(target, table.cells[index].text.strip()) for index, target in merged.items()]
    units = {target: text for target, text in texts if text != CLOSED}
    return units, frozenset(target for target, text in texts if text == CLOSED)


def find_unit(text: str, path: Sequence[str]) -> str | None:
    """Return the unit that a cell states, or its heads do: a currency or percent."""
    for part in (text, *reversed(path)):
        match = _UNIT.search(part)
        if match is not None and not (part is text and not any(map(str.isdigit, text))):
            return match.group()
    return None


def _is_value(text: str, mark: str) -> bool:
    return not _YEAR.fullmatch(text) and read_number(text, mark) is not None


def _find_heads(
    table: Table, rows: Mapping[int, Sequence[int]], mark: str, titles: Sequence[str] = ()
) -> frozenset[int]:
    """Return the rows of heads: the marked ones below the titles, and those below them or unmarked without a value.

    A row without a value is a head if its first place is empty, or that of the heads above it is.
    """
    heads: set[int] = set()
    body = [row for row in rows if sum(_is_value(table.cells[index].text.strip(), mark) for index in rows[row])]
    first_value = min(body, default=table.rows)
    has_corner = False
    below = sorted(rows)[len(titles) :][:MAX_HEADS]
    for row in below:
        cells = [table.cells[index] for index in rows[row]]
        filled = [cell for cell in cells if cell.text.strip() and cell.text.strip() not in MARKS]
        labelled = any(cell.col == 0 for cell in filled)
        if not all(cell.header for cell in cells) or _is_repeated(table, filled):
            is_top = row == below[0]
            if not body and is_top and _names_columns(table, rows, row):
                heads.add(row)
            if row >= first_value or not body or (row - 1 not in heads and not is_top):
                break
            has_figures = any(map(str.isdigit, "".join(c.text for c in filled if not _YEAR.fullmatch(c.text.strip()))))
            is_alone = labelled and (len(filled) < 2 or has_corner or (bool(heads) and has_figures))
            if not filled or is_alone or any(len(cell.text) > MAX_LINE for cell in filled):
                break
        heads.add(row)
        has_corner = has_corner or labelled
    return frozenset(heads)


def _find_titles(table: Table, rows: Mapping[int, Sequence[int]]) -> list[str]:
    """Return the texts of the first rows that have one text alone in the first place, above a row of several."""
    titles: list[str] = []
    for row in sorted(rows)[:MAX_HEADS]:
        filled = [table.cells[index] for index in rows[row] if table.cells[index].text.strip()]
        if len(filled) != 1 or filled[0].col > 0:
            return titles if len(filled) > 1 else []
        titles.append(" ".join(filled[0].text.split()))
    return []


def _names_columns(table: Table, rows: Mapping[int, Sequence[int]], row: int) -> bool:
    """Return whether a row of a table of words names its columns: short, different, and found nowhere below."""
    names = [" ".join(table.cells[index].text.split()) for index in rows[row]]
    below = {" ".join(table.cells[index].text.split()) for other in rows if other > row for index in rows[other]}
    is_named = all(0 < len(name) <= MAX_NAME and not any(map(str.isdigit, name)) for name in names)
    is_whole = len(set(names)) == len(names) == table.cols >= LEAST_NAMES <= len(rows)
    return is_named and is_whole and not below & set(names)


def _is_repeated(table: Table, row: Sequence[Cell]) -> bool:
    """Return whether most of a row's texts behind its label are those of other rows too, but its label is not.

    Such a row is data even if it is marked as a head, which a table repeats as a whole.
    """
    below = {(cell.col, cell.text) for cell in table.cells if cell.row > row[0].row} if row else set()
    same = [(cell.col, cell.text) in below for cell in row if cell.col > 0]
    return 2 * sum(same) > len(same) and all((cell.col, cell.text) not in below for cell in row if cell.col == 0)


def _find_marks(table: Table, rows: Mapping[int, Sequence[int]], heads: frozenset[int]) -> dict[int, int]:
    """Return the cells that hold a mark only, each with the cell of the number that it belongs to.

    Empty cells of a column of marks lead to themselves.
    """
    merged: dict[int, int] = {}
    for row, indices in rows.items():
        if row in heads:
            continue
        ordered = sorted(indices, key=lambda index: table.cells[index].col)
        for place, index in enumerate(ordered):
            text = table.cells[index].text.strip()
            if text not in MARKS:
                continue
            others = reversed(ordered[:place]) if text in BEHIND else ordered[place + 1 :]
            target = next((other for other in others if table.cells[other].text.strip()), None)
            if target is not None and any(map(str.isdigit, table.cells[target].text)):
                merged[index] = target
    marks = {table.cells[index].col for index in merged}
    body = [index for row, indices in rows.items() if row not in heads for index in indices]
    filled = {table.cells[index].col for index in body if index not in merged and table.cells[index].text.strip()}
    return merged | {
        index: index for index in body if table.cells[index].col in marks - filled - {0} and index not in merged
    }


def _lines_over(
    block: Block, table: Table, near: Sequence[Block], heads: frozenset[int]
) -> tuple[list[tuple[float, float, str]], list[Block]]:
    """Return the lines above a table that head some of its columns, from the top down, and the blocks before them."""
    boxes = [cell.bbox for cell in table.cells if cell.bbox is not None]
    data = [cell.bbox for cell in table.cells if cell.bbox is not None and cell.col > 0]
    if block.bbox is None or not boxes or not data or table.cols < 2:
        return [], list(near)
    edge, left = min(box[1] for box in boxes), min(box[0] for box in data)
    first = min(box[0] for box in boxes)
    lines: list[tuple[float, float, str]] = []
    rest = list(near)
    while rest and rest[-1].bbox is not None:
        other, box = rest[-1], rest[-1].bbox
        height = max(1.0, box[3] - box[1])
        is_line = "\n" not in other.text and 0 < len(other.text.strip()) <= MAX_LINE and box[0] > first + height
        may_head = other.type not in _NO_HEADS or (other.type is BlockType.PAGE_HEADER and _DATE.search(other.text))
        if not is_line or not may_head or not -height <= edge - box[3] <= REACH * height or box[2] <= left:
            break
        lines.insert(0, (box[0], box[2], " ".join(other.text.split())))
        edge = min(edge, box[1])
        rest.pop()
    return lines, rest


def _read_paths(
    table: Table, rows: Mapping[int, Sequence[int]], heads: frozenset[int], lines: Sequence[tuple[float, float, str]]
) -> dict[int, tuple[str, ...]]:
    paths: dict[int, list[str]] = defaultdict(list)
    spans: dict[int, tuple[float, float]] = {}
    for cell in table.cells:
        if cell.bbox is not None and cell.col_span == 1:
            known = spans.get(cell.col, (cell.bbox[0], cell.bbox[2]))
            spans[cell.col] = (min(known[0], cell.bbox[0]), max(known[1], cell.bbox[2]))
    for left, right, text in lines:
        for column, (start, end) in spans.items():
            if column and start < right and end > left:
                paths[column].append(text)
    for row in sorted(heads):
        for index in rows[row]:
            cell = table.cells[index]
            text = " ".join(cell.text.split())
            for column in range(cell.col, min(cell.col + cell.col_span, table.cols)) if text else ():
                if text not in paths[column]:
                    paths[column].append(text)
    return {column: tuple(path) for column, path in paths.items()}


def _share_paths(table: Table, merged: Mapping[int, int], paths: dict[int, tuple[str, ...]]) -> None:
    """Give columns of numbers the heads of the columns of their marks, and the other way round."""
    for index, target in merged.items():
        mark, number = table.cells[index].col, table.cells[target].col
        own, other = paths.get(number, ()), paths.get(mark, ())
        if len(other) > len(own):
            paths[number] = other


def _find_title(near: Sequence[Block]) -> str:
    """Return the caption or line right before the table, else the last heading before it."""
    for other in reversed(near):
        text = " ".join(other.text.split())
        if find_scale(text) != 1.0 and len(text) <= MAX_LINE:
            continue
        if other.type is BlockType.CAPTION or (0 < len(text) <= MAX_TITLE and not text.endswith(".")):
            return text[:MAX_TITLE]
        break
    headings = (
        other for other in reversed(near) if other.type in (BlockType.HEADING, BlockType.TITLE, BlockType.CAPTION)
    )
    return next((" ".join(other.text.split())[:MAX_TITLE] for other in headings), "")


def _find_sections(table: Table, rows: Mapping[int, Sequence[int]], heads: frozenset[int], mark: str) -> dict[int, str]:
    """Return the section of each row: the last row above it that holds nothing but its first cell."""
    sections: dict[int, str] = {}
    current = ""
    for row in sorted(rows):
        cells = [table.cells[index] for index in rows[row]]
        filled = [cell for cell in cells if cell.text.strip()]
        alone = len(filled) == 1 and filled[0].col == 0 and len(cells) + filled[0].col_span > 2
        if row not in heads and alone and not _is_value(filled[0].text.strip(), mark):
            current = " ".join(filled[0].text.split()).rstrip(":")
        elif current and row not in heads:
            sections[row] = current
    return sections
