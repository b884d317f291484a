"""The layout of one page: its marks in, typed blocks in reading order out. Each step is a module of this package."""

from collections import Counter
from dataclasses import dataclass

from models.cdom.tree import BlockType
from models.extract.layout.blocks import clamp, make_block
from models.extract.layout.marks import Line, PageMarks
from models.extract.layout.order import order_lines
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
    stand_ins = {id(line): table for table in tables for line in [_stand_in(table)]}
    keep = [_stand_in(table) for table in tables]
    stand_ins = {id(line): table for line, table in zip(keep, tables, strict=True)}
    ordered = order_lines(lines + keep)
    groups: list[list[Line]] = []
    for line in ordered:
        last = groups[-1][-1] if groups else None
        if (
            last
            and id(line) not in stand_ins
            and id(last) not in stand_ins
            and abs(last.size - line.size) < 0.6
            and 0 <= line.base - last.base < 1.6 * line.size
            and last.bold == line.bold
        ):
            groups[-1].append(line)
        else:
            groups.append([line])
    blocks = [
        _table_block(stand_ins[id(group[0])], marks)
        if id(group[0]) in stand_ins
        else make_block(_kind(group, body), group, marks)
        for group in groups
    ]
    return PageLayout(blocks, body)


def _stand_in(found: FoundTable) -> Line:
    x0, y0, x1, y1 = found.box
    return Line(x0, y0, x1, y1, y1, y1 - y0, "")


def _table_block(found: FoundTable, marks: PageMarks) -> PageBlock:
    return PageBlock(type=BlockType.TABLE, bbox=clamp(*found.box, marks), table=found.table)


def _kind(group: list[Line], body: float) -> BlockType:
    if len(group) <= 3 and (group[0].size > 1.15 * body or group[0].bold) and group[-1].text[-1] not in ".,;":
        return BlockType.HEADING
    return BlockType.PARAGRAPH


def find_body_size(lines: list[Line]) -> float:
    """The size in which most characters stand, to a tenth of a point."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return max(sizes.items(), key=lambda item: (item[1], item[0]))[0] if sizes else 0.0
