"""Ticks, crosses and boxes that a PDF draws as lines, as lines of text.

A sign is a small drawing without text between rules on all four sides, in a cell of a ruled table, or a box right
before or after words. Its pixels decide which sign it is.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from quire.models.cdom.geometry import Bbox
from quire.models.extract.core.disjoint import DisjointSets
from quire.models.extract.core.marks import Rule
from quire.models.extract.layout.lines.marks import Line, PageMarks

TICK, CROSS, BOX, TICKED_BOX, CROSSED_BOX, DISC = "✓", "✗", "☐", "☑", "☒", "●"
_BOXES = frozenset({BOX, TICKED_BOX, CROSSED_BOX})
Ink = npt.NDArray[np.bool_]
"""Rows × columns: whether a pixel is painted."""


@dataclass(frozen=True, slots=True)
class SignLimits:
    """Sizes and shares by which a drawing is a sign.

    Attributes:
        least: Points: smaller drawings are specks.
        most: Points: larger drawings are pictures.
        aspect: Greatest ratio of the longer side to the shorter.
        apart: Points between the parts of one sign.
        parts: Parts of one sign.
        most_parts: Small drawings of a page; a page with more is a drawing.
        most_signs: Signs of a page.
        reach_y: Points to the rules above and below.
        reach_x: Points to the rules at the sides.
        grid: Cells of a side in which the shape is compared.
        dark: Levels (of 255) by which ink differs from its ground.
        drawn: Share of a stroke's cells with ink.
        clear: Greatest share of ink where a shape has none.
        full: Share of ink in a disc.
        edge: Share of a side that is its corner.
        margin: Points by which the engine's box of a stroked path may be wider than the path.
        most_drawn: Drawings of a page without ruled tables whose boxes are searched.
        label_gap: Heights of a box between it and its label.
        least_height: Least height of a box, in type sizes of its label.
        most_height: Greatest height.
    """

    least: float = 4.0
    most: float = 22.0
    aspect: float = 2.0
    apart: float = 1.0
    parts: int = 6
    most_parts: int = 1200
    most_signs: int = 300
    reach_y: float = 80.0
    reach_x: float = 260.0
    grid: int = 12
    dark: int = 70
    drawn: float = 0.8
    clear: float = 0.2
    full: float = 0.9
    edge: float = 0.25
    margin: float = 80.0
    most_drawn: int = 3000
    label_gap: float = 1.6
    least_height: float = 0.5
    most_height: float = 1.8


LIMITS = SignLimits()


class Drawing(Protocol):
    """A page that can be drawn in parts."""

    def pixels(self, box: Bbox) -> npt.NDArray[np.uint8]:
        """Return the page without its text inside the box (points) as rows × columns × colours."""
        ...


def take_signs(page: Any, marks: PageMarks, blocks: list[dict[str, Any]], draw: Callable[[], Drawing]) -> None:
    """Add the page's drawn signs to its lines, and take the rules of drawn boxes from it.

    Args:
        page: The engine's page.
        marks: The page with its rules and lines; it is not rotated.
        blocks: The engine's blocks.
        draw: Returns the drawings of the page, made on demand.
    """
    rules = _Rules(marks)
    if not 0 < sum(_may_be_part(block) for block in blocks) <= LIMITS.most_parts:
        return
    if not rules.is_grid and len(blocks) > LIMITS.most_drawn:
        return
    signs: list[Line] = []
    for box in _group([path["rect"] for path in page.get_cdrawings() if _is_small(path["rect"])]):
        if len(signs) == LIMITS.most_signs:
            return
        if not _is_sign_box(box) or _has_text(box, marks.lines):
            continue
        in_cell = rules.is_grid and rules.enclose(box)
        label = None if in_cell else _find_label(box, marks.lines)
        if not in_cell and label is None:
            continue
        sign = read_sign(draw().pixels(box))
        if sign and label is None:
            x0, y0, x1, y1 = box
            signs.append(Line(x0, y0, x1, y1, y1, y1 - y0, sign, reach=(y0, y1)))
        elif sign in _BOXES and label is not None:
            signs.append(Line(*box, label.base, label.size, sign, reach=(box[1], box[3])))
    if signs:
        marks.lines = [*marks.lines, *signs]
        taken = [(line.x0 - 1, line.y0 - 1, line.x1 + 1, line.y1 + 1) for line in signs]
        marks.horizontals = [rule for rule in marks.horizontals if not _is_inside(rule, taken)]
        marks.verticals = [rule for rule in marks.verticals if not _is_inside(rule, taken)]
        marks.shapes = [shape for shape in marks.shapes if not _is_stroke(shape, taken)]


class _Rules:
    """The rules of a page that are longer than a sign, by position."""

    def __init__(self, marks: PageMarks) -> None:
        self._flat = sorted(
            [(rule.y0, rule.x0, rule.x1) for rule in marks.horizontals if rule.x1 - rule.x0 > LIMITS.most]
        )
        self._upright = sorted(
            [(rule.x0, rule.y0, rule.y1) for rule in marks.verticals if rule.y1 - rule.y0 > LIMITS.least]
        )
        self.is_grid = len(self._flat) > 2 and len(self._upright) > 2

    def enclose(self, box: Bbox) -> bool:
        """Return whether there are rules near the box on all sides that do not belong to it."""
        x0, y0, x1, y1 = box
        return _has_neighbours(self._flat, (y0, y1), (x0, x1), LIMITS.reach_y) and _has_neighbours(
            self._upright, (x0, x1), (y0, y1), LIMITS.reach_x
        )


def _has_neighbours(
    rules: list[tuple[float, float, float]], own: tuple[float, float], other: tuple[float, float], reach: float
) -> bool:
    """Return whether a rule on either side of the `own` extent covers the middle of the `other` extent."""
    middle = (other[0] + other[1]) / 2
    first, last = bisect_left(rules, (own[0] - reach,)), bisect_left(rules, (own[1] + reach,))
    near = [place for place, start, end in rules[first:last] if start <= middle <= end]
    return any(place < own[0] for place in near) and any(place > own[1] for place in near)


def _may_be_part(block: dict[str, Any]) -> bool:
    """Return whether a block is a small drawing; the engine's boxes of stroked paths have wide margins."""
    if block["type"] != 3 or not block["alpha"]:
        return False
    x0, y0, x1, y1 = block["bbox"]
    is_slanted = block["stroked"] and not block["isrect"]
    longest = float(max(x1 - x0, y1 - y0))
    return LIMITS.least / 2 <= longest <= LIMITS.most + (LIMITS.margin if is_slanted else 0)


