"""Geometry of a recognised page: upright and level for the layout rules, and back to the page as shown.

In: boxes of words on the upright page, its rotation and skew. Out: boxes on the page as shown, so that they match its
picture for highlighting and for redaction. Pure.

Also two book pages on one scan: a scan holds two pages when it is wide enough for two, its fold is empty, and both
sides hold lines of running text. Tables and slides have short lines or reach over the middle. If only one side is
running text, the other is a page only when its lines do not share the rows of that text, as columns of a table do.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final, NamedTuple

from quire.models.cdom.geometry import Bbox, PageBend, clamp_bbox, round_bbox, union_bbox
from quire.models.cdom.ports import TickBox, Word
from quire.models.extract.contract import PageBlock

LEVEL_ENOUGH = 0.2
"""Degrees of skew that move the end of a line by less than a fifth of its height."""


_STEPS = 8
"""Parts into which a bent line is divided to find its highest and lowest points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Position of a recognised page.

    Attributes:
        width: Points, of the page as shown.
        height: Points, of the page as shown.
        turn: Clockwise rotation in degrees that makes the page upright.
        skew: Degrees by which lines then fall.
        bend: Deviation of the lines from straight.
    """

    width: float
    height: float
    turn: int = 0
    skew: float = 0.0
    bend: PageBend | None = None

    @property
    def upright_size(self) -> tuple[float, float]:
        """Width and height of the upright page in points."""
        return (self.height, self.width) if self.turn in {90, 270} else (self.width, self.height)

    def level(self, box: Bbox) -> Bbox:
        """Return the box of skewed text, which is drawn around it on the upright page, as its box when level."""
        if abs(self.skew) < LEVEL_ENOUGH:
            return box
        x, y = self._rotate_point((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, -self.skew)
        width, height = _untilted_size(box, self.skew)
        return (x - width / 2, y - height / 2, x + width / 2, y + height / 2)

    def show(self, box: Bbox) -> Bbox:
        """Return a box of the level page on the page as shown."""
        across = (box[0], box[2]) if self.bend is None else _sample_between(box[0], box[2])
        corners = [(x, y) for x in across for y in (box[1], box[3])]
        if abs(self.skew) >= LEVEL_ENOUGH:
            corners = [self._rotate_point(x, y, self.skew) for x, y in corners]
        if self.bend is not None:
            wide, high = self.upright_size
            corners = [(x, y + wide * self.bend.drop(x / wide, y / high)) for x, y in corners]
        xs, ys = zip(*(self._turn_back(x, y) for x, y in corners), strict=True)
        return round_bbox(clamp_bbox((min(xs), min(ys), max(xs), max(ys)), self.width, self.height))

    def show_block(self, block: PageBlock) -> PageBlock:
        """Return the block with its own box and those of its cells on the page as shown."""
        table = block.table
        if table is not None:
            cells = tuple(replace(cell, bbox=cell.bbox and self.show(cell.bbox)) for cell in table.cells)
            table = replace(table, cells=cells)
        return replace(block, bbox=block.bbox and self.show(block.bbox), table=table)

    def _rotate_point(self, x: float, y: float, degrees: float) -> tuple[float, float]:
        """Rotate a point clockwise around the middle of the upright page."""
        middle_x, middle_y = (side / 2 for side in self.upright_size)
        sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
        dx, dy = x - middle_x, y - middle_y
        return middle_x + dx * cosine - dy * sine, middle_y + dx * sine + dy * cosine

    def _turn_back(self, x: float, y: float) -> tuple[float, float]:
        match self.turn:
            case 90:
                return y, self.height - x
            case 180:
                return self.width - x, self.height - y
            case 270:
                return self.width - y, x
            case _:
                return x, y


def _sample_between(first: float, last: float) -> list[float]:
    """Return positions along a bent line, including both ends."""
    return [first + (last - first) * step / _STEPS for step in range(_STEPS + 1)]


def _untilted_size(box: Bbox, degrees: float) -> tuple[float, float]:
    """Return the sides of the skewed rectangle inside the upright box, at least a third of the box each."""
    sine, cosine = abs(math.sin(math.radians(degrees))), math.cos(math.radians(degrees))
    wide, high = box[2] - box[0], box[3] - box[1]
    spread = cosine * cosine - sine * sine
    return max(wide / 3, (wide * cosine - high * sine) / spread), max(high / 3, (high * cosine - wide * sine) / spread)


@dataclass(frozen=True, slots=True)
class SpreadLimits:
    """Thresholds, as shares of the scan's width unless noted otherwise."""

    widest: float = 0.95  # of a single page, by its height: paper is higher than wide
    slimmest: float = 0.5
    middle: tuple[float, float] = (0.4, 0.6)  # range of the fold
    fold: float = 0.02  # width without a word: the inner margins of two pages are wider
    lines: int = 8  # on each page
    clear_fold: float = 0.04  # the same where only one page is running text
    level: float = 0.2  # of a line's height by which two middles may differ on one row
    on_rows: float = 0.5  # lines on rows of the other side from which both belong to one table
    prose: float = 0.35  # of the text's width on a page: half of its text is in lines as long, also in two columns


