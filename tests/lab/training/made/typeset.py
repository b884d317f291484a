"""Sets made tables and paragraphs: lines broken, columns and rows measured, drawn on a page."""

from dataclasses import dataclass
from typing import Any

from tests.lab.training.made.contents import MadeCell, MadeTable
from tests.lab.training.made.styles import FAMILIES, TableStyle, measure

_BASE = 0.78
"""Baseline of a line below its top, in ems."""


def break_text(text: str, font: str, size: float, width: float) -> list[str]:
    """Lines of a text no wider than `width`, as many words in each as fit; a line feed ends a line."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}" if line else word
            if line and measure(longer, font, size) > width:
                lines.append(line)
                line = word
            else:
                line = longer
        lines.append(line)
    return lines if text else []


class Pen:
    """Draws on one page; all lengths are points, y runs down. Nothing shows before `finish`."""

    def __init__(self, page: Any) -> None:
        self._shape = page.new_shape()

    def write(self, x: float, top: float, text: str, font: str, size: float) -> None:
        self._shape.insert_text((x, top + _BASE * size), text, fontsize=size, fontname=font)

    def rule(self, x0: float, y0: float, x1: float, y1: float, width: float, ink: float) -> None:
        self._shape.draw_line((x0, y0), (x1, y1))
        self._shape.finish(color=(ink, ink, ink), width=width)

    def shade(self, x0: float, y0: float, x1: float, y1: float, level: float) -> None:
        self._shape.draw_rect((x0, y0, x1, y1))
        self._shape.finish(color=None, fill=(level, level, level), width=0)

    def finish(self) -> None:
        self._shape.commit()

    def paragraph(
        self, x0: float, top: float, width: float, text: str, font: str, size: float, leading: float, hang: float = 0.0
    ) -> float:
        """Write a text; the lines after the first start `hang` further right. Returns where it ends."""
        lines = break_text(text, font, size, width - hang)
        for number, line in enumerate(lines):
            self.write(x0 + (hang if number else 0.0), top, line, font, size)
            top += leading * size
        return top


@dataclass(slots=True)
class SetTable:
    """A table with its lines broken: edges of its columns, heights of its rows."""

    table: MadeTable
    style: TableStyle
    edges: list[float]
    heights: list[float]
    lines: dict[tuple[int, int], list[str]]

    @property
    def height(self) -> float:
        return sum(self.heights)


def font_of(cell: MadeCell, table: MadeTable, style: TableStyle) -> str:
    is_bold = (cell.row < table.head and style.bold_head) or (cell.col == 0 and style.bold_key)
    is_bold = is_bold or (cell.bold and cell.row >= table.head)
    return FAMILIES[style.family][int(is_bold)]


def set_table(table: MadeTable, style: TableStyle, width: float) -> SetTable | None:
    """The table within a width, null where its longest words do not fit."""
    widths = _find_widths(table, style, width)
    if widths is None:
        return None
    edges = [0.0]
    for one in widths:
        edges.append(edges[-1] + one)
    lines: dict[tuple[int, int], list[str]] = {}
    heights = [style.size * style.leading + 2 * style.pad_y] * table.rows
    for cell in sorted(table.cells, key=lambda one: one.rows):
        room = edges[cell.col + cell.cols] - edges[cell.col] - 2 * style.pad_x
        own = break_text(cell.text, font_of(cell, table, style), style.size, room + 0.01)
        lines[cell.row, cell.col] = own
        needed = len(own) * style.size * style.leading + 2 * style.pad_y
        missing = needed - sum(heights[cell.row : cell.row + cell.rows])
        if missing > 0:
            heights[cell.row + cell.rows - 1] += missing
    return SetTable(table, style, edges, heights, lines)


def _find_widths(table: MadeTable, style: TableStyle, width: float) -> list[float] | None:
    """Widths as a browser finds them: no narrower than the longest word, else as asked or as the texts ask."""
    least, most = [2 * style.pad_x] * table.cols, [2 * style.pad_x] * table.cols
    for cell in table.cells:
        if cell.cols > 1 or not cell.text:
            continue
        font = font_of(cell, table, style)
        words = max(measure(word, font, style.size) for word in cell.text.split())
        whole = max(measure(part, font, style.size) for part in cell.text.split("\n"))
        least[cell.col] = max(least[cell.col], words + 2 * style.pad_x + 0.5)
        most[cell.col] = max(most[cell.col], whole + 2 * style.pad_x + 0.5)
    if sum(least) > width:
        return None
    if table.widths:
        widths = [max(low, width * share / sum(table.widths)) for low, share in zip(least, table.widths, strict=True)]
        over = sum(widths) - width
        slack = sum(widths) - sum(least)
        return [one - over * (one - low) / slack if over > 0 else one for one, low in zip(widths, least, strict=True)]
    if sum(most) <= width:
        extra = (width - sum(most)) / sum(most) if style.stretch else 0.0
        return [one * (1 + extra) for one in most]
    share = (width - sum(least)) / (sum(most) - sum(least))
    return [low + share * (high - low) for low, high in zip(least, most, strict=True)]


def draw_table(pen: Pen, done: SetTable, x0: float, top: float) -> float:
    """Draw the table; returns where it ends."""
    table, style = done.table, done.style
    tops = [top]
    for height in done.heights:
        tops.append(tops[-1] + height)
    right = x0 + done.edges[-1]
    for row in range(table.rows):
        is_head = row < table.head
        if (style.band and is_head) or (style.zebra and not is_head and (row - table.head) % 2):
            pen.shade(x0, tops[row], right, tops[row + 1], style.shade)
    _draw_across(pen, done, x0, tops)
    _draw_down(pen, done, x0, tops)
    for cell in table.cells:
        _draw_cell(pen, done, cell, x0, tops)
    return tops[-1]


def _draw_cell(pen: Pen, done: SetTable, cell: MadeCell, x0: float, tops: list[float]) -> None:
    style, font = done.style, font_of(cell, done.table, done.style)
    lines = done.lines[cell.row, cell.col]
    left, right = x0 + done.edges[cell.col] + style.pad_x, x0 + done.edges[cell.col + cell.cols] - style.pad_x
    top, bottom = tops[cell.row] + style.pad_y, tops[cell.row + cell.rows] - style.pad_y
    step = style.size * style.leading
    free = bottom - top - step * len(lines)
    if style.is_middle and cell.row >= done.table.head:
        top += free / 2
    elif cell.row < done.table.head and free > 0:
        top += free
    for line in lines:
        spare = right - left - measure(line, font, style.size)
        shift = {"l": 0.0, "c": spare / 2, "r": spare}[cell.align]
        pen.write(left + shift, top + (style.leading - 1) / 2 * style.size, line, font, style.size)
        top += step


def _draw_across(pen: Pen, done: SetTable, x0: float, tops: list[float]) -> None:
    table, style = done.table, done.style
    widths = [style.above, *[style.rows] * (table.rows - 1), style.below]
    if 0 < table.head < table.rows:
        widths[table.head] = style.head
    for level, width in enumerate(widths):
        if width and (level >= table.head or not level or style.rows):
            for left, right in _free_spans(table, level):
                pen.rule(x0 + done.edges[left], tops[level], x0 + done.edges[right], tops[level], width, style.ink)
    if table.group_rules and style.head and not style.rows:
        for cell in table.cells:
            if cell.row + cell.rows < table.head and cell.cols > 1:
                y = tops[cell.row + cell.rows]
                start, end = x0 + done.edges[cell.col] + 2, x0 + done.edges[cell.col + cell.cols] - 2
                pen.rule(start, y, end, y, style.head, style.ink)


def _free_spans(table: MadeTable, level: int) -> list[tuple[int, int]]:
    """Stretches of columns, as edges, where no cell reaches over the level."""
    held = {
        col
        for cell in table.cells
        if cell.row < level < cell.row + cell.rows
        for col in range(cell.col, cell.col + cell.cols)
    }
    spans: list[tuple[int, int]] = []
    for col in range(table.cols):
        if col in held:
            continue
        if spans and spans[-1][1] == col:
            spans[-1] = (spans[-1][0], col + 1)
        else:
            spans.append((col, col + 1))
    return spans


def _draw_down(pen: Pen, done: SetTable, x0: float, tops: list[float]) -> None:
    table, style = done.table, done.style
    for edge in range(table.cols + 1):
        width = style.inner if 0 < edge < table.cols else style.sides
        if not width:
            continue
        crossed = {
            row
            for cell in table.cells
            if cell.col < edge < cell.col + cell.cols
            for row in range(cell.row, cell.row + cell.rows)
        }
        for row in range(table.rows):
            if row not in crossed:
                x = x0 + done.edges[edge]
                pen.rule(x, tops[row], x, tops[row + 1], width, style.ink)
