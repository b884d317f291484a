"""Names of series and categories: legends by colour, texts in a series' colour, labels below or next to the plot."""

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from quire.models.extract.layout.charts.marks import (
    COLORS,
    ChartMark,
    Drawn,
    Label,
    MarkKind,
    is_grey,
    is_near,
    looks_like,
)
from quire.models.extract.layout.charts.plots import Plot


@dataclass(frozen=True, slots=True)
class NameLimits:
    """Distances in ems unless points are named."""

    sample_width: float = 48.0
    """Points: widest sample of a legend."""
    sample_height: float = 18.0
    """Points: highest sample."""
    least_sample: float = 1.5
    """Points: narrowest sample."""
    sample_line: float = 0.55
    """Distance of the middles of a sample and its text."""
    sample_gap: float = 1.7
    """Gap between a sample and its text."""
    column_gap: float = 7.0
    """The same gap where each sample is right of its text, as in a column of samples."""
    word_gap: float = 0.7
    """Gap between words of an entry."""
    pitch: float = 0.6
    """Distance of a category from the plot's sides, in distances of two categories."""
    below: float = 75.0
    """Points below the plot in which categories are."""
    beside: float = 260.0
    """Points left of a plot of horizontal bars in which they are."""
    anchor: float = 0.25
    """Distance of the end of a slanted label from its tick."""
    wrapped: float = 0.62
    """Gap of the lines of a wrapped label, level."""
    stacked: float = 0.75
    """The same next to horizontal bars, where lines are farther apart."""
    met: float = 0.3
    """Distance of a category from its slot, in distances of two slots."""
    far_slot: float = 60.0
    """Points: greatest distance of two slots that widens the place of their categories."""
    few: float = 1.6
    """Points of a line by category from which ticks, not points, are the places."""
    on_tick: float = 0.8
    """Points between a tick and a point of the line."""


LIMITS = NameLimits()
_SMALL = (MarkKind.BAR, MarkKind.DOT, MarkKind.LINE, MarkKind.ACROSS, MarkKind.AREA)


@dataclass(slots=True)
class Entry:
    """An entry of a legend: its name, the text's labels, and its samples, the first with the colour."""

    name: str
    labels: list[Label]
    samples: list[ChartMark]


@dataclass(slots=True)
class Categories:
    """Names of the categories with their places along the plot, and the labels of each."""

    names: list[str] = field(default_factory=list)
    places: list[float] = field(default_factory=list)
    labels: list[list[Label]] = field(default_factory=list)


def find_legend(drawn: Drawn) -> list[Entry]:
    """Return small samples with a text next to them: left of the text, or right of it if that gives more colours."""
    small = [mark for mark in drawn.marks if _is_sample(mark)]
    if not small:
        return []
    left = _find_entries(drawn.labels, small, is_left=True)
    right = _find_entries(drawn.labels, small, is_left=False)
    if right:
        widths = [entry.samples[0].width for _, entry in right]
        common = max(widths, key=lambda width: sum(abs(width - other) <= 1 for other in widths))
        right = [item for item in right if abs(item[1].samples[0].width - common) <= 1]
    lefts, rights = (_count_looks(entry.samples[0] for _, entry in side) for side in (left, right))
    is_nearer = rights > 1 and statistics.mean(gap for gap, _ in right) < statistics.mean(
        [gap for gap, _ in left] or [LIMITS.column_gap]
    )
    chosen = right if rights > 1 and (rights > lefts or (rights == lefts and is_nearer)) else left
    for _, entry in chosen:
        _add_words(entry, drawn.labels)
    return [entry for _, entry in chosen]


def _is_sample(mark: ChartMark) -> bool:
    is_small = LIMITS.least_sample <= mark.width <= LIMITS.sample_width and mark.height <= LIMITS.sample_height
    return is_small and mark.kind in _SMALL and not mark.is_white


def _count_looks(marks: Iterable[ChartMark]) -> int:
    looks: list[ChartMark] = []
    for mark in marks:
        if not any(looks_like(mark, other, COLORS.same) for other in looks):
            looks.append(mark)
    return len(looks)


