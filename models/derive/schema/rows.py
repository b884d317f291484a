"""Extracts the rows of arrays of objects from tables and lists across pages, without subtotals and repeated heads."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from quire.models.cdom.tree import Block, BlockId, Tree
from quire.models.cdom.visible import visible_blocks
from quire.models.derive.fields.labels import name_key
from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.pairs import RATE
from quire.models.derive.schema.answer import How
from quire.models.derive.schema.lists import read_line_rows, read_named_lines
from quire.models.derive.schema.nodes import Leaf
from quire.models.derive.schema.phrases import PhraseIndex
from quire.models.derive.schema.sources import TextSource
from quire.models.derive.schema.tables import (
    ColumnHeads,
    LooseLines,
    TableRow,
    TableView,
    add_loose_rows,
    find_loose_lines,
    is_typed,
)
from quire.models.derive.schema.typed import read_typed

SUBTOTAL = re.compile(
    r"\W*(?:(?:sub|grand|page|running)?[\s-]?totals?|sum|balance\s(?:brought|carried)|(?:brought|carried)\sforward|"
    r"zwischensumme|gesamt(?:summe|betrag)?|summe|[üu]bertrag|sous[\s-]total|total|report|subtotale?|totale|suma|"
    r"tussentotaal|totaal|net\stotal|amount\sdue|vat|tax|shipping|discount|b/f|c/f)\b",
    re.IGNORECASE,
)
_SUMS = frozenset({Key.TOTAL, Key.SUBTOTAL, Key.TAX, Key.DISCOUNT, Key.ROUNDING, Key.PAID, Key.CHANGE})
SAME_LEAVES = 0.75
"""Minimum share of the leaves of the best head that the head of a further table of the same rows names."""


TableRowId = tuple[BlockId, int]
"""A table's block and the number of a row."""


@dataclass(frozen=True, slots=True)
class Row:
    """The texts of one row by leaf, each in one or several places."""

    cells: dict[Leaf, tuple[TextSource, ...]]
    fit: float


@dataclass(frozen=True, slots=True)
class ArrayRows:
    """The rows of an array, the rows of tables that hold them or their heads, and the rule that found them."""

    rows: list[Row]
    used: frozenset[TableRowId]
    how: How
    score: float


def find_rows(tree: Tree, leaves: Sequence[Leaf], index: PhraseIndex[Leaf]) -> ArrayRows:
    """Return the rows of the tables whose heads name most of the array's leaves, else those of a list of lines."""
    views = [TableView(block) for block in visible_blocks(tree) if _has_cells(block)]
    heads = [view.find_head(index, leaves) for view in views]
    best = max((head.score for head in heads if head is not None), default=0.0)
    listed, listed_score = read_line_rows(tree, index, leaves)
    if listed_score > best:
        return ArrayRows(list(_join_rows(listed)), frozenset(), How.LINE, listed_score)
    return _read_tables(views, heads, best, find_loose_lines(tree))


def read_named_rows(tree: Tree, heads: Mapping[BlockId, ColumnHeads]) -> ArrayRows:
    """Return the rows of the tables whose heads are given, and of tables that continue them."""
    views = [TableView(block) for block in visible_blocks(tree) if _has_cells(block)]
    found = [heads.get(view.block.id) for view in views]
    best = max((head.score for head in heads.values()), default=0.0)
    return _read_tables(views, found, best, find_loose_lines(tree))


def read_rows_of_lines(tree: Tree, columns: Mapping[Leaf, TextSource], *, is_data: bool, fit: float) -> ArrayRows:
    """Return the rows of lines of text whose head, or with `is_data` first row, holds the given words."""
    rows = read_named_lines(tree, columns, is_data=is_data, fit=fit)
    return ArrayRows(list(_join_rows(rows)), frozenset(), How.LINE, fit * len(columns))


def _read_tables(
    views: Sequence[TableView], heads: Sequence[ColumnHeads | None], best: float, loose: LooseLines
) -> ArrayRows:
    top = next((head for head in heads if head is not None and head.score == best), None)
    if top is None:
        return ArrayRows([], frozenset(), How.TABLE, 0.0)
    rows: list[TableRow] = []
    used: set[TableRowId] = set()
    last: tuple[ColumnHeads, int] | None = None
    for view, head in zip(views, heads, strict=True):
        if head is not None and _names_same(head, top):
            last = (head, view.table.cols)
            rows += add_loose_rows(view.read_rows(head, head.first_row), loose)
            used |= {(view.block.id, number) for number in range(head.first_row)}
        elif last is not None and view.continues(*last):
            rows += add_loose_rows(view.read_rows(last[0], 0), loose)
        else:
            last = None
    joined = list(_join_rows(rows))
    used |= {(source.block_id, source.row) for row in joined for cell in row.cells.values() for source in cell}
    return ArrayRows(joined, frozenset(used), How.TABLE, best)


def _has_cells(block: Block) -> bool:
    return block.table is not None and bool(block.table.cells)


def _names_same(head: ColumnHeads, top: ColumnHeads) -> bool:
    wanted = set(top.columns.values())
    return len(wanted & set(head.columns.values())) >= SAME_LEAVES * len(wanted)


def _join_rows(rows: Sequence[TableRow]) -> Iterator[Row]:
    """Yield the data rows; a line of text alone belongs to the row above it."""
    pending: Row | None = None
    for row in rows:
        if _is_apart(row):
            continue
        typed = [leaf for leaf in row.cells if is_typed(leaf)]
        if pending is None and not typed and row.columns > len(row.cells):
            continue
        if pending is not None and not typed and any(is_typed(leaf) for leaf in pending.cells):
            for leaf, source in row.cells.items():
                pending.cells[leaf] = (*pending.cells.get(leaf, ()), source)
            continue
        if typed and not any(read_typed(row.cells[leaf].text, leaf) is not None for leaf in typed):
            continue
        if pending is not None:
            yield pending
        pending = Row({leaf: (source,) for leaf, source in row.cells.items()}, row.fit)
    if pending is not None:
        yield pending


def _is_apart(row: TableRow) -> bool:
    """Return True for a row without data: empty, one cell over all columns, or a total with empty cells."""
    if not row.cells or row.spans:
        return True
    if len(row.cells) >= row.columns:
        return False
    return SUBTOTAL.match(row.first) is not None or name_key(RATE.sub("", row.first)) in _SUMS
