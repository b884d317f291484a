"""Writes a tree as Markdown in reading order, for documents with and without pages.

Lists hold the content of their items. Notes of a document without pages are at its end, with links back. All text is
escaped, and hidden text is left out.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from quire.models.cdom.flags import COMMENT, SPEAKER_NOTES
from quire.models.cdom.original import SHAPED_FORMATS, SHEET_FORMATS
from quire.models.cdom.tree import Block, BlockId, BlockType, Route, Tree, point_links
from quire.models.cdom.visible import flow_blocks, visible_blocks
from quire.models.export.markdown_inline import close_markup, cut_spans, escape_label, heading_line, inline, link
from quire.models.export.markdown_lists import read_item
from quire.models.export.markdown_tables import TableStyle, nested_tables, table_to_markdown
from quire.models.export.statement import hidden_markdown

_LISTED = frozenset({BlockType.LIST_ITEM, BlockType.CHECKBOX})
_NOTES_IN_PLACE = frozenset({COMMENT, SPEAKER_NOTES})
"""Flags of footnotes without a reference in the text; they stay where they are."""
_NOTE_MARK = re.compile(r"^(?:\d+|[ivxlcdm]+)\s+")
_SEPARATOR = "<!-- -->"
"""Between two lists that would be read as one."""
_BLOCK_START = re.compile(r"[#>+=~*_|:-]|\d{1,9}[.)]")


_NOT_IN_NAME = re.compile(r"[^\w\- ]")
"""Characters that the name of a heading has not."""


class MarkdownText(StrEnum):
    """Style of inline text: `rich` marks emphasis, code and links, `plain` has only the printed words."""

    RICH = "rich"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class MarkdownPart:
    """Text of one block; `glue` separates it from the part before. For joined blocks it is the first block."""

    block: Block
    text: str
    glue: str = "\n\n"


@dataclass(frozen=True, slots=True)
class _Open:
    """An open list item: its level, where its content is indented to, its number (None = bullet)."""

    level: int
    indent: int
    number: int | None


def tree_to_markdown(
    tree: Tree,
    *,
    furniture: bool = False,
    tables: TableStyle = TableStyle.AUTO,
    inline: MarkdownText = MarkdownText.RICH,
    hidden: bool = False,
    page_break: str = "",
    pictures: bool = False,
) -> str:
    """Return the document as Markdown.

    Args:
        tree: The document.
        furniture: Keep running headers and footers.
        tables: Style of tables.
        inline: Style of inline text.
        hidden: List hidden text separately, after the document.
        page_break: Text between pages, on a separate line.
        pictures: Link pictures of pages too, by their `asset_ref`. Those of documents without pages always are.
    """
    parts = markdown_parts(tree, furniture=furniture, tables=tables, inline=inline, pictures=pictures)
    glued = _part_pages(parts, page_break) if page_break else parts
    text = "".join(part.glue + part.text for part in glued).lstrip("\n") + "\n"
    return text + hidden_markdown(tree) if hidden else text


def markdown_parts(
    tree: Tree,
    *,
    furniture: bool,
    tables: TableStyle = TableStyle.AUTO,
    inline: MarkdownText = MarkdownText.RICH,
    pictures: bool = False,
) -> list[MarkdownPart]:
    """Return the document in parts, one per visible block, in output order."""
    blocks = [flowing.whole for flowing in flow_blocks(visible_blocks(tree, furniture=furniture), as_printed=furniture)]
    if inline is MarkdownText.PLAIN:
        blocks = [_without_spans(block) for block in blocks]
    else:
        blocks = _link_headings(blocks)
    writer = _Writer(tree, blocks, tables, pictures=pictures)
    for block in blocks:
        writer.add(block)
    return writer.parts + writer.notes


def _link_headings(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with links to headings by the names that readers of Markdown give them; others are text."""
    targets: dict[str, str] = {}
    used: Counter[str] = Counter()
    for block in blocks:
        if block.type in (BlockType.TITLE, BlockType.HEADING):
            name = _NOT_IN_NAME.sub("", block.text.lower()).replace(" ", "-")
            targets[f"#{block.id}"] = f"#{name}-{used[name]}" if used[name] else f"#{name}"
            used[name] += 1
    return [point_links(block, targets) for block in blocks]


def _without_spans(block: Block) -> Block:
    table = block.table
    if table is not None and any(cell.spans for cell in table.cells):
        table = replace(table, cells=tuple(replace(cell, spans=()) for cell in table.cells))
    return replace(block, spans=(), table=table) if block.spans or table is not block.table else block


def _part_pages(parts: list[MarkdownPart], page_break: str) -> list[MarkdownPart]:
    """Put the page break between parts of different pages, except before the notes at the end."""
    glue, page, parted = f"\n\n{page_break}\n\n", 0, []
    for part in parts:
        turned = 0 < page < part.block.page
        parted.append(replace(part, glue=glue) if turned else part)
        page = max(page, part.block.page)
    return parted


