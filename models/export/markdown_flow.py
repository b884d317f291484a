"""Markdown of a document that flows without pages (Word): a tree whose blocks have no boxes.

Lists are real lists with what belongs to their items inside, notes stand at the end with links back, the text of a
picture is its alternative text. What repeats on pages or is hidden stays out, as in the HTML export.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from itertools import groupby

from models.cdom.flags import COMMENT, HIDDEN_TEXT
from models.cdom.table import Table
from models.cdom.tree import FURNITURE, Block, BlockId, BlockType, Tree
from models.export.markdown_inline import cut_spans, escape_text, inline, link, one_line

RenderTable = Callable[[Table], str]

_LABEL = re.compile(r"^\(?((?:\d{1,9}|[A-Za-z]|[ivxlcdmIVXLCDM]{2,8})(?:\.\d{1,9})*)[.)]+\s+")
_CHECK = re.compile(r"^([☐☑☒])\s*")
_NOTE_MARK = re.compile(r"^(?:\d+|[ivxlcdm]+)\s+")
_CELL = re.compile(r"(?<=>)[^<>]*(?:<br>[^<>]*)*(?=</t[dh]>)")
_BULLET = "• "
_LISTED = frozenset({BlockType.LIST_ITEM, BlockType.CHECKBOX})
_SEPARATOR = "<!-- -->"
"""Between two lists that would be read as one."""


@dataclass(frozen=True, slots=True)
class _Item:
    """An open list item: its level, where its content is indented to, its number (None = bullet)."""

    level: int
    indent: int
    number: int | None


def is_flow(tree: Tree) -> bool:
    """True when no block has a place on a page."""
    return bool(tree.blocks) and all(block.bbox is None for block in tree.blocks)


def flow_to_markdown(tree: Tree, render_table: RenderTable, *, furniture: bool = False) -> str:
    """The document as Markdown; `render_table` gives a table as HTML without blank lines."""
    writer = _FlowWriter(tree, render_table)
    for block in tree.blocks:
        if HIDDEN_TEXT not in block.flags and (furniture or block.type not in FURNITURE):
            writer.add(block)
    return writer.text()


class _FlowWriter:
    """Parts of the text with what separates them, and which list items are open."""

    def __init__(self, tree: Tree, render_table: RenderTable) -> None:
        self._nested = _nested_tables(tree)
        self._written_inside = {child.id for children in self._nested.values() for child in children}
        self._render_table = render_table
        self._parts: list[str] = []
        self._notes: list[str] = []
        self._open: list[_Item] = []
        self._indents: dict[BlockId, int] = {}

    def text(self) -> str:
        """Everything, notes last."""
        notes = "\n\n" + "\n".join(self._notes) if self._notes else ""
        return ("".join(self._parts) + notes).lstrip("\n") + "\n"

    def add(self, block: Block) -> None:
        """One block in its place."""
        if block.type in _LISTED:
            self._add_item(block)
        elif block.type is BlockType.FOOTNOTE and COMMENT not in block.flags:
            self._add_note(block)
        elif text := self._render(block):
            indent = self._indents.get(block.parent, 0) if block.parent is not None else 0
            self._open = self._open if indent else []
            self._put(text, indent)

    def _put(self, text: str, indent: int, *, before: str = "\n\n") -> None:
        pad = " " * indent
        self._parts.append(before + "\n".join(pad + line if line else line for line in text.split("\n")))

    def _add_item(self, block: Block) -> None:
        level = block.level or 1
        last = next((item for item in self._open if item.level == level), None)
        number, text = _split_item(block, level, last.number if last is not None else None)
        before = "\n" if self._open else "\n\n"
        self._open = [item for item in self._open if item.level < level]
        indent = self._open[-1].indent if self._open else 0
        if last is not None and last.number is not None and number is not None and number != last.number + 1:
            self._put(_SEPARATOR, indent)
            before = "\n\n"
        mark = "- " if number is None else f"{number}. "
        self._put(mark + text.replace("\n", "\n" + " " * len(mark)), indent, before=before)
        self._open.append(_Item(level, indent + len(mark), number))
        self._indents[block.id] = indent + len(mark)

    def _add_note(self, block: Block) -> None:
        found = _NOTE_MARK.match(block.text)
        cut = found.end() if found else 0
        text = " ".join(inline(block.text[cut:], cut_spans(block.spans, cut)).split())
        back = link("↩︎", f"#{block.parent}") if block.parent is not None else ""
        self._notes.append(f"{len(self._notes) + 1}. {text}{back}")

    def _render(self, block: Block) -> str:
        match block.type:
            case BlockType.TITLE:
                return f"# {one_line(block.text, block.spans)}"
            case BlockType.HEADING:
                return f"{'#' * min(block.level or 1, 6)} {one_line(block.text, block.spans)}"
            case BlockType.TABLE:
                return self._table_of(block)
            case BlockType.CODE:
                return _fenced(block.text)
            case BlockType.FORMULA:
                return f"$$\n{block.text}\n$$"
            case BlockType.PICTURE:
                alt = " ".join(escape_text(block.text).split())
                return f"![{alt}]({block.asset_ref or ''})" if alt or block.asset_ref else ""
            case BlockType.FOOTNOTE:
                return "> " + inline(block.text, block.spans).replace("\n", "\n> ")
            case _:
                return inline(block.text, block.spans)

    def _table_of(self, block: Block) -> str:
        """A table with the tables nested in it; those are written there and not again."""
        if block.table is None or block.id in self._written_inside:
            return ""
        return self._table_html(block, block.table)

    def _table_html(self, block: Block, table: Table) -> str:
        html = _CELL.sub(_list_cell, self._render_table(table))
        for child in self._nested.get(block.id, []):
            if child.table is not None and (flat := _flat_html(child.table)):
                html = html.replace(flat, self._table_html(child, child.table).replace("\n", ""), 1)
        return html


def _nested_tables(tree: Tree) -> dict[BlockId, list[Block]]:
    """Tables inside tables, by the id of the one around them; their text stands in its cells too."""
    tables = {block.id for block in tree.blocks if block.table is not None}
    nested: dict[BlockId, list[Block]] = {}
    for block in tree.blocks:
        if block.table is not None and block.parent in tables and block.parent is not None:
            nested.setdefault(block.parent, []).append(block)
    return nested


def _list_cell(found: re.Match[str]) -> str:
    """A cell's lines with its bulleted ones as a list."""
    if _BULLET not in found.group():
        return found.group()
    made: list[str] = []
    for bulleted, lines in groupby(found.group().split("<br>"), key=lambda line: line.startswith(_BULLET)):
        if bulleted:
            made.append("<ul>" + "".join(f"<li>{line.removeprefix(_BULLET)}</li>" for line in lines) + "</ul>")
        else:
            made.append("<br>".join(lines))
    return "".join(made)


