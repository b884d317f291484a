"""Fields of a recognised form: cells with a small label above their value, and frames with a value and a label outside.

In: the marks of a page of recognised words. The cells of a table share their edges and hold text of one size, so that
it has no fields.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from quire.models.cdom.geometry import Bbox, union_bbox
from quire.models.cdom.ports import BoxMark, TickBox
from quire.models.extract.core.disjoint import DisjointSets
from quire.models.extract.core.marks import Rule
from quire.models.extract.layout.figures.forms import COLONS, sort_rows
from quire.models.extract.layout.lines.marks import Line, PageMarks, PrintedField


@dataclass(frozen=True, slots=True)
class FrameLimits:
    """Lengths in points of a page whose lines are 12 points high: pictures rarely state their resolution."""

    meet: float = 3.5
    """By which a rule may miss the one that it meets."""
    least_width: float = 28.0
    """Of a frame."""
    least_height: float = 9.0
    """Of a frame."""
    most_height: float = 64.0
    """Of a frame; higher ones are panels."""
    most_pairs: int = 20_000
    """Horizontals times verticals of a page; one with more is a drawing."""
    small: float = 0.9
    """Type size of a label inside its cell, as a share of the value's."""
    labelled: float = 0.6
    """Share of the cells with several lines that have a label, in a form."""
    least_fields: int = 2
    """Fields of a form: a single frame is a note."""
    label_chars: int = 60
    """Most characters of a label."""
    most_lines: int = 3
    """Most lines of a value."""
    left: float = 80.0
    """Between a label and its frame."""
    above: float = 14.0
    """Between a frame and the label above it."""
    line: float = 12.0
    """Height of a line for which these lengths are."""
    tick_left: float = 30.0
    """Between a box to tick and its label."""

    def scale(self, unit: float) -> "FrameLimits":
        """Return the limits for a page on which `unit` points are one."""
        lengths = ("meet", "least_width", "least_height", "most_height", "left", "above", "tick_left")
        return replace(self, **{name: getattr(self, name) * unit for name in lengths})


LIMITS = FrameLimits()


def add_fields(marks: PageMarks, boxes: Sequence[TickBox]) -> None:
    """Add the fields of a form and its boxes to tick, and take the drawn lines that are their frames, in place."""
    if not marks.lines:
        return
    unit = median(line.y1 - line.y0 for line in marks.lines) / LIMITS.line
    limits = LIMITS.scale(unit)
    _drop_rules(marks, [box.bbox for box in boxes], limits)
    marks.fields += [
        PrintedField(
            box.bbox,
            "",
            "",
            box.mark is not BoxMark.EMPTY,
            sign=box.mark.value,
            unit=unit,
            is_free=not _is_ruled(box.bbox, marks, limits),
        )
        for box in boxes
        if _has_neighbour(box.bbox, marks.lines, limits)
    ]
    frames = find_frames(marks.horizontals, marks.verticals, limits)
    inside = [[line for line in marks.lines if _holds(frame, line)] for frame in frames]
    fields: list[PrintedField] = []
    borders: list[Bbox] = []
    outer = [line for line in marks.lines if not any(_holds(frame, line) for frame in frames)]
    for group in _group(frames, limits):
        cells = [(frames[index], inside[index]) for index in group]
        if _is_form(cells):
            fields += [PrintedField(box, "", "", holds_label=True) for box, held in cells if _may_have_label(held)]
            borders.append(union_bbox(box for box, _ in cells))
        elif (
            len(cells) == 1
            and len(sort_rows(cells[0][1])) <= limits.most_lines
            and _has_label(cells[0][0], outer, limits)
        ):
            fields += [PrintedField(box, "", "", unit=unit, is_free=True) for box, held in cells if held]
            borders.append(cells[0][0])
    if len(borders) + sum(field.holds_label for field in fields) >= limits.least_fields:
        marks.fields += fields
        _drop_rules(marks, borders, limits)
    _add_blanks(marks, limits)


def _drop_rules(marks: PageMarks, borders: Sequence[Bbox], limits: FrameLimits) -> None:
    """Take the drawn lines within the borders from the page, in place."""
    grown = [(x0 - limits.meet, y0 - limits.meet, x1 + limits.meet, y1 + limits.meet) for x0, y0, x1, y1 in borders]
    marks.horizontals = [rule for rule in marks.horizontals if not any(_is_around(box, rule) for box in grown)]
    marks.verticals = [rule for rule in marks.verticals if not any(_is_around(box, rule) for box in grown)]


def _add_blanks(marks: PageMarks, limits: FrameLimits) -> None:
    """Add lines to write on, which begin after a label with a colon, as fields; such lines rule no table."""
    fields: list[PrintedField] = []
    blanks: set[int] = set()
    for rule in marks.horizontals:
        label = next(
            (line for line in marks.lines if _is_left(line, rule, limits) and _ends_with_colon(line.text)), None
        )
        if label is not None:
            label.text, label.x1 = label.text.rstrip(" _"), min(label.x1, rule.x0)
            box = (rule.x0, label.y0, rule.x1, rule.y0 + limits.meet)
            fields.append(PrintedField(box, "", "", unit=limits.meet / LIMITS.meet, is_free=True))
        if label is not None or any(
            line.x0 < rule.x0 - limits.meet and _is_over(line, rule) and _has_colon(line.text) for line in marks.lines
        ):
            blanks.add(id(rule))
    if len(blanks) >= limits.least_fields:
        marks.fields += fields
        marks.horizontals = [rule for rule in marks.horizontals if id(rule) not in blanks]


def _ends_with_colon(text: str) -> bool:
    """Return whether a short text ends with a colon; the start of a drawn line may be read as `_`."""
    return len(text) <= LIMITS.label_chars and text.rstrip(" _").endswith(COLONS)


