"""Blocks of an RTF file from its paragraphs and rows: headings, list items, tables, notes, pictures, pages."""

import re
from typing import Final

from models.cdom.errors import ResourceLimit
from models.cdom.flags import HIDDEN_TEXT
from models.cdom.table import Cell, Table
from models.cdom.tree import BlockType
from models.extract.readers.flow.blocks import FlowBlock, FlowPage, StyledRun, join_runs
from models.extract.readers.rtf.state import RtfParagraph, RtfRow
from models.extract.readers.rtf.tables import RtfTables

MAX_ROWS: Final = 100_000
"""Rows of one table; more are refused, for the format has no bound of its own."""
MAX_COLUMNS: Final = 1000
"""Cells of one row; Word allows 63, so only made files have more."""
_BULLETS: Final = "•◦▪·-–*o\uf0b7\uf0a7▸‣●○■□"
_TYPED: Final = re.compile(r"([•◦▪·–]|\(?(?:\d{1,4}|[a-zA-Z]|[ivxIVX]{1,6})[.)])\t")
_NUMBER: Final = re.compile(r"\d{1,6}")
_INDENT: Final = 360
"""Twentieths of a point by which a list level is usually indented."""


class RtfBlocks:
    """Takes paragraphs and rows in order; `pages` holds what became of them."""

    def __init__(self, tables: RtfTables) -> None:
        self.pages = [FlowPage()]
        self._tables = tables
        self._rows: list[RtfRow] = []
        self._parents: dict[int, FlowBlock] = {}
        self._count = 0
        self._label = ""
        self.last: FlowBlock | None = None

    def turn(self) -> None:
        """A stated page break."""
        self.end_table()
        if self.pages[-1].blocks:
            self.pages.append(FlowPage())

    def add(self, block: FlowBlock) -> None:
        self._count += 1
        block.path = f"#{self._count}"
        self.pages[-1].blocks.append(block)
        self.last = block

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
        label = self._label_of(paragraph)
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
        else:
            parent = self._item_at(paragraph.left)
            self.add(FlowBlock(BlockType.PARAGRAPH, text, spans, parent=parent))
            self._parents = self._parents if parent is not None else {}

    def _label_of(self, paragraph: RtfParagraph) -> str:
        """The label before a paragraph; one counted on where the list goes on without stating it."""
        label = paragraph.label.strip()
        if not label and paragraph.list_id and self._label:
            number = _NUMBER.search(self._label)
            label = self._label
            if number is not None:
                label = label[: number.start()] + str(int(number.group()) + 1) + label[number.end() :]
        self._label = label
        return label

    def _item_at(self, left: int) -> FlowBlock | None:
        """The list item that an indented paragraph goes on."""
        return self._parents[max(self._parents)] if left > 0 and self._parents else None

    def _add_item(self, label: str, runs: list[StyledRun], level: int) -> None:
        bullet = len(label) == 1 and not label.isdigit() and (label in _BULLETS or not label.isalnum())
        text, spans = join_runs(runs, prefix="" if bullet else label + " ")
        self._parents = {at: block for at, block in self._parents.items() if at < level}
        parent = self._parents[max(self._parents)] if self._parents else None
        depth = (parent.level or 0) + 1 if parent is not None else 1
        block = FlowBlock(BlockType.LIST_ITEM, text, spans, depth, parent=parent, bullet=bullet)
        self._parents[level] = block
        self.add(block)

    def add_row(self, row: RtfRow) -> None:
        if len(self._rows) >= MAX_ROWS or len(row.cells) > MAX_COLUMNS:
            raise ResourceLimit("a table is too large")
        if row.cells:
            self._rows.append(row)

    def end_table(self) -> None:
        """The rows so far as a table."""
        rows, self._rows = self._rows, []
        if not rows:
            return
        self._parents = {}
        cols = max(len(row.cells) for row in rows)
        cells: list[Cell] = []
        for at, row in enumerate(rows):
            for col, text in enumerate(row.cells):
                if row.merges[col : col + 1] in (["h"], ["v"]) and not text:
                    continue
                across = 1
                while row.merges[col + across : col + across + 1] == ["h"] and not "".join(
                    row.cells[col + across : col + across + 1]
                ):
                    across += 1
                down = 1
                while at + down < len(rows) and rows[at + down].merges[col : col + 1] == ["v"]:
                    down += 1
                cells.append(Cell(row=at, col=col, row_span=down, col_span=across, header=row.header, text=text))
        self.add(FlowBlock(BlockType.TABLE, table=Table(rows=len(rows), cols=cols, cells=tuple(cells))))


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
