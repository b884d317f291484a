"""Writes a tree as a Word file with python-docx: real headings, lists, tables with spans and links, in reading order.

Hidden text and repeated page furniture are left out; a picture is named, not shown. The same tree gives the same
bytes.
"""

import io
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any, Final

import docx
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.oxml.table import CT_Tc
from docx.shared import Pt
from docx.text.paragraph import Paragraph
from docx.text.run import Run

from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import Block, BlockType, Span, Tree
from quire.models.cdom.visible import visible_blocks
from quire.models.export.markdown_lists import after_bullet, has_label
from quire.models.export.markup import NOT_TEXT, safe_href

_DEEPEST_HEADING: Final = 9
"""Levels of headings that Word has."""
_DEEPEST_BULLET: Final = 3
"""Levels of bulleted lists that its default styles have; deeper ones are indented further."""
_INDENT_PT: Final = 18.0
"""Points of indent per list level: a quarter of an inch, the default of Word."""
_NOTE_PT: Final = 8.0
"""Points of the letters of a footnote."""
_FIXED: Final = "Courier New"
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The date of every member of the package: the earliest that ZIP can store."""
_MAX_PROPERTY: Final = 255
"""Characters of a title or a name in the properties: the limit of Word."""


def tree_to_docx(tree: Tree, *, title: str | None = None) -> bytes:
    """Return the Word file; `title` names it when the document has no title."""
    document = docx.Document()
    _drop_thumbnail(document)
    _write_properties(document, tree, title)
    _WordWriter(document).write(visible_blocks(tree))
    made = io.BytesIO()
    document.save(made)
    return _dated(made.getvalue())


def _drop_thumbnail(document: Document) -> None:
    """Drop the thumbnail of python-docx's template."""
    relations = document.part.package.rels
    for name in [name for name, relation in relations.items() if relation.reltype.endswith("/thumbnail")]:
        del relations[name]


def _write_properties(document: Document, tree: Tree, title: str | None) -> None:
    properties = document.core_properties
    properties.title = _clean(tree.metadata.title or title or "")[:_MAX_PROPERTY]
    properties.author = _clean(tree.metadata.author or "")[:_MAX_PROPERTY]
    properties.language = _clean(tree.metadata.language or "")[:_MAX_PROPERTY]
    properties.comments = ""


