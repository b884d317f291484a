"""Decide whether the structure tags of a page are used: they cover all text in its order, with few headings."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.contract import TAGS_IGNORED
from quire.models.extract.layout.lines.marks import Line, PageMarks, TaggedLine
from quire.models.extract.layout.text.kinds import LIMITS as MARGINS
from quire.models.extract.layout.text.order import order_lines


@dataclass(frozen=True, slots=True)
class TagLimits:
    """Limits of plausible tags."""

    covered: float = 0.95
    """Minimum share of the page's characters (without margins) in elements."""
    in_order: float = 0.6
    """Minimum share of neighbours in the tagged order that are also in this order on the page."""
    heading_share: float = 0.5
    """Maximum share of a page's characters in headings, if it has `few_chars` or more."""
    few_chars: int = 300
    """Characters: a page with fewer may be a cover or a slide, nothing but headings."""
    heading_chars: int = 300
    """Maximum characters of a heading."""
    stripe: float = 20.0
    """Points: height of the stripes in which lines are indexed."""
    least_rows: int = 2
    """Rows of a table."""
    least_columns: int = 2
    """Columns of a table."""
    column_overlap: float = 2.0
    """Points by which the texts of two columns of a table may overlap sideways."""


LIMITS = TagLimits()


class TagPlan:
    """The tagged lines of a page, indexed by place."""

    def __init__(self, tags: list[TaggedLine]) -> None:
        self.tags = tags
        self._first: dict[int, TaggedLine] = {}
        for tag in tags:
            self._first.setdefault(tag.element, tag)
        self._stripes: dict[int, list[TaggedLine]] = defaultdict(list)
        for tag in tags:
            for stripe in range(int(tag.box[1] // LIMITS.stripe), int(tag.box[3] // LIMITS.stripe) + 1):
                self._stripes[stripe].append(tag)

    def begins_element(self, tag: TaggedLine) -> bool:
        """Return True on the row where the element begins."""
        first = self._first[tag.element].box
        return first[1] < tag.box[3] and first[3] > tag.box[1]

    def tag_of(self, line: Line) -> TaggedLine | None:
        """Return the tagged line that shares its row with most of the line."""
        middle = (line.y0 + line.y1) / 2
        best: TaggedLine | None = None
        most = 0.0
        for tag in self._stripes.get(int(middle // LIMITS.stripe), ()):
            x0, y0, x1, y1 = tag.box
            shared = min(x1, line.x1) - max(x0, line.x0)
            if y0 <= middle <= y1 and shared > most:
                best, most = tag, shared
        return best


def trust_tags(marks: PageMarks) -> TagPlan | None:
    """Return the plan of a page with plausible tags; otherwise None, and add a warning if there are tags."""
    if not marks.tags:
        return None
    plan = TagPlan(marks.tags)
    lines = [line for line in marks.lines if line.upright and not line.hidden]
    if _covers(plan, lines, marks) and _has_sane_headings(plan.tags) and _follows_page(plan, lines):
        return plan
    marks.warnings.append(TAGS_IGNORED)
    return None


def _covers(plan: TagPlan, lines: list[Line], marks: PageMarks) -> bool:
    tagged = missed = 0
    for line in lines:
        if plan.tag_of(line) is not None:
            tagged += len(line.text)
        elif line.y1 > MARGINS.top * marks.height and line.y0 < MARGINS.bottom * marks.height:
            missed += len(line.text)
    return tagged > 0 and tagged >= LIMITS.covered * (tagged + missed)


def _has_sane_headings(tags: list[TaggedLine]) -> bool:
    chars: dict[int, int] = defaultdict(int)
    for tag in tags:
        if is_heading_role(tag.role):
            chars[tag.element] += len(tag.text)
    total = sum(len(tag.text) for tag in tags)
    if max(chars.values(), default=0) > LIMITS.heading_chars:
        return False
    return total < LIMITS.few_chars or sum(chars.values()) <= LIMITS.heading_share * total


def is_heading_role(role: str) -> bool:
    """Return whether a role is that of a heading or title."""
    return role == "Title" or (role.startswith("H") and len(role) <= 2)


def _follows_page(plan: TagPlan, lines: list[Line]) -> bool:
    """Return True if elements come in the page's reading order, with the cells of a table counted as one."""
    places: dict[tuple[int, int], int] = {}
    for place, line in enumerate(order_lines(lines)):
        tag = plan.tag_of(line)
        if tag is not None:
            places.setdefault((tag.table, 0 if tag.table else tag.element), place)
    order = list(dict.fromkeys((tag.table, 0 if tag.table else tag.element) for tag in plan.tags))
    steps = [places[a] < places[b] for a, b in pairwise([element for element in order if element in places])]
    return sum(steps) >= LIMITS.in_order * len(steps)
