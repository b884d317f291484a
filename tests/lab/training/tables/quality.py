"""Compares a table with the truth: a fast substitute for TEDS, from words, cells, neighbours and shape."""

import re
from collections import Counter
from dataclasses import dataclass

from tests.lab.training.tables.truth import TruthCell, count_words

_WORDS, _CELLS, _NEIGHBOURS, _SHAPE = 0.25, 0.3, 0.3, 0.15
"""Weights of the parts."""
_LEAST_ALIKE = 0.15
"""Tables that share fewer words are not compared further."""
_FOUND = 0.5
"""A table counts as found from this likeness of words on."""

Relation = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Judged:
    """Quality (0 to 1) against the best table of the truth, its index (-1: none), and whether they match."""

    quality: float = 0.0
    match: int = -1
    is_found: bool = False


class TableContent:
    """Comparable content of a table."""

    def __init__(self, cells: tuple[TruthCell, ...], page: int | None = None) -> None:
        self.page = page
        self.words = count_words(cells)
        self._cells = cells
        self._rest: tuple[Counter[str], Counter[Relation], int, int] | None = None

    @property
    def rest(self) -> tuple[Counter[str], Counter[Relation], int, int]:
        """Texts, neighbours, rows and columns; made when first asked for."""
        if self._rest is None:
            cells = self._cells
            texts = Counter(key for cell in cells if (key := _key(cell.text)))
            rows = max(cell.row + cell.row_span for cell in cells)
            cols = max(cell.col + cell.col_span for cell in cells)
            self._rest = (texts, find_neighbours(cells, rows, cols), rows, cols)
        return self._rest


def judge(table: TableContent, truths: list[TableContent], page: int) -> Judged:
    """The best match among the tables of the truth on that page."""
    best = Judged()
    for index, truth in enumerate(truths):
        if truth.page is not None and truth.page != page:
            continue
        alike = likeness(table.words, truth.words)
        if alike < _LEAST_ALIKE:
            continue
        (texts, pairs, rows, cols), (true_texts, true_pairs, true_rows, true_cols) = table.rest, truth.rest
        cells = likeness(texts, true_texts)
        shape = min(rows, true_rows) / max(rows, true_rows) * min(cols, true_cols) / max(cols, true_cols)
        beside = likeness(pairs, true_pairs) if true_pairs else cells
        quality = _WORDS * alike + _CELLS * cells + _NEIGHBOURS * beside + _SHAPE * shape
        if quality > best.quality:
            best = Judged(quality, index, alike >= _FOUND)
    return best


def likeness(one: Counter[str] | Counter[Relation], other: Counter[str] | Counter[Relation]) -> float:
    """F1 of two bags."""
    shared = sum((one & other).values())  # type: ignore[operator]
    return float(2 * shared / max(1, sum(one.values()) + sum(other.values())))


def _key(text: str) -> str:
    return re.sub(r"\W+", "", text.lower())


def find_neighbours(cells: tuple[TruthCell, ...], rows: int, cols: int) -> Counter[Relation]:
    """Pairs of texts with nothing between them, to the right and below."""
    grid: dict[tuple[int, int], int] = {}
    keys = [_key(cell.text) for cell in cells]
    for index, cell in enumerate(cells):
        if keys[index]:
            for down in range(cell.row_span):
                for on in range(cell.col_span):
                    grid[cell.row + down, cell.col + on] = index
    pairs: set[tuple[int, int, int]] = set()
    for (row, col), index in grid.items():
        for way, (down, on) in enumerate(((0, 1), (1, 0))):
            at = (row + down, col + on)
            while at[0] < rows and at[1] < cols and grid.get(at, index) == index:
                at = (at[0] + down, at[1] + on)
            if at in grid:
                pairs.add((index, grid[at], way))
    return Counter((keys[one], keys[other], way) for one, other, way in pairs)
