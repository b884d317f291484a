"""Pictures of a page: images, and drawings made of shapes (charts, diagrams), with their labels."""

from dataclasses import dataclass, field

from quire.models.cdom.geometry import Bbox, bbox_area, intersection_area
from quire.models.cdom.tree import BlockType
from quire.models.extract.core.disjoint import DisjointSets
from quire.models.extract.layout.charts.result import ReadChart
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.lines.sentences import holds_sentence, is_sentence, join_lines
from quire.models.extract.layout.text.captions import is_caption


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """Limits for drawn marks to be a picture, and for lines to be its labels."""

    cell: float = 12.0
    """Marks closer than this (points) are parts of one drawing."""
    least: float = 24.0
    """Least width and height of a picture, in points."""
    background: float = 0.85
    """Maximum share of the page that a drawing covers; a larger one is the background."""
    prose_chars: int = 40
    """Characters of a line that is a sentence; a drawing with three of them is a box around text."""
    framed_chars: int = 150
    """Characters: labels of a drawing have fewer, or leave most of it free."""
    covered: float = 0.18
    """Share of a box under lines of type; of charts and diagrams it is less than 0.15."""
    label_chars: int = 45
    """Most characters of a label of a drawing."""
    label_size: float = 1.3
    """Maximum size of labels beside a drawing, relative to that of the text."""
    trim_chars: int = 20
    """Minimum characters of a line that shows where the text next to a drawing begins."""
    icon: float = 64.0
    """Greatest width and height of an icon, in points."""
    icon_least: float = 7.0
    """Least size of such drawings that are icons; markers of charts are smaller."""
    touching: float = 1.0
    """Maximum gap between parts of one icon, in points."""
    nested: float = 0.2
    """Maximum share of an image that an image on it covers."""
    title_size: float = 1.4
    """Minimum size of titles on images, relative to that of the text."""
    seam: float = 2.0
    """Maximum gap or overlap (points) of the parts of one image along their common side."""
    edge: float = 0.7
    """The same of parts of different sizes."""
    layered: float = 0.5
    """Minimum share of an image that another covers for both to be one."""
    word_letters: int = 3
    """Letters that a label with a word has more than."""
    panel_fills: int = 3
    """Maximum shades of a panel for each of its lines."""
    stack_lines: int = 4
    """Minimum lines of a narrow paragraph; a label has at most three."""
    stack_chars: int = 16
    """Their minimum mean characters."""
    same_size: float = 0.3
    """Maximum difference of their sizes, in points."""
    least_leading: float = 0.8
    """Their minimum distance, in ems."""
    stack_leading: float = 1.7
    """The maximum."""
    stretched: float = 3.0
    """Widest blank (in ems) of a justified line."""
    sentence_words: int = 6
    """Minimum words of a sentence in several lines that is no label."""
    reach: float = 1.4
    """Maximum distance of labels from a drawing, relative to their line height."""
    next_column: int = 1 << 20
    """Difference between the numbers of cells in adjacent columns; larger than the number of rows of cells."""


LIMITS = PictureLimits()


@dataclass(slots=True)
class Picture:
    """A picture's box with the lines inside it, top to bottom. `drawn`: made of vectors.

    `chart`: its data, whose labels `lines` are then; `is_chart` is true for a chart that was not read too.
    """

    box: Bbox
    drawn: bool
    lines: list[Line] = field(default_factory=list)
    chart: ReadChart | None = None
    is_chart: bool = False


@dataclass(slots=True)
class ChartText:
    """The title of a chart, or labels that are not in its table. `box`: where they come in the order of reading."""

    box: Bbox
    lines: list[Line]
    kind: BlockType