def _is_small(box: Bbox) -> bool:
    return LIMITS.least / 2 <= max(box[2] - box[0], box[3] - box[1]) <= LIMITS.most


def _is_sign_box(box: Bbox) -> bool:
    width, height = box[2] - box[0], box[3] - box[1]
    return min(width, height) >= LIMITS.least and max(width, height) <= LIMITS.aspect * min(width, height) <= (
        LIMITS.aspect * LIMITS.most
    )


def _group(boxes: list[Bbox]) -> Iterable[Bbox]:
    """Return the boxes around drawings that touch each other, without groups of too many."""
    boxes = sorted(boxes)
    sets = DisjointSets(len(boxes))
    for first, box in enumerate(boxes):
        for second in range(first + 1, len(boxes)):
            other = boxes[second]
            if other[0] > box[2] + LIMITS.apart:
                break
            if other[1] <= box[3] + LIMITS.apart and box[1] <= other[3] + LIMITS.apart:
                sets.join(first, second)
    for group in sets.groups():
        if len(group) <= LIMITS.parts:
            lefts, tops, rights, bottoms = zip(*[boxes[index] for index in group], strict=True)
            yield (min(lefts), min(tops), max(rights), max(bottoms))


def _has_text(box: Bbox, lines: list[Line]) -> bool:
    return any(line.x0 < box[2] and box[0] < line.x1 and line.y0 < box[3] and box[1] < line.y1 for line in lines)


def _is_stroke(shape: Bbox, boxes: list[Bbox]) -> bool:
    """Return whether a shape, whose box may have wide margins, is a part of a sign."""
    x, y = (shape[0] + shape[2]) / 2, (shape[1] + shape[3]) / 2
    is_small = max(shape[2] - shape[0], shape[3] - shape[1]) <= LIMITS.most + LIMITS.margin
    return is_small and any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in boxes)


def _find_label(box: Bbox, lines: list[Line]) -> Line | None:
    """Return the line whose words begin right after the box, else the one that ends right before it."""
    x0, y0, x1, y1 = box
    reach, middle = LIMITS.label_gap * (y1 - y0), (y0 + y1) / 2
    beside = [
        line
        for line in lines
        if line.upright
        and line.y0 <= middle <= line.y1
        and LIMITS.least_height * line.size <= y1 - y0 <= LIMITS.most_height * line.size
        and any(char.isalpha() for char in line.text)
    ]
    after = [line for line in beside if 0 <= line.x0 - x1 <= reach]
    return min(after or [line for line in beside if 0 <= x0 - line.x1 <= reach], key=lambda line: line.x0, default=None)


def _is_inside(rule: Rule, boxes: list[Bbox]) -> bool:
    return any(x0 <= rule.x0 and rule.x1 <= x1 and y0 <= rule.y0 and rule.y1 <= y1 for x0, y0, x1, y1 in boxes)


def read_sign(pixels: npt.NDArray[np.uint8]) -> str:
    """Return the sign that the pixels (rows × columns × colours) show; an empty text for any other shape."""
    ink = _find_ink(pixels)
    return classify(ink) if ink.size else ""


