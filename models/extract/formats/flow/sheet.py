"""A sheet as every spreadsheet reader fills it: displayed texts by place, merges, sizes, hidden cells. No parser."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field, replace
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.span import Span
from quire.models.cdom.table import Table
from quire.models.cdom.tree import PictureFacts

MAX_CELLS: Final = 1_500_000
"""Places of a merged area, and cells of a repeated row."""
MAX_CHARS: Final = 19_000_000
"""Characters of all cells, nearly as many as a tree may hold; a shared text counts for each cell that refers to it."""
BYTES_PER_CELL: Final = 150
"""Bytes in a tree's JSON for each cell that may be read: a child can write a million of them with the memory that it
has by default."""
CELL_BYTES: Final = 118
"""Bytes of a cell without its text and box."""
_BOXED_BYTES: Final = CELL_BYTES + 26
LEFT_OUT: Final = "rows-left-out"
"""Warning: rows beyond those limits are not read, so the file is not complete."""
MAX_MERGES: Final = 100_000
"""Merged areas of one sheet: each is compared with the cells it covers."""
ROW_HEIGHT: Final = 15.0
"""Points: Excel's default."""
COLUMN_WIDTH: Final = 48.0
"""Points: Excel's default of 8.43 characters."""

Place = tuple[int, int]
"""Row and column, from 0."""
Area = tuple[int, int, int, int]
"""First row, first column, last row, last column, from 0."""


@dataclass(slots=True)
class SheetObject:
    """An object over a sheet: a picture or chart if `drawn`, else a text box.

    Attributes:
        place: Top-left cell.
        asset: Picture in the file.
        table: Values of a chart.
        picture: Kind, title and axes of a chart.
        text: Text, or alternative text.
        drawn: Whether it is a picture or chart.
        hidden: Whether it was hidden by hand.
    """

    place: Place
    asset: str | None = None
    table: Table | None = None
    picture: PictureFacts | None = None
    text: str = ""
    drawn: bool = False
    hidden: bool = False


@dataclass(slots=True)
class Sizes:
    """Heights or widths along one side, in points: `default`, and those that differ by index."""

    default: float
    stated: dict[int, float] = field(default_factory=dict)
    _keys: list[int] = field(default_factory=list)
    _sums: list[float] = field(default_factory=list)

    def start(self, index: int) -> float:
        """Return the position in points at which row or column `index` begins."""
        if len(self._sums) != len(self.stated) + 1:
            self._keys = sorted(self.stated)
            self._sums = [0.0]
            for key in self._keys:
                self._sums.append(self._sums[-1] + self.stated[key] - self.default)
        return index * self.default + self._sums[bisect_left(self._keys, index)]


@dataclass(slots=True)
class Sheet:
    """A sheet.

    Attributes:
        numbers: Places with a numeric value.
        moments: ISO dates and times of places with a date format.
        printed_heads: Texts of the headers that are printed on its pages.
        printed_feet: Texts of the printed footers.
        headers: Areas whose first row is stated to be a header.
        spans: Styles and links in the texts of cells.
        links: Areas with the name of the address that they link to.
    """

    name: str
    visible: bool = True
    cells: dict[Place, str] = field(default_factory=dict)
    numbers: set[Place] = field(default_factory=set)
    moments: dict[Place, str] = field(default_factory=dict)
    merges: list[Area] = field(default_factory=list)
    headers: list[Area] = field(default_factory=list)
    filters: list[Area] = field(default_factory=list)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    rows: Sizes = field(default_factory=lambda: Sizes(ROW_HEIGHT))
    columns: Sizes = field(default_factory=lambda: Sizes(COLUMN_WIDTH))
    spans: dict[Place, tuple[Span, ...]] = field(default_factory=dict)
    links: list[tuple[Area, str]] = field(default_factory=list)
    comments: list[tuple[Place, str]] = field(default_factory=list)
    objects: list[SheetObject] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    printed_heads: list[str] = field(default_factory=list)
    printed_feet: list[str] = field(default_factory=list)

    def add_merge(self, area: Area) -> None:
        """Add a merged area.

        Raises:
            ResourceLimit: The sheet has too many merged areas.
        """
        if len(self.merges) >= MAX_MERGES:
            raise ResourceLimit("a sheet has too many merged cells")
        self.merges.append(area)

    def link_cells(self, targets: Mapping[str, str]) -> None:
        """Make the texts of linked cells links to the addresses of that name."""
        for area, name in self.links[:MAX_MERGES]:
            place, href = area[:2], targets.get(name)
            if href is None or place not in self.cells:
                continue
            spans: list[Span] = []
            end, length = 0, len(self.cells[place])
            for span in (*self.spans.get(place, ()), Span(start=length, end=length)):
                spans += [Span(start=end, end=span.start, href=href)] if span.start > end else []
                spans += [replace(span, href=href, underline=False)] if span.end > span.start else []
                end = span.end
            self.spans[place] = tuple(spans)

    def is_hidden_row(self, row: int) -> bool:
        """Return whether a row was hidden by hand; rows hidden by a filter are data."""
        return row in self.hidden_rows and not any(area[0] <= row <= area[2] for area in self.filters)

    def is_hidden_column(self, column: int) -> bool:
        """Return whether a column was hidden by hand."""
        return any(first <= column <= last for first, last in self.hidden_columns)

    def is_hidden(self, place: Place) -> bool:
        """Return whether a place is in a row or column that was hidden by hand."""
        return self.is_hidden_column(place[1]) or self.is_hidden_row(place[0])


