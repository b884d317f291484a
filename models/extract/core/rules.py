"""Join rules from their drawn pieces, and group those that meet or are alike."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from quire.models.extract.core.disjoint import DisjointSets
from quire.models.extract.core.marks import Box, Fill, Rule, RuledRegion

_top, _left = attrgetter("y0"), attrgetter("x0")


@dataclass(frozen=True, slots=True)
class RuleLimits:
    """Limits for drawn lines to be rules, and for rules to belong to one table."""

    same: float = 1.6
    """Pieces this close across (points) lie on one rule."""
    gap: float = 3.0
    """Pieces this close along are one rule."""
    touch: float = 3.5
    """Points: a horizontal and a vertical so near each other meet."""
    like_edge: float = 5.0
    """Points: two horizontals whose ends differ by less belong to one table."""
    least_width: float = 40.0
    """Points: tables have wider rules and lattices."""
    most_rules: int = 600
    """Rules of a page after joining; a page with more is a drawing."""
    most_fills: int = 400
    """Shaded areas of a page whose edges are taken for rules; a page with more is a drawing."""
    blank: float = 9.0
    """A blank between two rules higher than this (points) parts tables; double rules are closer."""
    prose_width: float = 0.75
    """Share of the width between two rules that a line of prose takes."""
    prose_chars: int = 40
    """Characters of a line of prose between two rules."""


LIMITS: Final = RuleLimits()


def join_horizontals(pieces: list[Rule]) -> list[Rule]:
    """Join pieces on one y."""
    out: list[Rule] = []
    for row in _rows(sorted(pieces, key=_top)):
        row.sort(key=_left)
        y = row[0].y0
        x0, x1 = row[0].x0, row[0].x1
        for rule in row[1:]:
            if rule.x0 - x1 <= LIMITS.gap:
                x1 = max(x1, rule.x1)
            else:
                out.append(Rule(x0, y, x1, y))
                x0, x1 = rule.x0, rule.x1
        out.append(Rule(x0, y, x1, y))
    return out


def join_verticals(pieces: list[Rule]) -> list[Rule]:
    """Join pieces on one x."""
    turned = join_horizontals([Rule(rule.y0, rule.x0, rule.y1, rule.x1) for rule in pieces])
    return [Rule(rule.y0, rule.x0, rule.y1, rule.x1) for rule in turned]


def _rows(rules: list[Rule]) -> list[list[Rule]]:
    rows: list[list[Rule]] = []
    for rule in rules:
        if rows and rule.y0 - rows[-1][0].y0 <= LIMITS.same:
            rows[-1].append(rule)
        else:
            rows.append([rule])
    return rows


def find_fill_edges(fills: list[Fill], height: float) -> list[Rule]:
    """Return visible upper and lower edges of shaded bars, which separate rows as rules do.

    Backgrounds of a page of that height are ignored.
    """
    bars = [
        fill for fill in fills[: LIMITS.most_fills] if 5 < fill.y1 - fill.y0 < 0.4 * height and fill.x1 - fill.x0 > 8
    ]
    edges: list[Rule] = []
    for bar in bars:
        above = below = False
        for other in bars:
            if other is not bar and other.color == bar.color and (not above or not below) and _lies_along(other, bar):
                above = above or (other.y0 < bar.y0 - 1 and other.y1 > bar.y0 - 1)
                below = below or (other.y1 > bar.y1 + 1 and other.y0 < bar.y1 + 1)
        if not above:
            edges.append(Rule(bar.x0, bar.y0, bar.x1, bar.y0))
        if not below:
            edges.append(Rule(bar.x0, bar.y1, bar.x1, bar.y1))
    return edges


def _lies_along(other: Fill, bar: Fill) -> bool:
    """Return whether a bar of the same colour is over or under most of another, so that their edge is invisible."""
    return min(other.x1, bar.x1) - max(other.x0, bar.x0) > 0.8 * (bar.x1 - bar.x0)


def list_alike(horizontals: list[Rule], height: float) -> list[tuple[int, int]]:
    """Return each horizontal with the next one that has the same ends, as indices."""
    pairs: list[tuple[int, int]] = []
    for first in range(len(horizontals)):
        for second in range(first + 1, len(horizontals)):
            if are_alike(horizontals[first], horizontals[second], height):
                pairs.append((first, second))
                break
    return pairs


def join_crossing(sets: DisjointSets, flat: list[Rule], upright: list[Rule], touch: float) -> None:
    """Join the sets of rules that meet within `touch` points; verticals are numbered after the horizontals."""
    for first in range(len(flat)):
        for second in range(len(upright)):
            if cross(flat[first], upright[second], touch):
                sets.join(first, len(flat) + second)


def are_alike(above: Rule, below: Rule, height: float) -> bool:
    """Return True for two horizontals with the same ends, less than half a page apart.

    `below` is the next such one in y.
    """
    return (
        abs(above.x0 - below.x0) <= LIMITS.like_edge
        and abs(above.x1 - below.x1) <= LIMITS.like_edge
        and above.x1 - above.x0 >= LIMITS.least_width
        and below.y0 - above.y0 < 0.5 * height
    )


def cross(across: Rule, down: Rule, touch: float = 3.5) -> bool:
    """Return whether a horizontal and a vertical rule meet within `touch` points."""
    return across.x0 - touch <= down.x0 <= across.x1 + touch and down.y0 - touch <= across.y0 <= down.y1 + touch


def make_region(rules: list[Rule]) -> RuledRegion:
    """Return the region of some rules: the box around them."""
    box = (
        min([rule.x0 for rule in rules]),
        min([rule.y0 for rule in rules]),
        max([rule.x1 for rule in rules]),
        max([rule.y1 for rule in rules]),
    )
    flat = [rule for rule in rules if rule.y0 == rule.y1]
    return RuledRegion(box, flat, [rule for rule in rules if rule.y0 != rule.y1])


def is_candidate(region: RuledRegion) -> bool:
    """Return whether a region is large enough for a table."""
    x0, y0, x1, y1 = region.box
    return x1 - x0 >= LIMITS.least_width and y1 - y0 >= 12 and region.levels >= 2


def merge_overlapping(regions: list[RuledRegion]) -> list[RuledRegion]:
    """Merge regions that overlap."""
    out: list[RuledRegion] = []
    for region in sort_regions(regions):
        for other in out:
            if _overlap(region.box, other.box):
                joined = make_region(other.horizontals + other.verticals + region.horizontals + region.verticals)
                other.box, other.horizontals, other.verticals = joined.box, joined.horizontals, joined.verticals
                break
        else:
            out.append(region)
    return out


def _overlap(a: Box, b: Box) -> bool:
    return min(a[2], b[2]) - max(a[0], b[0]) > 2 and min(a[3], b[3]) - max(a[1], b[1]) > 2


def absorb(region: RuledRegion, horizontals: list[Rule], verticals: list[Rule]) -> None:
    """Take in every rule that lies inside the region's box."""
    x0, y0, x1, y1 = region.box
    region.horizontals = [
        rule for rule in horizontals if y0 - 1 <= rule.y0 <= y1 + 1 and rule.x0 >= x0 - 4 and rule.x1 <= x1 + 4
    ]
    region.verticals = [
        rule for rule in verticals if x0 - 1 <= rule.x0 <= x1 + 1 and rule.y0 >= y0 - 4 and rule.y1 <= y1 + 4
    ]


def sort_regions(regions: list[RuledRegion]) -> list[RuledRegion]:
    """Return the regions from top to bottom, and from left to right."""
    corners = [(region.box[1], region.box[0]) for region in regions]
    return [regions[index] for index in sorted(range(len(regions)), key=corners.__getitem__)]
