"""Blocks of an RTF file from its paragraphs and rows: headings, list items, tables, notes, pictures, pages."""

import re
from dataclasses import dataclass, field
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.span import Span
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, StyledRun, flatten, flatten_table, join_runs
from quire.models.extract.formats.rtf.state import RtfParagraph, RtfRow
from quire.models.extract.formats.rtf.tables import RtfTables

MAX_ROWS: Final = 100_000
"""Rows of one table; more are refused, because the format itself has no limit."""
MAX_COLUMNS: Final = 1000
"""Cells of one row; Word allows 63, so more occur only in attacks."""
MAX_RUNNING: Final = 100
"""Different headers, or footers, of one document: each section has up to three."""
MAX_LEVEL: Final = 20
"""Nesting depth of tables; deeper ones are read at this level."""


@dataclass(slots=True)
class _OpenTable:
    """A table being read: its level, its finished rows, the open row, lines of the open cell, tables in its cells."""

    level: int
    rows: list[RtfRow] = field(default_factory=list)
    row: RtfRow = field(default_factory=RtfRow)
    lines: list[FlowBlock] = field(default_factory=list)
    nested: list[FlowBlock] = field(default_factory=list)


class TableStack:
    """The open tables, the outermost first."""

    def __init__(self) -> None:
        self._open: list[_OpenTable] = []

    def row(self, level: int) -> RtfRow:
        """Return the open row at a level (1 = not nested)."""
        return self._table_at(level).row

    def add_line(self, level: int, text: str, spans: tuple[Span, ...]) -> None:
        """Add a line of text to the open cell of a level."""
        table = self._table_at(level)
        if text:
            table.lines.append(FlowBlock(BlockType.PARAGRAPH, text, spans))

    def end_cell(self, level: int) -> None:
        """Close the open cell of a level."""
        table = self._table_at(level)
        table.row.cells.append(flatten(table.lines))
        table.lines = []

    def end_row(self, level: int) -> None:
        """Close the open row of a level.

        Raises:
            ResourceLimit: The table has too many rows or columns.
        """
        table = self._table_at(level)
        row = table.row
        if len(table.rows) >= MAX_ROWS or len(row.cells) > MAX_COLUMNS:
            raise ResourceLimit("a table is too large")
        if row.cells:
            table.rows.append(row)
        table.row = RtfRow(merges=row.merges, header=row.header)

    def close(self) -> list[FlowBlock]:
        """Return the outermost table with those inside it; nothing without an open table with rows."""
        if not self._open:
            return []
        self._close_deeper(1)
        table = self._open.pop()
        if table.lines or table.row.cells:
            table.row.cells += [flatten(table.lines)] if table.lines else []
            table.rows.append(table.row)
        return _make_blocks(table)

    def _table_at(self, level: int) -> _OpenTable:
        """Return the innermost table of a level and open it if necessary; skipped levels get no table."""
        level = max(1, min(level, MAX_LEVEL))
        self._close_deeper(level)
        if not self._open:
            self._open.append(_OpenTable(1))
        if self._open[-1].level < level:
            self._open.append(_OpenTable(level))
        return self._open[-1]

    def _close_deeper(self, level: int) -> None:
        """Move tables deeper than `level` into the cell around them."""
        while len(self._open) > 1 and self._open[-1].level > level:
            table = self._open.pop()
            if table.lines:
                table.row.cells.append(flatten(table.lines))
            if table.row.cells:
                table.rows.append(table.row)
            blocks = _make_blocks(table)
            if blocks and blocks[0].table is not None:
                self._open[-1].lines.append(FlowBlock(BlockType.PARAGRAPH, flatten_table(blocks[0].table)))
                self._open[-1].nested += blocks


def _make_blocks(table: _OpenTable) -> list[FlowBlock]:
    """Return the block of a table, then those of the tables in its cells."""
    if not table.rows:
        return []
    block = FlowBlock(BlockType.TABLE, table=_make_table(table.rows))
    for nested in table.nested:
        nested.parent = nested.parent or block
    return [block, *table.nested]


def _make_table(rows: list[RtfRow]) -> Table:
    cells: list[Cell] = []
    for row_index, row in enumerate(rows):
        for col, flat in enumerate(row.cells):
            if row.merges[col : col + 1] in (["h"], ["v"]) and not flat.text:
                continue
            across = 1
            while row.merges[col + across : col + across + 1] == ["h"] and not any(
                covered.text for covered in row.cells[col + across : col + across + 1]
            ):
                across += 1
            down = 1
            while row_index + down < len(rows) and rows[row_index + down].merges[col : col + 1] == ["v"]:
                down += 1
            cells.append(
                Cell(
                    row=row_index, col=col, row_span=down, col_span=across, header=row.header, text=flat.text,
                    spans=flat.spans,
                )
            )  # fmt: skip
    return Table(rows=len(rows), cols=max(len(row.cells) for row in rows), cells=tuple(cells))


_BULLETS: Final = "•◦▪·-–*o\uf0b7\uf0a7▸‣●○■□"
_TYPED: Final = re.compile(r"([•◦▪·–]|\(?(?:\d{1,4}|[a-zA-Z]|[ivxIVX]{1,6})[.)])\t")
_NUMBER: Final = re.compile(r"\d{1,6}")
_UNNUMBERED: Final = (23, 255)
"""Number formats of a list level without a number: a bullet, nothing."""
_INDENT: Final = 360
"""Twentieths of a point by which a list level is usually indented."""


