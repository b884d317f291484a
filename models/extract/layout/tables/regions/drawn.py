"""Regions found by drawn elements: rules that touch or match, verticals of one height, shaded bands and cells."""

from dataclasses import dataclass

from quire.models.cdom.geometry import Bbox
from quire.models.extract.core.disjoint import DisjointSets
from quire.models.extract.core.marks import Fill, Rule, RuledRegion
from quire.models.extract.core.rules import are_alike, cross
from quire.models.extract.layout.tables.regions.view import PageView


@dataclass(frozen=True, slots=True)
class DrawnLimits:
    """Limits in points.

    `alike`: ends of verticals or bands this close are the same. `stack`: bands of one stack are closer. `touch`: rules
    this near each other meet. `least_width`, `least_height`: a smaller box contains no table. `most`: rules, and
    `most_bands`: bands beyond this number are not compared with each other, because the work grows with the square.
    """

    alike: float = 6.0
    stack: float = 60.0
    touch: float = 3.0
    least_width: float = 40.0
    least_height: float = 12.0
    most: int = 320
    most_bands: int = 120


LIMITS = DrawnLimits()


def group_rules(view: PageView) -> list[Bbox]:
    """Return boxes around rules and sides of shaded cells that touch or have the same ends."""
    flat = [rule for rule in view.horizontals if rule.x1 - rule.x0 >= 20]
    rules = flat + view.verticals + view.edges
    if len(rules) > LIMITS.most:
        rules = flat + view.verticals
    if len(rules) > LIMITS.most:
        return []
    sets, split = DisjointSets(len(rules)), len(flat)
    for first, rule in enumerate(flat):
        for second in range(first + 1, split):
            if are_alike(rule, rules[second], view.marks.height):
                sets.join(first, second)
                break
        for second in range(split, len(rules)):
            if cross(rule, rules[second]):
                sets.join(first, second)
    boxes = [_box_of([rules[index] for index in group]) for group in sets.groups() if len(group) > 1]
    return [box for box in boxes if _is_large(box)]


def _box_of(rules: list[Rule]) -> Bbox:
    return (
        min(rule.x0 for rule in rules),
        min(rule.y0 for rule in rules),
        max(rule.x1 for rule in rules),
        max(rule.y1 for rule in rules),
    )


def _is_large(box: Bbox) -> bool:
    return box[2] - box[0] >= LIMITS.least_width and box[3] - box[1] >= LIMITS.least_height


def group_verticals(view: PageView) -> list[Bbox]:
    """Return boxes around verticals that begin and end at similar heights; a single one counts."""
    tall = [rule for rule in view.verticals if rule.y1 - rule.y0 >= LIMITS.least_height]
    groups: list[list[Rule]] = []
    for rule in sorted(tall, key=lambda item: (item.y0, item.x0))[: LIMITS.most]:
        for group in groups[-8:]:
            if abs(group[0].y0 - rule.y0) <= LIMITS.alike and abs(group[0].y1 - rule.y1) <= LIMITS.alike:
                group.append(rule)
                break
        else:
            groups.append([rule])
    return [_box_of(group) for group in groups]


@dataclass(slots=True)
class ShadedBand:
    """Fills of one height side by side."""

    box: Bbox
    fills: list[Fill]


def find_shaded_bands(view: PageView) -> list[ShadedBand]:
    """Return fills of one height that touch each other, joined, top to bottom."""
    bands: list[ShadedBand] = []
    for fill in sorted(view.fills, key=lambda item: (round(item.y0), round(item.y1), item.x0)):
        last = bands[-1] if bands else None
        if last is not None and _is_next_to(last.box, fill):
            last.fills.append(fill)
            last.box = (last.box[0], last.box[1], max(last.box[2], fill.x1), max(last.box[3], fill.y1))
        else:
            bands.append(ShadedBand((fill.x0, fill.y0, fill.x1, fill.y1), [fill]))
    return bands[: LIMITS.most_bands]


def _is_next_to(box: Bbox, fill: Fill) -> bool:
    return abs(box[1] - fill.y0) <= 2 and abs(box[3] - fill.y1) <= 2 and fill.x0 - box[2] <= 3 * LIMITS.touch


def stack_bands(bands: list[ShadedBand]) -> list[list[ShadedBand]]:
    """Return groups of bands with the same sides below each other (zebra), or that touch."""
    sets = DisjointSets(len(bands))
    for first, band in enumerate(bands):
        for second in range(first + 1, len(bands)):
            other = bands[second]
            if other.box[1] - band.box[3] > LIMITS.stack:
                break
            if _are_stacked(band.box, other.box):
                sets.join(first, second)
    return [[bands[index] for index in group] for group in sets.groups()]


def _are_stacked(above: Bbox, below: Bbox) -> bool:
    same = abs(above[0] - below[0]) <= LIMITS.alike and abs(above[2] - below[2]) <= LIMITS.alike
    shared = min(above[2], below[2]) - max(above[0], below[0])
    touching = below[1] - above[3] <= LIMITS.touch and shared > 0.5 * min(above[2] - above[0], below[2] - below[0])
    return same or touching


def stack_box(stack: list[ShadedBand]) -> Bbox:
    """Return the box around a stack of bands."""
    return (
        min(band.box[0] for band in stack),
        min(band.box[1] for band in stack),
        max(band.box[2] for band in stack),
        max(band.box[3] for band in stack),
    )


def cell_columns(view: PageView, region: RuledRegion) -> list[float]:
    """Return the x positions where the shaded cells of the fullest row meet.

    Empty if that row is narrower than the region.
    """
    x0, y0, x1, y1 = region.box
    best: list[float] = []
    for band in find_shaded_bands(view):
        box = band.box
        if box[1] < y0 - 3 or box[3] > y1 + 3 or len(band.fills) < 2 or box[2] - box[0] < 0.75 * (x1 - x0):
            continue
        if box[0] < x0 - 20 or box[2] > x1 + 20:
            continue
        meets = [
            (fill.x1 + other.x0) / 2
            for fill, other in zip(band.fills, band.fills[1:], strict=False)
            if abs(other.x0 - fill.x1) <= 3 * LIMITS.touch
        ]
        if len(meets) > len(best):
            best = meets
    return best
