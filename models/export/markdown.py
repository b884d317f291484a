"""A tree as Markdown, in reading order: headings, lists, tables, captions, footnotes. Pure text, no file access."""

import re
from html import escape
from typing import assert_never

from models.cdom.table import Cell, Table
from models.cdom.tree import FURNITURE, Block, BlockType, Route, Tree
from models.export.markdown_flow import flow_to_markdown, is_flow

_BULLET = re.compile(r"^[•●○◦▪■□▫‣⁃∙·◆◇►▶➤➢✓✔❖*–—\-\uf0b7\uf0a7\uf0d8]\s*")
_ORDERED = re.compile(r"^\d{1,9}[.)]\s")
_FENCE = re.compile(r"`{3,}")
_JOINED = frozenset({BlockType.PARAGRAPH, BlockType.LIST_ITEM})


def tree_to_markdown(tree: Tree, *, furniture: bool | None = None) -> str:
    """The document as Markdown; without `furniture` running headers and footers are left out.

    Unless it is said, they are kept where they have a place on a page.
    """
    if is_flow(tree):
        return flow_to_markdown(tree, render_table, furniture=furniture is True)
    unwritten = {page.number for page in tree.pages if page.route is Route.OCR}
    parts: list[str] = []
    last: Block | None = None
    for block in tree.blocks:
        if block.type in FURNITURE and furniture is False:
            continue
        text = render_block(block)
        if not text:
            continue
        if block.type is BlockType.FORMULA and block.page not in unwritten:
            text = f"$$\n{text}\n$$"
        if last is not None and block.continues == last.id and last.type in _JOINED:
            parts[-1] = join_text(parts[-1], text)
        else:
            parts.append(text)
        last = block
    return "\n\n".join(parts) + "\n"


def join_text(first: str, second: str) -> str:
    """The two parts of a paragraph as one; a word divided between them is made whole."""
    if re.search(r"[a-z][-‐]$", first) and second[:1].islower():
        return first[:-1] + second
    return f"{first} {second}"


def render_block(block: Block) -> str:
    """One block as Markdown, empty when it has nothing to show."""
    text = block.text
    match block.type:
        case BlockType.TITLE:
            return f"# {one_line(text)}"
        case BlockType.HEADING:
            return f"{'#' * min(block.level or 1, 6)} {one_line(text)}"
        case BlockType.LIST_ITEM:
            return render_item(text, block.level or 1)
        case BlockType.TABLE:
            return render_table(block.table) if block.table is not None else text
        case BlockType.CODE:
            return render_code(text)
        case BlockType.CHECKBOX | BlockType.KEY_VALUE | BlockType.PARAGRAPH | BlockType.CAPTION | BlockType.FOOTNOTE:
            return text
        case BlockType.PICTURE | BlockType.FORMULA | BlockType.PAGE_HEADER | BlockType.PAGE_FOOTER:
            return text
        case _:
            assert_never(block.type)


def one_line(text: str) -> str:
    """A heading's text without line breaks, which would end it."""
    return " ".join(text.split())


def render_item(text: str, level: int) -> str:
    """A list item at its depth: a number stays, a bullet becomes Markdown's."""
    indent = "  " * (level - 1)
    if _ORDERED.match(text):
        return f"{indent}{text}"
    return f"{indent}- {_BULLET.sub('', text, count=1)}"


def render_code(text: str) -> str:
    """Code between fences longer than any in it."""
    longest = max((len(found.group()) for found in _FENCE.finditer(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def render_table(table: Table) -> str:
    """A table as HTML, a line per row, with spans and header cells."""
    rows: list[list[Cell]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row].append(cell)
    body = "\n".join("<tr>" + "".join(_render_cell(cell) for cell in row) + "</tr>" for row in rows)
    return f"<table>\n{body}\n</table>"


def _render_cell(cell: Cell) -> str:
    tag = "th" if cell.header else "td"
    spans = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
    spans += f' colspan="{cell.col_span}"' if cell.col_span > 1 else ""
    text = escape(cell.text, quote=False).replace("\n", "<br>")
    return f"<{tag}{spans}>{text}</{tag}>"
