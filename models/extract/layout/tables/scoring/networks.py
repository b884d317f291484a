"""Tables that a network of crossing rules draws in full: every cell is enclosed, so nothing has to be guessed.

They are taken from a page before other tables are searched for. A network whose rules leave rows or columns open, or
that is a chart, a form's frame or a box around text, is left to the candidates.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.core.bands import column_at, cut_bands, split_data_rows
from quire.models.extract.core.build import build_grid
from quire.models.extract.core.columns import ruled_columns
from quire.models.extract.core.disjoint import DisjointSets
from quire.models.extract.core.grid import Grid, Slot
from quire.models.extract.core.lattice import enclose_cells
from quire.models.extract.core.marks import Fill, Rule, RuledRegion
from quire.models.extract.core.rules import LIMITS as RULE_LIMITS
from quire.models.extract.core.rules import join_crossing, make_region
from quire.models.extract.core.words import TableWord, TextRow, gather_rows
from quire.models.extract.layout.lines.marks import Line, Network
from quire.models.extract.layout.tables.regions.view import LineRow, PageView, find_rows, lines_within
from quire.models.extract.layout.tables.ruled import is_chart
from quire.models.extract.layout.tables.stacks import split_stacks


@dataclass(frozen=True, slots=True)
class NetworkLimits:
    """When a network of rules is a table."""

    least_rules: int = 3
    """Horizontals, and verticals: two rows and two columns."""
    least_levels: int = 2
    """Heights of rules around a row."""
    meet: float = 1.0
    """Points within which the rules of one table meet; those of a table in a cell keep the cell's padding."""
    least_filled: float = 0.3
    """Share of cells with text; a network with less is a form or a drawing."""
    crossed: float = 0.02
    """Share of words that a vertical crosses; with more its verticals are not edges of columns."""
    edge: float = 2.0
    """Points by which a word must extend beyond a vertical on both sides for the vertical to cross it."""
    stacked: int = 3
    """Printed rows between two rules from which cells with equally many lines are open rows."""
    alike: float = 15.0
    """Points: maximum distance between the edges of a framed row and of another table of one form."""
    upended: float = 1.8
    """Maximum width of a line that runs upwards (ems)."""
    head_gap: float = 1.3
    """Maximum distance from the names of columns to the first rule below them (ems)."""
    head_pitch: float = 1.4
    """Maximum distance between two lines of names (ems)."""


LIMITS = NetworkLimits()


def find_networks(view: PageView) -> list[Network]:
    """Return the fully drawn tables of a page, largest first, none inside another."""
    out: list[Network] = []
    taken: set[int] = set()
    regions = sorted(_find_regions(view), key=lambda region: -_measure(region))
    for region in regions:
        lines = [line for line in lines_within(view.lines, region.box) if id(line) not in taken]
        outer = _without_inner_tables(region)
        grid = None if outer is region else _read_grid(view, outer, lines)
        grid = grid or _read_grid(view, region, lines)
        if grid is not None:
            taken |= {id(line) for line in lines}
            out.append(Network(lines, region, grid))
    if out:
        out += _find_single_rows(view, out, taken)
    for network in out:
        _add_head_above(view, network)
    return out


def find_parts(view: PageView, networks: list[Network]) -> list[Network]:
    """Return the highest and the lowest framed rows of the page outside networks: parts of a table of another page.

    Unlike a table they may be one row, or have text in one column only.
    """
    rules = [*view.horizontals, *view.verticals]
    boxes = [network.region.box for network in networks]
    out: list[Network] = []
    if len(view.horizontals) < LIMITS.least_levels or len(view.verticals) < LIMITS.least_rules:
        return out
    for group in _group_crossing(view.horizontals, view.verticals, RULE_LIMITS.touch):
        if len(group) < LIMITS.least_levels + LIMITS.least_rules:
            continue
        region = make_region([rules[index] for index in group])
        x0, y0, x1, y1 = region.box
        if any(x0 < box[2] and x1 > box[0] and y0 < box[3] and y1 > box[1] for box in boxes):
            continue
        lines = lines_within(view.lines, region.box)
        grid = _read_rows(view, region, lines) if lines and all(line.upright for line in lines) else None
        if grid is not None:
            out.append(Network(lines, region, grid))
    out.sort(key=lambda part: part.region.box[1])
    return [*out[:1], *out[1:][-1:]]


def _read_rows(view: PageView, region: RuledRegion, lines: list[Line]) -> Grid | None:
    columns = ruled_columns(region)
    rows = gather_rows([word for line in lines for word in view.words_of(line)])
    if not columns or _is_crossed(rows, region):
        return None
    if region.levels > LIMITS.least_levels:
        return enclose_cells(region, rows, build_grid(cut_bands(region, rows), columns, region, is_grid=True))
    grid = Grid(columns, [[Slot(0, column) for column in range(len(columns) + 1)]])
    for word in [word for row in rows for word in row.words]:
        grid.rows[0][column_at(word.middle, columns)].words.append(word)
    return grid


