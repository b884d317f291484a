"""Pictures of a page: images, and drawings made of shapes (charts, diagrams), with the labels that belong to them."""

from dataclasses import dataclass, field

from models.cdom.geometry import Bbox, bbox_area, intersection_area
from models.extract.layout.lines.disjoint import DisjointSets
from models.extract.layout.lines.marks import Line, PageMarks
from models.extract.layout.text.captions import is_caption


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """What makes drawn marks a picture, and which lines are its labels."""

    cell: float = 12.0
    """Marks closer than this (points) are parts of one drawing."""
    least: float = 24.0
    """Least width and height of a picture, in points."""
    background: float = 0.85
    """Share of the page: a drawing that covers more is its background."""
    prose_chars: int = 40
    """Characters of a line that is a sentence; a drawing with three of them is a box around text."""
    framed_chars: int = 150
    """Characters: labels of a drawing have fewer, or leave most of it free."""
    covered: float = 0.18
    """Share of a box under lines of type; of charts and diagrams it is less than 0.15."""
    label_chars: int = 45
    """Most characters of a label of a drawing."""
    trim_chars: int = 20
    """Characters of a line that is long enough to show where the text beside a drawing begins."""
    stretched: float = 3.0
    """Widest blank (in ems) of a justified line."""
    reach: float = 1.4
    """How far from a drawing, in their own line heights, labels stand."""
    next_column: int = 1 << 20
    """What the number of a cell of marks grows by from column to column: more than a page has rows of cells."""


LIMITS = PictureLimits()


@dataclass(slots=True)
class Picture:
    """A picture's box with the lines inside it, top to bottom. `drawn`: made of vectors."""

    box: Bbox
    drawn: bool
    lines: list[Line] = field(default_factory=list)


def find_pictures(
    marks: PageMarks, lines: list[Line], body: float, tables: list[Bbox]
) -> tuple[list[Picture], list[Line]]:
    """Pictures of the page outside its tables, and the lines that are no labels of one."""
    pictures = [Picture(box, False) for box in _join_boxes(_image_boxes(marks))]
    drawings = [Picture(box, True) for box in _drawing_boxes(marks, lines, tables)]
    for drawing in drawings:
        if not any(_mostly_inside(drawing.box, picture.box) for picture in pictures):
            pictures.append(drawing)
    for picture in sorted(pictures, key=lambda one: bbox_area(one.box)):
        lines = _take_labels(picture, lines, body)
    pictures = [one for one in pictures if not one.drawn or one.lines or bbox_area(one.box) > 2500]
    return pictures, lines


def _image_boxes(marks: PageMarks) -> list[Bbox]:
    """Image boxes on the page, without specks and page backgrounds."""
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


def _join_boxes(boxes: list[Bbox]) -> list[Bbox]:
    """Overlapping or touching boxes (tiles of one image) joined."""
    out: list[Bbox] = []
    for box in sorted(boxes):
        merged = box
        rest: list[Bbox] = []
        for other in out:
            if min(merged[2], other[2]) - max(merged[0], other[0]) > -2 and _touch_y(merged, other):
                merged = (
                    min(merged[0], other[0]),
                    min(merged[1], other[1]),
                    max(merged[2], other[2]),
                    max(merged[3], other[3]),
                )
            else:
                rest.append(other)
        out = [*rest, merged]
    return out


def _touch_y(a: Bbox, b: Bbox) -> bool:
    return min(a[3], b[3]) - max(a[1], b[1]) > -2


def _drawing_boxes(marks: PageMarks, lines: list[Line], tables: list[Bbox]) -> list[Bbox]:
    """Boxes of clusters of shapes and bars that make a drawing rather than a frame around text."""
    page = marks.width * marks.height
    shapes = [box for box in marks.shapes if bbox_area(box) < 0.6 * page]
    fills = [(f.x0, f.y0, f.x1, f.y1) for f in marks.fills if (f.x1 - f.x0) * (f.y1 - f.y0) < 0.5 * page]
    if len(shapes) < 2 and len(fills) < 3:
        return []
    rules = [(r.x0, r.y0, r.x1, r.y1) for r in (*marks.horizontals, *marks.verticals)]
    strokes = shapes + fills
    boxes: list[Bbox] = []
    for members in cluster_boxes(strokes + rules):
        own = [index for index in members if index < len(strokes)]
        curved = sum(index < len(shapes) for index in own)
        if curved < 2 and len(own) < 3:
            continue
        box = _around([(strokes + rules)[index] for index in members])
        box = trim_box(box, lines)
        if is_large(box) and not _is_text_area(box, lines, tables):
            boxes.append(box)
    return boxes


def is_large(box: Bbox) -> bool:
    return box[2] - box[0] >= 1.5 * LIMITS.least and box[3] - box[1] >= 1.5 * LIMITS.least