def _find_entries(labels: list[Label], small: list[ChartMark], *, is_left: bool) -> list[tuple[float, Entry]]:
    """Return the gap and entry of each text with samples on that side."""
    columns: dict[tuple[int, int], list[ChartMark]] = {}
    for mark in small:
        if mark.kind is MarkKind.BAR:
            columns.setdefault((round(mark.x0), round(mark.width)), []).append(mark)

    def gap(mark: ChartMark, label: Label) -> float:
        return label.x0 - mark.x1 if is_left else mark.x0 - label.x1

    def reach(mark: ChartMark, label: Label) -> float:
        column = columns.get((round(mark.x0), round(mark.width)), []) if mark.kind is MarkKind.BAR else []
        is_column = not is_left and any(not is_near(mark.color, other.color) for other in column)
        return LIMITS.column_gap * label.size if is_column else LIMITS.sample_gap * label.size + 2

    rows = [(mark.center[1], mark) for mark in small]
    entries = []
    for label in labels:
        if abs(label.angle) > 5 or (label.number is not None and not label.number.is_year):
            continue
        middle, limit = label.center[1], LIMITS.sample_line * label.size
        beside = [mark for y, mark in rows if -limit < y - middle < limit]
        if not beside:
            continue
        near = sorted(
            (m for m in beside if -0.5 < gap(m, label) < reach(m, label) and m.height < 2 * label.size + 2),
            key=lambda mark: gap(mark, label),
        )
        if not near:
            continue
        first = next((mark for mark in near if not is_grey(mark.color)), near[0])
        own = [mark for mark in near if is_near(mark.color, first.color)]
        x0, x1 = min(mark.x0 for mark in own) - 40, max(mark.x1 for mark in own) + 40
        own += [
            mark
            for mark in beside
            if is_near(mark.color, first.color)
            and x0 < mark.x0
            and mark.x1 < x1
            and (mark.x1 <= label.x0 + 1 or mark.x0 >= label.x1 - 1)
        ]
        first = next((mark for mark in own if mark.dash), first)
        entries.append((gap(near[0], label), Entry(label.text, [label], [first, *own])))
    return entries


def _add_words(entry: Entry, labels: list[Label]) -> None:
    """Add the texts that go on after the entry's first one."""
    while True:
        last = entry.labels[-1]
        following = next(
            (
                label
                for label in labels
                if abs(label.center[1] - last.center[1]) < LIMITS.met * last.size
                and 0 < label.x0 - last.x1 < LIMITS.word_gap * last.size
                and label.angle == last.angle
            ),
            None,
        )
        if following is None:
            return
        entry.labels.append(following)
        entry.name += f" {following.text}"


def find_entry(mark: ChartMark, legend: Iterable[Entry]) -> Entry | None:
    """Return the entry with the mark's look, by the closest colour."""
    entries = list(legend)
    for tolerance in COLORS.named:
        alike = [entry for entry in entries if is_near(entry.samples[0].color, mark.color, tolerance)]
        if alike:
            return next((entry for entry in alike if looks_like(entry.samples[0], mark, tolerance)), alike[0])
    return None


def find_colored(mark: ChartMark, labels: Iterable[Label]) -> Label | None:
    """Return a text in the mark's colour, which names its series without a legend."""
    for label in labels:
        is_name = label.number is None and len(label.text) > 1 and not is_grey(label.color)
        if is_name and is_near(label.color, mark.color, COLORS.named[1]):
            return label
    return None


def find_categories(
    plot: Plot,
    labels: list[Label],
    slots: Sequence[float],
    base: float | None,
    *,
    is_flipped: bool,
    ticks: Sequence[float] = (),
    is_line: bool = False,
) -> Categories:
    """Return the texts in the row below the plot, or in the column next to it, that are closest to the slots.

    Args:
        plot: The plot.
        labels: Labels that are no part of an axis or legend.
        slots: Places of the bars, or of the points of lines.
        base: Height of the bars' base.
        is_flipped: The plot is of horizontal bars.
        ticks: Places of ticks below the plot.
        is_line: The slots are points of lines.
    """
    pitch = min((after - before for before, after in pairwise(slots)), default=plot.width)
    side = _Side(plot, is_flipped)
    found = side.find_labels(labels, pitch, base)
    best = (1.0, list[Label](), _middle)
    rows = side.part_rows(found)
    for row in rows[:8]:
        is_slanted = row[0].is_slanted and not is_flipped
        has_many = is_line and len(slots) > LIMITS.few * len(row)
        anchors = ([side.foot] if has_many else [side.foot, _middle]) if is_slanted else [_middle]
        for anchor in anchors if len(row) > 1 else ():
            score = _rate_row([anchor(label) for label in row], slots, ticks if has_many else (), pitch, row[0].size)
            score -= abs(side.gap(row[0]) - side.gap(rows[0][0])) / 40
            if score > best[0]:
                best = (score, row, anchor)
    _, row, anchor = best
    groups = _add_wrapped(row, found, anchor, pitch, is_flipped=is_flipped) if row else []
    if is_flipped and len(groups) > len(slots) and not is_line:
        merged: dict[int, list[Label]] = {}
        for group in groups:
            nearest = min(range(len(slots)), key=lambda index: abs(slots[index] - group[0].center[0]))
            merged.setdefault(nearest, []).extend(group)
        groups = [merged[index] for index in sorted(merged)]
    names = [join_labels(group) for group in groups]
    return Categories(names, [statistics.mean(map(anchor, group)) for group in groups], groups)


def _rate_row(places: list[float], slots: Sequence[float], ticks: Sequence[float], pitch: float, size: float) -> float:
    """Return how many labels are at a slot, less their mean distance; labels at constant distance of ticks are."""
    distances = [min(abs(place - slot) for slot in slots) for place in places]
    if ticks:
        offsets = [min((tick - place for tick in ticks), key=abs) for place in places]
        if statistics.pstdev(offsets) < 1 and max(map(abs, offsets)) < 14:
            distances = [0.0] * len(places)
    near = max(3, LIMITS.met * min(pitch, LIMITS.far_slot))
    score = sum(distance < near for distance in distances)
    return score - statistics.mean(min(distance, 20) for distance in distances) / (5 * size)


