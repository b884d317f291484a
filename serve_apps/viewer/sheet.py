"""A table as a sheet: letters and numbers of the file it comes from, and some of its rows, sorted and filtered."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from quire.models.export.tables.numbers import find_decimal_mark, read_number
from quire.models.extract.formats.flow.sheet import column_name, parse_area

_MAX_CELLS = 20_000  # cells written into a page: a browser lays them out in a second
_MAX_COLUMNS = 400  # columns written into a page
_MAX_CHARS = 500  # characters of a cell written into a page: ten lines
_MAX_NUMBER_CHARS = 50  # characters of the longest text that is compared as a number
_FEWEST_ROWS = 25  # rows of a page, however many columns there are
_INLINE_ROWS = 200  # rows of a table among other blocks
_MAX_FIND_CHARS = 200  # characters of the words that rows are filtered by


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row with its number in the file or table, from 1."""

    number: int
    cells: list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSheet:
    """Rows of a table for a page.

    Attributes:
        letters: Names of the columns that are written.
        numbered: Whether letters and numbers are those of a spreadsheet.
        head: The rows of headings, always written.
        rows: The written rows below them.
        found: Rows below the head that match the words.
        total: Rows below the head.
        first: Index of the first written row among those found.
        step: Most rows that are written.
        hidden_columns: Columns that are not written.
        find: Words that a row must have.
        sort: Index of the column that orders the rows.
        is_down: Whether the largest is first.
    """

    letters: list[str]
    numbered: bool
    head: list[SheetRow]
    rows: list[SheetRow]
    found: int
    total: int
    first: int = 0
    step: int
    hidden_columns: int
    find: str = ""
    sort: int | None = None
    is_down: bool = False


def show_table(block: Mapping[str, Any]) -> TableSheet:
    """Return the first rows of a table as they stand in its document."""
    table = block["table"]
    rows, step = _rows_of(block), min(_INLINE_ROWS, _most_rows(table["cols"]))
    return _sheet(block, rows, rows[:step], step=step, found=len(rows))


def open_table(block: Mapping[str, Any], query: Mapping[str, str]) -> TableSheet:
    """Return the rows that an address asks for: `find`, `sort` (a column from 0), `down`, `from`."""
    table, find = block["table"], (query.get("find") or "").strip()[:_MAX_FIND_CHARS]
    rows, step = _rows_of(block), _most_rows(table["cols"])
    sort = _number(query.get("sort"), table["cols"])
    if find or sort is not None:
        rows = _spread(rows)
    head = _head_of(rows)
    body = rows[len(head) :]
    if find:
        words = find.casefold().split()
        body = [row for row in body if all(word in _text(row) for word in words)]
    if sort is not None:
        body = _sorted(body, sort, is_down=bool(query.get("down")))
    first = (_number(query.get("from"), len(body)) or 0) // step * step
    return _sheet(
        block,
        _rows_of(block),
        [*head, *body[first : first + step]],
        first=first,
        step=step,
        found=len(body) + len(head),
        find=find,
        sort=sort,
        is_down=bool(query.get("down")),
    )


def _sheet(
    block: Mapping[str, Any], every: list[SheetRow], written: list[SheetRow], *, found: int, **facts: Any
) -> TableSheet:
    columns, numbered = _columns_of(block)
    head = _head_of(every)
    shown = [
        SheetRow(row.number, [_shown(cell) for cell in row.cells if cell["col"] < _MAX_COLUMNS]) for row in written
    ]
    return TableSheet(
        letters=[column_name(column) for column in columns[:_MAX_COLUMNS]],
        numbered=numbered,
        head=shown[: len(head)],
        rows=shown[len(head) :],
        found=found - len(head),
        total=len(every) - len(head),
        hidden_columns=max(0, len(columns) - _MAX_COLUMNS),
        **facts,
    )


