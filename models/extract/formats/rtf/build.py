"""Blocks of an RTF file from its paragraphs and rows: headings, list items, tables, notes, pictures, pages."""

import re
from dataclasses import dataclass, field
from typing import Final

from models.cdom.errors import ResourceLimit
from models.cdom.flags import HIDDEN_TEXT
from models.cdom.table import Cell, Table
from models.cdom.tree import BlockType
from models.extract.formats.flow.blocks import FlowBlock, FlowPage, StyledRun, flatten_table, join_runs
from models.extract.formats.rtf.state import RtfParagraph, RtfRow
from models.extract.formats.rtf.tables import RtfTables

MAX_ROWS: Final = 100_000
"""Rows of one table; more are refused, for the format has no bound of its own."""
MAX_COLUMNS: Final = 1000
"""Cells of one row; Word allows 63, so only made files have more."""
MAX_LEVEL: Final = 20
"""Tables inside tables; deeper ones are read as this level."""


@dataclass(slots=True)
class _OpenTable:
    """A table being read: its level, its full rows, the open row, the lines of the open cell, tables in its cells."""

    level: int
    rows: list[RtfRow] = field(default_factory=list)
    row: RtfRow = field(default_factory=RtfRow)
    lines: list[str] = field(default_factory=list)
    nested: list[FlowBlock] = field(default_factory=list)


class TableStack:
    """The open tables, the outermost first."""

    def __init__(self) -> None:
        self._open: list[_OpenTable] = []

    def row(self, level: int) -> RtfRow:
        """The row at a level (1 = not nested), of which cells are described."""
        return self._at(level).row

    def say(self, level: int, line: str) -> None:
        """A line of text in the open cell of a level."""
        table = self._at(level)
        if line:
            table.lines.append(line)

    def end_cell(self, level: int) -> None:
        table = self._at(level)
        table.row.cells.append("\n".join(table.lines))
        table.lines = []

    def end_row(self, level: int) -> None:
        """Ends the row. Raises `ResourceLimit` when the table has too many rows or columns."""
        table = self._at(level)
        row = table.row
        if len(table.rows) >= MAX_ROWS or len(row.cells) > MAX_COLUMNS:
            raise ResourceLimit("a table is too large")
        if row.cells:
            table.rows.append(row)
        table.row = RtfRow(merges=row.merges, header=row.header)

    def close(self) -> list[FlowBlock]:
        """The outermost table with those inside it; nothing when none is open or it has no rows."""
        if not self._open:
            return []
        self._fold(1)
        table = self._open.pop()
        if table.lines or table.row.cells:
            table.row.cells += ["\n".join(table.lines)] if table.lines else []
            table.rows.append(table.row)
        return _make_blocks(table)

    def _at(self, level: int) -> _OpenTable:
        """The innermost table of a level, opened where there is none; a level that is skipped is no table."""
        level = max(1, min(level, MAX_LEVEL))
        self._fold(level)
        if not self._open:
            self._open.append(_OpenTable(1))
        if self._open[-1].level < level:
            self._open.append(_OpenTable(level))
        return self._open[-1]

    def _fold(self, level: int) -> None:
        """Tables deeper than `level` become part of the cell around them."""
        while len(self._open) > 1 and self._open[-1].level > level:
            table = self._open.pop()
            if table.lines:
                table.row.cells.append("\n".join(table.lines))
            if table.row.cells:
                table.rows.append(table.row)
            blocks = _make_blocks(table)
            if blocks and blocks[0].table is not None:
                self._open[-1].lines.append(flatten_table(blocks[0].table))
                self._open[-1].nested += blocks


def _make_blocks(table: _OpenTable) -> list[FlowBlock]:
    """The block of a table, then those of the tables in its cells."""
    if not table.rows:
        return []
    block = FlowBlock(BlockType.TABLE, table=_make_table(table.rows))
    for nested in table.nested:
        nested.parent = nested.parent or block
    return [block, *table.nested]


def _make_table(rows: list[RtfRow]) -> Table:
    cells: list[Cell] = []
    for at, row in enumerate(rows):
        for col, text in enumerate(row.cells):
            if row.merges[col : col + 1] in (["h"], ["v"]) and not text:
                continue
            across = 1
            while row.merges[col + across : col + across + 1] == ["h"] and row.cells[
                col + across : col + across + 1
            ] in (
                [],
                [""],
            ):
                across += 1
            down = 1
            while at + down < len(rows) and rows[at + down].merges[col : col + 1] == ["v"]:
                down += 1
            cells.append(Cell(row=at, col=col, row_span=down, col_span=across, header=row.header, text=text))
    return Table(rows=len(rows), cols=max(len(row.cells) for row in rows), cells=tuple(cells))