@dataclass(slots=True)
class TableSize:
    """A count of the cells of a file against the `most`; `cell_bytes` is the JSON of a cell without its text."""

    most: int
    cell_bytes: int = CELL_BYTES
    cells: int = 0
    characters: int = 0
    bytes: int = 0

    def takes(self, text: str, cells: int = 1) -> bool:
        """Count the text of so many cells; return whether they are within the limits."""
        self.cells += cells
        self.characters += len(text)
        self.bytes += cells * self.cell_bytes + (len(text) if text.isascii() else len(text.encode("utf-8", "replace")))
        return self.cells <= self.most and self.characters <= MAX_CHARS and self.bytes <= self.most * BYTES_PER_CELL


@dataclass(slots=True)
class Workbook:
    """Sheets in order, and a count of all their filled cells; once that is `full`, further rows are left out."""

    most: InitVar[int]
    sheets: list[Sheet] = field(default_factory=list)
    size: TableSize = field(init=False)
    full: bool = False

    def __post_init__(self, most: int) -> None:
        self.size = TableSize(most, _BOXED_BYTES)

    def put(self, sheet: Sheet, place: Place, text: str, *, number: bool = False, moment: str = "") -> None:
        """Store a cell's displayed text, and its ISO date or time if it is one."""
        if not text:
            return
        if self.full or not self.size.takes(text):
            self.leave_out(sheet, place[0])
            return
        sheet.cells[place] = text
        if number:
            sheet.numbers.add(place)
        if moment:
            sheet.moments[place] = moment

    def leave_out(self, sheet: Sheet, row: int) -> None:
        """Leave out a row, and all that come after it."""
        if LEFT_OUT not in sheet.warnings:
            sheet.warnings.append(LEFT_OUT)
        while not self.full and sheet.cells and next(reversed(sheet.cells))[0] == row:
            sheet.cells.popitem()
        self.full = True


def column_name(index: int) -> str:
    """Return the letters of a column."""
    name = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, 26)
        name = chr(65 + letter) + name
    return name


def place_name(place: Place) -> str:
    """Return the name of a cell, such as `B3`."""
    return f"{column_name(place[1])}{place[0] + 1}"


def area_name(sheet: str, area: Area) -> str:
    """Return the name of an area as in a formula: `Sheet1!A1:C9`."""
    plain = sheet.replace("_", "a").isalnum() and not sheet[0].isdigit()
    name = sheet if plain else "'" + sheet.replace("'", "''") + "'"
    first, last = place_name(area[:2]), place_name(area[2:])
    return f"{name}!{first}" if first == last else f"{name}!{first}:{last}"


def parse_place(name: str) -> Place | None:
    """Return (2, 1) for `B3`; None for anything but the name of a cell."""
    column = index = 0
    for index, char in enumerate(name):
        if not "A" <= (upper := char.upper()) <= "Z" or index > 3:
            break
        column = column * 26 + ord(upper) - 64
    digits = name[index:]
    if not column or not digits.isascii() or not digits.isdigit() or len(digits) > 7 or digits.strip("0") == "":
        return None
    return int(digits) - 1, column - 1


def parse_area(name: str) -> Area | None:
    """Return the area that `A1:C9` or `B3` names."""
    first, _, last = name.replace("$", "").partition(":")
    start, end = parse_place(first), parse_place(last or first)
    if start is None or end is None:
        return None
    return min(start[0], end[0]), min(start[1], end[1]), max(start[0], end[0]), max(start[1], end[1])
