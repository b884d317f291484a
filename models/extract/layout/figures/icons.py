"""Icons and logos, which get boxes but part no text, and small marks before lines, which begin list items."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

from quire.models.cdom.geometry import Bbox, bbox_area, intersection_area
from quire.models.cdom.tree import BlockType, PictureFacts
from quire.models.extract.contract import PageBlock
from quire.models.extract.layout.figures.pictures import Picture, join_touching
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.tables.scoring.find import FoundTable
from quire.models.extract.layout.text.blocks import clamp


@dataclass(frozen=True, slots=True)
class IconLimits:
    """Sizes of icons and of marks before lines, in points unless stated."""

    least: float = 9.0
    """Minimum width and height of an icon."""
    least_drawn: float = 6.0
    """The same of an icon drawn of several parts."""
    most: float = 64.0
    """The maximum."""
    slim: float = 3.0
    """Maximum ratio of its sides."""
    most_parts: int = 1500
    """Parts on a page; a page with more shows maps or patterns."""
    most_icons: int = 100
    """Icons on a page; the same."""
    inside: float = 0.7
    """Share of an icon inside a drawing, a chart or a table that makes it a part of it."""
    least_mark: float = 1.5
    """Minimum width and height of a mark before a line."""
    most_mark: float = 30.0
    """The maximum."""
    mark_ems: float = 1.8
    """The same, in sizes of the line."""
    before: float = 2.2
    """Maximum gap between the mark and its line, in sizes of the line."""
    same_edge: float = 1.5
    """Maximum difference of the edges of the marks of one list, and of their sizes."""
    most_marks: int = 300
    """Marks of a page that are compared with lines."""


LIMITS = IconLimits()


def find_icons(upright: PageMarks, lines: list[Line], pictures: list[Picture], tables: list[FoundTable]) -> list[Bbox]:
    """Return the boxes of icons outside drawings and tables, and note the lines that begin after marks, in place."""
    shapes = [box for box in upright.shapes if _is_small(box, LIMITS.most)]
    images = [box for box in upright.pictures if _is_small(box, LIMITS.most)]
    if not 0 < len(shapes) + len(images) + len(upright.fills) <= LIMITS.most_parts:
        return []
    groups = [box for box in join_touching(shapes + images) if _is_small(box, LIMITS.most)]
    fills = [(fill.x0, fill.y0, fill.x1, fill.y1) for fill in upright.fills]
    _note_marks([box for box in (*shapes, *images, *fills) if _is_small(box, LIMITS.most_mark)], lines)
    parts = shapes + images
    taken = [table.box for table in tables] + [picture.box for picture in pictures if _is_drawing(picture)]
    icons = [
        box
        for box in groups
        if _is_icon(box, parts) and not any(_covers(other, box) for other in taken) and not _holds_text(box, lines)
    ]
    return icons if len(icons) <= LIMITS.most_icons else []


def add_icons(blocks: list[PageBlock], icons: list[Bbox], upright: PageMarks) -> list[PageBlock]:
    """Return the blocks with each icon before the block nearest to it. Icons are not drawn as files."""
    places: dict[int, list[PageBlock]] = defaultdict(list)
    facts = PictureFacts(kind="icon")
    boxes = [(index, block.bbox) for index, block in enumerate(blocks) if block.bbox is not None]
    for icon in icons:
        box = clamp(*icon, upright)
        near = min(boxes, key=lambda item: _distance(item[1], icon), default=(0, box))
        places[near[0]].append(PageBlock(type=BlockType.PICTURE, bbox=box, picture=facts))
    out = [one for index, block in enumerate(blocks) for one in (*places[index], block)]
    return out or places[0]


def _is_small(box: Bbox, most: float) -> bool:
    width, height = box[2] - box[0], box[3] - box[1]
    return LIMITS.least_mark <= width <= most and LIMITS.least_mark <= height <= most


def _is_icon(box: Bbox, parts: list[Bbox]) -> bool:
    """Return True for a box of the size of an icon; one of several parts may be smaller than a plain mark."""
    width, height = box[2] - box[0], box[3] - box[1]
    side = min(width, height)
    if side < LIMITS.least and (side < LIMITS.least_drawn or sum(_covers(box, part) for part in parts) < 2):
        return False
    return max(width, height) <= LIMITS.slim * min(width, height)


def _is_drawing(picture: Picture) -> bool:
    """Return True for a drawing, a chart, or an image that is an icon itself."""
    return picture.drawn or picture.is_chart or picture.chart is not None or _is_small(picture.box, LIMITS.most)


def _covers(outer: Bbox, inner: Bbox) -> bool:
    return intersection_area(outer, inner) > LIMITS.inside * bbox_area(inner)


def _holds_text(box: Bbox, lines: list[Line]) -> bool:
    """Return True for a box around, or over, a word."""
    return any(
        line.text and box[0] < line.x1 - 1 and line.x0 + 1 < box[2] and box[1] < (line.y0 + line.y1) / 2 < box[3]
        for line in lines
    )


def _note_marks(boxes: list[Bbox], lines: list[Line]) -> None:
    """Note the lines that begin after one of two or more equal marks below each other, in place."""
    columns: dict[tuple[int, int], list[Bbox]] = defaultdict(list)
    for box in boxes:
        columns[round(box[0] / LIMITS.same_edge), round((box[2] - box[0]) / LIMITS.same_edge)].append(box)
    marks = sorted((box for column in columns.values() if _is_list(column) for box in column), key=lambda box: box[1])
    for box in marks[: LIMITS.most_marks]:
        middle = (box[1] + box[3]) / 2
        beside = [
            line
            for line in lines
            if line.y0 - 1 <= middle <= line.y1 + 1
            and line.upright
            and -1 <= line.x0 - box[2] <= LIMITS.before * line.size
            and max(box[2] - box[0], box[3] - box[1]) <= LIMITS.mark_ems * line.size
        ]
        if len(beside) == 1:
            beside[0].bulleted = True


def _is_list(column: list[Bbox]) -> bool:
    tops = sorted(box[1] for box in column)
    return any(below - above > box[3] - box[1] for (above, below), box in zip(pairwise(tops), column, strict=False))


def _distance(a: Bbox, b: Bbox) -> float:
    """Return the gap between two boxes; along a line it counts less than across lines."""
    across, down = max(a[0] - b[2], b[0] - a[2], 0), max(a[1] - b[3], b[1] - a[3], 0)
    return across + 3 * down
