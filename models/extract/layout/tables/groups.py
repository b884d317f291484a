"""Columns under the groups of a header row, for all groups of the row together: none shares a column with another."""

from dataclasses import dataclass

from quire.models.extract.core.words import TableWord

Extents = list[tuple[float, float]]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class GroupLimits:
    """Limits for a text to be centred over columns."""

    centred: float = 0.8
    """Maximum distance between the middles of a text and of its columns (ems)."""
    most_columns: int = 40
    """Columns of a table beyond which no groups are searched, because all ranges of columns are compared."""
    equal: float = 1e-6
    """Values nearer than this are equal."""
    cost: float = 1.0
    """Columns that a distance of one em outweighs."""


LIMITS = GroupLimits()


def find_ranges(texts: list[list[TableWord]], ink: Extents, first: int) -> list[Span] | None:
    """Return the columns of each text, from left to right: the most that all texts can be centred over.

    They are centred over the ink of the columns, or over their widths with the blank at one side of the ink. Columns
    before `first` belong to none. None if a text is centred over no columns.
    """
    if not texts or len(ink) > LIMITS.most_columns:
        return None
    found = [_find_best(texts, extents, first) for extents in (ink, _widen_left(ink), _widen_right(ink))]
    best = max((item for item in found if item is not None), key=lambda item: item[0], default=None)
    return None if best is None else best[1]


def _widen_left(ink: Extents) -> Extents:
    """Return the columns from the ends of those before them; the second is about as wide as the third."""
    out = [ink[0]]
    for index in range(1, len(ink)):
        left, right = ink[index]
        start = ink[index - 1][1]
        if index == 1 and len(ink) > 2:
            start = max(start, right - (ink[2][1] - right))
        out.append((min(start, left), right))
    return out


def _widen_right(ink: Extents) -> Extents:
    """Return the columns up to the starts of those after them; the last is as wide as the one before it."""
    out = [(left, max(right, ink[index + 1][0])) for index, (left, right) in enumerate(ink[:-1])]
    left, right = ink[-1]
    return [*out, (left, max(right, 2 * left - ink[-2][0])) if len(ink) > 2 else ink[-1]]


def _find_best(texts: list[list[TableWord]], extents: Extents, first: int) -> tuple[float, list[Span]] | None:
    """Return the value and the columns of the best choice, built text by text for each last column taken so far."""
    width = len(extents)
    best: list[tuple[float, list[Span]] | None] = [(0.0, [])] * (width + 1)
    for words in texts:
        middle, size = (words[0].x0 + words[-1].x1) / 2, words[0].size
        following: list[tuple[float, list[Span]] | None] = [None] * (width + 1)
        for last in range(first, width):
            found = following[last]
            for begin in range(first, last + 1):
                known = best[begin]
                apart = abs((extents[begin][0] + extents[last][1]) / 2 - middle) / size
                if known is None or apart > LIMITS.centred:
                    continue
                value = known[0] + last - begin + 1 - LIMITS.cost * apart
                if found is None or value > found[0] + LIMITS.equal:
                    found = (value, [*known[1], (begin, last)])
            following[last + 1] = found
        best = following
    return best[width]
