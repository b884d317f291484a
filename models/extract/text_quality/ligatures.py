"""Flags of glyphs that a file does not decode: those read as ligatures by their shape, and those left undecoded."""

from collections.abc import Sequence
from dataclasses import replace

from quire.models.cdom.flags import LIGATURES_RESTORED, UNDECODED
from quire.models.cdom.geometry import Bbox
from quire.models.extract.contract import PageBlock
from quire.models.extract.coverage.account import block_text


def flag_undecoded(blocks: Sequence[PageBlock], ligatures: Sequence[Bbox]) -> list[PageBlock]:
    """Return the blocks with flags where they have undecoded glyphs, or ligatures (boxes, points) read by shape."""
    return [_flag(block, ligatures) for block in blocks]


def _flag(block: PageBlock, ligatures: Sequence[Bbox]) -> PageBlock:
    flags = list(block.flags)
    if any(_lies_in(box, block.bbox) for box in ligatures):
        flags.append(LIGATURES_RESTORED)
    if "\ufffd" in block_text(block):
        flags.append(UNDECODED)
    return replace(block, flags=tuple(flags)) if len(flags) > len(block.flags) else block


def _lies_in(box: Bbox, area: Bbox | None) -> bool:
    """Return whether the middle of the box is in the area."""
    if area is None:
        return False
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return area[0] <= x <= area[2] and area[1] <= y <= area[3]
