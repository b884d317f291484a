"""A Hangul document (.hwpx): its sections in, a flow file out. Elements are told by their local names.

The format is OWPML (KS X 6101): a zip package with a header of styles and numbered sections of paragraphs.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from quire.models.cdom.errors import Malformed, ResourceLimit
from quire.models.cdom.flags import COMMENT
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType, Metadata
from quire.models.extract.formats.common.opc import Package
from quire.models.extract.formats.common.xml import Element, number
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, StyledRun, clean, flatten, join_runs
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.flow.parts import PartPictures

ENGINE: Final = "lxml"
SECTION: Final = re.compile(r"^contents/section(\d{1,6})\.xml$", re.IGNORECASE)
_HEADER, _MANIFEST = "Contents/header.xml", "Contents/content.hpf"
MAX_DEPTH: Final = 30
"""Nesting depth of tables and boxes: each level is a call."""
MAX_COLUMNS: Final = 1000
"""Columns of a table; more occur only in attacks."""
_MAX_LEVEL: Final = 6
"""Heading levels of a tree."""
_NOTES: Final = frozenset(("footNote", "endNote"))
_HEADS: Final = {"header": BlockType.PAGE_HEADER, "footer": BlockType.PAGE_FOOTER}
_CHARACTERS: Final = {"tab": "\t", "lineBreak": "\n", "nbSpace": "\u00a0", "fwSpace": " ", "hyphen": "-"}


def local_name(node: Element) -> str:
    """Return the name of an element without its namespace; empty for comments."""
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


def open_hwpx(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the document in `data`.

    Raises:
        ExtractError: The file is malformed or exceeds a limit.
    """
    return open_flow(lambda: _read(Package(data)), options)


def find_sections(package: Package) -> list[str]:
    """Return the names of the sections in their order."""
    matches = [(int(match.group(1)), name) for name in package.names() if (match := SECTION.match(name))]
    return [name for _, name in sorted(matches)]


def _read(package: Package) -> FlowFile:
    sections = find_sections(package)
    if not sections:
        raise Malformed("the document holds no section")
    manifest = package.xml(_MANIFEST) if package.has(_MANIFEST) else None
    page = FlowPage()
    reader = _HwpxReader(package, manifest, page)
    for name in sections:
        root = package.xml(name)
        if root is not None:
            page.blocks += reader.read(root)
    return FlowFile(
        format=Format.HWPX,
        pages=[page],
        engine=ENGINE,
        version=etree.__version__,
        reason="document",
        metadata=_read_metadata(manifest),
        warnings=package.warnings,
        assets=PartPictures(package),
    )


def _read_metadata(manifest: Element | None) -> Metadata:
    values: dict[str, str] = {}
    for node in manifest.iter("{*}title", "{*}meta") if manifest is not None else ():
        values.setdefault(node.get("name") or local_name(node), (node.text or "").strip()[:1000])
    return Metadata(
        title=values.get("title") or None,
        author=values.get("creator") or None,
        created=values.get("CreatedDate") or None,
        modified=values.get("ModifiedDate") or None,
    )


@dataclass(slots=True)
class _Styles:
    """Kind and level of paragraphs by the number of their properties: `OUTLINE`, `BULLET` or `NUMBER`."""

    kinds: dict[str, tuple[str, int]] = field(default_factory=dict)


def _read_styles(package: Package) -> _Styles:
    styles = _Styles()
    root = package.xml(_HEADER) if package.has(_HEADER) else None
    for node in root.iter("{*}paraPr") if root is not None else ():
        heading = node.find("{*}heading")
        if heading is not None and heading.get("type") not in (None, "NONE"):
            styles.kinds[node.get("id") or ""] = (heading.get("type") or "", number(heading.get("level")))
    return styles


