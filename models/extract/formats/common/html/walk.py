"""HTML element tree to blocks: headings, paragraphs, lists, tables, code and pictures, in document order.

One walk gathers text between block elements into paragraphs. `furniture` holds the blocks inside navigation and similar
elements, with their furniture type. Knows no page and no file.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import unquote

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.html.elements import (
    BLOCKS,
    BOLD,
    CODE,
    HEADINGS,
    ITALIC,
    LISTS,
    MAX_LEVEL,
    SKIPPED,
    OpenList,
    code_language,
    find_furniture,
    find_terms,
    is_hidden,
    is_raised,
    is_struck,
    is_underlined,
    open_list,
    stated_emphasis,
)
from quire.models.extract.formats.common.html.pictures import ReadPicture, no_picture
from quire.models.extract.formats.common.html.styles import AS_BLOCK
from quire.models.extract.formats.common.html.tables import is_layout, read_html_grid
from quire.models.extract.formats.common.xml import Element, tag_of
from quire.models.extract.formats.flow.blocks import (
    PLAIN,
    FlowBlock,
    InlineMarkup,
    StyledRun,
    adopt,
    code_block,
    flatten,
    fold,
    join_runs,
    squeeze_runs,
)
from quire.models.extract.formats.flow.mathml import mathml_to_latex

_MOVABLE: Final = frozenset(
    {BlockType.PARAGRAPH, BlockType.HEADING, BlockType.LIST_ITEM, BlockType.CHECKBOX, BlockType.CAPTION}
)

_VALUES: Final = frozenset(
    ("text", "email", "number", "date", "tel", "url", "search", "time", "month", "week", "submit", "button", "reset")
)
"""Kinds of input whose value is shown."""

PathOf = Callable[[Element], str | None]


@dataclass(slots=True)
class HtmlWalker:
    """Reads elements into `blocks`; `path_of` locates an element, `picture` reads an image's source."""

    path_of: PathOf
    picture: ReadPicture = no_picture
    blocks: list[FlowBlock] = field(default_factory=list)
    terms_as_items: bool = False
    furniture: list[tuple[FlowBlock, BlockType]] = field(default_factory=list)
    _runs: list[StyledRun] = field(default_factory=list)
    _style: InlineMarkup = PLAIN
    _type: BlockType = BlockType.PARAGRAPH
    _level: int | None = None
    _lists: list[OpenList] = field(default_factory=list)
    _item: FlowBlock | None = None
    _label: str | None = None
    _start: Element | None = None
    _flags: tuple[str, ...] = ()
    _furniture: BlockType | None = None
    _names: tuple[str, ...] = ()

    def read(self, root: Element) -> list[FlowBlock]:
        """Return all blocks of an element."""
        self._walk(root)
        self._flush()
        return self.blocks

    def _walk(self, node: Element) -> None:
        if not isinstance(node.tag, str):
            return
        if node.tag in SKIPPED:
            return
        self._names += _names_of(node)
        if is_hidden(node) and not self._flags:
            self._read_hidden(node)
            return
        kind = find_furniture(node) if self._furniture is None else None
        if kind is not None:
            self._read_furniture(node, kind)
            return
        before = self._style
        if is_struck(node):
            self._style = replace(before, strike=True)
        self._read_element(node)
        self._style = before

    def _read_element(self, node: Element) -> None:
        handler = _HANDLERS.get(tag_of(node))
        if handler is not None:
            handler(self, node)
        elif node.tag in BLOCKS:
            self._flush()
            self._read_inside(node)
            self._flush()
        elif node.get(AS_BLOCK) is not None:
            self._flush()
            self._read_inline(node)
            self._flush()
        else:
            self._read_inline(node)

    def _read_inside(self, node: Element) -> None:
        self._add_text(node.text, node)
        for child in node:
            self._walk(child)
            self._add_text(child.tail, node)

    def _add_text(self, text: str | None, node: Element) -> None:
        if text:
            self._start = self._start if self._start is not None else node
            self._runs.append(StyledRun(fold(text), self._style))

    def _read_inline(self, node: Element) -> None:
        before = self._style
        bold, italic = stated_emphasis(node)
        style = replace(
            before,
            bold=before.bold or bold or node.tag in BOLD,
            italic=before.italic or italic or node.tag in ITALIC,
            code=before.code or node.tag in CODE,
        )
        if node.tag == "mark" or is_underlined(node):
            style = replace(
                style, highlight=style.highlight or node.tag == "mark", underline=style.underline or node.tag != "mark"
            )
        if raised := is_raised(node):
            style = replace(style, superscript=raised > 0, subscript=raised < 0)
        href = node.get("href") if node.tag == "a" else None
        self._style = replace(style, href=_clean_target(href)) if href else style
        self._read_inside(node)
        self._style = before

    def _read_break(self, node: Element) -> None:
        self._runs.append(StyledRun("\n", self._style))

    def _read_quote(self, node: Element) -> None:
        self._runs.append(StyledRun("“"))
        self._read_inline(node)
        self._runs.append(StyledRun("”"))

    def _read_heading(self, node: Element) -> None:
        with self._as(BlockType.HEADING, HEADINGS[tag_of(node)]):
            before, self._style = self._style, InlineMarkup(strike=self._style.strike)
            self._read_inside(node)
            self._style = before

    def _read_caption(self, node: Element) -> None:
        with self._as(BlockType.CAPTION):
            self._read_inside(node)

    @contextmanager
    def _as(self, type_: BlockType, level: int | None = None) -> Iterator[None]:
        """Make text inside this context a block of that type."""
        self._flush()
        before = self._type, self._level
        self._type, self._level = type_, level
        yield
        self._flush()
        self._type, self._level = before

    def _read_hidden(self, node: Element) -> None:
        """Read hidden content into separate, flagged blocks."""
        if not "".join(node.itertext()).strip():
            return
        self._flush()
        self._flags = (HIDDEN_TEXT,)
        self._read_inside(node)
        self._flush()
        self._flags = ()

    def _read_furniture(self, node: Element, kind: BlockType) -> None:
        self._flush()
        self._furniture = kind
        (_HANDLERS.get(tag_of(node)) or HtmlWalker._read_inside)(self, node)
        self._flush()
        self._furniture = None

    def _read_list(self, node: Element) -> None:
        self._flush()
        outer = self._item
        self._lists.append(open_list(node))
        self._read_inside(node)
        self._flush()
        self._lists.pop()
        self._item = outer

    def _read_item(self, node: Element) -> None:
        self._flush()
        outer = self._item
        self._label = self._lists[-1].next_label(node) if self._lists else ""
        self._read_inside(node)
        self._flush()
        self._label = None
        self._item = outer

    def _read_terms(self, node: Element) -> None:
        """Read a list of terms, each with its definitions below it."""
        self._flush()
        outer = self._item
        self._lists.append(OpenList(ordered=False))
        for child in find_terms(node):
            if child.tag == "dd":
                self._lists.append(OpenList(ordered=False))
                self._read_item(child)
                self._lists.pop()
            else:
                self._item = outer
                self._label = ""
                self._read_term(child)
                self._label = None
        self._lists.pop()
        self._item = outer

    def _read_definitions(self, node: Element) -> None:
        if self.terms_as_items:
            self._read_terms(node)
        else:
            self._flush()
            self._read_inside(node)
            self._flush()

    def _read_term(self, node: Element) -> None:
        self._flush()
        before, self._style = self._style, replace(self._style, bold=True)
        self._read_inside(node)
        self._style = before
        self._flush()

    def _read_code(self, node: Element) -> None:
        self._flush()
        text = "".join(_raw_text(node))
        if next(node.iter("img", "table", "h1", "h2", "h3"), None) is not None:
            self._read_inside(node)
            self._flush()
            return
        code, _ = join_runs([StyledRun(text)], keep_indent=True)
        if code.strip():
            self._add(code_block(code, code_language(node)), node)

    def _read_image(self, node: Element) -> None:
        alt = fold(node.get("alt") or node.get("title") or "").strip()
        asset = self.picture(node.get("src") or "", alt)
        if not asset and not alt:
            return
        pending, self._runs = self._runs, []
        has_text = any(run.text.strip() for run in pending)
        if has_text and self._type is not BlockType.PARAGRAPH:
            self._runs = [*pending, StyledRun(alt, self._style)] if not asset else pending
            return
        block = FlowBlock(BlockType.PICTURE, alt, asset=asset)
        if has_text:
            self._runs = pending
            self._flush()
        self._add(block, node)

    def _read_input(self, node: Element) -> None:
        kind = (node.get("type") or "text").lower()
        if kind in ("checkbox", "radio"):
            self._runs.append(StyledRun(" ☑ " if node.get("checked") is not None else " ☐ "))
        elif kind in _VALUES and node.get("value"):
            self._runs.append(StyledRun(f" {node.get('value')} ", self._style))

    def _read_apart(self, node: Element) -> None:
        """Read a button or a field, which stands apart from the text around it."""
        self._runs.append(StyledRun(" "))
        self._read_inline(node)
        self._runs.append(StyledRun(" "))

    def _read_select(self, node: Element) -> None:
        """Add the selected options; the others are not shown."""
        chosen = [option for option in node.iter("option") if option.get("selected") is not None]
        words = ", ".join(fold("".join(option.itertext())).strip() for option in chosen)
        if words:
            self._runs.append(StyledRun(f" {words} ", self._style))

    def _read_ruby(self, node: Element) -> None:
        """Add the pronunciation in brackets."""
        self._runs.append(StyledRun("(", self._style))
        self._read_inside(node)
        self._runs.append(StyledRun(")", self._style))

    def _read_drawing(self, node: Element) -> None:
        """Add the texts of a drawing as one paragraph, a line each."""
        lines = [fold("".join(text.itertext())).strip() for text in node.iter("text")]
        if words := "\n".join(line for line in lines if line):
            self._flush()
            self._add(FlowBlock(BlockType.PARAGRAPH, words), node)

    def _read_math(self, node: Element) -> None:
        tex = mathml_to_latex(node)
        if tex and node.get("display") == "block":
            self._flush()
            self._add(FlowBlock(BlockType.FORMULA, tex), node)
        elif tex:
            self._runs.append(StyledRun(f"${tex}$", replace(self._style, latex=tex)))

    def _read_table(self, node: Element) -> None:
        self._flush()
        if is_layout(node):
            for child in node.iter("td", "th", "caption"):
                if next(child.iterancestors("table"), None) is node:
                    self._read_inside(child)
                    self._flush()
            return
        block = FlowBlock(BlockType.TABLE)
        caption = node.find("caption")
        if caption is not None:
            inside = HtmlWalker(self.path_of, self.picture).read(caption)
            text = "\n".join(part.text for part in inside if part.text)
            self._add(FlowBlock(BlockType.CAPTION, text, parent=block), caption)
        children: list[FlowBlock] = []
        cells = []
        grid = read_html_grid(node)
        for place in grid.places:
            flat = flatten(HtmlWalker(self.path_of, self.picture).read(place.element))
            children += adopt(flat.children, block)
            cells.append(
                Cell(
                    row=place.row, col=place.col, row_span=place.row_span, col_span=place.col_span,
                    header=place.header, text=flat.text, spans=flat.spans,
                )
            )  # fmt: skip
        if any(cell.text for cell in cells) or children:
            block.table = Table(rows=grid.rows, cols=grid.cols, cells=tuple(cells))
            block.anchors = tuple(name for inner in node.iter() for name in _names_of(inner))
            self._add(block, node)
            self.blocks += children

    def _flush(self) -> None:
        """Turn the text gathered so far into a block."""
        runs, self._runs = self._runs, []
        start, self._start = self._start, None
        if not any(run.text.strip() for run in runs):
            return
        runs = squeeze_runs(runs)
        if self._lists and self._type is BlockType.PARAGRAPH:
            self._add_item(runs, start)
            return
        text, spans = join_runs(runs)
        if text[:1] in ("☐", "☑") and self._type is BlockType.PARAGRAPH:
            self._add(FlowBlock(BlockType.CHECKBOX, text, spans), start)
            return
        self._add(FlowBlock(self._type, text, spans, self._level), start)

    def _add_item(self, runs: list[StyledRun], start: Element | None) -> None:
        if self._label is None:
            text, spans = join_runs(runs)
            self._add(FlowBlock(BlockType.PARAGRAPH, text, spans), start)
            return
        text, spans = join_runs(runs, prefix=self._label + " " if self._label else "")
        kind = BlockType.CHECKBOX if text[:1] in ("☐", "☑") else BlockType.LIST_ITEM
        level = min(len(self._lists), MAX_LEVEL)
        block = FlowBlock(kind, text, spans, level, bullet=not self._label and kind is BlockType.LIST_ITEM)
        self._add(block, start)
        self._label, self._item = None, block

    def _add(self, block: FlowBlock, start: Element | None) -> None:
        if block.parent is None:
            block.parent = self._item
        block.flags = (*block.flags, *self._flags)
        block.anchors, self._names = (*self._names, *block.anchors), ()
        if self._furniture is not None and block.type in _MOVABLE:
            self.furniture.append((block, self._furniture))
        block.path = self.path_of(start) if start is not None else None
        self.blocks.append(block)