def find_pictures(
    marks: PageMarks, lines: list[Line], body: float, tables: list[Bbox]
) -> tuple[list[Picture], list[Line]]:
    """Return pictures of the page outside its tables, and the lines that are not their labels."""
    pictures = [Picture(box, False) for box in _join_images(_image_boxes(marks))]
    drawings = [Picture(box, True) for box in _drawing_boxes(marks, lines, tables)]
    for drawing in drawings:
        if not any(_mostly_inside(drawing.box, picture.box) for picture in pictures):
            pictures.append(drawing)
    for picture in sorted(pictures, key=lambda item: bbox_area(item.box)):
        lines = _take_labels(picture, lines, body)
    pictures = [item for item in pictures if not item.drawn or item.lines or bbox_area(item.box) > 2500]
    return pictures, lines


def _image_boxes(marks: PageMarks) -> list[Bbox]:
    """Return image boxes on the page, without specks and page backgrounds."""
    boxes: list[Bbox] = []
    page = marks.width * marks.height
    for x0, y0, x1, y1 in marks.pictures:
        box = (max(x0, 0.0), max(y0, 0.0), min(x1, marks.width), min(y1, marks.height))
        if (
            box[2] - box[0] >= LIMITS.least
            and box[3] - box[1] >= LIMITS.least
            and bbox_area(box) < LIMITS.background * page
        ):
            boxes.append(box)
    return boxes


def _join_images(boxes: list[Bbox]) -> list[Bbox]:
    """Return the images of joined tiles; an image on a much larger one is an image of its own."""
    areas = {box: bbox_area(box) for box in boxes}  # a page may draw one image thousands of times at one place
    outer, inner = list[Bbox](), list[Bbox]()
    for box, area in areas.items():
        larger = (other for other, size in areas.items() if area < LIMITS.nested * size)
        (inner if any(_mostly_inside(box, other) for other in larger) else outer).append(box)
    return _join_boxes(outer) + _join_boxes(inner)


def _join_boxes(boxes: list[Bbox]) -> list[Bbox]:
    """Return the boxes with the parts of one image joined."""
    out: list[Bbox] = []
    for box in sorted(boxes):
        merged = box
        while (other := next((one for one in out if _are_tiles(merged, one)), None)) is not None:
            out.remove(other)
            merged = _surround([merged, other])
        out.append(merged)
    return out


def _are_tiles(a: Bbox, b: Bbox) -> bool:
    """Return True for two parts of one image: edge to edge, with a whole side in common, or one over the other.

    Pictures that overlap otherwise are several, as in a pile of photos.
    """
    across, down = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if across <= -LIMITS.seam or down <= -LIMITS.seam:
        return False
    if min(abs(across), abs(down)) < LIMITS.edge:
        return True
    if down < LIMITS.seam and max(abs(a[0] - b[0]), abs(a[2] - b[2])) < LIMITS.seam:
        return True
    if across < LIMITS.seam and max(abs(a[1] - b[1]), abs(a[3] - b[3])) < LIMITS.seam:
        return True
    return max(across, 0) * max(down, 0) > LIMITS.layered * min(bbox_area(a), bbox_area(b))


def _drawing_boxes(marks: PageMarks, lines: list[Line], tables: list[Bbox]) -> list[Bbox]:
    """Return boxes of clusters of shapes and bars that form a drawing rather than a frame around text."""
    page = marks.width * marks.height
    shapes = [box for box in marks.shapes if bbox_area(box) < 0.6 * page]
    fills = [(f.x0, f.y0, f.x1, f.y1) for f in marks.fills if (f.x1 - f.x0) * (f.y1 - f.y0) < 0.5 * page]
    shapes, fills = _outside(shapes, tables), _outside(fills, tables)
    if len(shapes) < 2 and len(fills) < 3:
        return []
    rules = _outside([(r.x0, r.y0, r.x1, r.y1) for r in (*marks.horizontals, *marks.verticals)], tables)
    strokes = shapes + fills
    boxes: list[Bbox] = []
    for members in cluster_boxes(strokes + rules):
        own = [index for index in members if index < len(strokes)]
        curved = sum(index < len(shapes) for index in own)
        if curved < 2 and len(own) < 3:
            continue
        inner = _surround([strokes[index] for index in own])
        box = _surround([(strokes + rules)[index] for index in members])
        if not curved and _are_panels([strokes[index] for index in own], lines, box):
            continue
        if _are_icons([(strokes + rules)[index] for index in members]):
            continue
        box = trim_box(box, lines)
        if is_large(box) and not _is_text_area(box, lines, tables):
            within = [line for line in lines if _is_inside(line, inner)]
            beside = [line for line in lines if _is_inside(line, box) and not _is_inside(line, inner)]
            boxes.append(inner if holds_sentence(beside) and not holds_sentence(within) else box)
    return boxes


