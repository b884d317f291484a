"""Writes tables as Markdown: with pipes, or as HTML when cells span several places or hold tables."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from html import escape
from itertools import groupby

from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import Block, BlockId, Span
from quire.models.export.html_inline import html_spans
from quire.models.export.markdown_inline import escape_text, mark_up
from quire.models.export.tables.cut_rows import join_cut_rows

_CELL = re.compile(r"(?<=>)[^<>]*(?:<br>[^<>]*)*(?=</t[dh]>)")
_BULLET = "• "
_DASH = "- "
"""Mark of the only line of a cell, which does not become a list."""
_NUMBER = re.compile(r"(\d{1,9})[.)] +(?=\S)")


class TableStyle(StrEnum):
    """Style of tables. `pipe`: merged cells fill one place.

    `auto`: pipes in sheets, without merged cells, and where the only one is a row below the first. Others are HTML.
    """

    AUTO = "auto"
    HTML = "html"
    PIPE = "pipe"


Nested = Mapping[BlockId, Sequence[Block]]
"""Tables inside tables, by the id of the block around them."""


def table_to_markdown(block: Block, table: Table, nested: Nested, style: TableStyle, *, lists: bool = False) -> str:
    """Return the table, with nested tables if the style allows; with `lists`, marked lines of cells become lists."""
    table = join_cut_rows(table)
    plain = not nested.get(block.id) and _reads_without_spans(table)
    plain = plain and not (lists and any(_holds_list(cell.text) for cell in table.cells))
    if style is TableStyle.PIPE or (style is TableStyle.AUTO and plain and table.cols > 0):
        return _pipes(table, lists=lists)
    return _html(block, table, nested, lists=lists)


def _reads_without_spans(table: Table) -> bool:
    """Return whether the table has no merged cell, or only one that fills a row below the first one."""
    merged = [cell for cell in table.cells if cell.row_span > 1 or cell.col_span > 1]
    if len(merged) != 1:
        return not merged
    (cell,) = merged
    return cell.row > 0 and cell.row_span == 1 and cell.col_span == table.cols


def nested_tables(blocks: Sequence[Block]) -> dict[BlockId, list[Block]]:
    """Map outer tables to their nested tables, whose text is in the outer cells too."""
    tables = {block.id for block in blocks if block.table is not None}
    nested: dict[BlockId, list[Block]] = {}
    for block in blocks:
        if block.table is not None and block.parent in tables and block.parent is not None:
            nested.setdefault(block.parent, []).append(block)
    return nested


def _holds_list(text: str) -> bool:
    lines = text.split("\n")
    bulleted = len(lines) > 1 and any(line.startswith(_BULLET) for line in lines)
    return bulleted or any(begun for _, begun in _number_lines(lines))


def _number_lines(lines: list[str]) -> list[tuple[str, int | None]]:
    """Return (HTML, first number) of runs of two or more lines with consecutive numbers; (line, None) of others."""
    out: list[tuple[str, int | None]] = []
    index = 0
    while index < len(lines):
        match = _NUMBER.match(lines[index])
        begun = int(match.group(1)) if match else 0
        end = index
        while (
            match
            and end < len(lines)
            and (mark := _NUMBER.match(lines[end]))
            and int(mark.group(1)) == begun + end - index
        ):
            end += 1
        if end - index > 1:
            items = "".join(f"<li>{_NUMBER.sub('', line, count=1)}</li>" for line in lines[index:end])
            out.append((items, begun))
            index = end
        else:
            out.append((lines[index], None))
            index += 1
    return out


def _pipes(table: Table, *, lists: bool) -> str:
    """Return a line per row. The first row is the head when it holds header cells, or when no row does."""
    grid = [[""] * table.cols for _ in range(table.rows)]
    for cell in table.cells:
        if cell.row < table.rows and cell.col < table.cols:
            text = _pipe_cell(cell)
            grid[cell.row][cell.col] = _mark_single(text) if lists and "<br>" not in text else text
    heads = {cell.row for cell in table.cells if cell.header}
    if grid and heads and 0 not in heads:
        grid.insert(0, [""] * table.cols)
    lines = [f"| {' | '.join(row)} |" for row in grid]
    return "\n".join([*lines[:1], f"|{' --- |' * table.cols}", *lines[1:]])


def _pipe_cell(cell: Cell) -> str:
    text = mark_up(cell.text, _spans_of(cell)) if cell.spans else escape_text(cell.text)
    lines = (" ".join(line.split()) for line in text.strip().split("\n"))
    return "<br>".join(lines).replace("|", "\\|")


def _spans_of(cell: Cell) -> tuple[Span, ...]:
    """Return the spans of a cell; a header cell is strong by itself."""
    return tuple(replace(span, bold=False) for span in cell.spans) if cell.header else cell.spans


def _html(block: Block, table: Table, nested: Nested, *, lists: bool) -> str:
    html = _CELL.sub(_numbered_cell if lists else _list_cell, _plain_html(table))
    for child in nested.get(block.id, ()):
        if child.table is not None and (flat := _flat_html(child.table)):
            html = html.replace(flat, _html(child, child.table, nested, lists=lists).replace("\n", ""), 1)
    return html


def _plain_html(table: Table) -> str:
    """Return a table as HTML, a line per row, with spans and header cells; a blank line would end it."""
    rows: list[list[Cell]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        if cell.row < table.rows:
            rows[cell.row].append(cell)
    body = "\n".join("<tr>" + "".join(_html_cell(cell) for cell in row) + "</tr>" for row in rows)
    return f"<table>\n{body}\n</table>"


def _html_cell(cell: Cell) -> str:
    tag = "th" if cell.header else "td"
    spans = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
    spans += f' colspan="{cell.col_span}"' if cell.col_span > 1 else ""
    shown = tuple(replace(span, latex=None) for span in _spans_of(cell))
    text = html_spans(cell.text, shown, bold="b") if shown else escape(cell.text, quote=False).replace("\n", "<br>")
    return f"<{tag}{spans}>{text}</{tag}>"


def _numbered_cell(match: re.Match[str]) -> str:
    """Return a cell's lines with bulleted and numbered ones as lists; a single one keeps its mark."""
    if "<br>" not in match.group():
        return _mark_single(match.group())
    parts: list[str] = []
    for numbered, stretch in groupby(_number_lines(match.group().split("<br>")), key=lambda line: line[1] is not None):
        if numbered:
            starts = ((items, f' start="{begun}"' if begun != 1 else "") for items, begun in stretch)
            parts.append("".join(f"<ol{start}>{items}</ol>" for items, start in starts))
        else:
            parts.append(_lists_of("<br>".join(line for line, _ in stretch)))
    return "".join(parts)


def _mark_single(line: str) -> str:
    return _DASH + line.removeprefix(_BULLET) if line.startswith(_BULLET) else line


def _list_cell(match: re.Match[str]) -> str:
    """Return a cell's lines with its bulleted ones as a list."""
    return _lists_of(match.group())


def _lists_of(text: str) -> str:
    if _BULLET not in text:
        return text
    made: list[str] = []
    for bulleted, lines in groupby(text.split("<br>"), key=lambda line: line.startswith(_BULLET)):
        if bulleted:
            made.append("<ul>" + "".join(f"<li>{line.removeprefix(_BULLET)}</li>" for line in lines) + "</ul>")
        else:
            made.append("<br>".join(lines))
    return "".join(made)


def _flat_html(table: Table) -> str:
    """Return a nested table as text of the outer cell: cells separated by tabs, rows by line breaks."""
    rows: list[list[str]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row].append(cell.text)
    lines = (line for row in rows if (line := "\t".join(row).strip()))
    return escape("\n".join(lines), quote=False).replace("\n", "<br>")