def formula_to_markdown(text: str) -> str:
    """Return a formula between dollars, safe from readers without formulas that would see HTML or a link in it.

    A blank changes nothing in a formula and defuses `<b`, `](` and `&lt`; so do braces at the front.
    """
    line = close_markup(" ".join(text.split()))
    return f"$$\n{'{}' if _BLOCK_START.match(line) else ''}{line}\n$$"


class _Writer:
    """Parts of the text, with their separators and the open list items."""

    def __init__(self, tree: Tree, blocks: list[Block], tables: TableStyle, *, pictures: bool) -> None:
        self._pictures = pictures
        self.parts: list[MarkdownPart] = []
        self.notes: list[MarkdownPart] = []
        sheets = tables is TableStyle.AUTO and tree.source.format in SHEET_FORMATS
        self._tables = tables = TableStyle.PIPE if sheets else tables
        self._shaped = tree.source.format in SHAPED_FORMATS
        self._nested = nested_tables(blocks) if tables is not TableStyle.PIPE else {}
        self._written_inside = {child.id for children in self._nested.values() for child in children}
        self._unwritten = {page.number for page in tree.pages if page.route is Route.OCR}
        self._below_title = _levels_below_title(tree.blocks)
        self._open: list[_Open] = []
        self._indents: dict[BlockId, int] = {}

    def add(self, block: Block) -> None:
        """Write one block."""
        if block.type in _LISTED:
            self._add_item(block)
        elif block.type is BlockType.FOOTNOTE and self._flows(block) and not _NOTES_IN_PLACE.intersection(block.flags):
            self._add_note(block)
        elif text := self._render(block):
            indent = self._indents.get(block.parent, 0) if block.parent is not None else 0
            self._open = self._open if indent else []
            self._put(block, text, indent)

    def _flows(self, block: Block) -> bool:
        """Return True for a block without a place on a printed page."""
        return block.bbox is None or self._shaped

    def _put(self, block: Block, text: str, indent: int, glue: str = "\n\n") -> None:
        pad = " " * indent
        self.parts.append(
            MarkdownPart(block, "\n".join(pad + line if line else line for line in text.split("\n")), glue)
        )

    def _add_item(self, block: Block) -> None:
        level = block.level or 1
        last = next((item for item in self._open if item.level == level), None)
        item = read_item(block, level, last.number if last is not None else None)
        glue = "\n" if self._open else "\n\n"
        self._open = [item for item in self._open if item.level < level]
        indent = self._open[-1].indent if self._open else 0
        if last is not None and last.number is not None and item.number not in (None, last.number + 1):
            glue = f"\n\n{' ' * indent}{_SEPARATOR}\n\n"
        inside = indent + len(item.mark) + 1
        self._put(block, f"{item.mark} " + item.text.replace("\n", "\n" + " " * (inside - indent)), indent, glue)
        self._open.append(_Open(level, inside, item.number))
        self._indents[block.id] = inside

    def _add_note(self, block: Block) -> None:
        match = _NOTE_MARK.match(block.text)
        cut = match.end() if match else 0
        text = " ".join(inline(block.text[cut:], cut_spans(block.spans, cut)).split())
        back = link("↩︎", f"#{block.parent}") if block.parent is not None else ""
        number = len(self.notes) + 1
        self.notes.append(MarkdownPart(block, f"{number}. {text}{back}", "\n" if self.notes else "\n\n"))

    def _render(self, block: Block) -> str:
        """Return one block as Markdown, "" when it has nothing to show."""
        match block.type:
            case BlockType.TITLE:
                return _heading(1, block)
            case BlockType.HEADING:
                return _heading(min((block.level or 1) + self._below_title, 6), block)
            case BlockType.CODE:
                return _fenced(block.text, next((span.language for span in block.spans if span.language), ""))
            case BlockType.FORMULA if block.text.strip() and block.page not in self._unwritten:
                return formula_to_markdown(block.text)
            case BlockType.PICTURE if self._pictures or self._flows(block):
                alt = " ".join(escape_label(block.text).split())
                image = f"![{alt}]({block.asset_ref or ''})" if alt or block.asset_ref else ""
                table = block.table and table_to_markdown(block, block.table, self._nested, self._tables)
                return f"{image}\n\n{table}".strip() if table else image
            case BlockType.FOOTNOTE if self._flows(block):
                return "> " + inline(block.text, block.spans).replace("\n", "\n> ")
            case _ if block.table is not None:
                inside = block.id in self._written_inside
                lists = self._flows(block)
                return "" if inside else table_to_markdown(block, block.table, self._nested, self._tables, lists=lists)
            case _:
                return inline(block.text, block.spans)


def _levels_below_title(blocks: Sequence[Block]) -> int:
    """Return 1 when the first level belongs to a title above headings of level 1, else 0."""
    has_title = any(block.type is BlockType.TITLE and block.text.strip() for block in blocks)
    is_first = any(block.type is BlockType.HEADING and (block.level or 1) == 1 for block in blocks)
    return int(has_title and is_first)


def _heading(level: int, block: Block) -> str:
    text = heading_line(block.text, block.spans)
    return f"{'#' * level} {text}" if text else ""


def _fenced(text: str, language: str | None) -> str:
    """Return code between fences that are longer than any fence inside."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{fence}{language or ''}\n{text}\n{fence}" if text else ""
