"""Join rules from their drawn pieces, and group them into the regions of ruled tables."""

from dataclasses import dataclass

from quire.models.cdom.geometry import Bbox
from quire.models.extract.core.marks import Fill, Rule, RuledRegion
from quire.models.extract.layout.lines.disjoint import DisjointSets
from quire.models.extract.layout.lines.marks import PageMarks


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


LIMITS = RuleLimits()


def find_ruled_regions(marks: PageMarks, horizontals: list[Rule], verticals: list[Rule]) -> list[RuledRegion]:
    """Return regions between similar horizontals, or of crossing rules; top to bottom, without nested ones.

    The rules are the page's, already joined.
    """
    if len(horizontals) < 2 or len(horizontals) + len(verticals) > LIMITS.most_rules:
        return []
    regions = [make_region(group) for group in _group(horizontals, verticals, marks)]
    regions = _merge_overlapping([region for region in regions if _is_candidate(region)])
    for region in regions:
        _absorb(region, horizontals, verticals)
    return sorted(regions, key=lambda region: (region.box[1], region.box[0]))


def join_horizontals(pieces: list[Rule]) -> list[Rule]:
    """Join pieces on one y."""
    out: list[Rule] = []
    for row in _rows(sorted(pieces, key=lambda rule: rule.y0)):
        row.sort(key=lambda rule: rule.x0)
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


def find_fill_edges(marks: PageMarks) -> list[Rule]:
    """Return visible upper and lower edges of shaded bars, which separate rows as rules do.

    Page backgrounds are ignored.
    """
    bars = [
        fill
        for fill in marks.fills[: LIMITS.most_fills]
        if 5 < fill.y1 - fill.y0 < 0.4 * marks.height and fill.x1 - fill.x0 > 8
    ]
    edges: list[Rule] = []
    for bar in bars:
        if not any(_adjoins(other, bar.y0, bar, above=True) for other in bars):
            edges.append(Rule(bar.x0, bar.y0, bar.x1, bar.y0))
        if not any(_adjoins(other, bar.y1, bar, above=False) for other in bars):
            edges.append(Rule(bar.x0, bar.y1, bar.x1, bar.y1))
    return edges


def _adjoins(other: Fill, y: float, bar: Fill, *, above: bool) -> bool:
    """Return True if a bar of the same colour continues beyond the edge at y, so that the edge is invisible."""
    if other is bar or other.color != bar.color:
        return False
    reaches = other.y0 < y - 1 and other.y1 > y - 1 if above else other.y1 > y + 1 and other.y0 < y + 1
    return reaches and min(other.x1, bar.x1) - max(other.x0, bar.x0) > 0.8 * (bar.x1 - bar.x0)


def _group(horizontals: list[Rule], verticals: list[Rule], marks: PageMarks) -> list[list[Rule]]:
    """Group rules that touch or have the same ends."""
    rules = horizontals + verticals
    sets = DisjointSets(len(rules))
    split = len(horizontals)
    for first, rule in enumerate(horizontals):
        for second in range(first + 1, split):
            if are_alike(rule, rules[second], marks.height):
                if not _are_parted(rule, rules[second], marks):
                    sets.join(first, second)
                break
        for second in range(split, len(rules)):
            if cross(rule, rules[second]):
                sets.join(first, second)
    return [[rules[index] for index in group] for group in sets.groups()]


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


def _are_parted(above: Rule, below: Rule, marks: PageMarks) -> bool:
    """Return True if the rules cannot be of one table: wide running text, or nothing at all, is between them."""
    width = above.x1 - above.x0
    wide = held = 0
    for line in marks.lines:
        if above.y0 < line.base < below.y0:
            shared = min(line.x1, above.x1) - max(line.x0, above.x0)
            held += shared > 0
            wide += len(line.text) > LIMITS.prose_chars and shared > LIMITS.prose_width * width
    return wide > 1 or (not held and below.y0 - above.y0 > LIMITS.blank)


def cross(across: Rule, down: Rule, touch: float = LIMITS.touch) -> bool:
    """Return whether a horizontal and a vertical rule meet within `touch` points."""
    return across.x0 - touch <= down.x0 <= across.x1 + touch and down.y0 - touch <= across.y0 <= down.y1 + touch


def make_region(rules: list[Rule]) -> RuledRegion:
    """Return the region of some rules: the box around them."""
    box = (
        min(rule.x0 for rule in rules),
        min(rule.y0 for rule in rules),
        max(rule.x1 for rule in rules),
        max(rule.y1 for rule in rules),
    )
    flat = [rule for rule in rules if rule.y0 == rule.y1]
    return RuledRegion(box, flat, [rule for rule in rules if rule.y0 != rule.y1])


def _is_candidate(region: RuledRegion) -> bool:
    x0, y0, x1, y1 = region.box
    return x1 - x0 >= LIMITS.least_width and y1 - y0 >= 12 and region.levels >= 2


def _merge_overlapping(regions: list[RuledRegion]) -> list[RuledRegion]:
    """Merge regions that overlap."""
    out: list[RuledRegion] = []
    for region in sorted(regions, key=lambda item: (item.box[1], item.box[0])):
        for other in out:
            if _overlap(region.box, other.box):
                joined = make_region(other.horizontals + other.verticals + region.horizontals + region.verticals)
                other.box, other.horizontals, other.verticals = joined.box, joined.horizontals, joined.verticals
                break
        else:
            out.append(region)
    return out


def _overlap(a: Bbox, b: Bbox) -> bool:
    return min(a[2], b[2]) - max(a[0], b[0]) > 2 and min(a[3], b[3]) - max(a[1], b[1]) > 2


def _absorb(region: RuledRegion, horizontals: list[Rule], verticals: list[Rule]) -> None:
    """Take in every rule that lies inside the region's box."""
    x0, y0, x1, y1 = region.box
    region.horizontals = [
        rule for rule in horizontals if y0 - 1 <= rule.y0 <= y1 + 1 and rule.x0 >= x0 - 4 and rule.x1 <= x1 + 4
    ]
    region.verticals = [
        rule for rule in verticals if x0 - 1 <= rule.x0 <= x1 + 1 and rule.y0 >= y0 - 4 and rule.y1 <= y1 + 4
    ]
