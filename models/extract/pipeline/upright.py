"""Geometry of a recognised page: upright and level for the layout rules, and back to the page as shown.

In: boxes of words on the upright page, its rotation and skew. Out: boxes on the page as shown, so that they match its
picture for highlighting and for redaction. Pure.
"""

import math
from dataclasses import dataclass, replace

from quire.models.cdom.geometry import Bbox, PageBend, clamp_bbox, round_bbox
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
