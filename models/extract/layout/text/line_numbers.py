"""Line numbers in the margin of pleadings, transcripts, manuscripts and listings: furniture, not text."""

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from quire.models.cdom.tree import FURNITURE, BlockType
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.text.kinds import PageLook, find_kind


@dataclass(frozen=True, slots=True)
class LineNumberLimits:
    """Thresholds for a column of numbers that counts the lines of a page. Distances in sizes of their type."""

    least: int = 8
    """Minimum numbers when every line is counted."""
    least_by_fives: int = 4
    """Minimum numbers when every fifth line is counted."""
    aligned: float = 0.3
    """Maximum difference between their right or left edges."""
    pitch: float = 0.12
    """Maximum difference between distances, relative to the usual one."""
    same_row: float = 0.45
    """Maximum difference between the baselines of a number and its line."""
    text_width: float = 0.6
    """Minimum width of most numbered lines, relative to the widest line."""
    full_share: float = 0.5
    """Minimum share of numbered lines of that width; code may be narrower."""
    head_reach: float = 3.0
    """Distance by which the head of a column of numbers may extend beyond it."""
    before_share: float = 0.8
    """Minimum share of full lines before numbers at the right."""
    before_width: float = 24.0
    """Minimum width of the widest of them."""
    least_whole: int = 20
    """Minimum numbers of a page that may have text next to the first of them only."""
    most_pieces: float = 1.35
    """Maximum mean pieces of a numbered line; rows of a table have more."""


LIMITS = LineNumberLimits()
_NUMBER = re.compile(r"\d{1,4}(?!\S)")
_LEADERS = ("..", ". .", "…", "__")
"""Ends of entries of contents and forms."""


@dataclass(slots=True)
class _MarginNumber:
    """A number with its own extent; `line` is the line that begins with it, or is it."""

    value: int
    x0: float
    x1: float
    line: Line

    @property
    def is_whole(self) -> bool:
        return len(self.line.text.rstrip()) <= len(str(self.value))


def take_line_numbers(marks: PageMarks) -> tuple[PageMarks, list[Line]]:
    """Return the page without its line numbers, and the numbers as lines from top to bottom."""
    starts = [line for line in marks.lines if line.upright and _NUMBER.match(line.text)]
    if len(starts) < LIMITS.least_by_fives:
        return marks, []
    numbers = [_read_number(line, marks) for line in starts]
    for column in _find_columns(numbers):
        run = _find_run(column)
        if run and _counts_lines(run, marks):
            return _remove(run, marks)
    return marks, []


def keep_numbered(
    kinds: list[BlockType], groups: list[list[Line]], numbers: list[Line], look: PageLook
) -> list[BlockType]:
    """Return the types without running heads and feet next to line numbers, which count lines of the text."""
    if not numbers:
        return kinds
    slack = LIMITS.same_row * numbers[0].size
    top, bottom = numbers[0].base - slack, numbers[-1].base + slack
    return [
        find_kind(group, look) if kind in FURNITURE and top <= group[0].base <= bottom else kind
        for kind, group in zip(kinds, groups, strict=True)
    ]


def _read_number(line: Line, marks: PageMarks) -> _MarginNumber:
    match = _NUMBER.match(line.text)
    assert match is not None
    value = int(match.group())
    if match.end() == len(line.text):
        return _MarginNumber(value, line.x0, line.x1, line)
    piece = marks.words_of(line)[0]
    return _MarginNumber(value, piece.x0, piece.x1, line)


def _find_columns(numbers: list[_MarginNumber]) -> list[list[_MarginNumber]]:
    """Return numbers that share a right or left edge as columns from top to bottom, longest columns first."""
    columns: list[list[_MarginNumber]] = []
    for side in ("x1", "x0"):
        by_place: dict[int, list[_MarginNumber]] = defaultdict(list)
        ordered = sorted(numbers, key=lambda number: float(getattr(number, side)))
        group, last = 0, float("-inf")
        for number in ordered:
            place = float(getattr(number, side))
            group += place - last > LIMITS.aligned * number.line.size
            last = place
            by_place[group].append(number)
        columns += [sorted(column, key=lambda number: number.line.base) for column in by_place.values()]
    return sorted(columns, key=len, reverse=True)


def _find_run(column: list[_MarginNumber]) -> list[_MarginNumber]:
    """Return the column if it counts by ones or fives at equal distances, else nothing."""
    if len(column) < LIMITS.least_by_fives:
        return []
    steps = {below.value - above.value for above, below in pairwise(column)}
    least = {1: LIMITS.least, 5: LIMITS.least_by_fives}.get(min(steps)) if len(steps) == 1 else None
    if least is None or len(column) < least:
        return []
    distances = [below.line.base - above.line.base for above, below in pairwise(column)]
    usual = median(distances)
    if usual <= 0 or any(abs(distance - usual) > LIMITS.pitch * usual for distance in distances):
        return []
    return column


