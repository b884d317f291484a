"""Chinese and Japanese text, which has no blanks between words."""

from dataclasses import dataclass

from quire.models.cdom.visible import is_wide
from quire.models.extract.layout.lines.marks import DOWNWARDS, Line

STOPS = ("。", "！", "？", "：", "；", "。」", "。』", "。）")
"""Punctuation that ends a Chinese or Japanese sentence."""


@dataclass(frozen=True, slots=True)
class WideTextLimits:
    """Bounds for columns of vertical text."""

    same_size: float = 0.1
    """Largest difference of the sizes of two columns, as a share of the size of the type."""
    column_gap: float = 2.0
    """Widest gap between two columns, in ems."""


LIMITS = WideTextLimits()


def find_first_word(text: str) -> str:
    """Return the part of a line that cannot be divided at a line end: a word, or one wide character."""
    return text[:1] if is_wide(text) else text.split(" ", 1)[0]


def group_slanted(lines: list[Line]) -> list[list[Line]]:
    """Return lines that are not upright, each alone, but columns of vertical text from right to left as paragraphs."""
    columns = [line for line in lines if line.turn == DOWNWARDS and is_wide(line.text)]
    groups: list[list[Line]] = []
    for column in sorted(columns, key=lambda line: -line.x1):
        last = groups[-1][-1] if groups else None
        if last is not None and _is_next_column(column, last):
            groups[-1].append(column)
        else:
            groups.append([column])
    known = {id(line) for line in columns}
    return [[line] for line in lines if id(line) not in known] + groups


def _is_next_column(column: Line, last: Line) -> bool:
    """Return whether a column is the next one of the text of the column on its right."""
    return (
        abs(column.size - last.size) <= LIMITS.same_size * last.size
        and last.x0 - column.x1 <= LIMITS.column_gap * last.size
        and column.y0 < last.y1
        and last.y0 < column.y1
    )
