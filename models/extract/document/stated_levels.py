"""Levels of headings that an author's tags state, against how the headings look over the whole document."""

from dataclasses import dataclass

from models.cdom.tree import BlockType
from models.extract.document.draft import Draft


@dataclass(frozen=True, slots=True)
class StatedLevelLimits:
    """When one level for all headings is no statement."""

    least: int = 4
    """Headings: of fewer, one level may well be all there is."""
    larger: float = 1.15
    """Of the smallest heading's size: one so much larger stands above it."""


LIMITS = StatedLevelLimits()


def free_flat_levels(drafts: list[Draft]) -> bool:
    """Take a level that all tagged headings share from them where their sizes tell several; true when it was taken."""
    tagged = [draft for draft in drafts if draft.type is BlockType.HEADING and draft.block.tagged]
    sizes = [draft.block.look.size for draft in tagged]
    if len(tagged) < LIMITS.least or len({draft.level for draft in tagged}) > 1:
        return False
    if tagged[0].level is None or max(sizes) < LIMITS.larger * min(sizes):
        return False
    for draft in tagged:
        draft.level = None
    return True