LIMITS: Final = SpreadLimits()


def find_fold(words: Sequence[Word], rules: Sequence[Bbox], width: float, height: float) -> float | None:
    """Return the x (points) where two pages meet on an upright, level scan; None for a single page."""
    page = width / 2 / max(height, 1.0)
    if not LIMITS.slimmest < page < LIMITS.widest:
        return None
    gap, fold = _find_gap(words, width)
    if gap < LIMITS.fold * width or any(x0 < fold < x1 for x0, _, x1, _ in rules):
        return None
    left, right = (_find_lines(words, fold, right=right) for right in (False, True))
    prose = _is_prose(left) + _is_prose(right)
    if min(len(left), len(right)) < LIMITS.lines or not prose:
        return None
    return fold if prose == len((left, right)) or _are_apart(left, right, gap / width) else None


def _find_gap(words: Sequence[Word], width: float) -> tuple[float, float]:
    """Return the widest gap between words around the middle of the scan, and the middle of that gap."""
    first, last = (share * width for share in LIMITS.middle)
    end, best = 0.0, (0.0, 0.0)
    for x0, x1 in sorted((word.bbox[0], word.bbox[2]) for word in words):
        if x0 > end and first <= (x0 + end) / 2 <= last:
            best = max(best, (x0 - end, (x0 + end) / 2))
        end = max(end, x1)
    return best


def _find_lines(words: Sequence[Word], fold: float, *, right: bool) -> list[Bbox]:
    """Return the boxes of the lines of one side."""
    own = [word for word in words if (word.bbox[0] >= fold) == right]
    return [union_bbox(word.bbox for word in group) for _, group in groupby(own, key=lambda word: word.line)]


def _is_prose(lines: Sequence[Bbox]) -> bool:
    if not lines:
        return False
    width = max(line[2] for line in lines) - min(line[0] for line in lines)
    lengths = [line[2] - line[0] for line in lines]
    return sum(length for length in lengths if length >= LIMITS.prose * width) >= sum(lengths) / 2


def _are_apart(left: Sequence[Bbox], right: Sequence[Bbox], gap: float) -> bool:
    """Return whether the sides are two pages: the columns of a table share rows. `gap` is a share of the width."""
    if gap < LIMITS.clear_fold:
        return False
    few, many = sorted((left, right), key=len)
    return sum(any(_on_row(line, candidate) for candidate in many) for line in few) < LIMITS.on_rows * len(few)


def _on_row(a: Bbox, b: Bbox) -> bool:
    return abs(a[1] + a[3] - b[1] - b[3]) / 2 <= LIMITS.level * min(a[3] - a[1], b[3] - b[1])


class ScannedMarks(NamedTuple):
    """Words, drawn lines and boxes to tick of a scan."""

    words: Sequence[Word]
    rules: Sequence[Bbox]
    boxes: Sequence[TickBox]


def take_side(scan: ScannedMarks, fold: float, *, right: bool) -> ScannedMarks:
    """Return the marks of one page of a double one, with x measured from its own left edge."""
    origin = fold if right else 0.0
    return ScannedMarks(
        [replace(word, bbox=shift(word.bbox, -origin)) for word in scan.words if (word.bbox[0] >= fold) == right],
        [shift(rule, -origin) for rule in scan.rules if (rule[0] >= fold) == right],
        [replace(box, bbox=shift(box.bbox, -origin)) for box in scan.boxes if (box.bbox[0] >= fold) == right],
    )


def shift(box: Bbox, by: float) -> Bbox:
    """Return the box moved to the right by `by` points."""
    return (box[0] + by, box[1], box[2] + by, box[3])