def _is_icon(box: Bbox) -> bool:
    """Return True for a drawing so small that texts near it do not label it."""
    return max(box[2] - box[0], box[3] - box[1]) <= LIMITS.icon


def _are_icons(boxes: list[Bbox]) -> bool:
    """Return True for two or more small drawings of like size that nothing connects; each is an icon."""
    if not all(map(_is_icon, boxes)):
        return False
    sides = [max(box[2] - box[0], box[3] - box[1]) for box in join_touching(boxes)]
    return len(sides) > 1 and max(sides) <= LIMITS.icon and min(sides) >= LIMITS.icon_least


def join_touching(boxes: list[Bbox]) -> list[Bbox]:
    """Return the boxes with those that touch joined."""
    boxes = sorted(boxes)
    sets = DisjointSets(len(boxes))
    open_boxes: list[int] = []
    for index, box in enumerate(boxes):
        open_boxes = [other for other in open_boxes if boxes[other][2] >= box[0] - LIMITS.touching]
        for other in open_boxes:
            above, below = boxes[other][1] - LIMITS.touching, boxes[other][3] + LIMITS.touching
            if box[1] <= below and box[3] >= above:
                sets.join(other, index)
        open_boxes.append(index)
    return [_surround([boxes[index] for index in members]) for members in sets.groups()]


def _are_panels(fills: list[Bbox], lines: list[Line], box: Bbox) -> bool:
    """Return True for shades that each hold words, as the tabs along a page's edge do; the bars of a chart do not."""
    inside = [line for line in lines if _is_inside(line, box)]
    words = [line for line in inside if _has_word(line)]
    if not words or 2 * len(words) <= len(inside) or len(fills) > LIMITS.panel_fills * len(words):
        return False
    return all(any(_is_within(line, fill) for fill in fills) for line in inside)


def _outside(boxes: list[Bbox], tables: list[Bbox]) -> list[Bbox]:
    """Return the boxes that are not inside a table, where they are its rules and shades."""
    if not tables:
        return boxes
    return [
        box
        for box in boxes
        if not any(
            x0 - 2 <= box[0] and y0 - 2 <= box[1] and box[2] <= x1 + 2 and box[3] <= y1 + 2 for x0, y0, x1, y1 in tables
        )
    ]


def is_large(box: Bbox) -> bool:
    """Return whether a box is large enough for a drawing."""
    return box[2] - box[0] >= 1.5 * LIMITS.least and box[3] - box[1] >= 1.5 * LIMITS.least


def trim_box(box: Bbox, lines: list[Line]) -> Bbox:
    """Return the box without running text at its edges. The box of a curve includes control points beyond its ink."""
    for line in lines:
        if len(line.text) < LIMITS.trim_chars or not (line.upright and _overlaps(line, box)) or _is_within(line, box):
            continue
        cuts = (
            (line.x1, box[1], box[2], box[3]),
            (box[0], box[1], line.x0, box[3]),
            (box[0], line.y1, box[2], box[3]),
            (box[0], box[1], box[2], line.y0),
        )
        best = max(cuts, key=bbox_area)
        if bbox_area(best) > 0.5 * bbox_area(box):
            box = best
    return box


def _overlaps(line: Line, box: Bbox) -> bool:
    across = min(line.x1, box[2]) - max(line.x0, box[0])
    return across > 1 and min(line.y1, box[3]) - max(line.y0, box[1]) > 1


def _is_within(line: Line, box: Bbox) -> bool:
    return box[0] - 2 <= line.x0 and line.x1 <= box[2] + 2 and box[1] - 2 <= line.y0 and line.y1 <= box[3] + 2


