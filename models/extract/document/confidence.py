"""Confidence of blocks and cells: the probability that each is right, estimated by learned trees.

`make train` fits the trees on documents with truth, so that nine in ten blocks with a confidence of .9 are right.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from quire.models.cdom.flags import GARBLED_TEXT
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType, Route
from quire.models.extract import HOME
from quire.models.extract.contract import PageBlock, PageContent
from quire.models.extract.document.draft import Draft
from quire.models.extract.layout.learned.counts import count_alnum, count_digits, median
from quire.models.extract.layout.learned.forest import Forest, load_forest

Rows = npt.NDArray[np.float32]
_KINDS = {kind: number for number, kind in enumerate(BlockType)}
_PRINTED, _SCANNED, _FLOWING = 0, 1, 2
"""Pages with a text layer · recognised pages · formats without printed pages."""

BLOCK_NAMES = (
    "kind", "way", "stated", "chars", "words", "digits", "signs", "lines", "width", "height", "top", "left", "size",
    "bold", "rows", "cols", "empty", "spans", "heads", "longest", "score", "checks", "failed", "blocks", "tables",
    "pictures", "edges", "printed", "column",
)  # fmt: skip
CELL_NAMES = (
    "table", "way", "stated", "rows", "cols", "row", "col", "chars", "digits", "header", "row_span", "col_span",
    "breaks", "row_filled", "col_filled", "empty", "score", "boxed",
)  # fmt: skip


def find_block_rows(drafts: Sequence[Draft], blocks: Sequence[PageBlock]) -> Rows:
    """Return a row of features for each draft; `blocks` are its blocks with checked tables."""
    facts: dict[int, tuple[float, ...]] = {}
    by_page: dict[int, list[Draft]] = {}
    for draft in drafts:
        by_page.setdefault(draft.page.number, []).append(draft)
    for number, page_drafts in by_page.items():
        facts[number] = _page_facts(page_drafts)
    rows = [
        (*_describe_block(draft, block), *facts[draft.page.number]) for draft, block in zip(drafts, blocks, strict=True)
    ]
    return np.array(rows, dtype=np.float32).reshape(len(rows), -1)


def way_of(page: PageContent, block: PageBlock) -> int:
    """Return how the block was read: from a text layer, by a recogniser, or from a format without pages."""
    if block.recognised or page.route in (Route.OCR, Route.VLM):
        return _SCANNED
    return _PRINTED if page.width else _FLOWING


def _page_facts(drafts: Sequence[Draft]) -> tuple[float, ...]:
    lefts = {round(draft.block.bbox[0] / 12) for draft in drafts if draft.block.bbox}  # steps of 12 points
    tables = sum(draft.block.table is not None for draft in drafts)
    pictures = sum(draft.type is BlockType.PICTURE for draft in drafts)
    printed = sum(bool(draft.block.printed) for draft in drafts)
    widths = [draft.block.bbox[2] - draft.block.bbox[0] for draft in drafts if draft.block.bbox]
    column = median(widths) / (drafts[0].page.width or 1.0) if widths else 0.0
    return (len(drafts), tables, pictures, len(lefts), printed, column)


def _describe_block(draft: Draft, block: PageBlock) -> tuple[float, ...]:
    page, text = draft.page, block.text
    width, height = page.width or 1.0, page.height or 1.0
    x0, y0, x1, y1 = block.bbox or (0.0, 0.0, 0.0, 0.0)
    chars, blanks = max(1, len(text)), text.count(" ")
    return (
        _KINDS[draft.type], way_of(page, block), block.confidence, len(text), blanks,
        count_digits(text) / chars, (len(text) - count_alnum(text) - blanks) / chars,
        block.look.lines, (x1 - x0) / width, (y1 - y0) / height, y0 / height, x0 / width,
        block.look.size / (page.body_size or 1.0), block.look.bold, *_describe_table(block),
    )  # fmt: skip


def _describe_table(block: PageBlock) -> tuple[float, ...]:
    table = block.table
    if table is None:
        return (0, 0, 0, 0, 0, 0, 0, 0, 0)
    count = max(1, len(table.cells))
    return (
        table.rows, table.cols, sum(not cell.text for cell in table.cells) / count,
        sum(cell.row_span * cell.col_span > 1 for cell in table.cells),
        sum(cell.header for cell in table.cells) / count,
        max((len(cell.text) for cell in table.cells), default=0), block.score,
        sum(check.holds for check in table.checks), sum(not check.holds for check in table.checks),
    )  # fmt: skip


def find_cell_rows(page: PageContent, block: PageBlock, expected: float) -> Rows:
    """Return a row of features for each cell of the block's table; `expected` is the table's own probability."""
    table = block.table
    assert table is not None
    in_row, in_col = np.zeros(max(1, table.rows)), np.zeros(max(1, table.cols))
    for cell in table.cells:
        if cell.text:
            in_row[cell.row] += 1
            in_col[cell.col] += 1
    empty = sum(not cell.text for cell in table.cells) / max(1, len(table.cells))
    way = way_of(page, block)
    rows = [
        (
            expected, way, block.confidence, table.rows, table.cols, *_describe_cell(cell),
            in_row[cell.row] / max(1, table.cols), in_col[cell.col] / max(1, table.rows), empty, block.score,
            cell.bbox is not None,
        )
        for cell in table.cells
    ]  # fmt: skip
    return np.array(rows, dtype=np.float32).reshape(len(rows), len(CELL_NAMES))


def _describe_cell(cell: Cell) -> tuple[float, ...]:
    text = cell.text
    return (
        cell.row, cell.col, len(text), count_digits(text) / max(1, len(text)), cell.header, cell.row_span,
        cell.col_span, text.count("\n"),
    )  # fmt: skip


WEIGHTS = {name: HOME / "document" / f"confidence_{name}.npz" for name in ("blocks", "cells")}
_DIGITS = 2
"""Decimals of a confidence, as precise as the training allows."""


@dataclass(frozen=True, slots=True)
class ConfidenceLimits:
    """Limits for cells to be rated."""

    most_cells: int = 20000
    """Cells of a table that are rated one by one; in larger tables each has its table's confidence."""


