"""Styles of printed words as spans of the table cells that hold them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import Span
from quire.models.extract.layout.lines.marks import Line, PageMarks, Run


@dataclass(frozen=True, slots=True)
class CellStyleLimits:
    """Distances in points by which words are put into cells."""

    stripe: float = 8.0
    """Height of the stripes by which cells are found."""
    slack: float = 0.5
    """Distance by which a word may begin outside its cell's box."""


LIMITS: Final = CellStyleLimits()

CellWord = tuple[float, float, str, list[Run]]
"""Baseline and left edge of a word, its text, and its runs, counted from its start."""


def style_cells(table: Table, lines: Sequence[Line], marks: PageMarks) -> Table:
    """Return the table with styles and links of its lines as spans of its cells.

    Header cells, which are bold by themselves, get no bold spans.
    """
    upright = [line for line in lines if line.upright]
    styled = [line for line in upright if any(map(_is_wanted, line.runs))]
    if not styled:
        return table
    stripes = _index_cells(table.cells)
    found = {index for index, word in _put_words(styled, marks, table.cells, stripes) if word[3]}
    touched = {stripe for stripe, indexes in stripes.items() if not found.isdisjoint(indexes)}
    near = [line for line in upright if int((line.y0 + line.y1) / 2 // LIMITS.stripe) in touched]
    words: dict[int, list[CellWord]] = defaultdict(list)
    for index, word in _put_words(near, marks, table.cells, stripes):
        words[index].append(word)
    cells = list(table.cells)
    for index in sorted(found):
        spans = _place_spans(cells[index], words[index])
        cells[index] = replace(cells[index], spans=spans) if spans else cells[index]
    return replace(table, cells=tuple(cells))


def _put_words(
    lines: Sequence[Line], marks: PageMarks, cells: Sequence[Cell], stripes: dict[int, list[int]]
) -> Iterator[tuple[int, CellWord]]:
    """Yield the words of the lines that stand in a cell, with the index of it."""
    for line in lines:
        for word in _read_words(line, marks):
            index = _find_cell(word[1], (line.y0 + line.y1) / 2, cells, stripes)
            if index is not None:
                yield index, word


def _is_wanted(run: Run) -> bool:
    """Return whether a run has a style that cells keep; rules and shades belong to the table."""
    return bool(run.bold or run.italic or run.strike or run.superscript or run.subscript or run.href)


def _index_cells(cells: Sequence[Cell]) -> dict[int, list[int]]:
    """Return the indexes of the cells with a box by the stripes of the page that they touch."""
    stripes: dict[int, list[int]] = defaultdict(list)
    for index, cell in enumerate(cells):
        if cell.bbox is not None:
            for stripe in range(int(cell.bbox[1] // LIMITS.stripe), int(cell.bbox[3] // LIMITS.stripe) + 1):
                stripes[stripe].append(index)
    return stripes


def _find_cell(x: float, y: float, cells: Sequence[Cell], stripes: dict[int, list[int]]) -> int | None:
    """Return the index of the cell whose box holds the point."""
    for index in stripes.get(int(y // LIMITS.stripe), ()):
        box = cells[index].bbox
        if (
            box is not None
            and box[0] - LIMITS.slack <= x <= box[2] + LIMITS.slack
            and box[1] - LIMITS.slack <= y <= box[3] + LIMITS.slack
        ):
            return index
    return None


def _read_words(line: Line, marks: PageMarks) -> Iterator[CellWord]:
    offset = 0
    for piece in marks.words_of(line):
        start = line.text.find(piece.text, offset)
        if start < 0:
            continue
        offset = start + len(piece.text)
        runs = [
            replace(run, start=max(run.start, start) - start, end=min(run.end, offset) - start)
            for run in line.runs
            if run.start < offset and run.end > start and _is_wanted(run)
        ]
        yield line.base, piece.x0, piece.text, runs


def _place_spans(cell: Cell, words: list[CellWord]) -> tuple[Span, ...]:
    """Return the spans of a cell; words that its text has in another form (divided ones) have none."""
    spans: list[Span] = []
    offset = 0
    for _, _, text, runs in sorted(words, key=lambda word: (round(word[0]), word[1])):
        start = cell.text.find(text, offset)
        if start < 0:
            continue
        offset = start + len(text)
        for run in runs:
            span = Span(
                start=start + run.start, end=start + run.end, bold=run.bold and not cell.header, italic=run.italic,
                href=run.href, strike=run.strike, superscript=run.superscript, subscript=run.subscript,
            )  # fmt: skip
            _add_span(spans, span, cell.text)
    return tuple(spans)


def _add_span(spans: list[Span], span: Span, text: str) -> None:
    """Append a span that has a style, joined with one of the same style before it."""
    if replace(span, start=0, end=0) == Span(start=0, end=0):
        return
    last = spans[-1] if spans else None
    if last is not None and span.start < last.end:
        return
    is_next = (
        last is not None
        and not text[last.end : span.start].strip()
        and replace(last, start=0, end=0) == replace(span, start=0, end=0)
    )
    if last is not None and is_next:
        spans[-1] = replace(last, end=span.end)
    else:
        spans.append(span)
