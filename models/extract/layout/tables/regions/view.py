"""A page prepared for the region generators: words, rows of lines, joined rules, shaded areas; once per page."""

from dataclasses import dataclass, field

from quire.models.cdom.geometry import Bbox
from quire.models.extract.core.disjoint import DisjointSets
from quire.models.extract.core.marks import Fill, Rule, RuledRegion
from quire.models.extract.core.rules import (
    LIMITS as RULE_LIMITS,
)
from quire.models.extract.core.rules import (
    absorb,
    find_fill_edges,
    is_candidate,
    join_crossing,
    join_horizontals,
    join_verticals,
    list_alike,
    make_region,
    merge_overlapping,
    sort_regions,
)
from quire.models.extract.core.words import SEGMENT_GAP, TableWord
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.tables.regions.shared_edges import LIMITS as SHARED_LIMITS
from quire.models.extract.layout.tables.regions.shared_edges import may_touch, part_columns


@dataclass(frozen=True, slots=True)
class PageViewLimits:
    """Limits of the page elements that are considered, and of those that belong to a region."""

    same_base: float = 0.35
    """Baselines closer than this (in ems) are one row."""
    most_lines: int = 1500
    """Beyond this a page is a drawing or a map: no proposals are made from its rows."""
    most_rules: int = 600
    """Beyond this (rules, after joining) no proposals are made from rules."""
    most_fills: int = 500
    """Maximum shaded areas of a page that are used; a page with more is a drawing."""
    largest_fill: float = 0.4
    """A shaded area higher than this share of the page is a background."""
    rule_reach: float = 0.7
    """Rules this near (in ems) above and below the lines of a region belong to it."""
    shared: float = 0.5
    """Share of a horizontal that lies over the lines of a region it belongs to."""
    framed_shared: float = 0.25
    """The same share of a horizontal that ends at a vertical."""
    side: float = 30.0
    """Verticals this near (points) to the sides of a region's lines or to the ends of its horizontals belong to it."""


LIMITS = PageViewLimits()


@dataclass(slots=True, init=False)
class LineRow:
    """Lines on one baseline, left to right, as indices; `segments`: stretches with a wide gap between them."""

    indices: list[int]
    base: float
    size: float
    segments: int
    x0: float
    x1: float

    def __init__(self, indices: list[int], base: float, size: float, segments: int, x0: float, x1: float) -> None:
        self.indices, self.base, self.size = indices, base, size
        self.segments, self.x0, self.x1 = segments, x0, x1


@dataclass(slots=True)
class PageView:
    """A page's elements. `rows` are all rows, top to bottom; `edges` are the sides of shaded cells as verticals."""

    marks: PageMarks
    lines: list[Line]
    rows: list[LineRow]
    horizontals: list[Rule]
    verticals: list[Rule]
    edges: list[Rule]
    fills: list[Fill]
    words: dict[int, list[TableWord]] = field(default_factory=dict)
    _regions: list[RuledRegion] | None = None

    def ruled_regions(self) -> list[RuledRegion]:
        """Return the regions between rules of the page, computed once."""
        if self._regions is None:
            self._regions = find_ruled_regions(self.marks, self.horizontals, self.verticals)
        return self._regions

    def words_of(self, line: Line) -> list[TableWord]:
        """Return the words of a line, split once per page."""
        words = self.words.get(id(line))
        if words is None:
            words = self.words[id(line)] = make_words(line, self.marks)
        return words

    def region_of(self, indices: tuple[int, ...]) -> RuledRegion:
        """Return the region of some lines with the rules among them; its box is extended to those rules."""
        lines = [self.lines[index] for index in indices]
        reach = LIMITS.rule_reach * max([line.size for line in lines])
        box = (
            min([line.x0 for line in lines]),
            min([line.y0 for line in lines]) - reach,
            max([line.x1 for line in lines]),
            max([line.y1 for line in lines]) + reach,
        )
        flat = [rule for rule in self.horizontals if self._is_among(rule, box)]
        sides = (min([box[0] - LIMITS.side, *(r.x0 for r in flat)]), max([box[2] + LIMITS.side, *(r.x1 for r in flat)]))
        upright = [rule for rule in self.verticals if _is_within_height(rule, box, sides)]
        rules = flat + upright
        inner = (box[0], box[1] + reach, box[2], box[3] - reach)
        full = (
            min([inner[0], *(rule.x0 for rule in rules)]),
            min([inner[1], *(rule.y0 for rule in rules)]),
            max([inner[2], *(rule.x1 for rule in rules)]),
            max([inner[3], *(rule.y1 for rule in rules)]),
        )
        return RuledRegion(full, flat, upright)

    def _is_among(self, rule: Rule, box: Bbox) -> bool:
        """Return True for a horizontal mainly over the lines.

        One with verticals at its ends may extend far beyond them.
        """
        if not box[1] <= rule.y0 <= box[3]:
            return False
        shared = (min(rule.x1, box[2]) - max(rule.x0, box[0])) / max(rule.x1 - rule.x0, 1.0)
        if shared > LIMITS.shared or shared < LIMITS.framed_shared:
            return shared > LIMITS.shared
        return any(
            min(abs(post.x0 - rule.x0), abs(post.x0 - rule.x1)) < 3 and post.y0 - 3 <= rule.y0 <= post.y1 + 3
            for post in self.verticals
        )


def _is_within_height(rule: Rule, box: Bbox, sides: tuple[float, float]) -> bool:
    if not sides[0] - 3 <= rule.x0 <= sides[1] + 3:
        return False
    shared = min(rule.y1, box[3]) - max(rule.y0, box[1])
    return shared > 0.6 * (rule.y1 - rule.y0)