def _find_single_rows(view: PageView, networks: list[Network], taken: set[int]) -> list[Network]:
    """Return framed rows of cells with the columns of another table of the page, which show that each is a table."""
    rules = [*view.horizontals, *view.verticals]
    out: list[Network] = []
    for group in _group_crossing(view.horizontals, view.verticals, RULE_LIMITS.touch):
        region = make_region([rules[index] for index in group])
        columns = ruled_columns(region)
        lines = [line for line in lines_within(view.lines, region.box) if id(line) not in taken]
        if region.levels != 2 or len(columns) < 2 or not any(_are_alike(region, columns, other) for other in networks):
            continue
        grid = Grid(columns, [[Slot(0, column) for column in range(len(columns) + 1)]])
        for word in [word for line in lines for word in view.words_of(line)]:
            grid.rows[0][column_at(word.middle, columns)].words.append(word)
        if all(slot.words for slot in grid.rows[0]) and all(line.upright for line in lines):
            taken |= {id(line) for line in lines}
            out.append(Network(lines, region, grid))
    return out


def _are_alike(region: RuledRegion, columns: list[float], other: Network) -> bool:
    """Return True for about the same edges of columns."""
    edges = (region.box[0], *columns, region.box[2])
    others = (other.region.box[0], *other.grid.columns, other.region.box[2])
    return len(edges) == len(others) and all(
        abs(edge - place) < LIMITS.alike for edge, place in zip(edges, others, strict=True)
    )


def _without_inner_tables(region: RuledRegion) -> RuledRegion:
    """Return the region without the rules of tables in its cells, which come near the cells' edges but do not meet."""
    rules = [*region.horizontals, *region.verticals]
    groups = _group_crossing(region.horizontals, region.verticals, LIMITS.meet)
    regions = sorted((make_region([rules[index] for index in group]) for group in groups), key=_measure)
    outer = regions[-1]
    if len(regions) < 2 or not _has_cells(outer) or any(_is_cut(inner, outer) for inner in regions[:-1]):
        return region
    return outer


def _is_cut(inner: RuledRegion, outer: RuledRegion) -> bool:
    """Return True unless all of a region is in one cell of another."""
    x0, y0, x1, y1 = inner.box
    left, top, right, bottom = outer.box
    return (
        not (left < x0 and x1 < right and top < y0 and y1 < bottom)
        or any(y0 <= rule.y0 <= y1 and rule.x0 < x1 and rule.x1 > x0 for rule in outer.horizontals)
        or any(x0 <= rule.x0 <= x1 and rule.y0 < y1 and rule.y1 > y0 for rule in outer.verticals)
    )


def _group_crossing(flat: list[Rule], upright: list[Rule], touch: float) -> list[list[int]]:
    """Return the groups of rules that meet within `touch` points, as indices of all horizontals and verticals."""
    sets = DisjointSets(len(flat) + len(upright))
    join_crossing(sets, flat, upright, touch)
    return sets.groups()


def _find_regions(view: PageView) -> list[RuledRegion]:
    """Return the networks of rules that cross, each with enough of them."""
    flat, upright = view.horizontals, view.verticals
    if len(flat) < LIMITS.least_rules or len(upright) < LIMITS.least_rules:
        return []
    rules = [*flat, *upright]
    crossing = _group_crossing(flat, upright, RULE_LIMITS.touch)
    groups = [[rules[index] for index in group] for group in crossing if len(group) >= 2 * LIMITS.least_rules]
    return [region for region in map(make_region, groups) if _has_cells(region)]


def _has_cells(region: RuledRegion) -> bool:
    return len(region.horizontals) >= LIMITS.least_rules and len(region.verticals) >= LIMITS.least_rules


def _measure(region: RuledRegion) -> float:
    x0, y0, x1, y1 = region.box
    return (x1 - x0) * (y1 - y0)


def _read_grid(view: PageView, region: RuledRegion, lines: list[Line]) -> Grid | None:
    """Return the cells that the network encloses, or None unless it is a fully drawn table."""
    if len(lines) < 2 or any([not line.upright and not _is_upended(line) for line in lines]):
        return None
    columns = ruled_columns(region)
    if not columns:
        return None
    rows = gather_rows([word for line in lines for word in view.words_of(line)])
    if _is_crossed(rows, region):
        return None
    grid = enclose_cells(region, rows, build_grid(cut_bands(region, rows), columns, region, is_grid=True))
    if grid is not None:
        split_stacks(grid, region.box[2])
    if grid is None or not _is_filled(grid) or _has_open_rows(grid) or is_chart(region, rows, view.marks):
        return None
    return grid


def _is_upended(line: Line) -> bool:
    """Return True for a line that runs upwards, not aslant."""
    return line.x1 - line.x0 < LIMITS.upended * line.size


