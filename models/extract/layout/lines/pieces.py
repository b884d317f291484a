"""Pieces of one printed line, which the engine parts at every wide gap, joined again."""

import re
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from statistics import median

from quire.models.extract.layout.lines.marks import Line


@dataclass(frozen=True, slots=True)
class LinePieceLimits:
    """Maximum distances of pieces of one line."""

    piece_gap: float = 1.7
    """Pieces on one baseline that are closer than this (in ems) form one line."""
    stretched_gap: float = 6.0
    """Maximum gap (in ems) in a justified line of a narrow column."""
    number_gap: float = 4.0
    """Maximum gap (in ems) after the number of a bold heading and after the marker of a list item."""
    stretched_pieces: int = 3
    """Minimum pieces of a line that is identified by its gaps alone, so that two gaps can be compared."""
    equal_gaps: float = 0.05
    """Maximum difference (in ems) between the gaps of such a line."""
    least_letters: int = 4
    """Minimum notes that begin with letters in turn."""
    same_edge: float = 1.0
    """Maximum difference (in points) between its left edge and that of the line below it."""


LIMITS = LinePieceLimits()


_SECTION_NUMBER = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,4}|[A-Z]|[IVX]{1,5})\.?")
_LETTERED = re.compile(r"[a-z]\s+\S")
_MARKER = re.compile(
    r"[•●○◦▪■□▫‣⁃∙◆◇►▶➤➢⮚✓✔❖❑❏\uf06c\uf06e\uf071\uf076\uf09f\uf0a7\uf0a8\uf0b7\uf0d8\uf0fc]|"
    r"(?:\d{1,2}|[a-z]|[ivx]{2,4})[.)]|\([a-z\d]{1,2}\)|\d{1,2}(?:\.\d{1,2}){1,4}\.?"
)
"""The marker of a list item: a bullet, also of a symbol font, or a number with its stop; also a section's number."""


def merge_pieces(lines: list[Line]) -> list[Line]:
    """Neighbours in reading order on one baseline, close to each other, joined to one line."""
    lines = _join_stretched(lines)
    out: list[Line] = []
    for index, line in enumerate(lines):
        last = out[-1] if out else None
        if last is not None and is_same_line(last, line, [*out[-2:-1], *lines[index + 1 : index + 3]]):
            out[-1] = join_pieces(last, line)
        else:
            out.append(line)
    return out


def mark_lettered(lines: list[Line]) -> None:
    """Note the lines that begin with the letters of the alphabet in turn, each at one edge and without a stop."""
    last: dict[int, list[Line]] = {}
    for line in lines:
        if not _LETTERED.match(line.text):
            continue
        edge, letter = round(line.x0), ord(line.text[0])
        notes = last.setdefault(edge, [])
        if notes and ord(notes[-1].text[0]) + 1 != letter:
            notes.clear()
        notes.append(line)
        if len(notes) >= LIMITS.least_letters:
            for note in notes:
                note.bulleted = True


def _join_stretched(lines: list[Line]) -> list[Line]:
    """With each line that is stretched over its column as one: words with equal gaps, the next line below the first."""
    out: list[Line] = []
    start = 0
    while start < len(lines):
        end = start + 1
        while end < len(lines) and _may_be_stretched(lines[end - 1], lines[end]):
            end += 1
        row = lines[start:end]
        if end < len(lines) and _is_stretched(row, lines[end]):
            out.append(reduce(join_pieces, row))
        else:
            out += row
        start = end
    return out


def _may_be_stretched(a: Line, b: Line) -> bool:
    """Return True for neighbours of one type on one baseline with a wide gap between them."""
    return (
        LIMITS.piece_gap * a.size <= b.x0 - a.x1 < LIMITS.stretched_gap * a.size
        and abs(a.base - b.base) <= LIMITS.equal_gaps * a.size
        and (a.font, a.size, a.color, a.upright) == (b.font, b.size, b.color, True)
    )


def _is_stretched(row: list[Line], below: Line) -> bool:
    first = row[0]
    gaps = [b.x0 - a.x1 for a, b in pairwise(row)]
    return (
        len(row) >= LIMITS.stretched_pieces
        and max(gaps) - min(gaps) <= LIMITS.equal_gaps * first.size
        and (below.font, below.size) == (first.font, first.size)
        and abs(below.x0 - first.x0) <= LIMITS.same_edge
        and 0.3 < (below.base - first.base) / max(1.0, first.size) < 2.0
    )


