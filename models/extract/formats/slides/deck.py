"""A slide deck: slides in order by their relationships, each with its layout, notes and comments; a flow file out."""

from itertools import pairwise
from typing import Final

from lxml import etree

from quire.models.cdom.errors import Malformed, UnsupportedFormat
from quire.models.cdom.flags import COMMENT, HIDDEN_TEXT, SPEAKER_NOTES
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.opc import Package, Relations, read_metadata
from quire.models.extract.formats.common.xml import A, BrokenPart, Element, R, number
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, clean
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.flow.parts import PartPictures
from quire.models.extract.formats.flow.slide_order import is_slide_title, order_blocks
from quire.models.extract.formats.sheets.xlsx.workbook import find_embedded
from quire.models.extract.formats.slides.inherit import EMU_PER_POINT, P188, P, SlideInheritance, placeholder_of
from quire.models.extract.formats.slides.shapes import SlideParts, read_shapes
from quire.models.extract.formats.slides.text import plain_text


def read_notes(root: Element) -> list[FlowBlock]:
    """Return the notes of a slide as one block, from the body of its notes page."""
    texts = []
    for shape in root.iter(P + "sp"):
        placeholder = placeholder_of(shape)
        if placeholder is not None and placeholder.type == "body":
            texts.append(clean(plain_text(shape.find(P + "txBody"))))
    text = "\n".join(text for text in texts if text)
    return [FlowBlock(BlockType.FOOTNOTE, text, flags=(SPEAKER_NOTES,))] if text else []


def read_comments(root: Element) -> list[FlowBlock]:
    """Return the comments on a slide, old and threaded, in the order of the part."""
    texts = [(node.findtext(P + "text") or "").strip() for node in root.iter(P + "cm")]
    for node in root.iter(P188 + "cm", P188 + "reply"):
        lines = ("".join(t.text or "" for t in line.iter(A + "t")) for line in node.iterfind(f"{P188}txBody/{A}p"))
        texts.append("\n".join(line.strip() for line in lines if line.strip()))
    return [FlowBlock(BlockType.FOOTNOTE, clean(text), flags=(COMMENT,)) for text in texts if text]


def _place_text(block: FlowBlock, page: FlowPage) -> None:
    """Add a text of a layout to a page: near its edge as a header or footer."""
    middle = (block.bbox[1] + block.bbox[3]) / 2 if block.bbox is not None and page.height else page.height / 2
    if middle < _EDGE * page.height:
        block.type, block.level, block.bullet = BlockType.PAGE_HEADER, None, False
        page.headers.append(block)
    elif middle > (1 - _EDGE) * page.height:
        block.type, block.level, block.bullet = BlockType.PAGE_FOOTER, None, False
        page.footers.append(block)
    else:
        page.blocks.append(block)


ENGINE: Final = "lxml"
_TEXT_SHAPES: Final = frozenset({P + "sp", P + "grpSp"})
"""Shapes of a layout that may hold text; its pictures decorate."""
_EDGE: Final = 0.15
"""Part of a slide's height at each end that its running texts take."""
_DEFAULT_SIZE: Final = (9_144_000, 6_858_000)
"""EMU of a 4:3 slide."""


