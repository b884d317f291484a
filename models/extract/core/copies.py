"""Spans of text that lie at the place of another one."""

from typing import Final

_ROUNDING: Final = 1e-6
"""Points by which the places of one text may differ between two ways of computing them."""
_MOST_PAIRS: Final = 200_000
"""Pairs of spans that are compared; a page with more may have copies."""
_ALIKE: Final = 0.1
"""Share of a size by which that of a copy may differ."""


def may_have_copies(spans: list[tuple[float, float, float, float, float]], ems: float, most: float) -> bool:
    """Return False if no span lies at the place of another one of its size, whatever their texts are.

    Args:
        spans: Origin (x, y), size, left and right of each.
        ems: Ems that a copy may lie away from its text in each direction.
        most: Points of the same.
    """
    heights = [span[1] for span in spans]
    order = sorted(range(len(spans)), key=heights.__getitem__)
    pairs = 0
    for place in range(len(order)):
        first = spans[order[place]]
        for later in range(place + 1, len(order)):
            second = spans[order[later]]
            if second[1] - first[1] > most + _ROUNDING:
                break
            pairs += 1
            if pairs > _MOST_PAIRS or _may_be_copy(first, second, ems, most) or _may_be_copy(second, first, ems, most):
                return True
    return False


def _may_be_copy(
    span: tuple[float, float, float, float, float], other: tuple[float, float, float, float, float], ems: float,
    most: float,
) -> bool:  # fmt: skip
    """Return whether a span lies at the start of another one, or inside it."""
    x, y, size, left, right = span
    limit = min(most, ems * size) + _ROUNDING
    if abs(y - other[1]) > limit or abs(size - other[2]) > _ALIKE * max(size, other[2]) + _ROUNDING:
        return False
    return abs(x - other[0]) <= limit or (other[3] - limit <= left and right <= other[4] + limit)