def trim_box(box: Bbox, lines: list[Line]) -> Bbox:
    """The box cut back from running text at its edges: the box of a curve holds its control points, beyond its ink."""
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


def _around(boxes: list[Bbox]) -> Bbox:
    x0s, y0s, x1s, y1s = zip(*boxes, strict=True)
    return (min(x0s), min(y0s), max(x1s), max(y1s))


def cluster_boxes(boxes: list[Bbox]) -> list[list[int]]:
    """Indices of boxes gathered by nearness: each marks the cells of a coarse grid, touching cells belong together."""
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
    """The cells that the box touches, each as one number: pairs take half as long again."""
    x0, y0, x1, y1 = box
    rows = range(int(y0 // LIMITS.cell), int(y1 // LIMITS.cell) + 1)
    columns = range(int(x0 // LIMITS.cell), int(x1 // LIMITS.cell) + 1)
    return [column * LIMITS.next_column + row for column in columns for row in rows]


def _is_text_area(box: Bbox, lines: list[Line], tables: list[Bbox]) -> bool:
    """True for the shading of a table and for a frame around text."""
    return any(_mostly_inside(box, table) or _mostly_inside(table, box) for table in tables) or _holds_prose(box, lines)


def _holds_prose(box: Bbox, lines: list[Line]) -> bool:
    """Three or more long lines, or much of the box under type, as on slides: the box frames text."""
    inside = [line for line in lines if _is_inside(line, box)]
    long = sum(len(line.text) > LIMITS.prose_chars for line in inside)
    chars = sum(len(line.text) for line in inside)
    if long > 2 or chars > 0.045 * bbox_area(box):
        return True
    return chars > LIMITS.framed_chars and sum(bbox_area(line.bbox) for line in inside) > LIMITS.covered * bbox_area(
        box
    )


def _is_inside(line: Line, box: Bbox) -> bool:
    return box[0] - 2 <= (line.x0 + line.x1) / 2 <= box[2] + 2 and box[1] - 2 <= (line.y0 + line.y1) / 2 <= box[3] + 2


def _mostly_inside(inner: Bbox, outer: Bbox) -> bool:
    return intersection_area(inner, outer) > 0.7 * bbox_area(inner)


def _take_labels(picture: Picture, lines: list[Line], body: float) -> list[Line]:
    """Move the lines that label the picture from `lines` to it; a drawing's box grows with them."""
    if not picture.drawn and _holds_prose(picture.box, lines):
        return lines
    inside = [line for line in lines if _is_inside(line, picture.box)]
    if picture.drawn:
        inside = [line for line in inside if not _goes_on(line, picture.box, lines)]
        inside += _labels_around(picture, [line for line in lines if not _is_inside(line, picture.box)], body)
        picture.box = _around([picture.box, *(line.bbox for line in inside)])
        known = {id(line) for line in inside}
        grown = [line for line in lines if _is_inside(line, picture.box) and id(line) not in known]
        inside += [line for line in grown if not _goes_on(line, picture.box, lines)]
    picture.lines = inside
    taken = {id(line) for line in inside}
    return [line for line in lines if id(line) not in taken]


def _goes_on(line: Line, box: Bbox, lines: list[Line]) -> bool:
    """True for a piece of running text: a long line of its look stands right above it, outside the box, or a stretched
    line goes on to its right in a column whose left edge it shares."""
    return _follows_on(line, box, lines) or _is_stretched(line, box, lines)


def _is_stretched(line: Line, box: Bbox, lines: list[Line]) -> bool:
    """True for the first word of a justified line whose blanks are wide."""
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
    """Short lines close to a drawing, step by step outwards (axis numbers, then their titles)."""
    taken: list[Line] = []
    box = picture.box
    candidates = [line for line in lines if len(line.text) <= LIMITS.label_chars and not is_caption(line.text)]
    for _ in range(3):
        reached = [line for line in candidates if _is_label_of(line, box, body)]
        near = [line for line in reached if not _goes_on(line, picture.box, lines)]
        if not near:
            break
        taken += near
        looked_at = {id(line) for line in reached}
        candidates = [line for line in candidates if id(line) not in looked_at]
        box = _around([box, *(line.bbox for line in near)])
    return taken


def _is_label_of(line: Line, box: Bbox, body: float) -> bool:
    """True for a line within reach: beside the drawing, or above or below it and smaller than running text."""
    reach = LIMITS.reach * line.size
    if line.x1 < box[0] - reach or line.x0 > box[2] + reach or line.y1 < box[1] - reach or line.y0 > box[3] + reach:
        return False
    if line.x0 < box[0] - 4 * reach or line.x1 > box[2] + 4 * reach:
        return False
    beside = box[1] - 1 <= (line.y0 + line.y1) / 2 <= box[3] + 1
    return beside or not line.upright or line.size < 0.93 * body or len(line.text) < 12
