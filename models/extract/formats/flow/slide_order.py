"""Reading order on a slide: blocks of shapes in stacking order in, in reading order out. The title comes first."""

from dataclasses import dataclass
from typing import Final

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.flow.blocks import FlowBlock

_SAME_BAND: Final = 0.5
"""Share of the lower shape's height by which two shapes must overlap to be in one band."""


@dataclass(slots=True)
class _Unit:
    """The blocks of one shape, or of one group of shapes."""

    box: Bbox | None
    blocks: list[FlowBlock]


def order_blocks(blocks: list[FlowBlock]) -> list[FlowBlock]:
    """Return the slide's title, then bands of shapes from top to bottom, each from the left, then unplaced shapes."""
    units = _units(blocks)
    title = next((unit for unit in units if is_slide_title(unit.blocks[0])), None)
    others = [unit for unit in units if unit is not title]
    placed = sorted((unit for unit in others if unit.box is not None), key=_top_left)
    bands: list[list[_Unit]] = []
    for unit in placed:
        if bands and _share_band(bands[-1][0].box, unit.box):
            bands[-1].append(unit)
        else:
            bands.append([unit])
    ordered = [unit for band in bands for unit in sorted(band, key=_left_top)]
    ordered += [unit for unit in others if unit.box is None]
    return [block for unit in ([title] if title else []) + ordered for block in unit.blocks]


def keep_together(blocks: list[FlowBlock]) -> list[FlowBlock]:
    """Return the blocks of grouped shapes in reading order, marked as one group that others do not interrupt."""
    ordered = order_blocks(blocks)
    group = object()
    for block in ordered:
        block.group = group
    return ordered


def is_slide_title(block: FlowBlock) -> bool:
    """Return whether the block is a slide's title."""
    return block.type is BlockType.HEADING and block.level == 1


def _units(blocks: list[FlowBlock]) -> list[_Unit]:
    units: list[_Unit] = []
    for block in blocks:
        if units and block.group is not None and block.group is units[-1].blocks[-1].group:
            units[-1].blocks.append(block)
            units[-1].box = _enclose(units[-1].box, block.bbox)
        elif (
            units
            and block.bbox == units[-1].box
            and block.group is units[-1].blocks[-1].group
            and block.type is not BlockType.HEADING
        ):
            units[-1].blocks.append(block)
        else:
            units.append(_Unit(block.bbox, [block]))
    return units


def _enclose(first: Bbox | None, second: Bbox | None) -> Bbox | None:
    if first is None or second is None:
        return first or second
    return min(first[0], second[0]), min(first[1], second[1]), max(first[2], second[2]), max(first[3], second[3])


def _top_left(unit: _Unit) -> tuple[float, float]:
    return (unit.box[1], unit.box[0]) if unit.box is not None else (0.0, 0.0)


def _left_top(unit: _Unit) -> tuple[float, float]:
    return (unit.box[0], unit.box[1]) if unit.box is not None else (0.0, 0.0)


def _share_band(first: Bbox | None, second: Bbox | None) -> bool:
    if first is None or second is None:
        return False
    shared = min(first[3], second[3]) - max(first[1], second[1])
    return shared > _SAME_BAND * max(min(first[3] - first[1], second[3] - second[1]), 1.0)
