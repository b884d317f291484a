"""Header rows printed above the region that was chosen: bold names of its columns, or groups over several of them.

Groups also stand above the first rule of a fully drawn table.
"""

from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.core.bands import column_at
from quire.models.extract.core.grid import Grid, Slot
from quire.models.extract.core.signs import is_figure
from quire.models.extract.core.words import Segment, TableWord, gather_rows
from quire.models.extract.layout.lines.marks import Network
from quire.models.extract.layout.tables.groups import find_ranges
from quire.models.extract.layout.tables.heads import is_named, measure_ink
from quire.models.extract.layout.tables.regions.view import LineRow, PageView
from quire.models.extract.layout.tables.scoring.candidates import Candidate
from quire.models.extract.layout.text.captions import is_caption


@dataclass(frozen=True, slots=True)
class AboveLimits:
    """Limits for a printed row above a table to be a header row of it."""

    pitch: float = 2.2
    """Maximum distance above the first row (ems)."""
    group_pitch: float = 1.7
    """The same for a group over several columns; a heading is further away."""
    same_size: float = 0.5
    """Points: maximum difference in size between the two rows."""
    most_chars: int = 60
    """Characters of a name."""
    least_rows: int = 3
    """Rows of the table."""
    named: float = 0.6
    """Least share of the columns with a name."""
    least_columns: int = 3
    """Columns of a fully drawn table with groups above it."""
    most_levels: int = 2
    """Rows of groups above it."""
    grid_gap: float = 1.6
    """Maximum distance of a group above its first rule (ems)."""
    ascent: float = 0.8
    """Height of a row above its baseline (ems)."""
    rule_gap: float = 0.8
    """Maximum distance of the rule below a group (ems)."""


LIMITS = AboveLimits()
Chosen = tuple[Candidate, float]


def take_heads_above(view: PageView, chosen: list[Chosen]) -> list[Chosen]:
    """Return the chosen tables, each with the header row printed right above it."""
    taken = {index for candidate, _ in chosen for index in candidate.indices}
    for candidate, _ in chosen:
        _add_head(view, candidate, taken)
        taken |= set(candidate.indices)
    return chosen


def _add_head(view: PageView, candidate: Candidate, taken: set[int]) -> None:
    own, grid = set(candidate.indices), candidate.grid
    left, _, right, _ = candidate.region.box
    first = next((row for row in view.rows if not own.isdisjoint(row.indices)), None)
    if first is None or len(grid.rows) < LIMITS.least_rows:
        return
    above = [row for row in view.rows if row.base < first.base and row.x0 < right and row.x1 > left]
    if not above or first.base - above[-1].base > LIMITS.pitch * max(above[-1].size, first.size):
        return
    row = above[-1]
    pieces = [view.words_of(view.lines[index]) for index in row.indices]
    if not taken.isdisjoint(row.indices) or not all(map(_is_short, pieces)) or row.x0 < left - 3 or row.x1 > right + 3:
        return
    if abs(row.size - first.size) > LIMITS.same_size:
        return
    slots = _name_columns(candidate, pieces)
    if slots is None and first.base - row.base <= LIMITS.group_pitch * row.size:
        slots = _group_columns(view, candidate, row, pieces)
    if slots is None:
        return
    for old in grid.rows:
        for slot in old:
            slot.row += 1
    grid.rows.insert(0, slots)
    grid.header_rows = grid.header_rows + 1 if any(slot.col_span > 1 for slot in slots) and grid.header_rows else 1
    candidate.indices = tuple(sorted(own | set(row.indices)))
    candidate.region = view.region_of(candidate.indices)
    candidate.rows = gather_rows([word for index in candidate.indices for word in view.words_of(view.lines[index])])


def take_groups_above(view: PageView, networks: list[Network]) -> None:
    """Add the rows of groups right above the first rules of fully drawn tables, in place."""
    taken = {id(line) for network in networks for line in network.lines}
    for network in networks:
        left, limit, right, _ = network.region.box
        edges = [left, *network.grid.columns, right]
        if network.grid.width < LIMITS.least_columns or not _is_name_row(network.grid):
            continue
        above = [row for row in view.rows if row.base < limit + 1 and row.x0 < right and row.x1 > left]
        for row in reversed(above[-LIMITS.most_levels :]):
            lines = [view.lines[index] for index in row.indices]
            texts = [view.words_of(line) for line in lines]
            is_near = limit - row.base <= LIMITS.grid_gap * row.size and row.x0 > left - 3 and row.x1 < right + 3
            if not is_near or any(id(line) in taken for line in lines) or not all(map(_is_short, texts)):
                break
            spans = find_ranges(texts, list(pairwise(edges)), 0)
            if spans is None or not _are_groups(texts, spans, network.grid.width):
                break
            _add_groups(network.grid, texts, spans)
            network.lines += lines
            taken |= {id(line) for line in lines}
            limit = row.base - LIMITS.ascent * row.size


