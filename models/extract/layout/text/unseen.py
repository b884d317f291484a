"""Lines that nobody sees as blocks of their own, after everything that is seen: flagged, with the reason."""

from itertools import groupby

from models.cdom.tree import BlockType
from models.extract.contract import PageBlock
from models.extract.layout.lines.marks import PageMarks
from models.extract.layout.text.blocks import make_block
from models.extract.layout.text.paragraphs import group_paragraphs


def make_unseen_blocks(marks: PageMarks, body: float) -> list[PageBlock]:
    """Paragraphs of the unseen lines, in the order in which the file draws them."""
    return [
        make_block(BlockType.PARAGRAPH, group, marks)
        for _, lines in groupby(marks.unseen, key=lambda line: line.unseen)
        for group in group_paragraphs(list(lines), body)
    ]
