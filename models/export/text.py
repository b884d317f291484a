"""Writes the plain text of a tree: its visible blocks in reading order."""

from quire.models.cdom.table import Table
from quire.models.cdom.tree import Tree
from quire.models.cdom.visible import flow_blocks, visible_blocks


def tree_to_text(tree: Tree, *, furniture: bool = False) -> str:
    """Return the visible text, blocks separated by an empty line. A table has a line per row, with tabs between cells.

    Args:
        tree: The document.
        furniture: Whether running headers and footers are included.
    """
    blocks = [flowing.whole for flowing in flow_blocks(visible_blocks(tree, furniture=furniture))]
    texts = [_table_text(block.table) if block.table is not None else block.text for block in blocks]
    return "".join(f"{text}\n" for text in ["\n\n".join(filter(None, texts))] if text)


def _table_text(table: Table) -> str:
    rows: dict[int, list[str]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, []).append(" ".join(cell.text.split()))
    return "\n".join("\t".join(texts) for texts in rows.values())
