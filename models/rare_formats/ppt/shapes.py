"""Shapes of a slide of PowerPoint 97 to 2003: a drawing in, blocks with boxes out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.geometry import Bbox, round_bbox
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.flow.blocks import FlowBlock, flatten
from quire.models.extract.formats.flow.drawings import GROUP, PROPERTIES, SHAPE, SHAPE_HEAD, DrawnRecord, read_shape
from quire.models.extract.formats.flow.slide_order import keep_together
from quire.models.extract.formats.slides.inherit import Bullet
from quire.models.extract.formats.slides.text import as_heading
from quire.models.rare_formats.ppt.pictures import PptPictures
from quire.models.rare_formats.ppt.records import MAX_DEPTH, PptFile
from quire.models.rare_formats.ppt.text import NOTES as NOTES_TEXT
from quire.models.rare_formats.ppt.text import (
    STYLES_9,
    TITLES,
    PptText,
    TextContext,
    read_numbering,
    read_texts,
    text_blocks,
)

UNITS_PER_POINT: Final = 8
"""Master units, of which an inch has 576, per point."""
_GROUP_FRAME, _TEXT_BOX, _CHILD_ANCHOR, _ANCHOR, _CLIENT = 0xF009, 0xF00D, 0xF00F, 0xF010, 0xF011
"""Kinds of records of a shape, as the format numbers them."""
_MORE_PROPERTIES: Final = frozenset((0xF121, 0xF122))
_PLACEHOLDER, _OUTLINE_REFERENCE = 0x0BC3, 0x0F9E
"""Kinds of records, as the format numbers them."""
_DELETED, _BACKGROUND = 0x008, 0x400
"""Flags of a shape."""
_OLE: Final = 0x010
"""The flag of a shape that shows an embedded object."""
_TABLE, _VISIBILITY, _LINE = 0x039F, 0x03BF, 20
"""Properties that mark a group as a table and a shape as hidden; the type of a line."""
_HIDDEN: Final = 0x00020002
"""Bits of the visibility: it is stated, and the shape is hidden."""
_FURNITURE: Final = frozenset((7, 8, 9, 10))
_TITLE_PLACES: Final = frozenset((13, 15, 17))
NOTES_PLACE: Final = 12
"""Kinds of placeholders: date, number, footer and header; titles; the body of notes."""
MAX_COLUMNS: Final = 1000
"""Columns of a table; PowerPoint allows 25, so more occur only in attacks."""
_TOLERANCE: Final = 4
"""Master units between two edges of cells that are one line of the grid."""

Frame = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class _Scale:
    """Conversion of coordinates inside a group to master units of the slide."""

    x: float = 0.0
    y: float = 0.0
    across: float = 1.0
    down: float = 1.0

    def apply(self, frame: Frame) -> Frame:
        left, top, right, bottom = frame
        return (
            self.x + left * self.across, self.y + top * self.down,
            self.x + right * self.across, self.y + bottom * self.down,
        )  # fmt: skip


@dataclass(slots=True)
class PptShape:
    """A shape: its records by kind, its flags, its frame in master units and its texts."""

    flags: int = 0
    type: int = 0
    frame: Frame | None = None
    picture: int = 0
    alt: str = ""
    placeholder: int = 0
    reference: int | None = None
    is_table: bool = False
    is_hidden: bool = False
    inner: Frame | None = None
    texts: list[PptText] = field(default_factory=list)
    numbering: list[Bullet | None] = field(default_factory=list)

    @property
    def is_furniture(self) -> bool:
        """Return whether the shape is a footer, date or number of the slide."""
        return self.placeholder in _FURNITURE or any(text.is_furniture for text in self.texts)

    @property
    def box(self) -> Bbox | None:
        """Return the frame in points."""
        return round_bbox(side / UNITS_PER_POINT for side in self.frame) if self.frame is not None else None


@dataclass(slots=True)
class SlideContext:
    """A slide on its way to blocks: its outline texts, what it adds to texts, and where its pictures are."""

    outline: list[PptText]
    text: TextContext
    pictures: PptPictures
    numberings: list[list[Bullet | None]] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)


class ShapeReader:
    """Reads the shapes of one drawing."""

    def __init__(self, file: PptFile, slide: SlideContext) -> None:
        self._file, self._slide = file, slide

    def read(self, group: DrawnRecord, scale: _Scale | None = None, depth: int = 0) -> Iterator[FlowBlock]:
        """Yield the blocks of a group of shapes, whose first shape is the group itself.

        Raises:
            ResourceLimit: The groups are nested too deep.
        """
        if depth > MAX_DEPTH:
            raise ResourceLimit("shapes are grouped too deep")
        records = self._file.children(group)
        head = self.shape(records[0], scale or _Scale()) if records and records[0].kind == SHAPE else PptShape()
        inner = _inside(head, scale or _Scale())
        if head.is_table:
            yield from self._read_table(records[1:], inner, head)
            return
        for record in records[1:]:
            if record.kind == GROUP:
                yield from keep_together(list(self.read(record, inner, depth + 1)))
            elif record.kind == SHAPE:
                yield from self._read_shape(self.shape(record, inner))

    def shape(self, record: DrawnRecord, scale: _Scale) -> PptShape:
        """Return a shape."""
        file = self._file
        drawn = read_shape(file.data, record)
        shape = PptShape(picture=drawn.picture, alt=drawn.alt)
        for part in file.children(record):
            match part.kind:
                case k if k == SHAPE_HEAD:
                    shape.type, shape.flags = part.instance, file.numbers(part, "<I", 4)[0]
                case k if k == PROPERTIES or k in _MORE_PROPERTIES:
                    self._read_properties(part, shape)
                case k if k == _GROUP_FRAME:
                    shape.inner = _as_frame(file.numbers(part, "<4i"))
                case k if k == _CHILD_ANCHOR:
                    shape.frame = scale.apply(_as_frame(file.numbers(part, "<4i")))
                case k if k == _ANCHOR:
                    form = "<4i" if part.end - part.start >= 16 else "<4h"
                    top, left, right, bottom = file.numbers(part, form)
                    shape.frame = (left, top, right, bottom)
                case k if k == _CLIENT:
                    self._read_client(part, shape)
                case k if k == _TEXT_BOX:
                    inside = file.children(part)
                    references = (file.numbers(inner, "<I")[0] for inner in inside if inner.kind == _OUTLINE_REFERENCE)
                    shape.reference = next(references, None)
                    shape.texts = read_texts(file, inside)
        return shape

    def _read_properties(self, record: DrawnRecord, shape: PptShape) -> None:
        count = min(record.instance, (record.end - record.start) // 6)
        for index in range(count):
            code, value = self._file.numbers(record, "<HI", 6 * index)
            if code == _TABLE:
                shape.is_table = bool(value & 1)
            elif code == _VISIBILITY:
                shape.is_hidden = value & _HIDDEN == _HIDDEN

    def _read_client(self, record: DrawnRecord, shape: PptShape) -> None:
        place = self._file.child(record, _PLACEHOLDER)
        if place is not None:
            shape.placeholder = self._file.numbers(place, "<4xB")[0]
        for part in self._file.tag_records(record, "___PPT9"):
            if part.kind == STYLES_9:
                shape.numbering = read_numbering(self._file.content(part))

    def _texts_of(self, shape: PptShape) -> list[tuple[PptText, Sequence[Bullet | None]]]:
        """Return the texts of a shape, its own or those of the outline, with their numbering."""
        reference, slide = shape.reference, self._slide
        if reference is None or reference >= len(slide.outline):
            return [(text, shape.numbering) for text in shape.texts]
        slide.used.add(reference)
        numbering = slide.numberings[reference] if reference < len(slide.numberings) else []
        return [(slide.outline[reference], shape.numbering or numbering)]

    def _read_shape(self, shape: PptShape) -> Iterator[FlowBlock]:
        if shape.flags & (_DELETED | _BACKGROUND):
            return
        if shape.flags & _OLE:
            self._slide.warnings.append("embedded-object")
        for block in self._make_blocks(shape):
            block.bbox = shape.box
            if shape.is_hidden:
                block.flags = (*block.flags, HIDDEN_TEXT)
            yield block

    def _make_blocks(self, shape: PptShape) -> Iterator[FlowBlock]:
        if shape.picture:
            yield FlowBlock(BlockType.PICTURE, shape.alt, asset=self._slide.pictures.name(shape.picture))
        for text, numbering in self._texts_of(shape):
            blocks = text_blocks(text, numbering, self._slide.text)
            if shape.placeholder in _TITLE_PLACES or (text.kind in TITLES and shape.reference is not None):
                yield from as_heading(blocks)
                continue
            for block in blocks:
                if shape.is_furniture:
                    block.type, block.level, block.bullet, block.parent = BlockType.PAGE_FOOTER, None, False, None
                yield block

    def _read_table(self, records: Sequence[DrawnRecord], scale: _Scale, head: PptShape) -> Iterator[FlowBlock]:
        """Yield a table: its cells are the shapes of the group except lines, placed by their edges."""
        cells: list[tuple[Frame, str]] = []
        for record in records:
            shape = self.shape(record, scale) if record.kind == SHAPE else PptShape()
            if shape.frame is None or shape.type == _LINE or shape.flags & _DELETED:
                continue
            texts = [
                flatten(text_blocks(text, numbering, self._slide.text)).text
                for text, numbering in self._texts_of(shape)
            ]
            cells.append((shape.frame, "\n".join(texts)))
        table = make_table(cells)
        if table is not None:
            flags = (HIDDEN_TEXT,) if head.is_hidden else ()
            yield FlowBlock(BlockType.TABLE, table=table, bbox=head.box, flags=flags)

    def read_notes(self, group: DrawnRecord) -> str:
        """Return the text of a notes page without its picture of the slide and its running heads."""
        texts = []
        for record in self._file.children(group):
            shape = self.shape(record, _Scale()) if record.kind == SHAPE else PptShape()
            for text, numbering in self._texts_of(shape):
                if shape.placeholder == NOTES_PLACE or (text.kind == NOTES_TEXT and not shape.is_furniture):
                    texts.append(flatten(text_blocks(text, numbering, self._slide.text)).text)
        return "\n".join(text for text in texts if text)


def _as_frame(numbers: tuple[int, ...]) -> Frame:
    left, top, right, bottom = numbers
    return float(left), float(top), float(right), float(bottom)


def _inside(head: PptShape, scale: _Scale) -> _Scale:
    """Return the scale inside a group from its frame on the slide and its frame of coordinates."""
    if head.frame is None or head.inner is None:
        return scale
    wide, high = head.inner[2] - head.inner[0], head.inner[3] - head.inner[1]
    if not wide or not high:
        return scale
    across, down = (head.frame[2] - head.frame[0]) / wide, (head.frame[3] - head.frame[1]) / high
    return _Scale(head.frame[0] - head.inner[0] * across, head.frame[1] - head.inner[1] * down, across, down)


def make_table(cells: Sequence[tuple[Frame, str]]) -> Table | None:
    """Return the table of cells with frames, or None without cells.

    Raises:
        ResourceLimit: The table has too many columns.
    """
    columns, rows = _find_lines([frame[0] for frame, _ in cells]), _find_lines([frame[1] for frame, _ in cells])
    if not columns or not rows:
        return None
    if len(columns) > MAX_COLUMNS:
        raise ResourceLimit("a table has too many columns")
    taken: set[tuple[int, int]] = set()
    made: list[Cell] = []
    for (left, top, right, bottom), text in sorted(cells, key=lambda cell: (cell[0][1], cell[0][0])):
        row, row_end = _line_before(rows, top), _line_before(rows, bottom - 2 * _TOLERANCE) + 1
        col, col_end = _line_before(columns, left), _line_before(columns, right - 2 * _TOLERANCE) + 1
        places = {(r, c) for r in range(row, max(row_end, row + 1)) for c in range(col, max(col_end, col + 1))}
        if places & taken:
            places = {(row, col)} - taken
        if places:
            taken |= places
            height, width = max(1, row_end - row), max(1, col_end - col)
            span = (height, width) if len(places) == height * width else (1, 1)
            made.append(Cell(row=row, col=col, row_span=span[0], col_span=span[1], text=text))
        elif text:
            index = next(i for i, cell in enumerate(made) if _covers(cell, row, col))
            made[index] = replace(made[index], text=f"{made[index].text}\n{text}".strip())
    return Table(rows=len(rows), cols=len(columns), cells=tuple(sorted(made, key=lambda cell: (cell.row, cell.col))))


def _covers(cell: Cell, row: int, col: int) -> bool:
    return cell.row <= row < cell.row + cell.row_span and cell.col <= col < cell.col + cell.col_span


def _find_lines(starts: Sequence[float]) -> list[float]:
    """Return the lines of the grid on one axis, from the starts of cells."""
    lines: list[float] = []
    for start in sorted(starts):
        if not lines or start - lines[-1] > _TOLERANCE:
            lines.append(start)
    return lines


def _line_before(lines: Sequence[float], position: float) -> int:
    """Return the index of the last line at or before a position."""
    return max(0, sum(line <= position + _TOLERANCE for line in lines) - 1)