class _HwpxReader:
    """Turns paragraphs into blocks; notes and running heads go to the page."""

    def __init__(self, package: Package, manifest: Element | None, page: FlowPage) -> None:
        self._package, self._page = package, page
        self._styles = _read_styles(package)
        self._pictures = {
            node.get("id") or "": node.get("href") or ""
            for node in (manifest.iter("{*}item") if manifest is not None else ())
        }
        self._paragraphs = 0

    def read(self, parent: Element, depth: int = 0) -> list[FlowBlock]:
        """Return the blocks of the paragraphs in an element.

        Raises:
            ResourceLimit: Tables are nested too deep.
        """
        if depth > MAX_DEPTH:
            raise ResourceLimit("tables are nested too deep")
        blocks: list[FlowBlock] = []
        for node in parent:
            if local_name(node) == "p":
                blocks += self._read_paragraph(node, depth)
        return blocks

    def _read_paragraph(self, paragraph: Element, depth: int) -> list[FlowBlock]:
        self._paragraphs += 1
        path = f"#{self._paragraphs}"
        parts: list[str] = []
        objects: list[FlowBlock] = []
        for run in paragraph:
            for node in run if local_name(run) == "run" else ():
                match local_name(node):
                    case "t":
                        parts.append(_read_text(node))
                    case "equation":
                        script = (node.findtext("{*}script") or "").strip()
                        objects += [FlowBlock(BlockType.FORMULA, script)] if script else []
                    case "ctrl":
                        self._read_control(node, depth)
                    case "linesegarray" | "secPr":
                        continue
                    case _:
                        objects += self._read_object(node, depth)
        text = join_runs([StyledRun("".join(parts))])[0]
        blocks = [self._make_block(text, paragraph.get("paraPrIDRef") or "")] if text else []
        for block in (*blocks, *objects):
            block.path = block.path or path
        return [*blocks, *objects]

    def _make_block(self, text: str, properties: str) -> FlowBlock:
        kind, level = self._styles.kinds.get(properties, ("", 0))
        if kind == "OUTLINE":
            return FlowBlock(BlockType.HEADING, text, level=min(level + 1, _MAX_LEVEL))
        if kind in ("BULLET", "NUMBER"):
            return FlowBlock(BlockType.LIST_ITEM, text, level=1, bullet=kind == "BULLET")
        return FlowBlock(BlockType.PARAGRAPH, text)

    def _read_control(self, control: Element, depth: int) -> None:
        """Read notes, hidden comments and running heads, which are apart from the text."""
        for node in control:
            name = local_name(node)
            for area in node.iterfind("{*}subList"):
                text = flatten(self.read(area, depth + 1)).text
                if not text:
                    continue
                if name in _NOTES:
                    self._page.notes.append(FlowBlock(BlockType.FOOTNOTE, text))
                elif name == "hiddenComment":
                    self._page.notes.append(FlowBlock(BlockType.FOOTNOTE, text, flags=(COMMENT,)))
                elif name in _HEADS:
                    heads = self._page.headers if name == "header" else self._page.footers
                    if all(head.text != text for head in heads):
                        heads.append(FlowBlock(_HEADS[name], text))

    def _read_object(self, node: Element, depth: int) -> list[FlowBlock]:
        """Return the blocks of a table, a picture or a drawn object with text."""
        name = local_name(node)
        if name == "tbl":
            return self._read_table(node, depth)
        blocks: list[FlowBlock] = []
        if name == "pic":
            image = next(node.iter("{*}img"), None)
            target = self._pictures.get(image.get("binaryItemIDRef") or "", "") if image is not None else ""
            blocks.append(FlowBlock(BlockType.PICTURE, asset=target if self._package.has(target) else None))
        for area in node.iterfind("{*}drawText/{*}subList"):
            blocks += self.read(area, depth + 1)
        if name == "container":
            for child in node:
                blocks += self._read_object(child, depth + 1) if depth < MAX_DEPTH else []
        for caption in node.iterfind("{*}caption/{*}subList"):
            if text := flatten(self.read(caption, depth + 1)).text:
                blocks.append(FlowBlock(BlockType.CAPTION, text))
        return blocks

    def _read_table(self, node: Element, depth: int) -> list[FlowBlock]:
        cells: list[Cell] = []
        inner: list[FlowBlock] = []
        taken: set[tuple[int, int]] = set()
        for row_index, row in enumerate(node.iterfind("{*}tr")):
            for column_index, cell in enumerate(row.iterfind("{*}tc")):
                address, span = cell.find("{*}cellAddr"), cell.find("{*}cellSpan")
                col = number(address.get("colAddr"), column_index) if address is not None else column_index
                line = number(address.get("rowAddr"), row_index) if address is not None else row_index
                if not 0 <= col < MAX_COLUMNS or line < 0:
                    raise ResourceLimit("a table has too many columns")
                height = number(span.get("rowSpan"), 1) if span is not None else 1
                width = number(span.get("colSpan"), 1) if span is not None else 1
                blocks = [block for area in cell.iterfind("{*}subList") for block in self.read(area, depth + 1)]
                flat = flatten(blocks)
                text = flat.text
                inner += [child for child in flat.children if child.type is BlockType.PICTURE]
                if (line, col) not in taken:
                    cells.append(_make_cell(line, col, height, width, cell.get("header") == "1", text, taken))
                elif text:
                    inner.append(FlowBlock(BlockType.PARAGRAPH, text))
        blocks = [FlowBlock(BlockType.TABLE, table=_make_table(cells))] if cells else []
        for caption in node.iterfind("{*}caption/{*}subList"):
            if text := flatten(self.read(caption, depth + 1)).text:
                blocks.append(FlowBlock(BlockType.CAPTION, text))
        return [*blocks, *inner]


def _make_cell(
    row: int, col: int, height: int, width: int, header: bool, text: str, taken: set[tuple[int, int]]
) -> Cell:
    """Return a cell; its span ends before a cell that another one takes."""
    width = max(1, min(width, MAX_COLUMNS - col))
    height = max(1, min(height, MAX_COLUMNS))
    places = {(line, place) for line in range(row, row + height) for place in range(col, col + width)}
    if places & taken:
        places, height, width = {(row, col)}, 1, 1
    taken |= places
    return Cell(row=row, col=col, row_span=height, col_span=width, header=header, text=text)


def _make_table(cells: list[Cell]) -> Table:
    rows = max(cell.row + cell.row_span for cell in cells)
    cols = max(cell.col + cell.col_span for cell in cells)
    return Table(rows=rows, cols=cols, cells=tuple(sorted(cells, key=lambda cell: (cell.row, cell.col))))


def _read_text(node: Element) -> str:
    """Return the text of a `t` element with its tabs and line breaks, without deleted text."""
    parts = [node.text or ""]
    for child in node:
        parts.append(_CHARACTERS.get(local_name(child), ""))
        parts.append(child.tail or "")
    return clean("".join(parts))
