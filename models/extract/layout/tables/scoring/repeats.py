"""Tables of one form on a page: each repetition of the header row begins a table, also where the score was low.

So does a header row of other names below a heading or below a wider gap.
"""

from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.layout.tables.regions.view import LineRow, PageView
from quire.models.extract.layout.tables.scoring.candidates import Candidate
from quire.models.extract.layout.tables.scoring.first_row import rebuild


@dataclass(frozen=True, slots=True)
class RepeatLimits:
    """Limits for a repeated header row."""

    least_chars: int = 4
    """Characters of a header row; rows of marks repeat by nature."""
    least_pieces: int = 3
    """Pieces of a header row."""
    same: float = 3.0
    """Points: maximum distance between a piece and that of the other header."""
    larger: float = 1.1
    """Minimum size of a heading between two tables, relative to the header row."""
    gap: float = 1.4
    """Minimum step to a bold header row of other names, relative to the usual step between two rows."""
    usual: float = 0.8
    """Quantile of the steps that is the usual one."""
    least_score: float = 0.2
    """Minimum score of a table with the header of another one."""


LIMITS = RepeatLimits()
Chosen = tuple[Candidate, float]


def part_repeats(view: PageView, chosen: list[Chosen]) -> list[Chosen]:
    """Return the chosen tables, cut where they repeat their header row; headings above it are in none of the parts."""
    out: list[Chosen] = []
    for candidate, score in chosen:
        own = set(candidate.indices)
        rows = [row for row in view.rows if not own.isdisjoint(row.indices)]
        parts = _cut(view, candidate, rows, own)
        built = [rebuild(view, candidate, part) for part in parts]
        kept = [part for part in built if part is not None]
        out += [(part, score) for part in kept] if len(kept) == len(built) > 1 else [(candidate, score)]
    return out


def _cut(view: PageView, candidate: Candidate, rows: list[LineRow], own: set[int]) -> list[tuple[int, ...]]:
    head = next((row for row in rows if len(row.indices) >= LIMITS.least_pieces), None)
    named = head if head is not None and _is_head(view, head) else None
    left = min((row.x0 for row in rows), default=0.0) + LIMITS.same
    steps = sorted([below.base - above.base for above, below in pairwise(rows)])
    wide = LIMITS.gap * steps[int(LIMITS.usual * (len(steps) - 1))] if steps else 0.0
    cuts = [
        index
        for index, row in enumerate(rows)
        if row is not head
        and ((named is not None and _is_same(view, named, row)) or _begins(view, rows, index, left, wide))
    ]
    if not cuts:
        return []
    head = head or rows[0]
    parts: list[tuple[int, ...]] = []
    for start, end in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        is_last = end == len(rows)
        while end > start + 1 and not is_last and _is_between(view, candidate, rows[end - 1], head, left):
            end -= 1
        held = {index for row in rows[start:end] for index in row.indices}
        parts.append(tuple(sorted(held & own)))
    return parts


def _begins(view: PageView, rows: list[LineRow], index: int, left: float, wide: float) -> bool:
    """Return True for a header row inside a table: right below a heading, or bold and below a gap, as the first row."""
    row = rows[index]
    if not 1 < index < len(rows) - 1 or row.segments < 2 or not _is_head(view, row):
        return False
    above = rows[index - 1]
    is_bold = _is_bold(view, row) and not _is_bold(view, rows[index + 1])
    if len(above.indices) == 1 and above.x0 <= left and rows[index - 2].segments > 1:
        if above.size >= LIMITS.larger * max(row.size, rows[index - 2].size):
            return True
        if is_bold and _is_bold(view, above) and above.base - rows[index - 2].base > wide:
            return True
    return is_bold and _is_bold(view, rows[0]) and row.base - above.base > wide and not _is_bold(view, above)


def _is_bold(view: PageView, row: LineRow) -> bool:
    return all(view.lines[index].all_bold for index in row.indices)


def _is_head(view: PageView, row: LineRow) -> bool:
    text = "".join(view.lines[index].text for index in row.indices)
    return len(text) >= LIMITS.least_chars and not any(character.isdigit() for character in text)


def _is_same(view: PageView, row: LineRow, other: LineRow) -> bool:
    if len(row.indices) != len(other.indices):
        return False
    pairs = [(view.lines[a], view.lines[b]) for a, b in zip(row.indices, other.indices, strict=True)]
    return all(left.text == right.text and abs(left.x0 - right.x0) <= LIMITS.same for left, right in pairs)


def _is_between(view: PageView, candidate: Candidate, row: LineRow, head: LineRow, left: float) -> bool:
    """Return True for a single line that is a heading or a sentence between two tables."""
    if len(row.indices) > 1:
        return False
    line, columns = view.lines[row.indices[0]], candidate.grid.columns
    is_across = line.all_bold or any(line.x0 + 2 < edge < line.x1 - 2 for edge in columns)
    return line.size >= LIMITS.larger * head.size or (is_across and line.x0 <= left)


def add_alike(view: PageView, chosen: list[Chosen], candidates: list[Candidate], scores: list[float]) -> list[Chosen]:
    """Return the chosen tables and the best of the others that begin with the header row of one of them."""
    taken = {index for candidate, _ in chosen for index in candidate.indices}
    heads = [row for candidate, _ in chosen if (row := _find_head(view, candidate)) is not None]
    out = list(chosen)
    for row in view.rows:
        if len(row.indices) < LIMITS.least_pieces or not taken.isdisjoint(row.indices):
            continue
        if not any(_is_same(view, head, row) for head in heads):
            continue
        alike = [
            (score, candidate)
            for candidate, score in zip(candidates, scores, strict=True)
            if score >= LIMITS.least_score
            and taken.isdisjoint(candidate.indices)
            and set(row.indices) <= set(candidate.indices)
            and candidate.rows[0].base >= row.base - 1
            and any(candidate.grid.width == other.grid.width for other, _ in chosen)
        ]
        if alike:
            score, best = max(alike, key=lambda item: item[0])
            out.append((best, score))
            taken |= set(best.indices)
    return out


def _find_head(view: PageView, candidate: Candidate) -> LineRow | None:
    own = set(candidate.indices)
    first = next((row for row in view.rows if not own.isdisjoint(row.indices)), None)
    is_head = first is not None and len(first.indices) >= LIMITS.least_pieces and _is_head(view, first)
    return first if is_head else None
