"""Rows inside a ruled band that rules do not separate, found by parallel columns of figures."""

from dataclasses import dataclass
from typing import Final

from quire.models.extract.core.bands import column_at, filled_columns
from quire.models.extract.core.signs import is_figure
from quire.models.extract.core.words import TextRow


@dataclass(frozen=True, slots=True)
class DataRowLimits:
    """Limits for a text row to be a row of data."""

    full: float = 0.6
    """A text row that fills this share of the columns is a separate table row."""
    figure_share: float = 0.4
    """Share of the columns that hold figures where rows are data."""


LIMITS: Final = DataRowLimits()


def split_data_rows(rows: list[TextRow], columns: list[float]) -> tuple[list[TextRow], list[TextRow]] | None:
    """Return (rows of figures, rows with shared cells), or None if the band is one table row.

    Shared cells are printed between the rows because they belong to all of them; their columns are empty elsewhere.
    """
    width = len(columns) + 1
    filled = [filled_columns(row, columns) for row in rows]
    full = [row for row, own in zip(rows, filled, strict=True) if len(own) >= max(2.0, LIMITS.full * width)]
    if len(full) < 2 or _count_figure_columns(full, columns) < max(1.0, LIMITS.figure_share * width):
        return None
    shared = [row for row in rows if not any(row is full_row for full_row in full)]
    used: set[int] = set()
    for row in full:
        used |= filled_columns(row, columns)
    if any(len(filled_columns(row, columns) & used) > 0 for row in shared):
        return None
    return full, shared


def _count_figure_columns(rows: list[TextRow], columns: list[float]) -> int:
    """Return the number of columns in which every row has only a figure."""
    by_column: dict[int, list[bool]] = {}
    for row in rows:
        for segment in row.segments:
            text = " ".join(word.text for word in segment.words)
            by_column.setdefault(column_at(segment.x0 + 0.5, columns), []).append(is_figure(text))
    return sum(len(figures) >= len(rows) and all(figures) for figures in by_column.values())