def view_page(marks: PageMarks, lines: list[Line]) -> PageView:
    """Return the view of a page whose free lines are `lines`."""
    own = [line for line in lines if line.text]
    fills = [fill for fill in marks.fills[: LIMITS.most_fills] if _is_shade(fill, marks)]
    flat = join_horizontals(marks.horizontals + find_fill_edges(marks.fills, marks.height))
    upright = join_verticals(marks.verticals)
    if len(flat) + len(upright) > LIMITS.most_rules:
        flat, upright = [], []
    edges = join_verticals([rule for fill in fills for rule in _sides(fill)])
    rows = find_rows(own) if len(own) <= LIMITS.most_lines else []
    view = PageView(marks, own, rows, flat, upright, edges, fills)
    several = sum(row.segments > 1 for row in rows) >= SHARED_LIMITS.least_lines
    touching = [line for line in own if line.upright and may_touch(line.text)] if several else []
    edges_of = sorted([line.x0 + (line.x1 - line.x0) * line.text.find(" ") / len(line.text) for line in touching])
    alike = [right - left for left, right in zip(edges_of, edges_of[SHARED_LIMITS.least_lines - 1 :], strict=False)]
    if min(alike, default=9.0) < SHARED_LIMITS.guessed and len({round(line.x0) for line in touching}) > 1:
        known = {id(line) for line in touching}
        others = [line for line in own if id(line) not in known and line.bold and line.upright]
        part_columns([view.words_of(line) for line in touching], [view.words_of(line) for line in others])
    return view


def _is_shade(fill: Fill, marks: PageMarks) -> bool:
    return 5 < fill.y1 - fill.y0 < LIMITS.largest_fill * marks.height and fill.x1 - fill.x0 > 8


def _sides(fill: Fill) -> tuple[Rule, Rule]:
    return Rule(fill.x0, fill.y0, fill.x0, fill.y1), Rule(fill.x1, fill.y0, fill.x1, fill.y1)


def find_rows(lines: list[Line]) -> list[LineRow]:
    """Group upright lines by baseline, top to bottom."""
    bases = [line.base for line in lines]
    order = sorted([index for index, line in enumerate(lines) if line.upright], key=bases.__getitem__)
    groups: list[list[int]] = []
    first: Line | None = None
    for index in order:
        line = lines[index]
        if first is not None and bases[index] - first.base <= LIMITS.same_base * max(line.size, first.size):
            groups[-1].append(index)
        else:
            groups.append([index])
            first = line
    return [make_row(lines, group) for group in groups]


def make_row(lines: list[Line], indices: list[int]) -> LineRow:
    """Return one row of the lines with these indices."""
    if len(indices) == 1:
        line = lines[indices[0]]
        return LineRow(indices, line.base, line.size, 1, line.x0, line.x1)
    indices = sorted(indices, key=lambda index: lines[index].x0)
    segments, right = 0, -1e9
    size = max([lines[index].size for index in indices])
    for index in indices:
        line = lines[index]
        segments += line.x0 - right >= SEGMENT_GAP * size
        right = max(right, line.x1)
    return LineRow(indices, lines[indices[0]].base, size, segments, lines[indices[0]].x0, right)


def make_words(line: Line, marks: PageMarks) -> list[TableWord]:
    """Return the words of a line with their places."""
    if not line.upright:
        return [_stand_upright(line)]
    return [
        TableWord(piece.x0, piece.x1, line.y0, line.y1, line.base, line.size, piece.text, line.bold)
        for piece in marks.words_of(line)
    ]


def _stand_upright(line: Line) -> TableWord:
    """Return a slanted or upended line as one word at the place where it begins.

    Slanted headers lean over other columns.
    """
    x1 = min(line.x1, line.x0 + line.size)
    return TableWord(line.x0, x1, line.y0, line.y1, line.y1, line.size, line.text, line.bold, upright=False)


def lines_within(lines: list[Line], box: Bbox) -> list[Line]:
    """Return lines whose middle is in the box (with a tolerance of 3 points sideways, 2 vertically)."""
    x0, y0, x1, y1 = box
    return [
        line
        for line in lines
        if x0 - 3 <= (line.x0 + line.x1) / 2 <= x1 + 3 and y0 - 2 <= (line.y0 + line.y1) / 2 <= y1 + 2
    ]


def find_ruled_regions(marks: PageMarks, horizontals: list[Rule], verticals: list[Rule]) -> list[RuledRegion]:
    """Return regions between similar horizontals, or of crossing rules; top to bottom, without nested ones.

    The rules are the page's, already joined.
    """
    if len(horizontals) < 2 or len(horizontals) + len(verticals) > RULE_LIMITS.most_rules:
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
    join_crossing(sets, horizontals, verticals, RULE_LIMITS.touch)
    return [[rules[index] for index in group] for group in sets.groups()]


def _are_parted(above: Rule, below: Rule, marks: PageMarks) -> bool:
    """Return True if the rules cannot be of one table: wide running text, or nothing at all, is between them."""
    width = above.x1 - above.x0
    wide = held = 0
    for line in marks.lines:
        if above.y0 < line.base < below.y0:
            shared = min(line.x1, above.x1) - max(line.x0, above.x0)
            held += shared > 0
            wide += len(line.text) > RULE_LIMITS.prose_chars and shared > RULE_LIMITS.prose_width * width
    return wide > 1 or (not held and below.y0 - above.y0 > RULE_LIMITS.blank)