def _surround(boxes: list[Bbox]) -> Bbox:
    x0s, y0s, x1s, y1s = zip(*boxes, strict=True)
    return (min(x0s), min(y0s), max(x1s), max(y1s))


def cluster_boxes(boxes: list[Bbox]) -> list[list[int]]:
    """Return indices of boxes grouped by nearness: each box marks cells of a coarse grid, and touching cells join."""
    sets = DisjointSets(len(boxes))
    owner: dict[int, int] = {}
    for index, box in enumerate(boxes):
        for cell in _cells_of(box):
            other = owner.setdefault(cell, index)
            if other != index:
                sets.join(other, index)
    step = LIMITS.next_column
    for cell, index in owner.items():
        for near in (cell + step, cell + 1, cell + step + 1, cell - step + 1):
            other = owner.get(near, index)
            if other != index:
                sets.join(index, other)
    return sets.groups()


def _cells_of(box: Bbox) -> list[int]:
    """Return the cells that the box touches, each as one number; pairs take half as long again."""
    x0, y0, x1, y1 = box
    rows = range(int(y0 // LIMITS.cell), int(y1 // LIMITS.cell) + 1)
    columns = range(int(x0 // LIMITS.cell), int(x1 // LIMITS.cell) + 1)
    return [column * LIMITS.next_column + row for column in columns for row in rows]


def _is_text_area(box: Bbox, lines: list[Line], tables: list[Bbox]) -> bool:
    """Return True for the shading of a table and for a frame around text."""
    return any(_mostly_inside(box, table) or _mostly_inside(table, box) for table in tables) or _holds_prose(box, lines)


def _holds_prose(box: Bbox, lines: list[Line]) -> bool:
    """Return True for three or more long lines, or much of the box under type, as on slides: the box frames text."""
    inside = [line for line in lines if _is_inside(line, box)]
    long = sum(len(line.text) > LIMITS.prose_chars for line in inside)
    chars = sum(len(line.text) for line in inside)
    if long > 2 or chars > 0.045 * bbox_area(box) or _find_stacks(inside):
        return True
    return chars > LIMITS.framed_chars and sum(bbox_area(line.bbox) for line in inside) > LIMITS.covered * bbox_area(
        box
    )


def _holds_title(box: Bbox, lines: list[Line], body: float) -> bool:
    """Return True for words in large type on an image, which is their ground then."""
    return any(line.size >= LIMITS.title_size * body and _has_word(line) for line in lines if _is_inside(line, box))


def _has_word(line: Line) -> bool:
    return sum(char.isalpha() for char in line.text) > LIMITS.word_letters


def _find_stacks(lines: list[Line]) -> set[int]:
    """Return the identities of lines of narrow paragraphs: lines of one type below each other, from one edge."""
    stacks: set[int] = set()
    waiting = sorted((line for line in lines if line.upright), key=lambda line: (round(line.x0), line.base))
    row: list[Line] = []
    for line in [*waiting, None]:
        if line is not None and row and _is_next_line(row[-1], line):
            row.append(line)
            continue
        if len(row) >= LIMITS.stack_lines and sum(len(one.text) for one in row) >= LIMITS.stack_chars * len(row):
            stacks |= {id(one) for one in row}
        row = [] if line is None else [line]
    return stacks


def _is_next_line(above: Line, line: Line) -> bool:
    if abs(above.x0 - line.x0) > 1 or abs(above.size - line.size) > LIMITS.same_size:
        return False
    return LIMITS.least_leading * line.size < line.base - above.base < LIMITS.stack_leading * line.size


def _is_inside(line: Line, box: Bbox) -> bool:
    return box[0] - 2 <= (line.x0 + line.x1) / 2 <= box[2] + 2 and box[1] - 2 <= (line.y0 + line.y1) / 2 <= box[3] + 2


def _mostly_inside(inner: Bbox, outer: Bbox) -> bool:
    return intersection_area(inner, outer) > 0.7 * bbox_area(inner)


def _take_labels(picture: Picture, lines: list[Line], body: float) -> list[Line]:
    """Move the lines that label the picture from `lines` to it; a drawing's box grows with them."""
    if not picture.drawn and (_holds_prose(picture.box, lines) or _holds_title(picture.box, lines, body)):
        return lines
    inside = [line for line in lines if _is_inside(line, picture.box)]
    if picture.drawn:
        inside = [line for line in inside if not _continues_text(line, picture.box, lines)]
        if not _is_icon(picture.box):
            inside += _labels_around(picture, [line for line in lines if not _is_inside(line, picture.box)], body)
        picture.box = _surround([picture.box, *(line.bbox for line in inside)])
        known = {id(line) for line in inside}
        grown = [line for line in lines if _is_inside(line, picture.box) and id(line) not in known]
        inside += [line for line in grown if not _continues_text(line, picture.box, lines)]
    picture.lines = inside
    taken = {id(line) for line in inside}
    return [line for line in lines if id(line) not in taken]


def _continues_text(line: Line, box: Bbox, lines: list[Line]) -> bool:
    """Return True for a piece of running text.

    A long line of its look is right above it, outside the box, or a stretched line continues to its right in a column
    with the same left edge.
    """
    return _follows_on(line, box, lines) or _is_stretched(line, box, lines)


def _is_stretched(line: Line, box: Bbox, lines: list[Line]) -> bool:
    """Return True for the first word of a justified line with wide blanks."""
    base, right, reach = line.base, line.x1, LIMITS.stretched * line.size
    beside = [other for other in lines if 0 < other.x0 - right < reach and abs(other.base - base) < 0.5]
    if not any(abs(other.size - line.size) < 0.3 and not _is_inside(other, box) for other in beside):
        return False
    return any(
        len(other.text) > LIMITS.trim_chars
        and abs(other.x0 - line.x0) < 1
        and abs(other.size - line.size) < 0.3
        and not _is_inside(other, box)
        for other in lines
    )


def _follows_on(line: Line, box: Bbox, lines: list[Line]) -> bool:
    return any(
        0 < line.base - other.base < 2 * line.size
        and abs(other.x0 - line.x0) < 2
        and abs(other.size - line.size) < 0.3
        and len(other.text) > LIMITS.trim_chars
        and not _is_inside(other, box)
        for other in lines
    )


def _labels_around(picture: Picture, lines: list[Line], body: float) -> list[Line]:
    """Return short lines close to a drawing, step by step outwards (axis numbers, then their titles)."""
    taken: list[Line] = []
    box = picture.box
    candidates = [line for line in lines if len(line.text) <= LIMITS.label_chars and not is_caption(line.text)]
    sentences = {id(line) for unit in join_lines(candidates) if _is_text(unit) for line in unit}
    candidates = [line for line in candidates if id(line) not in sentences]
    for _ in range(3):
        reached = [line for line in candidates if _is_label_of(line, box, body)]
        near = [line for line in reached if not _continues_text(line, picture.box, lines)]
        if not near:
            break
        taken += near
        looked_at = {id(line) for line in reached}
        candidates = [line for line in candidates if id(line) not in looked_at]
        box = _surround([box, *(line.bbox for line in near)])
    return taken


def _is_text(unit: list[Line]) -> bool:
    """Return True for a sentence in several lines, longer than a label."""
    words = sum(len(line.text.split()) for line in unit)
    return len(unit) > 1 and words >= LIMITS.sentence_words and is_sentence(unit)


def _is_label_of(line: Line, box: Bbox, body: float) -> bool:
    """Return True for a line within reach: next to the drawing, or above or below it and smaller than running text."""
    reach = LIMITS.reach * line.size
    if line.x1 < box[0] - reach or line.x0 > box[2] + reach or line.y1 < box[1] - reach or line.y0 > box[3] + reach:
        return False
    if line.x0 < box[0] - 4 * reach or line.x1 > box[2] + 4 * reach or line.size > LIMITS.label_size * body:
        return False
    beside = box[1] - 1 <= (line.y0 + line.y1) / 2 <= box[3] + 1
    return beside or not line.upright or line.size < 0.93 * body or len(line.text) < 12