def _counts_lines(run: list[_MarginNumber], marks: PageMarks) -> bool:
    """Return True when the numbers are next to running text or code, outside tables, and have no head."""
    left, right = min(number.x0 for number in run), max(number.x1 for number in run)
    top, bottom = run[0].line.y0, run[-1].line.y1
    numbered = {id(number.line) for number in run}
    alone = {id(number.line) for number in run if number.is_whole}
    texts = [
        line
        for line in marks.lines
        if line.upright and id(line) not in alone and line.y1 > top and line.y0 < bottom and line.text
    ]
    if any(line.x0 < right and line.x1 > left and id(line) not in numbered for line in texts):
        return False
    crossing = [rule for rule in marks.horizontals if rule.x0 < right and rule.x1 > left and top < rule.y0 < bottom]
    if len(crossing) > 1 or any(_is_head(line, left, right, top) for line in marks.lines):
        return False
    on_right = [line for line in texts if line.x1 > right]
    return _is_numbered_text(run, on_right, right) or (
        len(alone) == len(run) and not on_right and _is_text_before(run, texts, left)
    )


def _is_head(line: Line, left: float, right: float, top: float) -> bool:
    """Return True for the head of the column of numbers; a line of text above it reaches beyond the column."""
    reach = LIMITS.head_reach * line.size
    return line.x0 < right and left < line.x1 <= right + reach and 0 < top - line.y1 < 1.5 * line.size


def _is_text_before(run: list[_MarginNumber], texts: list[Line], left: float) -> bool:
    """Return True when the numbers are at the right of full lines of text, which contents and tables are not."""
    rows = [[line for line in texts if abs(line.base - number.line.base) <= _reach(number)] for number in run]
    if len(rows) >= LIMITS.least_whole and 2 * sum(map(bool, rows)) > len(rows):
        rows = [row for row in rows if row]
    if any(len(row) != 1 or row[0].x1 > left or row[0].text.endswith(_LEADERS) for row in rows):
        return False
    widths = [row[0].x1 - row[0].x0 for row in rows]
    full = sum(width >= LIMITS.text_width * max(widths) for width in widths)
    return full >= LIMITS.before_share * len(rows) and max(widths) > LIMITS.before_width * run[0].line.size


def _is_numbered_text(run: list[_MarginNumber], on_right: list[Line], right: float) -> bool:
    """Return True when the numbers are at the left of running text or code."""
    rows = [_find_numbered_pieces(number, on_right) for number in run]
    filled = [row for row in rows if row]
    if 2 * len(filled) < len(run) and len(on_right) < len(run) and not _ends_early(rows):
        return False
    pieces = [line for row in filled for line in row]
    if not pieces or len(pieces) > LIMITS.most_pieces * len(filled):
        return False
    if sum(line.code for line in pieces) > len(pieces) / 2:
        return True
    widths = [max(line.x1 for line in row) - max(right, min(line.x0 for line in row)) for row in filled]
    widest = max(widths)
    return sum(width >= LIMITS.text_width * widest for width in widths) >= LIMITS.full_share * len(widths) and (
        widest > 12 * run[0].line.size
    )


def _ends_early(rows: list[list[Line]]) -> bool:
    """Return True for a whole page of numbers whose text ends before they do, as the last page of a paper has."""
    last = max((index for index, row in enumerate(rows) if row), default=-1)
    return len(rows) >= LIMITS.least_whole and 2 * sum(map(bool, rows)) > last + 1 > 1


def _find_numbered_pieces(number: _MarginNumber, lines: list[Line]) -> list[Line]:
    return [line for line in lines if abs(line.base - number.line.base) <= _reach(number) and line.x1 > number.x1]


def _reach(number: _MarginNumber) -> float:
    """Return the distance of baselines within which a line is the number's."""
    return LIMITS.same_row * number.line.size


def _remove(run: list[_MarginNumber], marks: PageMarks) -> tuple[PageMarks, list[Line]]:
    by_line = {id(number.line): number for number in run}
    lines: list[Line] = []
    taken: list[Line] = []
    cut: set[tuple[int, int]] = set()
    for line in marks.lines:
        number = by_line.get(id(line))
        if number is None:
            lines.append(line)
            continue
        if number.is_whole:
            taken.append(line)
            continue
        digits = len(line.text.split()[0])
        remaining = line.text[digits:].lstrip()
        by = len(line.text) - len(remaining)
        taken.append(replace(line, text=line.text[:digits], x1=number.x1, runs=[], parts=()))
        runs = [replace(run, start=max(0, run.start - by), end=run.end - by) for run in line.runs if run.end > by]
        start = marks.words_of(line)[1].x0
        if line.key != (-1, -1):
            cut.add(line.key)
        lines.append(replace(line, text=remaining, x0=start, runs=runs, parts=()))
    split = marks.split
    kept = replace(marks, lines=lines, split=lambda line: split(line)[line.key in cut :])
    return kept, sorted(taken, key=lambda line: line.base)
