"""Columns of a table region: its vertical rules, or the blank channels between its words."""

from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.layout.tables.rules import RuledRegion
from quire.models.extract.layout.tables.words import TextRow


@dataclass(frozen=True, slots=True)
class ColumnLimits:
    """Limits for vertical rules and blank channels to be edges of columns."""

    rule_share: float = 0.5
    """A vertical counts as a column's edge when it runs along this share of the region's height."""
    crossed_share: float = 0.15
    """A channel may be crossed by this share of the rows (cells that span columns)."""
    full_row: float = 0.6
    """Columns are read off rows with at least this share of the most segments a row has; spanning heads have fewer."""
    channel: float = 0.5
    """Least width of a channel, in ems."""


LIMITS = ColumnLimits()
CHANNEL = LIMITS.channel


def ruled_columns(region: RuledRegion) -> list[float]:
    """Return the x positions of inner verticals that separate columns, left to right."""
    x0, y0, x1, y1 = region.box
    lengths: list[tuple[float, float]] = []
    for rule in sorted(region.verticals, key=lambda item: item.x0):
        if rule.x0 - x0 < 6 or x1 - rule.x0 < 6:
            continue
        if lengths and rule.x0 - lengths[-1][0] < 4:
            lengths[-1] = (lengths[-1][0], lengths[-1][1] + rule.y1 - rule.y0)
        else:
            lengths.append((rule.x0, rule.y1 - rule.y0))
    return [x for x, length in lengths if length >= LIMITS.rule_share * (y1 - y0)]


def open_columns(rows: list[TextRow], channel: float = CHANNEL) -> list[float]:
    """Return the x positions of blank channels of at least `channel` ems between columns of words, left to right."""
    most = max([len(row.segments) for row in rows], default=0)
    least = max(2.0, LIMITS.full_row * most)
    rows = [row for row in rows if len(row.segments) >= least]
    if not rows:
        return []
    size = sorted([row.size for row in rows])[len(rows) // 2]
    steps = [(segment.x0, 1) for row in rows for segment in row.segments]
    steps += [(segment.x1, -1) for row in rows for segment in row.segments]
    return _find_channels(sorted(steps), int(LIMITS.crossed_share * len(rows)), channel * size)


def _find_channels(steps: list[tuple[float, int]], allowed: int, least: float) -> list[float]:
    """Return the middles of stretches that at most `allowed` segments cross, in the emptiest parts of each stretch."""
    channels: list[float] = []
    stretch: list[tuple[int, float, float]] = []
    covered = 0
    for (x, step), (following, _) in pairwise(steps):
        covered += step
        if covered <= allowed:
            stretch.append((covered, x, following))
        elif stretch and following > x:
            channels += _pick_channels(stretch, least)
            stretch = []
    return channels


def _pick_channels(stretch: list[tuple[int, float, float]], least: float) -> list[float]:
    wide = [part for part in _join_parts(stretch) if part[2] - part[1] >= least]
    if not wide:
        return []
    fewest = min(part[0] for part in wide)
    return [(x0 + x1) / 2 for count, x0, x1 in wide if count == fewest]


def _join_parts(stretch: list[tuple[int, float, float]]) -> list[tuple[int, float, float]]:
    """Join neighbouring parts of equal cover and drop empty parts."""
    out: list[tuple[int, float, float]] = []
    for count, x0, x1 in stretch:
        if x1 <= x0:
            continue
        if out and out[-1][0] == count and out[-1][2] == x0:
            out[-1] = (count, out[-1][1], x1)
        else:
            out.append((count, x0, x1))
    return out