def _names_of(node: Element) -> tuple[str, ...]:
    """Return the names by which links refer to an element."""
    own, name = node.get("id"), node.get("name") if node.tag == "a" else None
    return tuple(filter(None, (own, name))) if own or name else ()


def _clean_target(href: str) -> str:
    """Return the target of a link; names of places on the page as their elements state them."""
    href = href.strip()
    return unquote(href) if href.startswith("#") else href


def _raw_text(node: Element) -> Iterator[str]:
    """Yield the text of preformatted content with its line breaks."""
    yield node.text or ""
    for child in node:
        if child.tag == "br":
            yield "\n"
        elif isinstance(child.tag, str) and child.tag not in SKIPPED:
            yield from _raw_text(child)
        yield child.tail or ""


_Handler = Callable[[HtmlWalker, Element], None]
_HANDLERS: Final[dict[str, _Handler]] = {
    **dict.fromkeys(HEADINGS, HtmlWalker._read_heading),
    **dict.fromkeys(LISTS, HtmlWalker._read_list),
    "li": HtmlWalker._read_item,
    "br": HtmlWalker._read_break,
    "q": HtmlWalker._read_quote,
    "dl": HtmlWalker._read_definitions,
    "dt": HtmlWalker._read_term,
    "pre": HtmlWalker._read_code,
    "listing": HtmlWalker._read_code,
    "xmp": HtmlWalker._read_code,
    "img": HtmlWalker._read_image,
    "input": HtmlWalker._read_input,
    "math": HtmlWalker._read_math,
    "rt": HtmlWalker._read_ruby,
    "svg": HtmlWalker._read_drawing,
    "button": HtmlWalker._read_apart,
    "textarea": HtmlWalker._read_apart,
    "select": HtmlWalker._read_select,
    "table": HtmlWalker._read_table,
    "figcaption": HtmlWalker._read_caption,
}