class _WordWriter:
    """Blocks into one document, in order."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._styles = {style.name: style.style_id for style in document.styles}
        """Style ids by name. python-docx would search them for each paragraph, which took half of the time."""

    def write(self, blocks: Sequence[Block]) -> None:
        for block in blocks:
            if block.table is not None:
                self._write_table(block.table)
            elif block.type is BlockType.PICTURE:
                self._add("Normal").add_run(f"[{_clean(block.text) or f'Picture on page {block.page}'}]").italic = True
            elif block.text.strip():
                self._write_text(block)

    def _write_text(self, block: Block) -> None:
        level = block.level or 1
        match block.type:
            case BlockType.TITLE:
                self._add_text(self._add("Title"), block)
            case BlockType.HEADING:
                self._add_text(self._add(f"Heading {min(level, _DEEPEST_HEADING)}"), block)
            case BlockType.LIST_ITEM:
                self._write_item(block, level)
            case BlockType.CHECKBOX:
                self._add_text(self._add("List Paragraph", _INDENT_PT * level), block)
            case BlockType.CAPTION:
                self._add_text(self._add("Caption"), block)
            case BlockType.CODE:
                self._add("No Spacing").add_run(_clean(block.text)).font.name = _FIXED
            case BlockType.FORMULA:
                self._add("Normal").add_run(_between_dollars(block.text)).italic = True
            case BlockType.FOOTNOTE:
                self._add_text(self._add("Normal"), block, size=_NOTE_PT)
            case _:
                self._add_text(self._add("Normal"), block)

    def _write_item(self, block: Block, level: int) -> None:
        """Write an item: a bullet becomes Word's own, a number or letter stays in the text."""
        start = after_bullet(block.text)
        if start == 0 and has_label(block.text):
            self._add_text(self._add("List Paragraph", _INDENT_PT * level), block)
            return
        shown = min(level, _DEEPEST_BULLET)
        item = self._add("List Bullet" if shown == 1 else f"List Bullet {shown}")
        if level > shown:
            item.paragraph_format.left_indent = Pt(_INDENT_PT * (level + 1))
        self._add_text(item, block, start=start)

    def _write_table(self, table: Table) -> None:
        word = self._document.add_table(table.rows, table.cols)
        word.style = "Table Grid"
        rows: list[tuple[Any, list[CT_Tc]]] = [(row, list(row.tc_lst)) for row in word._tbl.tr_lst]
        for row in _leading_headers(table):
            rows[row][0].get_or_add_trPr().append(OxmlElement("w:tblHeader"))
        for cell in table.cells:
            _merge(rows, cell)
            run = Paragraph(rows[cell.row][1][cell.col].p_lst[0], word).add_run(_clean(cell.text))
            run.bold = True if cell.header else None
        self._document.add_paragraph()

    def _add(self, style: str, indent_pt: float = 0.0) -> Paragraph:
        paragraph = self._document.add_paragraph()
        paragraph._p.style = self._styles[style]
        if indent_pt:
            paragraph.paragraph_format.left_indent = Pt(indent_pt)
        return paragraph

    def _add_text(self, paragraph: Paragraph, block: Block, *, start: int = 0, size: float | None = None) -> None:
        """Write the block's text from `start` on, as runs."""
        for text, span in _pieces(block.text, block.spans, start):
            href = safe_href(span.href) if span is not None else None
            run = _add_link(paragraph, href) if href and not href.startswith("#") else paragraph.add_run()
            latex = span.latex if span is not None and text == block.text[span.start : span.end] else None
            run.text = _between_dollars(latex) if latex else _clean(text)
            if size is not None:
                run.font.size = Pt(size)
            if latex:
                run.italic = True
            elif span is not None:
                run.bold, run.italic = span.bold or None, span.italic or None
                run.font.name = _FIXED if span.code else run.font.name


def _pieces(text: str, spans: Sequence[Span], start: int) -> Iterator[tuple[str, Span | None]]:
    """Yield the text from `start` on in pieces of one style; the first of overlapping spans counts."""
    offset = start
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        begin = max(offset, span.start)
        if span.end <= begin:
            continue
        if begin > offset:
            yield text[offset:begin], None
        yield text[begin : span.end], span
        offset = span.end
    if offset < len(text):
        yield text[offset:], None


def _add_link(paragraph: Paragraph, href: str) -> Run:
    link: Any = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), paragraph.part.relate_to(href, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
    run: Any = OxmlElement("w:r")
    link.append(run)
    paragraph._p.append(link)
    made = Run(run, paragraph)
    made.font.underline = True
    return made


def _merge(rows: list[tuple[Any, list[CT_Tc]]], cell: Cell) -> None:
    """Merge the places that a cell covers: one cell across, with continuation cells below."""
    for row in range(cell.row, cell.row + cell.row_span):
        tr, places = rows[row]
        first = places[cell.col]
        for covered in places[cell.col + 1 : cell.col + cell.col_span]:
            tr.remove(covered)
        first.grid_span = cell.col_span
        if cell.row_span > 1:
            first.vMerge = "restart" if row == cell.row else "continue"


def _leading_headers(table: Table) -> range:
    """Return the header rows at the top, which Word repeats on every page."""
    plain = [cell.row for cell in table.cells if not cell.header]
    headers = [cell.row + cell.row_span for cell in table.cells if cell.header]
    return range(min(plain, default=max(headers, default=0)) if headers else 0)


def _between_dollars(latex: str) -> str:
    """Return a formula as text, in the form that our Word reader gives formulas inside text."""
    return f"${_clean(' '.join(latex.split()))}$"


def _clean(text: str) -> str:
    """Remove characters that XML cannot hold; line breaks stay."""
    return NOT_TEXT.sub("", text)


def _dated(package: bytes) -> bytes:
    """Return the same package with the same date on every member."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as read, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as written:
        for name in read.namelist():
            written.writestr(zipfile.ZipInfo(name, _EPOCH), read.read(name), zipfile.ZIP_DEFLATED)
    return made.getvalue()
