"""Drafts: blocks on their way into the tree, with the results of their page and of the document."""

from dataclasses import dataclass, replace

from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock, PageContent


@dataclass(slots=True)
class Draft:
    """A block of the document; `parent` and `continues` are indices into the document's drafts."""

    page: PageContent
    block: PageBlock
    type: BlockType
    level: int | None
    parent: int | None = None
    continues: int | None = None

    @property
    def top(self) -> float:
        """Top of the block's box in points; 0 without a box."""
        return self.block.bbox[1] if self.block.bbox else 0.0

    @property
    def bottom(self) -> float:
        """Bottom of the block's box in points; 0 without a box."""
        return self.block.bbox[3] if self.block.bbox else 0.0


def make_drafts(pages: list[PageContent]) -> list[Draft]:
    """Return drafts of all blocks, in reading order."""
    drafts: list[Draft] = []
    for page in pages:
        first = len(drafts)
        for block in page.blocks:
            drafts.append(
                Draft(
                    page,
                    block,
                    block.type,
                    block.level,
                    None if block.parent is None else first + block.parent,
                    None if block.continues is None else first + block.continues,
                )
            )
    return drafts


def drop_joined(drafts: list[Draft], joined: dict[int, int]) -> list[Draft]:
    """Return the remaining drafts; references to a joined part now lead to the first part."""
    remaining = [index for index in range(len(drafts)) if index not in joined]
    new_indexes = {index: new_index for new_index, index in enumerate(remaining)}
    new_indexes |= {index: new_indexes[root] for index, root in joined.items()}
    for index in remaining:
        draft = drafts[index]
        draft.parent = None if draft.parent is None else new_indexes[draft.parent]
        draft.continues = None if draft.continues is None else new_indexes[draft.continues]
    return [drafts[index] for index in remaining]


def limit_pictures(drafts: list[Draft], most: int) -> bool:
    """Remove the asset references of pictures beyond the first `most`; return whether none were removed."""
    held = [draft for draft in drafts if draft.block.asset_ref is not None]
    for draft in held[most:]:
        draft.block = replace(draft.block, asset_ref=None)
    return len(held) <= most
