"""Group the rules of a page into the regions of ruled tables."""

from quire.models.extract.core.disjoint import DisjointSets
from quire.models.extract.core.marks import Rule, RuledRegion
from quire.models.extract.core.rules import (
    LIMITS,
    absorb,
    is_candidate,
    join_crossing,
    list_alike,
    make_region,
    merge_overlapping,
    sort_regions,
)
from quire.models.extract.layout.lines.marks import PageMarks


def find_ruled_regions(marks: PageMarks, horizontals: list[Rule], verticals: list[Rule]) -> list[RuledRegion]:
    """Return regions between similar horizontals, or of crossing rules; top to bottom, without nested ones.

    The rules are the page's, already joined.
    """
    if len(horizontals) < 2 or len(horizontals) + len(verticals) > LIMITS.most_rules:
        return []
    regions = [make_region(group) for group in _group(horizontals, verticals, marks)]
    regions = merge_overlapping([region for region in regions if is_candidate(region)])
    for region in regions:
        absorb(region, horizontals, verticals)
    return sort_regions(regions)


def _group(horizontals: list[Rule], verticals: list[Rule], marks: PageMarks) -> list[list[Rule]]:
    """Group rules that touch or have the same ends."""
    rules = horizontals + verticals
    sets = DisjointSets(len(rules))
    for first, second in list_alike(horizontals, marks.height):
        if not _are_parted(rules[first], rules[second], marks):
            sets.join(first, second)
    join_crossing(sets, horizontals, verticals, LIMITS.touch)
    return [[rules[index] for index in group] for group in sets.groups()]


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
