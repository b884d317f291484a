"""Maps the columns of tables to the leaves of an array, and yields the rows under each head.

A table without a head continues the last one with as many columns; a repeated head is no row.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from models.cdom.places import BlockPlaces
from models.cdom.tree import Block
from models.derive.schema.nodes import Leaf
from models.derive.schema.phrases import PhraseIndex
from models.derive.schema.sources import TextSource, cell_source
from models.derive.schema.typed import read_typed

MAX_HEAD_ROWS = 8
"""First rows of a table that may hold its head."""
SAME_TABLE = 0.5
"""Minimum share of the mapped cells that must be of their type for a table without a head to continue another."""

Columns = Mapping[int, Leaf]


@dataclass(frozen=True, slots=True)
class ColumnHeads:
    """A head: the row where data begins, the leaf of each column, the words of each column and their fit together."""

    first_row: int
    columns: Columns
    words: Mapping[int, str]
    score: float


@dataclass(frozen=True, slots=True)
class TableRow:
    """The mapped cells of one row that are not empty, of `columns` mapped ones, and the row's first text.

    `spans` is true for a single cell over several columns; `fit` is the mean fit of the head (0..1).
    """

    cells: Mapping[Leaf, TextSource]
    columns: int
    first: str
    spans: bool
    fit: float


class TableView:
    """One table by rows and columns."""

    def __init__(self, block: Block) -> None:
        assert block.table is not None
        self.block, self.table, self._places = block, block.table, BlockPlaces(block)
        self.rows: dict[int, dict[int, int]] = defaultdict(dict)
        for index, cell in enumerate(self.table.cells):
            self.rows[cell.row][cell.col] = index

    def find_head(self, index: PhraseIndex[Leaf], leaves: Sequence[Leaf]) -> ColumnHeads | None:
        """Return the row, or the header rows together, whose cells name most of the leaves; None for fewer than two."""
        least = min(2, len(leaves))
        best: ColumnHeads | None = None
        for first_row, words in self._possible_heads():
            columns, score = _assign(words, index, leaves)
            if len(columns) >= least and (best is None or score > best.score):
                best = ColumnHeads(first_row, columns, words, score)
        return best

    def _possible_heads(self) -> Iterator[tuple[int, dict[int, str]]]:
        numbers = sorted(self.rows)[:MAX_HEAD_ROWS]
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

    def read_rows(self, head: ColumnHeads, first_row: int) -> Iterator[TableRow]:
        """Yield the rows from `first_row` on, without repeated heads."""
        fit = head.score / max(1, len(head.columns))
        for number in sorted(self.rows):
            if number < first_row:
                continue
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
                yield TableRow(cells, len(head.columns), texts[filled[0]], spans, fit)

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


def is_typed(leaf: Leaf) -> bool:
    """Return whether the leaf's type excludes most texts."""
    return leaf.kinds[:1] != ("string",) or bool(leaf.format or leaf.members)


def _assign(
    words: Mapping[int, str], index: PhraseIndex[Leaf], leaves: Sequence[Leaf]
) -> tuple[dict[int, Leaf], float]:
    """Return the leaf of each column, the best fits first, and the sum of the fits."""
    wanted = set(leaves)
    fits = [
        (fit.score, -col, fit.owner)
        for col, text in words.items()
        if len(text) <= 80
        for fit in index.fits(text)
        if fit.owner in wanted
    ]
    order = {leaf: number for number, leaf in enumerate(leaves)}
    columns: dict[int, Leaf] = {}
    total = 0.0
    for score, negative_col, leaf in sorted(fits, key=lambda entry: (-entry[0], -entry[1], order[entry[2]])):
        if -negative_col not in columns and leaf not in columns.values():
            columns[-negative_col] = leaf
            total += score
    return columns, total


def _repeats(texts: Mapping[int, str], head: ColumnHeads) -> bool:
    """Return True for a row that holds the words of the head in at least two of its columns, or in its only one."""
    same = sum(
        texts.get(col, "").split() == head.words[col].split() and bool(head.words[col].strip())
        for col in head.columns
        if col in head.words
    )
    return same >= min(2, len(head.columns))
