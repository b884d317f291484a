"""Blocks of an RTF file from its paragraphs and rows: headings, list items, tables, notes, pictures, pages."""

import re
from typing import Final

from models.cdom.flags import HIDDEN_TEXT
from models.cdom.tree import BlockType
from models.extract.formats.flow.blocks import FlowBlock, FlowPage, StyledRun, join_runs
from models.extract.formats.rtf.nesting import TableStack
from models.extract.formats.rtf.state import RtfParagraph
from models.extract.formats.rtf.tables import RtfTables

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
