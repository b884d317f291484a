"""The cells of a fully ruled table as its rules enclose them: a missing inner rule makes a cell span.

The rules of a region part it into elementary cells. Those without a rule between them are one cell. Only regions whose
cells are all rectangles with drawn outer edges are read in this way; a corner without a border holds no text.
"""

from dataclasses import dataclass
from typing import Final

from quire.models.extract.core.bands import column_at, covered_length
from quire.models.extract.core.disjoint import DisjointSets
from quire.models.extract.core.grid import Grid, Slot
from quire.models.extract.core.marks import RuledRegion
from quire.models.extract.core.words import TableWord, TextRow


@dataclass(frozen=True, slots=True)
class LatticeLimits:
    """When rules enclose cells. Distances in points."""

    same: float = 2.5
    """Rules so near each other are one edge; double rules are further apart but enclose no text."""
    drawn: float = 0.85
    """Share of an edge that its rules cover; one covered by less than the rest of 1 is not drawn."""
    least_cells: int = 4
    """Cells of a table."""
    most_outside: float = 0.25
    """Share of the elementary cells that may be outside the border: a corner without one, the end of a last row."""
    most_edges: int = 400
    """Edges in one direction; more are a drawing."""
    grace: float = 1.5
    """By which a rule may end before the edge that it meets."""
    parted: float = 0.9
    """Least distance between the headers of two columns that no rule parts (ems)."""


LIMITS: Final = LatticeLimits()
Edges = list[float]
Area = tuple[int, int, int, int]
"""First row, first column, end row, end column of a cell."""


def enclose_cells(region: RuledRegion, rows: list[TextRow], grid: Grid) -> Grid | None:
    """Return the grid of cells that the rules enclose, or None if they do not enclose all cells.

    Args:
        region: The rules around the table.
        rows: Its printed rows.
        grid: The grid built by other means; it determines the number of header rows.
    """
    xs = _find_edges([rule.x0 for rule in region.verticals])
    ys = _find_edges([rule.y0 for rule in region.horizontals])
    if not (2 < len(xs) <= LIMITS.most_edges and 2 < len(ys) <= LIMITS.most_edges) or len(xs) - 1 < grid.width:
        return None
    found = _find_areas(xs, ys, region)
    if found is None or len(found[0]) < LIMITS.least_cells:
        return None
    areas, outside = found
    held = _place_words([word for row in rows for word in row.words], xs, ys, areas)
    if held is None:
        return None
    return _make_grid([*areas, *outside], [*held, *([] for _ in outside)], xs, ys, grid)


def _find_edges(places: list[float]) -> Edges:
    """Return the distinct places of rules, each the mean of those close together."""
    groups: list[list[float]] = []
    for place in sorted(places):
        if groups and place - groups[-1][-1] <= LIMITS.same:
            groups[-1].append(place)
        else:
            groups.append([place])
    return [sum(group) / len(group) for group in groups]


def _find_areas(xs: Edges, ys: Edges, region: RuledRegion) -> tuple[list[Area], list[Area]] | None:
    """Return the cells of the lattice, and the places outside its border that hold none.

    None if an edge is half drawn or a cell is not a rectangle.
    """
    across = _find_drawn([(rule.y0, rule.x0, rule.x1) for rule in region.horizontals], ys, xs)
    down = _find_drawn([(rule.x0, rule.y0, rule.y1) for rule in region.verticals], xs, ys)
    if across is None or down is None:
        return None
    height, width = len(ys) - 1, len(xs) - 1
    outside = height * width
    sets = _join_cells(across, down)
    areas: list[Area] = []
    beyond: list[Area] = []
    for group in sets.groups():
        if group[-1] == outside:
            if len(group) > LIMITS.most_outside * outside + 1:
                return None
            places = [divmod(index, width) for index in group[:-1]]
            beyond = [(row, column, row + 1, column + 1) for row, column in places]
            continue
        top, bottom = group[0] // width, group[-1] // width + 1
        left, right = min(index % width for index in group), max(index % width for index in group) + 1
        if (bottom - top) * (right - left) != len(group):
            return None
        areas.append((top, left, bottom, right))
    return areas, beyond


def _join_cells(across: list[list[bool]], down: list[list[bool]]) -> DisjointSets:
    """Join elementary cells without a rule between them; the last index is the outside of the border."""
    height, width = len(across) - 1, len(down) - 1
    outside = height * width
    sets = DisjointSets(outside + 1)
    for row in range(height + 1):
        for column in range(width):
            if not across[row][column]:
                above, below = (row - 1) * width + column, row * width + column
                sets.join(above if row else outside, below if row < height else outside)
    for column in range(width + 1):
        for row in range(height):
            if not down[column][row]:
                left, right = row * width + column - 1, row * width + column
                sets.join(left if column else outside, right if column < width else outside)
    return sets