def _find_ink(pixels: npt.NDArray[np.uint8]) -> Ink:
    """Return the pixels that differ from the commonest colour of the border, cropped to them."""
    rim = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    ink = find_painted(pixels, rim, LIMITS.dark)
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return ink[:0]
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def find_painted(pixels: npt.NDArray[np.uint8], ground: npt.NDArray[np.uint8], dark: int) -> Ink:
    """Return the pixels that differ from the commonest colour of `ground` (pixels × colours) by `dark` levels."""
    colors, counts = np.unique(ground, axis=0, return_counts=True)
    ink: Ink = np.abs(pixels.astype(np.int16) - colors[counts.argmax()].astype(np.int16)).max(axis=2) >= dark
    return ink


def classify(ink: Ink) -> str:
    """Return the sign that the painted pixels show; an empty text for any other shape."""
    if min(ink.shape) < LIMITS.grid // 2:
        return ""
    cells = _shrink(ink, LIMITS.grid)
    rim = [cells[0], cells[-1], cells[:, 0], cells[:, -1]]
    if all(side.mean() >= LIMITS.drawn for side in rim):
        return _classify_box(ink)
    if _is_cross(cells):
        return CROSS
    if _is_tick(cells):
        return TICK
    return DISC if _is_disc(ink) else ""


def _classify_box(ink: Ink) -> str:
    """Return which box it is; an empty text for a filled one."""
    if ink.mean() > LIMITS.drawn:
        return ""
    top, bottom = _count_frame(ink), _count_frame(ink[::-1])
    left, right = _count_frame(ink.T), _count_frame(ink.T[::-1])
    inner = ink[top : len(ink) - bottom, left : ink.shape[1] - right]
    if inner.mean() < LIMITS.clear / 4:
        return BOX
    rows, columns = np.flatnonzero(inner.any(axis=1)), np.flatnonzero(inner.any(axis=0))
    tight = inner[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    if min(tight.shape) < LIMITS.grid // 2:
        return ""
    is_crossed = any(_is_cross(_shrink(shape, LIMITS.grid)) for shape in (inner, tight))
    return CROSSED_BOX if is_crossed else TICKED_BOX


def _count_frame(ink: Ink) -> int:
    """Return the number of rows of a frame from the top, with the blurred row below them."""
    full = ink.mean(axis=1) >= LIMITS.drawn
    return int(full.argmin()) + 1


def _shrink(ink: Ink, size: int) -> Ink:
    """Return whether each of size × size parts has ink."""
    rows = np.linspace(0, ink.shape[0], size + 1).astype(int)
    columns = np.linspace(0, ink.shape[1], size + 1).astype(int)
    return np.array(
        [
            [
                ink[
                    rows[row] : max(rows[row + 1], rows[row] + 1),
                    columns[col] : max(columns[col + 1], columns[col] + 1),
                ].any()
                for col in range(size)
            ]
            for row in range(size)
        ]
    )


def _is_cross(cells: Ink) -> bool:
    """Return whether both diagonals are painted and the middles of the sides are not."""
    size = len(cells)
    third = size // 3
    diagonal = cells.diagonal().mean() >= LIMITS.drawn and cells[:, ::-1].diagonal().mean() >= LIMITS.drawn
    middle = slice(third, size - third)
    sides = (
        cells[: third - 1, middle],
        cells[1 - third :, middle],
        cells[middle, : third - 1],
        cells[middle, 1 - third :],
    )
    return bool(diagonal and all(side.mean() <= LIMITS.clear for side in sides))


def _is_tick(cells: Ink) -> bool:
    """Return whether a short stroke falls to a low point left of the middle and a long one rises to the right."""
    size, margin = len(cells), round(LIMITS.edge * len(cells))
    if cells[:margin, : size // 2 - 1].any() or cells[-margin:, -margin:].any():
        return False
    low = cells[-1].nonzero()[0]
    is_low_left = bool(len(low) and low.mean() < 0.62 * size)
    rises = [int(cells[row].nonzero()[0].max()) if cells[row].any() else -1 for row in range(size)]
    has_long_arm = min(rises) >= 0 and rises[0] >= 0.7 * size and all(a + 1 >= b for a, b in pairwise(rises))
    left = np.flatnonzero(cells[:, :margin].any(axis=1))
    has_short_arm = bool(len(left) and left.min() >= 0.25 * size and not cells[-1, 0])
    return is_low_left and has_long_arm and has_short_arm


def _is_disc(ink: Ink) -> bool:
    """Return whether the ink fills a circle and leaves its corners."""
    height, width = ink.shape
    ys, xs = np.mgrid[0:height, 0:width]
    distance = ((ys + 0.5) / height * 2 - 1) ** 2 + ((xs + 0.5) / width * 2 - 1) ** 2
    return bool(ink[distance < 0.8].mean() >= LIMITS.full and ink[distance > 1.2].mean() <= LIMITS.clear)