def open_pptx(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the deck in `data`.

    Raises:
        ExtractError: The file is malformed, encrypted or unsupported, or exceeds a limit.
    """
    return open_flow(lambda: _Deck(Package(data)).read(), options)


class _Deck:
    """One slide deck on its way to pages."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._warnings: list[str] = list(package.warnings)
        self._inherited: dict[str, SlideInheritance] = {}

    def read(self) -> FlowFile:
        """Return the flow file of the deck."""
        part = self._find_presentation()
        root = self._package.xml(part)
        if root is None or root.tag != P + "presentation":
            raise UnsupportedFormat("the package holds no presentation")
        relations = self._relations(part)
        if any(relation.kind == "vbaProject" for relation in relations.values()):
            self._warnings.append("macros")
        size = root.find(P + "sldSz")
        width, height = _DEFAULT_SIZE
        if size is not None:
            width, height = number(size.get("cx"), width), number(size.get("cy"), height)
        pages = []
        for node in root.iterfind(f"{P}sldIdLst/{P}sldId"):
            relation = relations.get(node.get(R + "id") or "")
            page = FlowPage(width / EMU_PER_POINT, height / EMU_PER_POINT)
            pages.append(page)
            if relation is None or relation.external:
                page.warnings.append("part-unreadable")
            else:
                self._read_slide(relation.target, page)
        core = self._find_part("core-properties") or ""
        return FlowFile(
            format=Format.PPTX,
            pages=pages,
            engine=ENGINE,
            version=etree.__version__,
            reason="slides",
            metadata=read_metadata(self._part(core, self._warnings) if core else None, None),
            warnings=tuple(self._warnings),
            assets=PartPictures(self._package),
        )

    def _find_presentation(self) -> str:
        for name in (self._find_part("officeDocument"), "ppt/presentation.xml"):
            if name is not None and self._package.has(name):
                return name
        raise Malformed("the package names no presentation part")

    def _find_part(self, kind: str) -> str | None:
        return next((part.target for part in self._relations("").values() if part.kind == kind), None)

    def _relations(self, part: str) -> Relations:
        try:
            return self._package.relations(part)
        except BrokenPart:
            self._warnings.append("part-unreadable")
            return {}

    def _part(self, name: str, warnings: list[str]) -> Element | None:
        try:
            return self._package.xml(name)
        except BrokenPart:
            warnings.append("part-unreadable")
            return None

    def _read_slide(self, part: str, page: FlowPage) -> None:
        root = self._part(part, page.warnings)
        tree = root.find(f"{P}cSld/{P}spTree") if root is not None else None
        if root is None or tree is None:
            page.warnings.append("part-unreadable")
            return
        relations = self._relations(part)
        parts = SlideParts(
            self._inheritance_of(relations),
            relations,
            lambda name: self._part(name, page.warnings),
            page.warnings.append,
            lambda name: find_embedded(self._package, name),
        )
        blocks = list(read_shapes(tree, parts))
        page.blocks = order_blocks(blocks)
        self._add_layout_texts(root, relations, page)
        title = next((block.text for block in page.blocks if is_slide_title(block)), None)
        page.label = " ".join(title.split()) if title else None
        for kind, read in (("notesSlide", read_notes), ("comments", read_comments)):
            for relation in relations.values():
                if relation.kind == kind and not relation.external:
                    related = self._part(relation.target, page.warnings)
                    page.notes += read(related) if related is not None else []
        name = part.rpartition("/")[2]
        for index, block in enumerate(page.in_order(), start=1):
            block.path = f"{name}#{index}"
        if root.get("show") in ("0", "false"):
            page.warnings.append("hidden-slide")
            for block in page.in_order():
                block.flags = (*block.flags, HIDDEN_TEXT)

    def _add_layout_texts(self, root: Element, relations: Relations, page: FlowPage) -> None:
        """Add the texts that the layout and the master of a slide show on it, at its head or foot as such."""
        own = {block.text for block in page.blocks}
        parts = SlideParts(
            SlideInheritance(), {}, lambda _: None, lambda _: None, lambda name: find_embedded(self._package, name)
        )
        for shown, layer in pairwise((root, *self._inheritance_of(relations).roots)):
            if shown.get("showMasterSp") in ("0", "false"):
                break
            shapes = (node for node in layer.iterfind(f"{P}cSld/{P}spTree/*") if node.tag in _TEXT_SHAPES)
            for block in read_shapes([node for node in shapes if placeholder_of(node) is None], parts):
                if block.text and block.text not in own and block.type is not BlockType.PICTURE:
                    own.add(block.text)
                    _place_text(block, page)

    def _inheritance_of(self, relations: Relations) -> SlideInheritance:
        """Return the layout of a slide and the layout's master."""
        layout = next((part.target for part in relations.values() if part.kind == "slideLayout"), None)
        if layout is None:
            return SlideInheritance()
        if layout not in self._inherited:
            roots = [self._part(layout, self._warnings)]
            masters = (part.target for part in self._relations(layout).values() if part.kind == "slideMaster")
            roots += [self._part(master, self._warnings) for master in list(masters)[:1]]
            self._inherited[layout] = SlideInheritance(tuple(root for root in roots if root is not None))
        return self._inherited[layout]