def _has_colon(text: str) -> bool:
    return any(colon in text for colon in COLONS)


def _is_left(line: Line, rule: Rule, limits: FrameLimits) -> bool:
    """Return whether a line of text ends where a drawn line begins."""
    slip = line.y1 - line.y0 if line.text[-1:] == "_" else limits.meet
    return _is_over(line, rule) and -slip <= rule.x0 - line.x1 <= limits.left


def _is_over(line: Line, rule: Rule) -> bool:
    """Return whether the drawn line, longer than a stroke, is at the feet of the letters of a line of text."""
    height = line.y1 - line.y0
    return line.y0 + height / 2 <= rule.y0 <= line.y1 + height / 2 and rule.x1 - rule.x0 >= 2 * height


def find_frames(horizontals: Sequence[Rule], verticals: Sequence[Rule], limits: FrameLimits) -> list[Bbox]:
    """Return the smallest rectangles that drawn lines enclose, of the size of a field."""
    if len(horizontals) * len(verticals) > limits.most_pairs:
        return []
    flat = sorted((rule.y0, rule.x0, rule.x1) for rule in horizontals)
    upright = sorted((rule.x0, rule.y0, rule.y1) for rule in verticals)
    frames: list[Bbox] = []
    for top, first, last in flat:
        sides = [
            (x, bottom)
            for x, start, bottom in upright
            if start - limits.meet <= top <= bottom - limits.least_height
            and first - limits.meet <= x <= last + limits.meet
        ]
        for number, (left, left_end) in enumerate(sides):
            right = next((side for side in sides[number + 1 :] if side[0] - left >= limits.least_width), None)
            if right is None:
                break
            low = min(left_end, right[1]) + limits.meet
            bottom = next(
                (y for y, start, end in flat if top + limits.least_height <= y <= low
                 and start <= left + limits.meet and end >= right[0] - limits.meet),
                None,
            )  # fmt: skip
            if bottom is not None and bottom - top <= limits.most_height:
                frames.append((left, top, right[0], bottom))
    return frames


def _group(frames: Sequence[Bbox], limits: FrameLimits) -> list[list[int]]:
    """Return the indices of frames that share edges."""
    sets = DisjointSets(len(frames))
    for first, a in enumerate(frames):
        for second in range(first + 1, len(frames)):
            b = frames[second]
            across = min(a[2], b[2]) - max(a[0], b[0])
            down = min(a[3], b[3]) - max(a[1], b[1])
            if min(across, down) >= -limits.meet and max(across, down) > limits.meet:
                sets.join(first, second)
    return [list(group) for group in sets.groups()]


def _holds(frame: Bbox, line: Line) -> bool:
    return frame[0] <= (line.x0 + line.x1) / 2 <= frame[2] and frame[1] <= (line.y0 + line.y1) / 2 <= frame[3]


def _is_around(box: Bbox, rule: Rule) -> bool:
    return box[0] <= rule.x0 and box[1] <= rule.y0 and rule.x1 <= box[2] and rule.y1 <= box[3]


def _is_form(cells: Sequence[tuple[Bbox, list[Line]]]) -> bool:
    """Return whether most cells with several rows have a label."""
    several = [held for _, held in cells if len(sort_rows(held)) > 1]
    labelled = sum(map(_is_labelled, several))
    return labelled >= LIMITS.least_fields and labelled >= LIMITS.labelled * len(several)


def _may_have_label(held: Sequence[Line]) -> bool:
    """Return whether a cell has several rows, the first of them short."""
    rows = sort_rows(held)
    label = " ".join(line.text for line in rows[0]) if rows else ""
    return 1 < len(rows) <= LIMITS.most_lines + 1 and len(label) <= LIMITS.label_chars and any(map(str.isalpha, label))


def _is_labelled(held: Sequence[Line]) -> bool:
    """Return whether the first row of a cell is in smaller type than the others, or ends with a colon."""
    if not _may_have_label(held):
        return False
    label, *value = ([line.y1 - line.y0 for line in row] for row in sort_rows(held))
    return sort_rows(held)[0][-1].text[-1] in COLONS or max(label) <= LIMITS.small * max(map(max, value))


def _has_label(frame: Bbox, lines: Sequence[Line], limits: FrameLimits) -> bool:
    """Return whether a short text is left of the frame or above it."""
    x0, y0, x1, y1 = frame
    for line in lines:
        if len(line.text) > limits.label_chars or not any(map(str.isalpha, line.text)):
            continue
        is_left = y0 <= (line.y0 + line.y1) / 2 <= y1 and -limits.meet <= x0 - line.x1 <= limits.left
        is_above = x0 - limits.meet <= line.x0 <= x1 and -limits.meet <= y0 - line.y1 <= limits.above
        if is_left or is_above:
            return True
    return False


def _is_ruled(box: Bbox, marks: PageMarks, limits: FrameLimits) -> bool:
    """Return whether there are rules above and below a box, as around a cell of a table."""
    x, reach = (box[0] + box[2]) / 2, limits.most_height
    over = [rule.y0 for rule in marks.horizontals if rule.x0 <= x <= rule.x1]
    return any(box[1] - reach <= y < box[1] for y in over) and any(box[3] < y <= box[3] + reach for y in over)


def _has_neighbour(box: Bbox, lines: Sequence[Line], limits: FrameLimits) -> bool:
    """Return whether words begin right of a box to tick, or end left of it."""
    middle = (box[1] + box[3]) / 2
    return any(
        line.y0 <= middle <= line.y1
        and -limits.meet <= max(line.x0 - box[2], box[0] - line.x1) <= limits.tick_left
        and any(map(str.isalnum, line.text))
        for line in lines
    )
