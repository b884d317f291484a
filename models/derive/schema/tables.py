"""Maps the columns of tables to the leaves of an array, and yields the rows under each head.

A table without a head continues the last one with as many columns; repeated heads are left out.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice, pairwise, takewhile

from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.tree import Block, Tree
from quire.models.cdom.visible import visible_blocks
from quire.models.derive.fields.values import find_amounts, find_dates
from quire.models.derive.schema.columns import TableColumns, is_typed
from quire.models.derive.schema.nodes import Leaf
from quire.models.derive.schema.phrases import PhraseIndex
from quire.models.derive.schema.sources import TextSource, cell_source
from quire.models.derive.schema.typed import plain_number, read_typed

MAX_HEAD_ROWS = 8
"""First rows of a table that may hold its head."""
MAX_LATE = 50
"""Further rows that are tried as the head of a table."""
LEAST_FOUND = 0.6
"""Minimum share of the leaves that have a column in a table without a head."""
UNNAMED = 0.7
"""Weight of a table without a head next to one with a head."""
MIN_ROWS = 2  # rows, with the head, that a table has at most if it states single values
ABOVE = 2.5  # heights of a cell between a table and a line that may be its head
SAME_TABLE = 0.5
"""Minimum share of the mapped cells that must be of their type for a table without a head to continue another."""

YEAR = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?![\d.,]*\d)")
"""The year in the head of a column."""
_DAY = re.compile(r"(?:[12]?\d|3[01])[.,]")
"""The day of a date whose month and year are in other cells."""
Columns = Mapping[int, Leaf]


def _states_day(sources: Sequence[TextSource]) -> bool:
    return next(find_dates(" ".join(source.text for source in sources)), None) is not None


@dataclass(frozen=True, slots=True)
class ColumnHeads:
    """A head: the row where data begins, the leaf of each column, the words of each column and their fit together.

    `top` is the first row of the head: rows above it do not belong to its table. `fits` are the fits of
    leaves that sums or types confirm or find.
    """

    first_row: int
    columns: Columns
    words: Mapping[int, str]
    score: float
    top: int = 0
    fits: Mapping[Leaf, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableRow:
    """The mapped cells of one row that are not empty, of `columns` mapped ones, and the row's first text.

    `spans` is true for a single cell over several columns; `fit` is the mean fit of the head (0..1). `only` is the
    text of a row with a single filled cell. `is_foot` is true for a label with its amount below the data.
    """

    cells: Mapping[Leaf, TextSource]
    columns: int
    first: str
    spans: bool
    fit: float
    only: TextSource | None = None
    is_foot: bool = False
    rests: Mapping[Leaf, tuple[TextSource, ...]] = field(default_factory=dict)
    """Texts that go on in columns without a head."""


class TableView:
    """One table by rows and columns."""

    def __init__(self, block: Block) -> None:
        assert block.table is not None
        self.block, self.table, self._places = block, block.table, BlockPlaces(block)
        self.rows: dict[int, dict[int, int]] = defaultdict(dict)
        for index, cell in enumerate(self.table.cells):
            self.rows[cell.row][cell.col] = index

    def find_head(
        self,
        index: PhraseIndex[Leaf],
        leaves: Sequence[Leaf],
        above: Sequence[TextSource] = (),
        outer: Sequence[Leaf] = (),
    ) -> ColumnHeads | None:
        """Return the head, which names most of the leaves, with the columns that types and sums add.

        `above` are lines right above the table, which may be its head; `outer` leaves are found by a head only. Without
        a head that names two leaves, the columns are found by what they hold alone; None if most leaves have no column
        then.
        """
        best: tuple[float, int, dict[int, tuple[Leaf, float]], Mapping[int, str]] = (0.0, 0, {}, {})
        possible: list[tuple[int, Mapping[int, str]]] = [*self._possible_heads()]
        for first_row, words in [*possible, (min(self.rows, default=0), self._words_above(above))]:
            if len(words) < min(2, self.table.cols):  # a row with one text heads rows, not columns
                continue
            named = _assign(words, index, (*leaves, *outer))
            score = sum(fit for _, fit in named.values())
            if score > best[0]:
                best = (score, first_row, named, words)
        _, data_row, named, head_words = best
        is_named = len(named) >= min(2, len(leaves))
        if not is_named:
            data_row = max(data_row, self._first_data_row())
        body = [number for number in sorted(self.rows) if number >= data_row]
        split = self._find_split(body) if body and not is_named else ()
        rows = [{col: text for col, text in self.texts(number).items() if col not in split} for number in body]
        contents = TableColumns(rows)
        columns = contents.complete(named, leaves)
        if not is_named and (
            len(columns) < max(2, LEAST_FOUND * len(leaves))
            or not (len(contents.sums) > 1 or named or self._is_of_types(columns, contents, leaves))
        ):
            return None
        found = {number: leaf for number, (leaf, _) in columns.items()}
        score = sum(fit for _, fit in columns.values()) * (1.0 if is_named else UNNAMED)
        top = self._top_of(data_row) if is_named else 0
        return ColumnHeads(data_row, found, head_words, score, top, dict(columns.values())) if found else None

    def _top_of(self, data_row: int) -> int:
        """Return the first of the header rows that end right above a row."""
        top = data_row - 1
        while top - 1 in self.rows and all(self.table.cells[index].header for index in self.rows[top - 1].values()):
            top -= 1
        return max(0, top)

    def _is_of_types(
        self, columns: Mapping[int, tuple[Leaf, float]], contents: TableColumns, leaves: Sequence[Leaf]
    ) -> bool:
        """Return whether a table under a head of foreign words has just the columns that the leaves need by type."""
        head = [self.table.cells[index] for index in self.rows[min(self.rows)].values()]
        is_head = all(cell.header and not any(map(str.isdigit, cell.text)) for cell in head)
        types = sum(map(is_typed, leaves))
        return (
            is_head and 0 < types < len(leaves) == len(columns) == len(contents.columns) and len(self.rows) > MIN_ROWS
        )

    def texts(self, number: int) -> dict[int, str]:
        """Return the texts of a row by column."""
        return {col: self.table.cells[index].text for col, index in self.rows[number].items()}

    def _first_data_row(self) -> int:
        """Return the first row that has figures and is not a header."""
        for number in sorted(self.rows):
            cells = [self.table.cells[index] for index in self.rows[number].values()]
            if not all(cell.header for cell in cells) and any(map(str.isdigit, "".join(cell.text for cell in cells))):
                return number
        return min(self.rows, default=0)

    def _words_above(self, above: Sequence[TextSource]) -> dict[int, str]:
        return {col: " ".join(line.text for line in lines) for col, lines in self.lines_above(above).items()}

    def lines_above(self, above: Sequence[TextSource], *, wide: bool = False) -> dict[int, list[TextSource]]:
        """Return the lines right above the table by the only column that they stand over; with `wide` by each."""
        boxes = [(cell.col, cell.bbox) for cell in self.table.cells if cell.bbox is not None and cell.col_span == 1]
        if not above or not boxes:
            return {}
        top = min(box[1] for _, box in boxes)
        reach = ABOVE * min(box[3] - box[1] for _, box in boxes)
        words: dict[int, list[TextSource]] = defaultdict(list)
        for line in above:
            if line.bbox is None or not -2 <= top - line.bbox[3] <= reach:
                continue
            over = {col for col, box in boxes if box[0] < line.bbox[2] and box[2] > line.bbox[0]}
            for col in over if wide or len(over) == 1 else ():
                words[col].append(line)
        return words

    def source(self, index: int) -> TextSource:
        """Return a cell, by its index, as a source."""
        return cell_source(self.block, self._places, index)

    def find_periods(self, above: Sequence[TextSource]) -> dict[int, tuple[TextSource, ...]]:
        """Return the head of each column that is headed by a year, from top to bottom; `above` are lines above.

        The head ends at the last row with years before the first row with other numbers.
        """
        head: list[list[int]] = []
        rows: list[list[int]] = []
        for number in sorted(self.rows)[:MAX_HEAD_ROWS]:
            filled = [index for index in self.rows[number].values() if self.table.cells[index].text.strip()]
            texts = [self.table.cells[index].text for index in filled]
            is_dated = any(YEAR.fullmatch(text.strip()) for text in texts)  # a date may be split over cells
            if any(plain_number(text) is not None and not YEAR.fullmatch(text.strip())
                   and not (is_dated and _DAY.fullmatch(text.strip())) for text in texts[1:]):  # fmt: skip
                break
            rows.append(filled)
            if any(map(YEAR.search, texts)):
                head = rows[:]
        found: dict[int, list[TextSource]] = defaultdict(list)
        for filled in head:
            parts: list[int] = []
            has_day = any(_DAY.fullmatch(self.table.cells[index].text.strip()) for index in filled)
            for index in sorted(filled, key=lambda index: self.table.cells[index].col):
                cell = self.table.cells[index]
                parts = [*parts, index] if has_day else [index]
                for col in range(max(1, cell.col), min(cell.col + cell.col_span, self.table.cols)):
                    if cell.col > 0 or cell.col_span > 1:
                        found[col] += [self.source(part) for part in parts]
                parts = [] if YEAR.search(cell.text) else parts
        wide = {} if not found else self.lines_above(above, wide=True)
        for col, lines in (wide or self.lines_above(above)).items():
            if not found[col] or (YEAR.search(found[col][-1].text) and not _states_day(found[col])):
                found[col] = [*lines, *found[col]]
        return {
            col: tuple(sources) for col, sources in found.items() if any(YEAR.search(source.text) for source in sources)
        }

    def _possible_heads(self) -> Iterator[tuple[int, dict[int, str]]]:
        numbers = sorted(self.rows)
        numbers = [*numbers[:MAX_HEAD_ROWS], *islice(self._late_heads(numbers[MAX_HEAD_ROWS - 1 :]), MAX_LATE)]
        stacked: dict[int, str] = {}
        for number in numbers:
            cells = [self.table.cells[index] for index in self.rows[number].values()]
            words = {cell.col: cell.text for cell in cells if cell.text.strip()}
            yield number + 1, words
            if not all(cell.header for cell in cells):
                stacked = {}
                continue
            for cell in cells:
                for col in range(cell.col, min(cell.col + cell.col_span, self.table.cols)):
                    stacked[col] = f"{stacked.get(col, '')} {cell.text}".strip()
            if number > numbers[0]:
                yield number + 1, dict(stacked)

    def _late_heads(self, numbers: Sequence[int]) -> Iterator[int]:
        """Yield the rows of words that have more columns than the row above: a sheet may hold facts above its table."""
        for above, number in pairwise(numbers):
            filled = [text for text in self.texts(number).values() if text.strip()]
            is_wider = len(filled) > sum(bool(text.strip()) for text in self.texts(above).values())
            if is_wider and not any(map(str.isdigit, "".join(filled))):
                yield number

    def read_rows(self, head: ColumnHeads, first_row: int) -> Iterator[TableRow]:
        """Yield the rows from `first_row` on, without repeated heads."""
        fit = head.score / max(1, len(head.columns))
        body = [number for number in sorted(self.rows) if number >= first_row]
        split = self._find_split(body) - head.columns.keys() if body else ()
        rests = {
            leaf: list(takewhile(split.__contains__, range(col + 1, self.table.cols)))
            for col, leaf in head.columns.items()
            if not is_typed(leaf)
        }
        for number in body:
            by_col = self.rows[number]
            texts = {col: self.table.cells[index].text for col, index in by_col.items()}
            if _repeats(texts, head):
                continue
            cells = {
                leaf: cell_source(self.block, self._places, by_col[col])
                for col, leaf in head.columns.items()
                if col in by_col and texts[col].strip()
            }
            filled = [col for col in sorted(texts) if texts[col].strip()]
            if filled:
                only = self.table.cells[by_col[filled[0]]]
                spans = len(filled) == 1 and (only.col_span > 1 or only.header)
                single = cell_source(self.block, self._places, by_col[filled[0]]) if len(filled) == 1 else None
                leaf = head.columns.get(filled[0])
                is_misplaced = leaf is not None and is_typed(leaf) and read_typed(only.text, leaf) is None
                is_foot = len(filled) == 2 < len(head.columns) and (only.col_span > 1 or is_misplaced)
                behind = {
                    leaf: tuple(cell_source(self.block, self._places, by_col[col]) for col in cols if texts.get(col))
                    for leaf, cols in rests.items()
                    if cols and leaf in cells
                }
                yield TableRow(cells, len(head.columns), texts[filled[0]], spans, fit, single, is_foot, behind)

    def _find_split(self, body: Sequence[int]) -> frozenset[int]:
        """Return the columns without a head that some texts of the column before them go on in.

        Their head is empty, or the one before it spans them.
        """
        split: set[int] = set()
        for col in range(1, self.table.cols):
            above = [
                self.table.cells[by_col[col]].text
                for row, by_col in self.rows.items()
                if row < body[0] and col in by_col
            ]
            texts = [self.table.cells[self.rows[row][col]].text.strip() for row in body if col in self.rows[row]]
            is_part = not (above and all(texts)) and any(len(text) > 1 for text in texts)
            is_part = is_part and not any(next(find_amounts(text), None) for text in texts)
            if is_part and body[0] > min(self.rows) and not any(map(str.strip, above)):
                split.add(col)
        return frozenset(split)

    def continues(self, head: ColumnHeads, cols: int) -> bool:
        """Return True when the table has as many columns and its first rows hold values of the leaves' types."""
        if self.table.cols != cols:
            return False
        cells = [
            (leaf, self.table.cells[by_col[col]].text)
            for number in sorted(self.rows)[:3]
            for by_col in (self.rows[number],)
            for col, leaf in head.columns.items()
            if col in by_col
        ]
        typed = [read_typed(text, leaf) is not None for leaf, text in cells if text.strip() and is_typed(leaf)]
        return bool(cells) and (sum(typed) >= SAME_TABLE * len(typed) if typed else True)


