"""Features of a grid's place: edges of its columns, pitch of its rows, its rules and shades."""

from typing import Final

from quire.models.extract.core.bands import column_at, find_levels, spans_columns
from quire.models.extract.core.grid import Grid
from quire.models.extract.core.marks import Fill, RuledRegion
from quire.models.extract.core.words import TextRow

FAR: Final = 20.0
"""Upper limit of distances (ems)."""
_SHARED_EDGE: Final = 2.0
"""Edges this close (points) are one."""
_BEYOND: Final = 8.0
"""Points around a region within which shades belong to it."""

PLACE_NAMES = (
    "aligned", "aligned_least", "left_first", "gap_least", "gap_mean", "pitch", "pitch_spread", "pitch_most",
    "rows_per_row", "levels_per_row", "ruled_top", "ruled_bottom", "ruled_head", "verticals_per_column",
    "boxed", "struck", "fills_per_row", "fill_area", "fill_colors", "cut",
)  # fmt: skip


def place_features(rows: list[TextRow], region: RuledRegion, grid: Grid, fills: list[Fill]) -> list[float]:
    """Return the features `PLACE_NAMES` of a grid with its printed rows; `fills` are the shades of the page."""
    columns, height = grid.columns, len(grid.rows)
    return [
        *_alignment(rows, columns),
        *_pitch(rows, height),
        *_rules(rows, region, columns, height),
        *_shades(rows, region, columns, height, fills),
    ]


def _alignment(rows: list[TextRow], columns: list[float]) -> list[float]:
    """Return how far the segments of each column share an edge or their middle, and the gaps between the columns."""
    width = len(columns) + 1
    lefts: list[list[float]] = [[] for _ in range(width)]
    rights: list[list[float]] = [[] for _ in range(width)]
    middles: list[list[float]] = [[] for _ in range(width)]
    for row in rows:
        if len(row.segments) > 1:
            for segment in row.segments:
                middle = (segment.x0 + segment.x1) / 2
                column = column_at(middle, columns)
                lefts[column].append(segment.x0)
                rights[column].append(segment.x1)
                middles[column].append(middle)
    size = rows[0].size
    shares: list[float] = []
    gaps: list[float] = []
    first_left, last, is_first = 0.0, 0.0, True
    for column in range(width):
        if not lefts[column]:
            continue
        lefts[column].sort()
        rights[column].sort()
        if not is_first:
            gaps.append(max(-2.0, min(FAR, (lefts[column][0] - last) / size)))
        is_first, last = False, rights[column][-1]
        left = _share(lefts[column])
        best = max(left, _share(rights[column]))
        if best != 1:
            middles[column].sort()
            best = max(best, _share(middles[column]))
        shares.append(best)
        if column == 0:
            first_left = left
    gaps = gaps or [0.0]
    shares = shares or [0.0]
    return [sum(shares) / len(shares), min(shares), first_left, min(gaps), sum(gaps) / len(gaps)]


def _share(edges: list[float]) -> float:
    """Return the share of edges (ascending) that coincide."""
    count = len(edges)
    if edges[count - 1] - edges[0] < _SHARED_EDGE:
        return 1.0
    best = run = 1
    for index in range(1, count):
        if edges[index] - edges[index - 1] >= _SHARED_EDGE:
            run = 1
            continue
        run += 1
        if run > best:
            best = run
    return best / count


def _pitch(rows: list[TextRow], height: int) -> list[float]:
    steps: list[float] = []
    for index in range(1, len(rows)):
        above = rows[index - 1]
        steps.append(min(FAR, (rows[index].base - above.base) / max(above.size, 1.0)))
    steps = steps or [0.0]
    mean = sum(steps) / len(steps)
    spread: float = (sum([(step - mean) ** 2 for step in steps]) / len(steps)) ** 0.5
    return [mean, spread / max(mean, 0.1), max(steps), len(rows) / max(1, height)]


def _rules(rows: list[TextRow], region: RuledRegion, columns: list[float], height: int) -> list[float]:
    x0, y0, x1, y1 = region.box
    wide: list[float] = []
    for y, rules in find_levels(region.horizontals):
        if sum([rule.x1 - rule.x0 for rule in rules]) > 0.7 * (x1 - x0):
            wide.append(y)
    first, last = rows[0], rows[len(rows) - 1]
    low = rows[min(3, len(rows) - 1)].base
    verticals = len({round(rule.x0 / 3) for rule in region.verticals if rule.y1 - rule.y0 > 0.4 * (y1 - y0)})
    is_left = is_right = False
    for rule in region.verticals:
        is_left = is_left or abs(rule.x0 - x0) < 3
        is_right = is_right or abs(rule.x0 - x1) < 3
    struck = 0
    for row in rows:
        for y in wide:
            if y > row.top + 2:
                struck += y < row.base - 2
                break
    is_over = is_under = is_head = False
    for y in wide:
        is_over = is_over or y < first.base - 0.5 * first.size
        is_under = is_under or y > last.base
        is_head = is_head or first.base - 1 < y < low
    return [
        len(wide) / max(1, height), float(is_over), float(is_under), float(is_head),
        verticals / max(1, len(columns)), float(is_left) + float(is_right), struck / len(rows),
    ]  # fmt: skip


def _shades(
    rows: list[TextRow], region: RuledRegion, columns: list[float], height: int, fills: list[Fill]
) -> list[float]:
    left, top, right, bottom = region.box
    x0, y0, x1, y1 = left - _BEYOND, top - _BEYOND, right + _BEYOND, bottom + _BEYOND
    inside = [fill for fill in fills if fill.x0 >= x0 and fill.x1 <= x1 and fill.y0 >= y0 and fill.y1 <= y1]
    area = sum([(fill.x1 - fill.x0) * (fill.y1 - fill.y0) for fill in inside])
    heights = {round(fill.y0 / 3) for fill in inside}
    colors = {fill.color for fill in inside}
    cut = count = 0
    for row in rows:
        for segment in row.segments:
            cut += spans_columns(segment.x0, segment.x1, columns)
            count += 1
    own = max(0.0, right - left) * max(0.0, bottom - top)
    return [len(heights) / max(1, height), area / max(1.0, own), float(len(colors)), cut / count]
