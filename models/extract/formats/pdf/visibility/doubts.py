"""Which pages a layout detector should look at, and how the reading takes what it saw.

A page is doubted where the learned trees doubt its tables, or where the figures of one contradict each other.
"""

from collections.abc import Sequence

from models.cdom.ports import DetectedPage
from models.cdom.tree import BlockType
from models.extract.contract import PageBlock
from models.extract.document.table_checks import check_block
from models.extract.layout.lines.marks import PageMarks


def invite_opinion(marks: PageMarks, seen: DetectedPage | None) -> None:
    """Have the layout say what it doubts or, where somebody has looked, heed that."""
    if seen is None:
        marks.doubts = []
    else:
        marks.seen = [one.bbox for one in seen.elements if one.type is BlockType.TABLE]


def is_doubted(marks: PageMarks, blocks: Sequence[PageBlock]) -> bool:
    """True for a page at whose tables somebody else should look; false where nobody asked."""
    if marks.doubts is None:
        return False
    return bool(marks.doubts) or any(_contradicts_itself(block) for block in blocks)


def _contradicts_itself(block: PageBlock) -> bool:
    table = check_block(block).table
    return table is not None and any(not check.holds for check in table.checks)