class _Side:
    """The side of a plot on which its categories are: below, or next to a plot of horizontal bars."""

    def __init__(self, plot: Plot, is_flipped: bool) -> None:
        self.plot, self.is_flipped = plot, is_flipped

    def gap(self, label: Label) -> float:
        """Return the distance of a label from the plot."""
        axis = self.plot.axis
        return axis.top - label.y1 if self.is_flipped else label.y0 - axis.bottom

    def foot(self, label: Label) -> float:
        """Return the end of a slanted label that is next to its tick."""
        if not label.is_slanted or self.is_flipped:
            return label.center[0]
        return label.x1 - LIMITS.anchor * label.size if label.angle > 0 else label.x0 + LIMITS.anchor * label.size

    def find_labels(self, labels: list[Label], pitch: float, base: float | None) -> list[Label]:
        """Return the labels next to the plot, and those next to the base of bars inside it."""
        plot, axis = self.plot, self.plot.axis
        margin: float = 4 if self.is_flipped else max(12, LIMITS.pitch * pitch)
        reach = LIMITS.beside if self.is_flipped else LIMITS.below
        is_inside = base is not None and (base > axis.top + 10 if self.is_flipped else base < axis.bottom - 10)

        def is_at_base(label: Label) -> bool:
            if base is None or not is_inside:
                return False
            return -2 < base - label.y1 < 14 if self.is_flipped else -2 < label.y0 - base < 22

        found = []
        for label in labels:
            slack = margin + (label.x1 - label.x0) / 2 * label.is_slanted
            is_within = plot.left - slack <= self.foot(label) <= plot.right + margin
            is_level = not self.is_flipped or abs(label.angle) < 60
            if is_within and is_level and (-3 < self.gap(label) < reach or is_at_base(label)):
                found.append(label)
        return found

    def part_rows(self, found: list[Label]) -> list[list[Label]]:
        """Return the labels by their distance from the plot, the nearest row first."""
        rows: list[list[Label]] = []
        for label in sorted(found, key=self.gap):
            near = 9 if label.is_slanted else 4 if self.is_flipped else 3
            row = next(
                (row for row in rows if abs(self.gap(row[0]) - self.gap(label)) < near and _is_alike(row[0], label)),
                None,
            )
            if row is None:
                rows.append([label])
            else:
                row.append(label)
        return rows


def _middle(label: Label) -> float:
    return label.center[0]


def _is_alike(a: Label, b: Label) -> bool:
    return a.angle == b.angle and abs(a.size - b.size) < LIMITS.pitch


def _add_wrapped(
    row: list[Label], found: list[Label], anchor: Callable[[Label], float], pitch: float, *, is_flipped: bool
) -> list[list[Label]]:
    """Return the labels of the row with the further lines of each."""
    taken = {id(label) for label in row}
    rest = [label for label in found if id(label) not in taken and _is_alike(label, row[0])]
    groups = [[label] for label in sorted(row, key=anchor)]

    def goes_on(label: Label, group: list[Label]) -> bool:
        off = abs(label.center[0] - group[0].center[0])
        if is_flipped:
            gap = min(min(abs(label.x0 - other.x1), abs(other.x0 - label.x1)) for other in group)
            return gap < LIMITS.stacked * label.size and off < pitch / 2
        is_below = any(0 < label.y0 - other.y1 < LIMITS.wrapped * label.size for other in group)
        return is_below and off < max(3, pitch / 4) and abs(label.angle) < 5

    while True:
        pair = next(((label, group) for label in rest for group in groups if goes_on(label, group)), None)
        if pair is None:
            return groups
        pair[1].append(pair[0])
        rest.remove(pair[0])


def join_labels(labels: Iterable[Label]) -> str:
    """Return the text of a wrapped label."""
    ordered = sorted((label.origin for label in labels), key=lambda label: (round(label.center[1]), label.x0))
    text = " ".join(label.text for label in ordered)
    return text if ordered[0].number is not None else text.replace("−", "-")


def settle_places(found: Categories, slots: Sequence[float], ticks: Sequence[float]) -> list[float]:
    """Return the place of each category of a line: its tick if points meet it, or the closest point."""
    places = found.places
    pitch = min((after - before for before, after in pairwise(slots)), default=2 * LIMITS.far_slot)
    if ticks and len(slots) > LIMITS.few * len(places):
        offsets = [min((tick - place for tick in ticks), key=abs) for place in places]
        moved = [place + offset for place, offset in zip(places, offsets, strict=True)]
        is_met = all(min(abs(place - slot) for slot in slots) < LIMITS.on_tick for place in moved)
        if is_met and all(abs(offset) < 14 for offset in offsets):
            places = moved
    nearest = [min(slots, key=lambda slot: abs(slot - place)) for place in places]
    reach = max(3, LIMITS.met * min(pitch, LIMITS.far_slot / 2))
    return [slot if abs(slot - place) < reach else place for slot, place in zip(nearest, places, strict=True)]
