"""Columns of a table region: its vertical rules, or the blank channels between its words."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from quire.models.extract.core.marks import RuledRegion
from quire.models.extract.core.words import Segment, TextRow

_left = attrgetter("x0")


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
    near: float = 6.0
    """Points: edges of columns this near are the same."""
    most_ends: int = 120
    """Ends of segments within a channel beyond which no other place is searched, because each is compared with all."""
    least_gap: float = 1.0
    """Points: least width of the part of a channel that later lines of cells leave."""


LIMITS: Final = ColumnLimits()
CHANNEL: Final = 0.5
"""The same width, as a default."""


def ruled_columns(region: RuledRegion) -> list[float]:
    """Return the x positions of inner verticals that separate columns, left to right."""
    x0, y0, x1, y1 = region.box
    places: list[float] = []
    lengths: list[float] = []
    for rule in sorted(region.verticals, key=_left):
        if rule.x0 - x0 < 6 or x1 - rule.x0 < 6:
            continue
        if places and rule.x0 - places[-1] < 4:
            lengths[-1] = lengths[-1] + rule.y1 - rule.y0
        else:
            places.append(rule.x0)
            lengths.append(rule.y1 - rule.y0)
    least = LIMITS.rule_share * (y1 - y0)
    return [places[index] for index in range(len(places)) if lengths[index] >= least]


def open_columns(rows: list[TextRow], channel: float = CHANNEL) -> list[float]:
    """Return an x position in each blank channel of at least `channel` ems between columns of words, left to right.

    The channels are those of rows with many segments. Within a channel the fewest segments of all rows cross the place:
    the later lines of a cell may be wider than its first.
    """
    most = 0
    for row in rows:
        most = max(most, len(row.segments))
    least = max(2.0, LIMITS.full_row * most)
    full = [row for row in rows if len(row.segments) >= least]
    if not full:
        return []
    sizes = [row.size for row in full]
    sizes.sort()
    starts = [segment.x0 for row in full for segment in row.segments]
    ends = [segment.x1 for row in full for segment in row.segments]
    starts.sort()
    ends.sort()
    sides = _find_channels(starts, ends, int(LIMITS.crossed_share * len(full)), channel * sizes[len(full) // 2])
    others = [segment for row in rows if len(row.segments) < least for segment in row.segments]
    places: list[float] = []
    for index in range(0, len(sides), 2):
        places.append(_place_edge(sides[index], sides[index + 1], others))
    _add_parted(full, places)
    return places


def _add_parted(rows: list[TextRow], places: list[float]) -> None:
    """Add the edges of columns that begin right behind the numbers of another column, without a channel."""
    for row in rows:
        for index in range(1, len(row.segments)):
            segment = row.segments[index]
            place = (row.segments[index - 1].x1 + segment.x0) / 2
            if segment.words[0].parted and not any(abs(place - other) < LIMITS.near for other in places):
                places.append(place)
    places.sort()


def _place_edge(left: float, right: float, others: list[Segment]) -> float:
    """Return the middle of the widest part of left..right that the fewest other segments cross.

    It is the middle of left..right if no place is crossed by fewer.
    """
    middle = (left + right) / 2
    bounds = [left, right]
    crossing = 0
    for segment in others:
        crossing += segment.x0 < middle and middle < segment.x1
        if left < segment.x0 and segment.x0 < right:
            bounds.append(segment.x0)
        if left < segment.x1 and segment.x1 < right:
            bounds.append(segment.x1)
    if not crossing or len(bounds) < 3 or len(bounds) > LIMITS.most_ends:
        return middle
    bounds.sort()
    best, widest = crossing, 0.0
    for index in range(1, len(bounds)):
        start, end = bounds[index - 1], bounds[index]
        place, count = (start + end) / 2, 0
        for segment in others:
            count += segment.x0 < place and place < segment.x1
        if end - start >= LIMITS.least_gap and (count < best or (count == best < crossing and end - start > widest)):
            best, widest, middle = count, end - start, place
    return middle


def _find_channels(starts: list[float], ends: list[float], allowed: int, least: float) -> list[float]:
    """Return both sides of stretches that at most `allowed` segments cross, in the emptiest parts of each stretch.

    A segment that ends where another begins ends before it.
    """
    channels: list[float] = []
    counts: list[int] = []
    lefts: list[float] = []
    rights: list[float] = []
    covered, begun, ended = 0, 0, 0
    steps = len(starts) + len(ends)
    x = 0.0
    for step in range(steps):
        is_end = begun == len(starts) or (ended < len(ends) and ends[ended] <= starts[begun])
        following = ends[ended] if is_end else starts[begun]
        if step:
            if covered <= allowed:
                counts.append(covered)
                lefts.append(x)
                rights.append(following)
            elif counts and following > x:
                _pick_channels(counts, lefts, rights, least, channels)
                counts, lefts, rights = [], [], []
        x = following
        if is_end:
            ended += 1
            covered -= 1
        else:
            begun += 1
            covered += 1
    return channels


def _pick_channels(
    counts: list[int], lefts: list[float], rights: list[float], least: float, channels: list[float]
) -> None:
    """Add both sides of the wide enough parts of a stretch that the fewest segments cross.

    Neighbouring parts of equal cover are joined, and empty parts dropped.
    """
    own: list[int] = []
    first: list[float] = []
    last: list[float] = []
    for index in range(len(counts)):
        count, x0, x1 = counts[index], lefts[index], rights[index]
        if x1 <= x0:
            continue
        if own and own[-1] == count and last[-1] == x0:
            last[-1] = x1
        else:
            own.append(count)
            first.append(x0)
            last.append(x1)
    fewest = -1
    for index in range(len(own)):
        if last[index] - first[index] >= least and (fewest < 0 or own[index] < fewest):
            fewest = own[index]
    for index in range(len(own)):
        if last[index] - first[index] >= least and own[index] == fewest:
            channels.append(first[index])
            channels.append(last[index])
