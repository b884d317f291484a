"""HTML for notebooks. All text of documents is escaped."""

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire_client.documents.document import Block, Document, Page
    from quire_client.documents.hits import Hit
    from quire_client.documents.table import Cell, Table

MOST_ROWS = 60
"""Rows of a table that a notebook shows."""
MOST_BLOCKS = 200
"""Blocks of a document that a notebook shows."""
_ELEMENTS = {"title": "h2", "heading": "h3", "list_item": "li", "code": "pre", "page_header": "small"}


def table_html(table: "Table") -> str:
    """Return the table with its spans; long tables end with the number of rows left out."""
    rows: dict[int, list[Cell]] = {}
    for cell in table.cells:
        if cell.row < MOST_ROWS:
            rows.setdefault(cell.row, []).append(cell)
    lines = ["<tr>" + "".join(_cell_html(cell) for cell in cells) + "</tr>" for _, cells in sorted(rows.items())]
    more = f"<p><i>{table.rows - MOST_ROWS} more rows</i></p>" if table.rows > MOST_ROWS else ""
    return f"<table>{''.join(lines)}</table>{more}"


def page_html(page: "Page") -> str:
    """Return the blocks of a page below its number."""
    title = f"Page {page.number}" + (f": {page.label}" if page.label else "")
    return _section(title, f"{page.width:g} × {page.height:g} points, read by {page.route}", page.blocks)


def document_html(document: "Document") -> str:
    """Return name, size and blocks of a document."""
    counts = f"{len(document.pages)} pages, {len(document.tables)} tables, {len(document.blocks)} blocks"
    return _section(document.name, counts, document.blocks)


def hit_html(hit: "Hit") -> str:
    """Return a search hit with its matches marked."""
    parts, end = [], 0
    for start, stop in hit.highlights:
        parts += [escape(hit.snippet[end:start]), f"<mark>{escape(hit.snippet[start:stop])}</mark>"]
        end = stop
    parts.append(escape(hit.snippet[end:]))
    place = ", ".join([hit.source_file, *([f"page {hit.pages[0]}"] if hit.pages else []), *hit.section_path])
    return f"<p><b>{escape(place)}</b> <small>{hit.score:.3f}</small><br>{''.join(parts)}</p>"


def _section(title: str, detail: str, blocks: "list[Block]") -> str:
    more = f"<p><i>{len(blocks) - MOST_BLOCKS} more blocks</i></p>" if len(blocks) > MOST_BLOCKS else ""
    body = "".join(_blocks_html(blocks[:MOST_BLOCKS]))
    return f"<section><p><b>{escape(title)}</b> <small>{escape(detail)}</small></p>{body}{more}</section>"


def _blocks_html(blocks: "Iterable[Block]") -> Iterable[str]:
    for block in blocks:
        if block.table is not None:
            yield table_html(block.table)
        elif block.text:
            element = _ELEMENTS.get(block.type, "p")
            yield f"<{element}>{escape(block.text)}</{element}>"


def _cell_html(cell: "Cell") -> str:
    element = "th" if cell.header else "td"
    spans = {"rowspan": cell.row_span, "colspan": cell.col_span}
    attributes = "".join(f' {name}="{count}"' for name, count in spans.items() if count > 1)
    return f"<{element}{attributes}>{escape(cell.text)}</{element}>"