class RtfBlocks:
    """Takes paragraphs and rows in order and fills `pages` with their blocks."""

    def __init__(self, tables: RtfTables) -> None:
        self.pages = [FlowPage()]
        self._tables = tables
        self.tables = TableStack()
        self._parents: dict[int, FlowBlock] = {}
        self._count = 0
        self._stated = False
        self._label = ""
        self._counts: dict[int, dict[int, int]] = {}
        self._called: list[FlowBlock] = []

    def turn(self) -> None:
        """Start a new page at a stated break."""
        self.end_table()
        if self.pages[-1].blocks:
            self.pages.append(FlowPage())

    def add(self, block: FlowBlock) -> None:
        """Add a block and attach the pending notes to it."""
        self._count += 1
        block.path = f"#{self._count}"
        self.pages[-1].blocks.append(block)
        for note in self._called:
            note.parent = block
        self._called = []

    def add_note(self, note: FlowBlock) -> None:
        """Add a note; it belongs to the block of the paragraph being read, which is added next."""
        self.pages[-1].notes.append(note)
        self._called.append(note)

    def add_running(self, block: FlowBlock) -> None:
        """Add a header or footer, each text once in the document."""
        page, is_header = self.pages[-1], block.type is BlockType.PAGE_HEADER
        texts = [other.text for each in self.pages for other in (each.headers if is_header else each.footers)]
        if block.text not in texts and len(texts) < MAX_RUNNING:
            (page.headers if is_header else page.footers).append(block)

    def add_paragraph(self, paragraph: RtfParagraph) -> None:
        """Add the block of a paragraph, if it has text."""
        self.end_table()
        hidden = [run for run in paragraph.runs if run.style.hidden]
        runs = [run for run in paragraph.runs if not run.style.hidden]
        if text := join_runs(hidden)[0]:
            self.add(FlowBlock(BlockType.PARAGRAPH, text, flags=(HIDDEN_TEXT,)))
        text, spans = join_runs(runs)
        if not text:
            return
        level = self._tables.headings.get(paragraph.style)
        level = min(6, paragraph.outline + 1) if paragraph.outline is not None and paragraph.outline < 9 else level
        label = paragraph.label.strip() or self._continue_label(paragraph)
        if level is not None:
            self._parents = {}
            self.add(FlowBlock(BlockType.HEADING, text, spans, level))
        elif paragraph.style in self._tables.titles:
            self.add(FlowBlock(BlockType.TITLE, text, spans))
        elif label:
            self._add_item(label, runs, paragraph.level + 1)
        elif (typed := _TYPED.match(text)) is not None and paragraph.first < 0:
            item_runs = _drop_start(runs, typed.end())
            self._add_item(typed.group(1), item_runs, max(1, round(paragraph.left / _INDENT)))
        elif paragraph.list_id and not self._stated:
            self._add_item(self._count_label(paragraph), runs, paragraph.level + 1)
        else:
            parent = self._item_at(paragraph.left)
            self.add(FlowBlock(BlockType.PARAGRAPH, text, spans, parent=parent))
            self._parents = self._parents if parent is not None else {}
        self._stated = self._stated or bool(label)

    def _continue_label(self, paragraph: RtfParagraph) -> str:
        """Return the label of an item of an old list, of which only the first states one; "" for others."""
        if not (paragraph.old_list and paragraph.list_id):
            return ""
        number = _NUMBER.search(self._label)
        if number is None:
            return self._label
        return self._label[: number.start()] + str(int(number.group()) + 1) + self._label[number.end() :]

    def _count_label(self, paragraph: RtfParagraph) -> str:
        """Return the label of a list item in a file without labels: a count or a bullet."""
        formats = self._tables.formats(paragraph.list_id)
        if not formats or formats[min(paragraph.level, len(formats) - 1)] in _UNNUMBERED:
            return "•"
        counts = self._counts.setdefault(paragraph.list_id, {})
        counts[paragraph.level] = counts.get(paragraph.level, 0) + 1
        for deeper in [level for level in counts if level > paragraph.level]:
            del counts[deeper]
        return f"{counts[paragraph.level]}."

    def _item_at(self, left: int) -> FlowBlock | None:
        """Return the list item that an indented paragraph continues."""
        return self._parents[max(self._parents)] if left > 0 and self._parents else None

    def _add_item(self, label: str, runs: list[StyledRun], level: int) -> None:
        self._label = label
        bullet = is_bullet(label)
        text, spans = join_runs(runs, prefix="" if bullet else label + " ")
        self._parents = {depth: block for depth, block in self._parents.items() if depth < level}
        parent = self._parents[max(self._parents)] if self._parents else None
        depth = (parent.level or 0) + 1 if parent is not None else 1
        block = FlowBlock(BlockType.LIST_ITEM, text, spans, depth, parent=parent, bullet=bullet)
        self._parents[level] = block
        self.add(block)

    def end_table(self) -> None:
        """Add the rows so far as a table, with the tables nested in it."""
        blocks = self.tables.close()
        self._parents = {} if blocks else self._parents
        for block in blocks:
            self.add(block)


def is_bullet(label: str) -> bool:
    """Return whether the label is that of an unordered item."""
    return len(label) == 1 and not label.isdigit() and (label in _BULLETS or not label.isalnum())


def _drop_start(runs: list[StyledRun], count: int) -> list[StyledRun]:
    """Return the runs without leading blanks and the first `count` characters of their text."""
    out: list[StyledRun] = []
    started = False
    for run in runs:
        text = run.text if started else run.text.lstrip()
        started = started or bool(text)
        taken = min(count, len(text))
        count -= taken
        if text[taken:]:
            out.append(StyledRun(text[taken:], run.style))
    return out