def _is_name_row(grid: Grid) -> bool:
    """Return True for a header, or a first row without figures over one with figures."""
    first, *others = ([slot for slot in row if slot.words] for row in grid.rows[:2])
    return is_named(grid) or (
        len(first) > 1
        and not any(is_figure(word.text) for slot in first for word in slot.words)
        and any(is_figure(word.text) for row in others for slot in row for word in slot.words)
    )


def _are_groups(texts: list[list[TableWord]], spans: list[tuple[int, int]], width: int) -> bool:
    """Return True for two groups at least, or a bold one that leaves the first column; a single column has a name."""
    if not any(last > first for first, last in spans):
        return False
    return len(spans) > 1 or (spans[0][0] > 0 and spans[0] != (1, width - 1) and all(word.bold for word in texts[0]))


def _add_groups(grid: Grid, texts: list[list[TableWord]], spans: list[tuple[int, int]]) -> None:
    for row in grid.rows:
        for slot in row:
            slot.row += 1
    grid.rows.insert(0, _make_groups(grid, texts, spans))
    grid.header_rows = max(1, grid.header_rows) + 1


def _make_groups(grid: Grid, texts: list[list[TableWord]], spans: list[tuple[int, int]]) -> list[Slot]:
    slots: list[Slot] = []
    column = 0
    for words, (first, last) in zip(texts, spans, strict=True):
        slots += [Slot(0, free) for free in range(column, first)]
        slots.append(Slot(0, first, last - first + 1))
        slots[-1].words = list(words)
        column = last + 1
    return slots + [Slot(0, free) for free in range(column, grid.width)]


def _is_short(words: list[TableWord]) -> bool:
    text = " ".join([word.text for word in words])
    return bool(words) and words[0].upright and len(text) <= LIMITS.most_chars and not is_caption(text)


def _name_columns(candidate: Candidate, pieces: list[list[TableWord]]) -> list[Slot] | None:
    """Return a header row of bold names, one a column, over a first row that is not bold."""
    grid = candidate.grid
    columns = [column_at((words[0].x0 + words[-1].x1) / 2, grid.columns) for words in pieces]
    first = [word for slot in grid.rows[0] for word in slot.words]
    if len(columns) < 2 or len(set(columns)) < len(columns) or len(columns) < LIMITS.named * grid.width:
        return None
    if not all(word.bold for words in pieces for word in words) or any(word.bold for word in first):
        return None
    if any(column_at(word.middle, grid.columns) != column for column, words in zip(columns, pieces, strict=True)
           for word in words):  # fmt: skip
        return None
    slots = [Slot(0, column) for column in range(grid.width)]
    for column, words in zip(columns, pieces, strict=True):
        slots[column].words = list(words)
    return slots


def _group_columns(
    view: PageView, candidate: Candidate, row: LineRow, pieces: list[list[TableWord]]
) -> list[Slot] | None:
    """Return a header row of groups, each bold or underlined and centred over several of the named columns."""
    grid, extents = candidate.grid, measure_ink(candidate.grid, 0)
    if not extents or not is_named(grid):
        return None
    spans = find_ranges(pieces, extents, 1)
    if spans is None or not any(last > first for first, last in spans):
        return None
    for words in pieces:
        segment = Segment(words, words[0].x0, words[-1].x1)
        if not (all(word.bold for word in words) or _is_underlined(view, row, segment)):
            return None
    return _make_groups(grid, pieces, spans)


def _is_underlined(view: PageView, row: LineRow, segment: Segment) -> bool:
    """Return True for a rule right below a group, at least as wide."""
    return any(
        0 < rule.y0 - row.base < LIMITS.rule_gap * row.size and rule.x0 <= segment.x0 + 2 and rule.x1 >= segment.x1 - 2
        for rule in view.horizontals
    )