def _most_rows(columns: int) -> int:
    return max(_FEWEST_ROWS, min(1_000, _MAX_CELLS // max(1, min(columns, _MAX_COLUMNS))))


def _shown(cell: Mapping[str, Any]) -> dict[str, Any]:
    text: str = cell["text"]
    cut = f"{text[:_MAX_CHARS]}… ({len(text):,} characters)" if len(text) > _MAX_CHARS else text
    width = min(cell.get("col_span") or 1, _MAX_COLUMNS - cell["col"])
    return {**cell, "text": cut, "col_span": width, "is_number": _is_number(text)}


def _is_number(text: str) -> bool:
    return len(text) <= _MAX_NUMBER_CHARS and any(read_number(text, mark) is not None for mark in ".,")


def _rows_of(block: Mapping[str, Any]) -> list[SheetRow]:
    """Return all rows; a row whose cells all come from above is empty."""
    table, names = block["table"], _row_numbers(block)
    cells = {row: list(group) for row, group in groupby(table["cells"], key=lambda cell: cell["row"])}
    return [SheetRow(names[row], cells.get(row, [])) for row in range(table["rows"])]


def _head_of(rows: list[SheetRow]) -> list[SheetRow]:
    """Return the rows at the top that have headings only; none if nothing would be left."""
    count = next((i for i, row in enumerate(rows) if not row.cells or not all(c.get("header") for c in row.cells)), 0)
    return rows[:count]


def _spread(rows: list[SheetRow]) -> list[SheetRow]:
    """Return the rows with cells over several rows written into each, so that their order may change."""
    spread: list[list[dict[str, Any]]] = [[] for _ in rows]
    for index, row in enumerate(rows):
        for cell in row.cells:
            for below in range(index, min(index + (cell.get("row_span") or 1), len(rows))):
                spread[below].append({**cell, "row_span": 1})
    return [
        SheetRow(row.number, sorted(cells, key=lambda cell: cell["col"]))
        for row, cells in zip(rows, spread, strict=True)
    ]


def _text(row: SheetRow) -> str:
    return "\n".join(cell["text"] for cell in row.cells).casefold()


def _sorted(rows: list[SheetRow], column: int, *, is_down: bool) -> list[SheetRow]:
    """Return the rows by numbers, then dates, then words of a column; rows without a text there come last."""
    cells = [next((cell for cell in row.cells if cell["col"] == column), None) for row in rows]
    mark = find_decimal_mark(cell["text"][:_MAX_NUMBER_CHARS] for cell in cells if cell)
    keyed = [(_key(cell, mark), row) for cell, row in zip(cells, rows, strict=True) if cell and cell["text"].strip()]
    empty = [row for cell, row in zip(cells, rows, strict=True) if not (cell and cell["text"].strip())]
    keyed.sort(key=lambda pair: pair[0], reverse=is_down)
    return [*(row for _, row in keyed), *empty]


def _key(cell: Mapping[str, Any], mark: str) -> tuple[int, float, str]:
    if moment := cell.get("value"):
        return 1, 0.0, str(moment)
    number = read_number(cell["text"][:_MAX_NUMBER_CHARS], mark)
    return (2, 0.0, cell["text"].casefold()) if number is None else (0, number, "")


def _number(text: str | None, end: int) -> int | None:
    """Return a number below the end, or None for anything else."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 9 and int(text) < end else None


def _columns_of(block: Mapping[str, Any]) -> tuple[list[int], bool]:
    """Return the columns of the file, and whether it has names for them."""
    columns = _origin(block)[1]
    return (columns, True) if columns else (list(range(block["table"]["cols"])), False)


def _row_numbers(block: Mapping[str, Any]) -> list[int]:
    rows = _origin(block)[0] or range(block["table"]["rows"])
    return [row + 1 for row in rows]


def _origin(block: Mapping[str, Any]) -> tuple[list[int], list[int]]:
    """Return the rows and columns that `Sheet1!A1:C3,Sheet1!A5:C9` names if the table has as many; else none."""
    table, path = block["table"], (block.get("provenance") or {}).get("path") or ""
    rows, columns = set[int](), set[int]()
    for name in path.split(","):
        area = parse_area(name.rpartition("!")[2]) if "!" in name else None
        if area is None or area[2] - area[0] >= table["rows"] or area[3] - area[1] >= table["cols"]:
            continue
        rows.update(range(area[0], area[2] + 1))
        columns.update(range(area[1], area[3] + 1))
    fits = len(rows) == table["rows"] and len(columns) == table["cols"]
    return (sorted(rows), sorted(columns)) if fits else ([], [])