LIMITS = ConfidenceLimits()


@cache
def confidence_forests() -> dict[str, Forest]:
    """Return the trees of this version, for blocks and for cells."""
    return {name: load_forest(path) for name, path in WEIGHTS.items()}


@dataclass(slots=True)
class Rating:
    """The probability that a block is right, and its table with the probability of each cell."""

    confidence: float
    table: Table | None


def rate_blocks(drafts: Sequence[Draft], blocks: Sequence[PageBlock]) -> list[Rating]:
    """Return the rating of each draft's block; `blocks` are the drafts' blocks with checked tables."""
    if not blocks:
        return []
    chances = confidence_forests()["blocks"].probabilities(find_block_rows(drafts, blocks)).tolist()
    return [
        _rate(draft, block, round(chance, _DIGITS))
        for draft, block, chance in zip(drafts, blocks, chances, strict=True)
    ]


def rate_plainly(drafts: Sequence[Draft], blocks: Sequence[PageBlock]) -> list[Rating]:
    """Return the confidence that the pages state."""
    return [Rating(block.confidence, block.table) for block in blocks]


def _rate(draft: Draft, block: PageBlock, chance: float) -> Rating:
    """Return the rating; garbled text that was not read and charts keep their confidence."""
    table = block.table
    if GARBLED_TEXT in block.flags or (block.picture is not None and table is not None):
        return Rating(block.confidence, table)
    if table is None or not table.cells:
        return Rating(chance, table)
    if len(table.cells) > LIMITS.most_cells:
        rated = [chance] * len(table.cells)
    else:
        rows = find_cell_rows(draft.page, block, chance)
        rated = [round(value, _DIGITS) for value in confidence_forests()["cells"].probabilities(rows).tolist()]
    return Rating(chance, replace(table, cells=tuple(map(_rate_cell, table.cells, rated))))


def _rate_cell(cell: Cell, confidence: float) -> Cell:
    """Return the cell with that confidence; `replace` takes four times as long, and a page has hundreds of cells."""
    return Cell(
        row=cell.row,
        col=cell.col,
        row_span=cell.row_span,
        col_span=cell.col_span,
        header=cell.header,
        text=cell.text,
        bbox=cell.bbox,
        confidence=confidence,
        value=cell.value,
        spans=cell.spans,
    )
