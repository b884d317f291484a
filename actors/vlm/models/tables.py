"""Parses tables as models write them (HTML, OTSL, Markdown rows) into table cells, with bounds for any input. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html.parser import HTMLParser

from quire.models.cdom.table import Cell, Table

MAX_ROWS, MAX_COLS, MAX_CELLS = 2000, 200, 20_000  # what one page can hold; larger is a loop
_LARGEST_CELL = 400
"""Places one OTSL cell may cover: keeps a hostile table linear."""
_OTSL = re.compile(r"<(fcel|ecel|lcel|ucel|xcel|ched|rhed|srow|nl)>")
_BREAKS = frozenset({"br", "p", "div", "li"})


@dataclass(slots=True)
class _Draft:
    text: str = ""
    header: bool = False
    row_span: int = 1
    col_span: int = 1


@dataclass(slots=True)
class _Rows(HTMLParser):
    """Collects rows of cells; a truncated table keeps what was written of it."""

    rows: list[list[_Draft]] = field(default_factory=list)
    cell: _Draft | None = None
    depth: int = 0

    def __post_init__(self) -> None:
        HTMLParser.__init__(self, convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.depth += 1
        if tag == "tr" and self.depth <= 1:
            self.rows.append([])
        elif tag in ("td", "th") and self.depth <= 1:
            self._open_cell(tag, dict(attrs))
        elif tag in _BREAKS and self.cell is not None:
            self.cell.text += "\n"

    def _open_cell(self, tag: str, attrs: dict[str, str | None]) -> None:
        if not self.rows:
            self.rows.append([])
        self.cell = _Draft(
            header=tag == "th", row_span=_span(attrs.get("rowspan")), col_span=_span(attrs.get("colspan"))
        )
        self.rows[-1].append(self.cell)

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self.depth = max(0, self.depth - 1)
        if tag in ("td", "th") and self.depth <= 1:
            self.cell = None

    def handle_data(self, data: str) -> None:
        if self.cell is not None:
            self.cell.text += data


def _span(value: str | None) -> int:
    return min(max(int(value), 1), MAX_COLS) if value and value.isdecimal() and len(value) < 6 else 1


def read_html_table(html: str) -> Table | None:
    """Return the first table of the text, or None when it has no cell. A truncated table keeps its complete cells."""
    parser = _Rows()
    parser.feed(html)
    parser.close()
    return _place(parser.rows)


def read_otsl(text: str) -> Table | None:
    """Parse the token language of PaddleOCR-VL and Docling, `<fcel>text<lcel><nl>…`; None without a cell."""
    rows: list[list[tuple[str, str]]] = [[]]
    parts = _OTSL.split(text)
    for mark, content in zip(parts[1::2], parts[2::2], strict=False):
        if mark == "nl":
            rows.append([])
        else:
            rows[-1].append((mark, content.strip()))
    return _join_otsl([row[:MAX_COLS] for row in rows if row][:MAX_ROWS])


def _join_otsl(rows: list[list[tuple[str, str]]]) -> Table | None:
    """Left-, up- and cross-looking cells widen the cell they look at; one that looks at nothing is an empty cell."""
    owner: dict[tuple[int, int], tuple[int, int]] = {}
    ends: dict[tuple[int, int], tuple[int, int]] = {}
    for row, tokens in enumerate(rows):
        for col, (token, _) in enumerate(tokens):
            place = (row, col)
            source = owner.get(_looks_at(token, place), place)
            if source != place and not _is_rectangle(owner, source, place):
                source = place
            owner[place] = source
            ends[source] = place
    cells = [
        Cell(
            row=row, col=col, row_span=end[0] - row + 1, col_span=end[1] - col + 1,
            header=rows[row][col][0] in ("ched", "rhed"), text=rows[row][col][1],
        )
        for (row, col), end in sorted(ends.items())
    ][:MAX_CELLS]  # fmt: skip
    return Table(rows=len(rows), cols=max(map(len, rows)), cells=tuple(cells)) if cells else None


def _looks_at(token: str, place: tuple[int, int]) -> tuple[int, int]:
    row, col = place
    return {"lcel": (row, col - 1), "ucel": (row - 1, col), "xcel": (row - 1, col - 1)}.get(token, place)


def _is_rectangle(
    owner: dict[tuple[int, int], tuple[int, int]], source: tuple[int, int], place: tuple[int, int]
) -> bool:
    """Everything between the cell's first place and this one (which comes last) already belongs to the cell."""
    top, left = source
    bottom, right = place
    if bottom < top or right < left or (bottom - top + 1) * (right - left + 1) > _LARGEST_CELL:
        return False
    places = ((row, col) for row in range(top, bottom + 1) for col in range(left, right + 1) if (row, col) != place)
    return all(owner.get(covered) == source for covered in places)


def make_rows_table(rows: list[list[str]], *, header: bool) -> Table | None:
    """Plain rows of texts; the first is a header when `header`."""
    return _place(
        [[_Draft(text=text, header=header and not number) for text in row] for number, row in enumerate(rows)]
    )


def _place(rows: list[list[_Draft]]) -> Table | None:
    """HTML's own algorithm: each cell takes the next free place of its row; spans never overlap and never overflow."""
    rows = [row for row in rows if row][:MAX_ROWS]
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    for row, drafts in enumerate(rows):
        col = 0
        for draft in drafts:
            while (row, col) in taken:
                col += 1
            if col >= MAX_COLS or len(taken) >= MAX_CELLS:
                break
            cell = _fit(draft, row, col, len(rows), taken)
            taken.update(_places(cell))
            cells.append(cell)
    if not cells:
        return None
    return Table(rows=len(rows), cols=max(cell.col + cell.col_span for cell in cells), cells=tuple(cells))


def _fit(draft: _Draft, row: int, col: int, rows: int, taken: set[tuple[int, int]]) -> Cell:
    across = 1
    while across < min(draft.col_span, MAX_COLS - col) and (row, col + across) not in taken:
        across += 1
    down = min(draft.row_span, rows - row)
    text = "\n".join(line.strip() for line in draft.text.split("\n") if line.strip())
    return Cell(row=row, col=col, row_span=down, col_span=across, header=draft.header, text=text)


def _places(cell: Cell) -> Iterable[tuple[int, int]]:
    return (
        (row, col)
        for row in range(cell.row, cell.row + cell.row_span)
        for col in range(cell.col, cell.col + cell.col_span)
    )