LooseLines = Mapping[int, Sequence[TextSource]]
"""Lines of text outside tables, by page."""
BESIDE = 1.3  # heights of a line between a table and a line that belongs to it
MOST_COLUMNS = 0.6  # minimum share of the columns that a row above a table fills
MAX_LOOSE = 200  # characters of such a line


def find_loose_lines(tree: Tree) -> LooseLines:
    """Return the single lines of text outside tables; a row at the top of a page may look like a running head."""
    lines: dict[int, list[TextSource]] = defaultdict(list)
    for block in visible_blocks(tree, furniture=True):
        is_line = block.table is None and "\n" not in block.text and 0 < len(block.text.strip()) <= MAX_LOOSE
        if is_line and block.bbox is not None:
            lines[block.page].append(TextSource(block.id, block.page, block.bbox, None, 0, block.text, block.order))
    return lines


def add_loose_rows(rows: Iterator[TableRow], loose: LooseLines) -> Iterator[TableRow]:
    """Yield the rows, and on each page the line right above them or below them that stands in their columns.

    A table that the reader began one row too late, or ended one line too early, gets that row or line back.
    """
    for page, group in groupby(rows, key=lambda row: next(iter(row.cells.values())).page if row.cells else 0):
        members = list(group)
        columns = _Columns(members)
        above, below = columns.read(loose.get(page, ()))
        typed = [leaf for leaf in above if is_typed(leaf) and read_typed(above[leaf].text, leaf) is not None]
        if len(typed) > 1 and len(above) >= MOST_COLUMNS * columns.count:
            yield columns.make_row(above)
        yield from members
        if below and not any(map(is_typed, below)):
            yield columns.make_row(below)