def _add_head_above(view: PageView, network: Network) -> None:
    """Add the printed rows right above a network whose pieces are the names of its columns."""
    left, top, right, _ = network.region.box
    grid = network.grid
    heads: list[LineRow] = []
    edges = [left, *grid.columns, right]
    for row in reversed([row for row in view.rows if row.base < top + 1 and row.x0 > left - 3 and row.x1 < right + 3]):
        limit = heads[-1].base if heads else top
        lines = [view.lines[index] for index in row.indices]
        reach = LIMITS.head_pitch if heads else LIMITS.head_gap
        if limit - row.base > reach * row.size or not all(_is_name(line, view, edges, network) for line in lines):
            break
        heads.append(row)
    lines = [view.lines[index] for row in heads for index in row.indices]
    columns = {column_at((line.x0 + line.x1) / 2, grid.columns) for line in lines}
    if len(columns) < 2 or len(columns | {0}) < grid.width:
        return
    slots = [Slot(0, column) for column in range(grid.width)]
    for line in sorted(lines, key=lambda line: line.base):
        slots[column_at((line.x0 + line.x1) / 2, grid.columns)].words += view.words_of(line)
    for held in grid.rows:
        for slot in held:
            slot.row += 1
    grid.rows.insert(0, slots)
    grid.header_rows = 1
    network.lines += lines


def _is_name(line: Line, view: PageView, edges: list[float], network: Network) -> bool:
    """Return True for a line over one column that is bold or shaded while the first row of the network is not."""
    column = column_at((line.x0 + line.x1) / 2, network.grid.columns)
    if line.x0 < edges[column] - 2 or line.x1 > edges[column + 1] + 2 or not line.upright:
        return False
    first = [word for slot in network.grid.rows[0] for word in slot.words]
    if line.all_bold and not all(word.bold for word in first):
        return True
    if not view.fills:
        return False
    words = view.words_of(line)
    return all(_is_shaded(word, view.fills) for word in words) and not any(
        _is_shaded(word, view.fills) for word in first
    )


def _is_crossed(rows: list[TextRow], region: RuledRegion) -> bool:
    """Return True if verticals run through words."""
    words = [word for row in rows for word in row.words]
    verticals = sorted(region.verticals, key=lambda rule: rule.x0)
    places = [rule.x0 for rule in verticals]
    count = 0
    for word in words:
        middle = word.base - 0.3 * word.size
        through = verticals[bisect_right(places, word.x0 + LIMITS.edge) : bisect_left(places, word.x1 - LIMITS.edge)]
        count += any(rule.y0 < middle < rule.y1 for rule in through)
    return count > LIMITS.crossed * len(words)


def _is_filled(grid: Grid) -> bool:
    """Return True for text in enough cells, in two rows and two columns at least."""
    slots = [slot for row in grid.rows for slot in row]
    filled = [slot for slot in slots if slot.words]
    return (
        len(grid.rows) > 1
        and grid.width > 1
        and len({slot.row for slot in filled}) > 1
        and len({slot.col for slot in filled}) > 1
        and len(filled) >= LIMITS.least_filled * len(slots)
    )


def _has_open_rows(grid: Grid) -> bool:
    """Return True if a row holds several of figures, or as many lines on the same baselines in several cells."""
    for row in grid.rows:
        band = gather_rows([word for slot in row if slot.row_span == 1 for word in slot.words])
        if len(band) > 1 and split_data_rows(band, grid.columns) is not None:
            return True
        stacks = [{round(word.base) for word in slot.words} for slot in row if slot.words and slot.row_span == 1]
        tall = [stack for stack in stacks if len(stack) >= LIMITS.stacked]
        if len(tall) > 1 and len(tall) == len(stacks) and any(a == b for a, b in pairwise(tall)):
            return True
    return False


def is_headed(grid: Grid, fills: list[Fill]) -> bool:
    """Return True for a first row that is bold or shaded above one that is not."""
    first, second = ([word for slot in row for word in slot.words] for row in (*grid.rows[:2], [])[:2])
    if not first or not second:
        return False
    if all(word.bold for word in first) and not all(word.bold for word in second):
        return True
    return all(_is_shaded(word, fills) for word in first) and not any(_is_shaded(word, fills) for word in second)


def _is_shaded(word: TableWord, fills: list[Fill]) -> bool:
    middle = word.base - 0.3 * word.size
    return any(fill.x0 <= word.middle <= fill.x1 and fill.y0 <= middle <= fill.y1 for fill in fills)


def without_networks(view: PageView, networks: list[Network]) -> PageView:
    """Return the page without the lines and rules of its networks."""
    held = {id(line) for network in networks for line in network.lines}
    drawn = {id(rule) for network in networks for rule in network.region.horizontals + network.region.verticals}
    lines = [line for line in view.lines if id(line) not in held]
    return PageView(
        view.marks,
        lines,
        find_rows(lines) if view.rows else [],
        [rule for rule in view.horizontals if id(rule) not in drawn],
        [rule for rule in view.verticals if id(rule) not in drawn],
        [rule for rule in view.edges if not _is_within(rule, networks)],
        [fill for fill in view.fills if not _is_within(fill, networks)],
        view.words,
    )


def _is_within(mark: Rule | Fill, networks: list[Network]) -> bool:
    x, y = (mark.x0 + mark.x1) / 2, (mark.y0 + mark.y1) / 2
    boxes = [network.region.box for network in networks]
    return any(x0 - 2 <= x <= x1 + 2 and y0 - 2 <= y <= y1 + 2 for x0, y0, x1, y1 in boxes)