_BULLETS: Final = "•◦▪·-–*o\uf0b7\uf0a7▸‣●○■□"
_TYPED: Final = re.compile(r"([•◦▪·–]|\(?(?:\d{1,4}|[a-zA-Z]|[ivxIVX]{1,6})[.)])\t")
_NUMBER: Final = re.compile(r"\d{1,6}")
_UNNUMBERED: Final = (23, 255)
"""Number formats of a list level: a bullet, nothing."""
_INDENT: Final = 360
"""Twentieths of a point by which a list level is usually indented."""


class RtfBlocks:
    """Takes paragraphs and rows in order; `pages` holds what became of them."""

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
        """A stated page break."""
        self.end_table()
        if self.pages[-1].blocks:
            self.pages.append(FlowPage())

    def add(self, block: FlowBlock) -> None:
        self._count += 1
        block.path = f"#{self._count}"
        self.pages[-1].blocks.append(block)
        for note in self._called:
            note.parent = block
        self._called = []

    def add_note(self, note: FlowBlock) -> None:
        """A note that the paragraph being read calls: the next block is the one it belongs to."""
        self.pages[-1].notes.append(note)
        self._called.append(note)

    def add_paragraph(self, paragraph: RtfParagraph) -> None:
        """The block of a paragraph; none when it says nothing."""
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
        label = paragraph.label.strip() or self._count_on(paragraph)
        if level is not None:
            self._parents = {}
            self.add(FlowBlock(BlockType.HEADING, text, spans, level))
        elif paragraph.style in self._tables.titles:
            self.add(FlowBlock(BlockType.TITLE, text, spans))
        elif label:
            self._add_item(label, runs, paragraph.level + 1)
        elif (typed := _TYPED.match(text)) is not None and paragraph.first < 0:
            rest = _cut(runs, typed.end())
            self._add_item(typed.group(1), rest, max(1, round(paragraph.left / _INDENT)))
        elif paragraph.list_id and not self._stated:
            self._add_item(self._count_label(paragraph), runs, paragraph.level + 1)
        else:
            parent = self._item_at(paragraph.left)
            self.add(FlowBlock(BlockType.PARAGRAPH, text, spans, parent=parent))
            self._parents = self._parents if parent is not None else {}
        self._stated = self._stated or bool(label)

    def _count_on(self, paragraph: RtfParagraph) -> str:
        """The label of an item of an old list, where only the first one states it; nothing for other paragraphs."""
        if not (paragraph.old_list and paragraph.list_id):
            return ""
        number = _NUMBER.search(self._label)
        if number is None:
            return self._label
        return self._label[: number.start()] + str(int(number.group()) + 1) + self._label[number.end() :]

    def _count_label(self, paragraph: RtfParagraph) -> str:
        """The label of an item of a list in a file that writes none: counted, or a bullet."""
        formats = self._tables.formats(paragraph.list_id)
        if not formats or formats[min(paragraph.level, len(formats) - 1)] in _UNNUMBERED:
            return "•"
        counts = self._counts.setdefault(paragraph.list_id, {})
        counts[paragraph.level] = counts.get(paragraph.level, 0) + 1
        for deeper in [level for level in counts if level > paragraph.level]:
            del counts[deeper]
        return f"{counts[paragraph.level]}."

    def _item_at(self, left: int) -> FlowBlock | None:
        """The list item that an indented paragraph goes on."""
        return self._parents[max(self._parents)] if left > 0 and self._parents else None

    def _add_item(self, label: str, runs: list[StyledRun], level: int) -> None:
        self._label = label
        bullet = is_bullet(label)
        text, spans = join_runs(runs, prefix="" if bullet else label + " ")
        self._parents = {at: block for at, block in self._parents.items() if at < level}
        parent = self._parents[max(self._parents)] if self._parents else None
        depth = (parent.level or 0) + 1 if parent is not None else 1
        block = FlowBlock(BlockType.LIST_ITEM, text, spans, depth, parent=parent, bullet=bullet)
        self._parents[level] = block
        self.add(block)

    def end_table(self) -> None:
        """The rows so far as a table, with those nested in it."""
        blocks = self.tables.close()
        self._parents = {} if blocks else self._parents
        for block in blocks:
            self.add(block)


def is_bullet(label: str) -> bool:
    """True for the label of an unordered item."""
    return len(label) == 1 and not label.isdigit() and (label in _BULLETS or not label.isalnum())


def _cut(runs: list[StyledRun], count: int) -> list[StyledRun]:
    """The runs without the first characters of their text, leading blanks not counted."""
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
