"""Assigns the rows of a multi-page table to pages, by their words."""

from collections import Counter
from dataclasses import replace

from quire.models.cdom.geometry import Bbox
from quire.models.extract.layout.lines.marks import PageMarks
from quire.models.extract.layout.tables.regions.view import lines_within
from tests.lab.training.tables.quality import likeness
from tests.lab.training.tables.truth import TruthCell, TruthTable, clean_text, count_words

_LEAST_ALIKE = 0.9
"""A part whose words are less like the page's is not known well enough: its page is left out."""


def cut_parts(truth: list[TruthTable], pages: dict[int, PageMarks]) -> tuple[list[TruthTable], set[int]]:
    """Tables page by page, and the numbers of the pages on which some part is not known."""
    found: list[TruthTable] = []
    unknown: set[int] = set()
    for table in truth:
        if len(table.boxes) < 2:
            found.append(table)
            continue
        for number, cells in _cut_table(table, pages).items():
            if cells:
                found.append(TruthTable(cells, number))
            else:
                unknown.add(number)
    return found, unknown


def _cut_table(table: TruthTable, pages: dict[int, PageMarks]) -> dict[int, tuple[TruthCell, ...]]:
    """The cells on each page, none where the words of the page are not those of a run of rows."""
    rows = sorted({cell.row for cell in table.cells})
    words = [count_words(tuple(cell for cell in table.cells if cell.row == row)) for row in rows]
    parts: dict[int, tuple[TruthCell, ...]] = {}
    start = 0
    for number, box in sorted(table.boxes.items()):
        if number not in pages:
            parts[number] = ()
            continue
        printed = _words_in(pages[number], box)
        plain = _best_end(words[start:], printed, Counter())
        headed = _best_end(words[start:], printed, words[0]) if start else (0.0, 0)
        (alike, count), heads = (headed, 1) if headed[0] > plain[0] else (plain, 0)
        end = start + count
        parts[number] = _take_rows(table, [*rows[:heads], *rows[start:end]]) if alike >= _LEAST_ALIKE else ()
        start = end
    return parts


def _best_end(words: list[Counter[str]], printed: Counter[str], head: Counter[str]) -> tuple[float, int]:
    """(likeness, number of rows) of the first rows that, with the head, say most nearly what is printed."""
    best, said = (0.0, 0), Counter(head)
    for count, own in enumerate(words, start=1):
        said.update(own)
        best = max(best, (likeness(said, printed), count), key=lambda one: one[0])
    return best


def _words_in(marks: PageMarks, box: Bbox) -> Counter[str]:
    text = clean_text(" ".join(line.text for line in lines_within(marks.lines, box)))
    return count_words((TruthCell(0, 0, 1, 1, text),))


def _take_rows(table: TruthTable, rows: list[int]) -> tuple[TruthCell, ...]:
    place = {row: at for at, row in enumerate(rows)}
    return tuple(
        replace(cell, row=place[cell.row], row_span=_span_within(cell, place))
        for cell in table.cells
        if cell.row in place
    )


def _span_within(cell: TruthCell, place: dict[int, int]) -> int:
    """Over how many of the part's rows the cell reaches."""
    span = 1
    while span < cell.row_span and place.get(cell.row + span) == place[cell.row] + span:
        span += 1
    return span
