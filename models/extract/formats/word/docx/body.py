"""Block-level content of one story (body, note, header, cell, text box): elements in, drafts on pages out, in order.

Reads tracked changes as accepted and nothing outside the package. Knows neither ids nor the tree.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.omml import math_to_latex
from quire.models.extract.formats.common.xml import MC, Element, M, R, W
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, adopt, flatten
from quire.models.extract.formats.word.docx.drawing import choose_alternative
from quire.models.extract.formats.word.docx.numbering import ListCounter
from quire.models.extract.formats.word.docx.pages import FlatPage, PageSink
from quire.models.extract.formats.word.docx.paragraphs import PLAIN_KIND, read_kind
from quire.models.extract.formats.word.docx.pieces import Chart, NoteRef, Piece
from quire.models.extract.formats.word.docx.runs import InlineReader, Story
from quire.models.extract.formats.word.docx.tables import GridCell, read_grid
from quire.models.extract.formats.word.docx.writing import ParagraphWriter

MAX_NESTING: Final = 50
"""Nesting depth of tables and text boxes: Word itself nests no deeper, and each level is a call."""
_WRAPPERS: Final = frozenset(W + name for name in ("ins", "moveTo", "customXml", "smartTag", "sdtContent"))


@dataclass(frozen=True, slots=True)
class Desk:
    """State shared by all stories of a document.

    Attributes:
        counter: Counts list items.
        call_note: Returns the mark for the text and the note's blocks.
        read_chart: Returns a chart's blocks.
        read_chunk: Returns the blocks of an embedded document by its relationship id.
    """

    counter: ListCounter
    call_note: Callable[[NoteRef], tuple[str, list[FlowBlock]]]
    read_chart: Callable[[Chart], list[FlowBlock]]
    read_chunk: Callable[[str], list[FlowBlock]]


class BodyReader:
    """Reads block-level content into the pages of `sink`; make one per story, cell or text box."""

    def __init__(self, desk: Desk, story: Story, sink: PageSink, *, depth: int = 0, is_cell: bool = False) -> None:
        if depth > MAX_NESTING:
            raise ResourceLimit("tables or text boxes are nested too deep")
        self._desk, self._story, self._sink, self._depth = desk, story, sink, depth
        self._writer = ParagraphWriter(sink, desk.call_note, desk.read_chart, self._read_box, is_cell=is_cell)
        self._carried: list[Piece] = []
        self._names: list[str] = []

    def read(self, container: Element) -> None:
        """Read every block inside `container`."""
        self._read_children(container)
        if self._carried:
            self._writer.write(PLAIN_KIND, self._carried)
            self._carried = []

    def _read_children(self, container: Element) -> None:
        for node in container:
            if isinstance(node.tag, str):
                self._read_block(node)

    def _read_block(self, node: Element) -> None:
        """Read an element; the first block that it makes, or else the next one, has the names of its bookmarks."""
        self._names += [name for mark in node.iter(W + "bookmarkStart") if (name := mark.get(W + "name"))]
        page = self._sink.current
        before = len(page.blocks)
        self._read_element(node)
        made = page.blocks[before:] + (self._sink.current.blocks if self._sink.current is not page else [])
        if self._names and made:
            target = next((block for block in made if block.text or block.table is not None), made[0])
            target.anchors += tuple(self._names)
            self._names = []

    def _read_element(self, node: Element) -> None:
        if node.tag == W + "p":
            self._read_paragraph(node)
        elif node.tag == W + "tbl":
            self._read_table(node)
        elif node.tag in _WRAPPERS:
            self._read_children(node)
        elif node.tag == W + "sdt":
            for content in node.findall(W + "sdtContent"):
                self._read_children(content)
        elif node.tag == MC + "AlternateContent":
            if (chosen := choose_alternative(node)) is not None:
                self._read_children(chosen)
        elif node.tag == M + "oMathPara":
            self._read_formulas(node)
        elif node.tag == W + "altChunk":
            self._sink.current.blocks += self._desk.read_chunk(node.get(R + "id") or "")
            self._writer.close_code()

    def _read_formulas(self, node: Element) -> None:
        for formula in node.iter(M + "oMath"):
            if latex := math_to_latex(formula):
                self._sink.current.blocks.append(FlowBlock(BlockType.FORMULA, latex))

    def _read_paragraph(self, node: Element) -> None:
        ppr = node.find(W + "pPr")
        if ppr is not None and _continues_in_next(ppr):
            self._carried += InlineReader(self._story).read(node)
            return
        kind = read_kind(ppr, self._story.styles, self._desk.counter)
        pieces = self._carried + InlineReader(self._story, kind.toggles).read(node)
        self._carried = []
        if kind.page_break_before and self._sink.current.blocks:
            self._sink.turn()
        self._writer.write(kind, pieces)
        if ppr is not None and ppr.find(W + "sectPr") is not None:
            self._sink.end_section()

    def _read_box(self, content: Element) -> None:
        BodyReader(self._desk, self._story, FlatPage(self._sink.current), depth=self._depth + 1).read(content)

    def _read_table(self, node: Element) -> None:
        grid = read_grid(node)
        if not grid.cells:
            return
        draft = FlowBlock(BlockType.TABLE)
        page = self._sink.current
        page.blocks.append(draft)
        cells = [self._read_cell(cell, draft, page) for cell in grid.cells]
        draft.table = Table(rows=grid.rows, cols=grid.cols, cells=tuple(cells))
        self._writer.close_code()

    def _read_cell(self, cell: GridCell, table: FlowBlock, page: FlowPage) -> Cell:
        """Return one cell; pictures, nested tables and notes in it become children of the table."""
        inner = FlatPage()
        for content in cell.contents:
            BodyReader(self._desk, self._story, inner, depth=self._depth + 1, is_cell=True).read(content)
        flat = flatten(inner.current.blocks)
        page.blocks += adopt(flat.children, table)
        page.notes += adopt(inner.current.notes, table)
        return Cell(
            row=cell.row,
            col=cell.col,
            row_span=cell.row_span,
            col_span=cell.col_span,
            header=cell.header,
            text=flat.text,
            spans=flat.spans,
        )


def _continues_in_next(ppr: Element) -> bool:
    """Return whether the next paragraph continues this one: its mark is deleted, or it is a drop cap."""
    if any(ppr.find(f"{W}rPr/{W}{tag}") is not None for tag in ("del", "moveFrom")):
        return True
    frame = ppr.find(W + "framePr")
    return frame is not None and frame.get(W + "dropCap") in ("drop", "margin")