class _Columns:
    """The places of the columns of a page's rows, by leaf."""

    def __init__(self, rows: Sequence[TableRow]) -> None:
        self._rows, self.count = rows, rows[0].columns
        self._spans: dict[Leaf, tuple[float, float]] = {}
        boxes = []
        for row in rows:
            for leaf, source in row.cells.items():
                if source.bbox is not None:
                    left, right = self._spans.get(leaf, (source.bbox[0], source.bbox[2]))
                    self._spans[leaf] = (min(left, source.bbox[0]), max(right, source.bbox[2]))
                    boxes.append(source.bbox)
        self._top = min((box[1] for box in boxes), default=0.0)
        self._bottom = max((box[3] for box in boxes), default=0.0)
        self._height = min((box[3] - box[1] for box in boxes), default=0.0)

    def read(self, lines: Sequence[TextSource]) -> tuple[dict[Leaf, TextSource], dict[Leaf, TextSource]]:
        """Return the lines right above and right below by leaf; none where one is in no column of its own."""
        reach = BESIDE * self._height
        above = [line for line in lines if line.bbox and -1 <= self._top - line.bbox[3] <= reach]
        below = [line for line in lines if line.bbox and -1 <= line.bbox[1] - self._bottom <= reach]
        return self._place(above), self._place(below)

    def _place(self, lines: Sequence[TextSource]) -> dict[Leaf, TextSource]:
        placed: dict[Leaf, TextSource] = {}
        for line in lines:
            assert line.bbox is not None
            within = [
                leaf for leaf, (left, right) in self._spans.items() if line.bbox[0] < right and line.bbox[2] > left
            ]
            if len(within) != 1 or within[0] in placed:
                return {}
            placed[within[0]] = line
        return placed

    def make_row(self, cells: Mapping[Leaf, TextSource]) -> TableRow:
        """Return a row of the same columns."""
        first = min(cells.values(), key=lambda source: source.bbox[0] if source.bbox else 0.0)
        return TableRow(cells, self.count, first.text, False, self._rows[0].fit)


def _assign(
    words: Mapping[int, str], index: PhraseIndex[Leaf], leaves: Sequence[Leaf]
) -> dict[int, tuple[Leaf, float]]:
    """Return the leaf of each column with its fit, the best fits first."""
    wanted = set(leaves)
    fits = [
        (fit.score, -col, fit.owner)
        for col, text in words.items()
        if len(text) <= 80
        for fit in index.fits(text)
        if fit.owner in wanted
    ]
    order = {leaf: number for number, leaf in enumerate(leaves)}
    columns: dict[int, tuple[Leaf, float]] = {}
    used: set[Leaf] = set()
    for score, negative_col, leaf in sorted(fits, key=lambda entry: (-entry[0], -entry[1], order[entry[2]])):
        if -negative_col not in columns and leaf not in used:
            columns[-negative_col] = (leaf, score)
            used.add(leaf)
    return columns


def _repeats(texts: Mapping[int, str], head: ColumnHeads) -> bool:
    """Return True for a row that holds the words of the head in at least two of its columns, or in its only one."""
    same = sum(
        texts.get(col, "").split() == head.words[col].split() and bool(head.words[col].strip())
        for col in head.columns
        if col in head.words
    )
    return same >= min(2, len(head.columns))
