"""A tree as Markdown, in reading order: headings, lists, tables, captions, footnotes. Pure text, no file access."""

from html import escape

from models.cdom.table import Cell, Table
from models.cdom.tree import FURNITURE, Block, BlockType, Tree


def tree_to_markdown(tree: Tree, *, furniture: bool = True) -> str:
    """The document as Markdown; without `furniture` running headers and footers are left out."""
    parts = [render_block(block) for block in tree.blocks if furniture or block.type not in FURNITURE]
    return "\n\n".join(part for part in parts if part) + "\n"


def render_block(block: Block) -> str:
    """One block as Markdown, empty when it has nothing to show."""
    match block.type:
        case BlockType.TITLE:
            return f"# {block.text}"
        case BlockType.HEADING:
            return f"{'#' * (block.level or 1)} {block.text}"
        case BlockType.LIST_ITEM:
            return f"{'  ' * ((block.level or 1) - 1)}- {block.text}"
        case BlockType.TABLE if block.table is not None:
            return render_table(block.table)
        case BlockType.CODE:
            return f"```\n{block.text}\n```"
        case _:
            return block.text


def render_table(table: Table) -> str:
    """A table as HTML on one line per row, with spans and header cells."""
    rows: list[list[Cell]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row].append(cell)
    body = "\n".join("<tr>" + "".join(_render_cell(cell) for cell in row) + "</tr>" for row in rows)
    return f"<table>\n{body}\n</table>"


def _render_cell(cell: Cell) -> str:
    tag = "th" if cell.header else "td"
    spans = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
    spans += f' colspan="{cell.col_span}"' if cell.col_span > 1 else ""
    return f"<{tag}{spans}>{escape(cell.text, quote=False)}</{tag}>"
