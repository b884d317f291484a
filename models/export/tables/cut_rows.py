"""Rows that a page break cuts in two: the tree has both parts, each at its place; where text is read, they are one row.

The second part is the first row of its page. It fills fewer cells, none that the first part leaves empty. It goes on
with a sentence in a column whose texts begin with capitals, or leaves the column of keys empty, as no other row does.
"""

from dataclasses import dataclass, replace
from itertools import accumulate

from quire.models.cdom.table import Cell, Table
from quire.models.export.tables.numbers import read_number


@dataclass(frozen=True, slots=True)
class CutRowLimits:
    """Thresholds for the first row of a page to go on with the last one of the page before."""

    least_rows: int = 3
    """Rows that show whether the first column is one of keys."""
    most_lower: float = 0.2
    """Share of the texts of a column of sentences that begin with a small letter."""
    least_chars: int = 24
    """Characters of a text that may be cut; a shorter one is a label."""


LIMITS = CutRowLimits()
_STOPS = (".", "!", "?", ";", "。")


def join_cut_rows(table: Table) -> Table:
    """Return the table with each row that a page break cuts as one row."""
    rows: list[list[Cell]] = [[] for _ in range(table.rows)]
    if len(table.parts) < 2 or any(cell.row + cell.row_span > table.rows for cell in table.cells):
        return table
    for cell in table.cells:
        rows[cell.row].append(cell)
    starts = list(accumulate(part.rows for part in table.parts))[:-1]
    held = [row for index, row in enumerate(rows) if index not in starts and not _is_head(row)]
    has_keys = bool(held) and all(row and row[0].col == 0 and row[0].text.strip() for row in held)
    least = 0 if len(held) >= LIMITS.least_rows else LIMITS.least_chars
    capital = {column for column in range(table.cols) if _is_capital([row for row in held if row], column)}
    cut = {
        start
        for start in starts
        if 0 < start < table.rows and _goes_on(rows[start - 1], rows[start], least if has_keys else None, capital)
    }
    return _join(table, rows, cut) if cut else table


def _is_head(row: list[Cell]) -> bool:
    return bool(row) and all(cell.header for cell in row)


def _is_capital(rows: list[list[Cell]], column: int) -> bool:
    """Return whether nearly all texts of a column begin with a capital letter or a figure."""
    texts = [cell.text for row in rows for cell in row if cell.col == column and cell.text.strip()]
    return sum(text[:1].islower() for text in texts) <= LIMITS.most_lower * len(texts)


def _goes_on(above: list[Cell], below: list[Cell], least: int | None, capital: set[int]) -> bool:
    """Return whether a row continues the one above.

    Args:
        above: The last row of a page.
        below: The first row of the next one.
        least: Characters of a text above one that continues it, if only rows that continue have no key.
        capital: Columns whose texts begin with capitals.
    """
    if len(above) != len(below) or any(cell.row_span > 1 or cell.header for cell in (*above, *below)):
        return False
    pairs = [(upper, lower) for upper, lower in zip(above, below, strict=True) if lower.text.strip()]
    if not pairs or any((upper.col, upper.col_span) != (lower.col, lower.col_span)
                        for upper, lower in zip(above, below, strict=True)):  # fmt: skip
        return False
    if any(not upper.text.strip() or read_number(lower.text, ".") is not None for upper, lower in pairs):
        return False
    texts = [(upper.text.strip(), lower.text.strip()) for upper, lower in pairs]
    if least is not None and not below[0].text.strip():
        return any(len(upper) >= least for upper, _ in texts)
    return any(
        lower[:1].islower() and not upper.endswith(_STOPS) and len(upper) >= LIMITS.least_chars and cell.col in capital
        for (upper, lower), (cell, _) in zip(texts, pairs, strict=True)
    )


def _join(table: Table, rows: list[list[Cell]], cut: set[int]) -> Table:
    """Return the table without the rows `cut`, whose texts follow those of the rows above."""
    out: list[list[Cell]] = []
    for index, row in enumerate(rows):
        if index in cut:
            out[-1] = [_append(upper, lower) for upper, lower in zip(out[-1], row, strict=True)]
        else:
            out.append([replace(cell, row=len(out)) for cell in row])
    return replace(table, rows=len(out), cells=tuple(cell for row in out for cell in row), parts=())


def _append(upper: Cell, lower: Cell) -> Cell:
    if not lower.text:
        return upper
    by = len(upper.text) + 1
    moved = [replace(span, start=span.start + by, end=span.end + by) for span in lower.spans]
    return replace(upper, text=f"{upper.text} {lower.text}", spans=(*upper.spans, *moved))
