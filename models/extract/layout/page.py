"""The layout of one page: its marks in, typed blocks in reading order out. Each step is a module of this package."""

from collections import Counter
from dataclasses import dataclass

from models.cdom.tree import BlockType
from models.extract.layout.blocks import clamp, make_block
from models.extract.layout.furniture import find_footnotes, find_furniture
from models.extract.layout.inline import attach_marks, stretch_over_pictures
from models.extract.layout.kinds import PageLook, demote_runs, find_kind, is_heading_part
from models.extract.layout.leaders import merge_entries
from models.extract.layout.marks import Line, PageMarks
from models.extract.layout.order import order_lines
from models.extract.layout.paragraphs import group_paragraphs
from models.extract.layout.pictures import Picture, find_pictures
from models.extract.layout.pieces import merge_pieces
from models.extract.layout.relations import relate_blocks
from models.extract.layout.tables.find import FoundTable, find_tables
from models.extract.readers.contract import PageBlock


@dataclass(frozen=True, slots=True)
class PageLayout:
    """`body_size`: the font size (points) in which most characters of the page stand, 0 without text."""

    blocks: list[PageBlock]
    body_size: float


def layout_page(marks: PageMarks) -> PageLayout:
    """Blocks of a page in reading order; every line ends in exactly one of them."""
    body = find_body_size(marks.lines)
    tables, lines = find_tables(marks, marks.lines)
    lines = attach_marks(lines)
    if marks.pictures:
        stretch_over_pictures(lines, marks.pictures, body)
    pictures, lines = find_pictures(marks, lines, body, [table.box for table in tables])
    floats: dict[int, FoundTable | Picture] = {}
    stand_ins: list[Line] = []
    items: list[FoundTable | Picture] = [*tables, *pictures]
    for item in items:
        stand_in = _stand_in(item)
        stand_ins.append(stand_in)
        floats[id(stand_in)] = item
    ordered, contents = merge_entries(merge_pieces(order_lines(lines + stand_ins)), marks.width)
    groups = [[line] for line in ordered] if contents else group_paragraphs(ordered, body)
    look = _find_look(marks, lines, body, contents=contents)
    running = find_furniture(groups, look)
    notes = find_footnotes(groups, look, marks.horizontals, running)
    kinds = [
        BlockType.PICTURE if id(group[0]) in floats else running.get(index) or find_kind(group, look)
        for index, group in enumerate(groups)
    ]
    for index in notes:
        kinds[index] = BlockType.FOOTNOTE
    for index in range(len(groups) - 2, -1, -1):
        if kinds[index] is BlockType.PARAGRAPH and is_heading_part(groups[index], kinds[index + 1], look):
            kinds[index] = BlockType.HEADING
    demote_runs(kinds, groups)
    blocks = [
        _make_float(floats[id(group[0])], marks) if id(group[0]) in floats else make_block(kind, group, marks)
        for kind, group in zip(kinds, groups, strict=True)
    ]
    return PageLayout(relate_blocks(blocks), body)


def _find_look(marks: PageMarks, lines: list[Line], body: float, *, contents: bool) -> PageLook:
    chars = sum(len(line.text) for line in lines) or 1
    bold = sum(len(line.text) for line in lines if line.bold)
    title_below = 0.0
    if contents:
        largest = max(line.size for line in lines)
        title_below = min(line.y1 for line in lines if line.size == largest) + 0.1
    return PageLook(body, bold / chars, marks.width, marks.height, contents, title_below)


def _stand_in(item: FoundTable | Picture) -> Line:
    """A line without text that holds the float's place among the lines."""
    x0, y0, x1, y1 = item.box
    return Line(x0, y0, x1, y1, y1, 10.0, "")


def _make_float(item: FoundTable | Picture, marks: PageMarks) -> PageBlock:
    if isinstance(item, FoundTable):
        return PageBlock(type=BlockType.TABLE, bbox=clamp(*item.box, marks), table=item.table)
    box = clamp(*item.box, marks)
    ref = "picture-" + "-".join(str(round(value)) for value in box)
    if not item.lines:
        return PageBlock(type=BlockType.PICTURE, bbox=box, asset_ref=ref)
    rows = sorted(item.lines, key=lambda line: (round(line.base / 4), line.x0))
    text = "\n".join(line.text for line in rows)
    return PageBlock(type=BlockType.PICTURE, bbox=box, asset_ref=ref, text=text)


def find_body_size(lines: list[Line]) -> float:
    """The size in which most characters stand, to a tenth of a point."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return max(sizes.items(), key=lambda item: (item[1], item[0]))[0] if sizes else 0.0
