"""Where a recognised page stands upright and level, for the layout rules; and back to the page as it is shown.

In: boxes of words on the upright page, its turn and tilt. Out: boxes. Blocks get boxes of the page as everyone sees it,
so that they lie on its picture: for highlighting, and for painting over what must not be read. Pure.
"""

import math
from dataclasses import dataclass, replace

from models.cdom.geometry import Bbox, PageBend, clamp_bbox, round_bbox
from models.extract.contract import PageBlock

LEVEL_ENOUGH = 0.2
"""Degrees of tilt that move the end of a line by less than a fifth of its height."""


_STEPS = 8
"""Parts in which a bent line is looked at for how high and low it comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """`width`, `height`: points of the page as shown; `turn`: clockwise to upright; `skew`: how lines then fall.

    `bend`: how they leave the straight."""

    width: float
    height: float
    turn: int = 0
    skew: float = 0.0
    bend: PageBend | None = None

    @property
    def upright_size(self) -> tuple[float, float]:
        return (self.height, self.width) if self.turn in {90, 270} else (self.width, self.height)

    def level(self, box: Bbox) -> Bbox:
        """A box of the upright page around tilted text, as the box of that text when level."""
        if abs(self.skew) < LEVEL_ENOUGH:
            return box
        x, y = self._swing((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, -self.skew)
        width, height = _untilted_size(box, self.skew)
        return (x - width / 2, y - height / 2, x + width / 2, y + height / 2)

    def show(self, box: Bbox) -> Bbox:
        """A box of the level page, on the page as shown."""
        across = (box[0], box[2]) if self.bend is None else _between(box[0], box[2])
        corners = [(x, y) for x in across for y in (box[1], box[3])]
        if abs(self.skew) >= LEVEL_ENOUGH:
            corners = [self._swing(x, y, self.skew) for x, y in corners]
        if self.bend is not None:
            wide, high = self.upright_size
            corners = [(x, y + wide * self.bend.drop(x / wide, y / high)) for x, y in corners]
        xs, ys = zip(*(self._turn_back(x, y) for x, y in corners), strict=True)
        return round_bbox(clamp_bbox((min(xs), min(ys), max(xs), max(ys)), self.width, self.height))

    def show_block(self, block: PageBlock) -> PageBlock:
        """The block with its own box and those of its cells on the page as shown."""
        table = block.table
        if table is not None:
            cells = tuple(replace(cell, bbox=cell.bbox and self.show(cell.bbox)) for cell in table.cells)
            table = replace(table, cells=cells)
        return replace(block, bbox=block.bbox and self.show(block.bbox), table=table)

    def _swing(self, x: float, y: float, degrees: float) -> tuple[float, float]:
        """A point turned clockwise around the middle of the upright page."""
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


def _between(first: float, last: float) -> list[float]:
    """Places along a bent line, both ends among them."""
    return [first + (last - first) * step / _STEPS for step in range(_STEPS + 1)]


def _untilted_size(box: Bbox, degrees: float) -> tuple[float, float]:
    """Sides of the tilted rectangle that the upright box was drawn around; never less than a third of it."""
    sine, cosine = abs(math.sin(math.radians(degrees))), math.cos(math.radians(degrees))
    wide, high = box[2] - box[0], box[3] - box[1]
    spread = cosine * cosine - sine * sine
    return max(wide / 3, (wide * cosine - high * sine) / spread), max(high / 3, (high * cosine - wide * sine) / spread)
