"""Relations of a page's blocks: captions under their table or picture, depth of list items."""

from dataclasses import dataclass, replace

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock


@dataclass(frozen=True, slots=True)
class RelationLimits:
    """Maximum distances of related blocks."""

    reach: float = 90.0
    """Maximum distance between a caption and its float, in points."""
    indent: float = 6.0
    """Distance (in points) from which the left edges of items are on different levels."""


LIMITS = RelationLimits()

_TABLE_WORDS = ("tab",)


def relate_blocks(blocks: list[PageBlock]) -> list[PageBlock]:
    """Return the blocks with `parent` of captions and `level` of list items."""
    _set_depths(blocks)
    floats = [i for i, block in enumerate(blocks) if block.type in (BlockType.TABLE, BlockType.PICTURE)]
    for index, block in enumerate(blocks):
        if block.type is BlockType.CAPTION and block.bbox is not None:
            owner = _find_owner(block, [(i, blocks[i]) for i in floats])
            if owner is not None:
                blocks[index] = replace(block, parent=owner)
    return blocks


def _find_owner(caption: PageBlock, floats: list[tuple[int, PageBlock]]) -> int | None:
    """Index of the nearest float the caption can belong to; a table's caption prefers tables."""
    owner_type = BlockType.TABLE if caption.text.lstrip().lower().startswith(_TABLE_WORDS) else BlockType.PICTURE
    best: tuple[bool, float, int] | None = None
    for index, block in floats:
        if caption.bbox is None or block.bbox is None:
            continue
        distance = _distance(caption.bbox, block.bbox)
        if distance <= LIMITS.reach:
            candidate = (block.type is not owner_type, distance, index)
            best = candidate if best is None else min(best, candidate)
    return best[2] if best else None


def _distance(a: Bbox, b: Bbox) -> float:
    """Gap between two boxes: 0 when they overlap, sideways gaps count as well."""
    across = max(a[0] - b[2], b[0] - a[2], 0.0)
    down = max(a[1] - b[3], b[1] - a[3], 0.0)
    return across + down


def _set_depths(blocks: list[PageBlock]) -> None:
    """Depth of list items by their indent, within a run of items."""
    edges: list[float] = []
    for index, block in enumerate(blocks):
        if block.type is not BlockType.LIST_ITEM or block.bbox is None:
            if block.type not in (BlockType.PARAGRAPH, BlockType.PICTURE, BlockType.FORMULA):
                edges = []
            continue
        if block.tagged:
            continue
        x = block.bbox[0]
        if edges and x < edges[0] - LIMITS.indent * 5:
            edges = []
        while edges and x < edges[-1] - LIMITS.indent:
            edges.pop()
        if not edges or x > edges[-1] + LIMITS.indent:
            edges.append(x)
        blocks[index] = replace(block, level=min(len(edges), 6))
