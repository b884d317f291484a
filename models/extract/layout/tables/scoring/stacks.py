"""Features that separate stacked tables of one form from one table: repeated headers, lines across the columns."""

from quire.models.extract.core.bands import spans_columns
from quire.models.extract.layout.tables.scoring.candidates import Candidate

_LEAST_CHARS = 4
"""Characters of a head; rows of marks and figures repeat by nature."""

STACK_NAMES = ("repeated_heads", "crossing_rows", "larger_rows")

KnownRepeats = dict[tuple[int, ...], int]
"""Cache of header repetitions by the lines of a candidate."""


def stack_features(candidate: Candidate, known: KnownRepeats) -> list[float]:
    """Return the features `STACK_NAMES`; `known` caches values that all grids of the same lines share."""
    repeats = known.get(candidate.indices)
    if repeats is None:
        repeats = known[candidate.indices] = _count_repeats(candidate)
    rows, columns = candidate.rows, candidate.grid.columns
    alone = [row for row in rows if len(row.segments) == 1]
    crossing = sum([spans_columns(row.segments[0].x0, row.segments[0].x1, columns) for row in alone])
    sizes = sorted([row.size for row in rows])
    usual = sizes[len(sizes) // 2]
    larger = sum([row.size > 1.1 * usual for row in alone])
    return [float(repeats), crossing / len(rows), float(larger)]


def _count_repeats(candidate: Candidate) -> int:
    """Return the number of rows with the text of the first row of several segments, or the second (below a title)."""
    texts = [" ".join([word.text for word in row.words]) for row in candidate.rows if len(row.segments) > 1]
    for text in texts[:2]:
        repeats = texts.count(text) - 1
        has_figures = text[0].isdigit() if text is texts[0] else any(map(str.isdigit, text))
        if repeats and not has_figures and len(text) >= _LEAST_CHARS:
            return repeats
    return 0