def is_same_line(a: Line, b: Line, near: list[Line]) -> bool:
    """Return True for pieces of one line: a small gap, or a wide one that a line above or below runs across."""
    size = max(a.size, b.size)
    if abs(a.base - b.base) > 0.5 * size or not (a.upright and b.upright) or not a.text or not b.text:
        return False
    gap = b.x0 - a.x1
    if -0.6 * size < gap < LIMITS.piece_gap * size:
        return True
    if not 0 < gap < LIMITS.stretched_gap * size:
        return False
    if a.bold and b.bold and gap < LIMITS.number_gap * size and _SECTION_NUMBER.fullmatch(a.text):
        return True
    if gap < LIMITS.number_gap * size and _MARKER.fullmatch(a.text) and b.text[:1].isalpha():
        return True
    return any(
        other.x0 < a.x1 - 0.3 * size and other.x1 > b.x0 + 0.3 * size and 0.3 < abs(other.base - a.base) / size < 2.0
        for other in near
        if other.text
    )


def join_pieces(a: Line, b: Line) -> Line:
    """One line of two pieces, `b` to the right of `a`; the longer piece sets the look."""
    apart = a.blank_after or b.blank_before or b.x0 - a.x1 >= 0.12 * min(a.size, b.size)
    gap = " " if apart else ""
    shift = len(a.text) + len(gap)
    main = a if len(a.text) >= len(b.text) else b
    text = a.text + gap + b.text
    bold = len(a.text) * a.bold + len(b.text) * b.bold
    runs = [*a.runs, *(replace(r, start=r.start + shift, end=r.end + shift) for r in b.runs)]
    return Line(
        min(a.x0, b.x0), min(a.y0, b.y0), max(a.x1, b.x1), max(a.y1, b.y1), main.base, main.size, text, main.font,
        bold=bold > 0.8 * len(text), italic=a.italic and b.italic, code=a.code and b.code,
        hidden=a.hidden and b.hidden, runs=runs, confidence=min(a.confidence, b.confidence), key=main.key,
        blank_before=a.blank_before, blank_after=b.blank_after,
        recognised=a.recognised, math=a.math or b.math, has_math=a.has_math or b.has_math,
        reach=(min(a.reach[0], b.reach[0]), max(a.reach[1], b.reach[1])),
        color=main.color, tall=max(a.tall, b.tall),
        parts=(*(a.parts or (a,)), *(b.parts or (b,))),
    )  # fmt: skip


_LEADERS = re.compile(r"(?:[.·…_]\s?){5,}")
_PAGE_REFERENCE = re.compile(r"(?:\d{1,4}|[ivxlc]{1,6})")


def merge_entries(lines: list[Line], width: float) -> tuple[list[Line], bool]:
    """Titles and the page numbers at the right edge joined to entries; true when that makes most of the page."""
    edges = [line.x1 for line in lines if len(line.text) < 7 and _PAGE_REFERENCE.fullmatch(line.text)]
    if len(edges) < 3 and not any("..." in line.text or ". ." in line.text for line in lines):
        return lines, False
    edge = median(edges) if edges else width
    out: list[Line] = []
    entries = 0
    for line in lines:
        last = out[-1] if out else None
        ends = len(line.text) < 7 and bool(_PAGE_REFERENCE.fullmatch(line.text)) and abs(line.x1 - edge) < line.size
        if (
            ends
            and last is not None
            and last.text
            and abs(last.base - line.base) < 0.35 * line.size
            and last.x1 < line.x0
        ):
            out[-1] = join_pieces(last, line)
            entries += 1
            continue
        entries += (".." in line.text or ". ." in line.text) and bool(_LEADERS.search(line.text))
        out.append(line)
    if entries > 3 and entries > 0.4 * len(out):
        return out, True
    return (out, False) if entries > 3 else (lines, False)


def close_leaders(text: str) -> str:
    """Return the text without the blanks between leader dots."""
    return _LEADERS.sub(lambda match: re.sub(r"\s", "", match.group()) + " ", text).rstrip()