def _find_drawn(rules: list[tuple[float, float, float]], edges: Edges, crossing: Edges) -> list[list[bool]] | None:
    """Return for each edge which of its parts between crossing edges are drawn, or None if a part is half drawn.

    `rules` are (place, start, end) in the direction of the edges.
    """
    by_edge: list[list[tuple[float, float]]] = [[] for _ in edges]
    for place, start, end in rules:
        index = min(_index_after(place, edges), len(edges) - 1)
        if index > 0 and abs(edges[index - 1] - place) < abs(edges[index] - place):
            index -= 1
        by_edge[index].append((start, end))
    parts: list[tuple[float, float]] = []
    for index in range(len(crossing) - 1):
        start, end = crossing[index] + LIMITS.grace, crossing[index + 1] - LIMITS.grace
        parts.append((start, max(start, end)))
    drawn: list[list[bool]] = []
    for own in by_edge:
        shares = [covered_length(own, start, end) / max(end - start, 0.1) for start, end in parts]
        if any(1 - LIMITS.drawn < share < LIMITS.drawn for share in shares):
            return None
        drawn.append([share >= LIMITS.drawn for share in shares])
    return drawn


def _place_words(words: list[TableWord], xs: Edges, ys: Edges, areas: list[Area]) -> list[list[TableWord]] | None:
    """Return the words of each cell by their middles; None if a word is outside all cells."""
    width = len(xs) - 1
    owner = {
        row * width + column: index
        for index, (top, left, bottom, right) in enumerate(areas)
        for row in range(top, bottom)
        for column in range(left, right)
    }
    held: list[list[TableWord]] = [[] for _ in areas]
    for word in words:
        column, row = _index_after(word.middle, xs) - 1, _index_after(word.base - 0.3 * word.size, ys) - 1
        index = owner.get(row * width + column) if 0 <= column < width else None
        if index is None:
            return None
        held[index].append(word)
    return held


def _make_grid(areas: list[Area], held: list[list[TableWord]], xs: Edges, ys: Edges, known: Grid) -> Grid:
    """Return the lattice as a grid without rows and columns in which no cell with text begins."""
    rows = _number({area[0] for area, words in zip(areas, held, strict=True) if words or area[2] - area[0] == 1})
    columns = _number({area[1] for area in areas})
    tops, lefts = sorted(rows), sorted(columns)
    made = Grid([xs[column] for column in lefts[1:]], [[] for _ in rows])
    for index in sorted(range(len(areas)), key=areas.__getitem__):
        words = held[index]
        top, left, bottom, right = areas[index]
        if top not in rows:
            continue
        slot = Slot(rows[top], columns[left], _count_before(lefts, right) - _count_before(lefts, left))
        slot.row_span, slot.words = _count_before(tops, bottom) - _count_before(tops, top), list(words)
        made.rows[slot.row].append(slot)
    _part_headers(made)
    heads = [word for row in known.rows[: known.header_rows] for slot in row for word in slot.words]
    low = max([word.base - 0.3 * word.size for word in heads], default=float("-inf"))
    made.header_rows = sum(ys[row] < low for row in rows)
    return made


def _part_headers(grid: Grid) -> None:
    """Part the cells of the first row that hold a text over each of several columns with no rule between them."""
    parted: list[Slot] = []
    for slot in grid.rows[0] if len(grid.rows) > 1 else ():
        parts = _part_words(slot, grid.columns) if slot.col_span > 1 and slot.row_span == 1 else []
        for place, words in enumerate(parts):
            part = Slot(slot.row, slot.col + place)
            part.words = words
            parted.append(part)
        if not parts:
            parted.append(slot)
    if grid.rows:
        grid.rows[0] = parted


def _part_words(slot: Slot, columns: Edges) -> list[list[TableWord]]:
    """Return the words of a cell by column, or nothing if a column has none or the texts are not apart."""
    parts: list[list[TableWord]] = [[] for _ in range(slot.col_span)]
    for word in slot.words:
        parts[min(max(0, column_at(word.x0, columns) - slot.col), slot.col_span - 1)].append(word)
    if not all(parts):
        return []
    for index in range(len(parts) - 1):
        gap = min([word.x0 for word in parts[index + 1]]) - max([word.x1 for word in parts[index]])
        if gap < LIMITS.parted * slot.words[0].size:
            return []
    return parts


def _number(places: set[int]) -> dict[int, int]:
    return {place: number for number, place in enumerate(sorted(places))}


def _index_after(place: float, edges: Edges) -> int:
    """Return the index of the first edge (ascending) beyond a place."""
    index = column_at(place, edges)
    while index < len(edges) and edges[index] <= place:
        index += 1
    return index


def _count_before(places: list[int], end: int) -> int:
    """Return how many places are before the end."""
    return sum([place < end for place in places])
