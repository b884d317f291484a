"""Reading order on a slide: blocks of shapes in stacking order in, in reading order out. The title comes first."""

from dataclasses import dataclass
from typing import Final

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.flow.blocks import FlowBlock

_SAME_BAND: Final = 0.5
"""Share of the lower shape's height by which two shapes must overlap to be in one band."""
_SAME_HEIGHT: Final = 0.8
"""Share of a height below which two units differ: a head is lower than its text."""
_SAME_COLUMN: Final = 0.5
"""Share of the narrower width that two units of a card share."""
_NEAR_BELOW: Final = 0.5
"""Distance between units of a card, as a share of the wider one."""


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
    ordered = [unit for group in _join_columns([sorted(band, key=_left_top) for band in bands]) for unit in group]
    ordered += [unit for unit in others if unit.box is None]
    return [block for unit in ([title] if title else []) + ordered for block in unit.blocks]


def _join_columns(bands: list[list[_Unit]]) -> list[list[_Unit]]:
    """Return the bands, with those that are rows of cards (heads above texts) joined and read card by card."""
    groups: list[list[list[_Unit]]] = []
    for band in bands:
        if groups and len(band) > 1 and _continues_cards(groups[-1][-1], band):
            groups[-1].append(band)
        else:
            groups.append([band])
    return [[unit for column in zip(*group, strict=True) for unit in column] for group in groups]


def _continues_cards(above: list[_Unit], below: list[_Unit]) -> bool:
    """Return whether each unit stands under one of the band above, with which it makes a card.

    The units of a grid are as high as those above them; heads and their texts, pictures and their captions are not.
    """
    pairs = [(first.box, second.box) for first, second in zip(above, below, strict=False)]
    boxes = [(first, second) for first, second in pairs if first is not None and second is not None]
    if len(above) != len(below) or len(boxes) != len(above):
        return False
    heights = [sorted((first[3] - first[1], second[3] - second[1])) for first, second in boxes]
    return all(_is_under(first, second) for first, second in boxes) and all(
        low < _SAME_HEIGHT * high for low, high in heights
    )


def _is_under(first: Bbox, second: Bbox) -> bool:
    shared = min(first[2], second[2]) - max(first[0], second[0])
    widest = max(first[2] - first[0], second[2] - second[0])
    return shared > _SAME_COLUMN * min(first[2] - first[0], second[2] - second[0]) and (
        second[1] - first[3] < _NEAR_BELOW * widest
    )


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
