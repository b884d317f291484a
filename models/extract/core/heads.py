"""Headers over several columns: held together by a rule below them, or centred over their columns."""

from typing import Final

from quire.models.extract.core.bands import column_at
from quire.models.extract.core.marks import Rule
from quire.models.extract.core.words import Segment, TextRow

_CENTRED: Final = 0.8
"""Maximum distance (in ems) between the middle of a header and the middle of its columns."""

Span = tuple[int, int]


def columns_over(rule: Rule, edges: list[float]) -> Span:
    """Return the first and last column of which the rule covers more than half; (0, -1) if none."""
    first, last = 0, -1
    for column in range(len(edges) - 1):
        left, right = edges[column], edges[column + 1]
        if min(rule.x1, right) - max(rule.x0, left) > 0.5 * (right - left):
            if last < 0:
                first = column
            last = column
    return first, last


def is_head_of(span: Span, group: list[TextRow], edges: list[float]) -> bool:
    """Return True for a rule that groups some columns, not all, under a single text."""
    first, last = span
    if last <= first or (first, last) == (0, len(edges) - 2):
        return False
    left, right = edges[first], edges[last + 1]
    return sum(left < (seg.x0 + seg.x1) / 2 < right for row in group for seg in row.segments) == 1


def column_extents(rows: list[TextRow], columns: list[float]) -> list[tuple[float, float]]:
    """Return the leftmost and rightmost ink of every column by its words."""
    lefts, rights = [float("inf")] * (len(columns) + 1), [float("-inf")] * (len(columns) + 1)
    for row in rows:
        for word in row.words:
            column = column_at(word.middle, columns)
            lefts[column] = min(lefts[column], word.x0)
            rights[column] = max(rights[column], word.x1)
    return list(zip(lefts, rights, strict=True))


def centred_spans(group: list[TextRow], below: list[TextRow], columns: list[float]) -> list[Span]:
    """Return column ranges over which a header text is centred, unless it is centred on its single column.

    `below` are the text rows under the header. Only headers next to empty columns are considered.
    """
    segments = [segment for row in group for segment in row.segments]
    owners = [column_at((segment.x0 + segment.x1) / 2, columns) for segment in segments]
    if len(set(owners)) > len(columns):
        return []
    extents = column_extents(below, columns)
    spans: list[Span] = []
    for segment, owner in zip(segments, owners, strict=True):
        taken = {other for other in owners if other != owner}
        span = _find_centred(segment, owner, taken, extents)
        if span is not None:
            spans.append(span)
    return spans


def _find_centred(segment: Segment, owner: int, taken: set[int], extents: list[tuple[float, float]]) -> Span | None:
    """Return the widest range of free columns around `owner` whose middle is the segment's."""
    middle, size = (segment.x0 + segment.x1) / 2, segment.words[0].size
    left, right = extents[owner]
    if abs((left + right) / 2 - middle) < 0.5 * size or right < left:
        return None
    first = last = owner
    while first > 0 and first - 1 not in taken:
        first -= 1
    while last + 1 < len(extents) and last + 1 not in taken:
        last += 1
    best: Span | None = None
    for a in range(first, owner + 1):
        for b in range(owner, last + 1):
            if b <= a or not abs((extents[a][0] + extents[b][1]) / 2 - middle) < _CENTRED * size:
                continue
            if best is None or (b - a, a, b) > (best[1] - best[0], best[0], best[1]):
                best = (a, b)
    return best