def _flat_html(table: Table) -> str:
    """A nested table as it stands in the text of the cell around it: cells by tabs, rows by line breaks."""
    rows: list[list[str]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row].append(cell.text)
    lines = (line for row in rows if (line := "\t".join(row).strip()))
    return escape("\n".join(lines), quote=False).replace("\n", "<br>")


def _fenced(text: str) -> str:
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{fence}\n{text}\n{fence}"


def _split_item(block: Block, level: int, last: int | None) -> tuple[int | None, str]:
    """The number of a list item (None = bullet) and its text as Markdown; `last` is the number of the item before.

    A label of several parts becomes a number when its depth says the rest of it, else it stays in the text.
    """
    text, spans = block.text, block.spans
    if found := _CHECK.match(text):
        shown = inline(text[found.end() :], cut_spans(spans, found.end()))
        return None, f"[{' ' if found.group(1) == '☐' else 'x'}] {shown}"
    label = _LABEL.match(text)
    if label is None or block.type is BlockType.CHECKBOX:
        return None, inline(text, spans)
    parts = label.group(1).split(".")
    if len(parts) not in (1, level):
        return None, inline(text, spans)
    return _number_of(parts[-1], last), inline(text[label.end() :], cut_spans(spans, label.end()))


def _number_of(label: str, last: int | None) -> int:
    """The number a label counts: itself, else the place of its letter, else the one after `last`."""
    if label.isdigit():
        return int(label)
    if last is not None and label.lower() not in ("a", "i"):
        return last + 1
    return 1 if len(label) > 1 or label in "iI" else ord(label.lower()) - ord("a") + 1
