"""Features that separate one table from several, and a whole from a part: gaps in its rules, fitting rows beyond it."""

from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.core.bands import column_at, find_levels, spans_columns
from quire.models.extract.core.disjoint import DisjointSets
from quire.models.extract.core.marks import Rule
from quire.models.extract.core.rules import LIMITS as RULE_LIMITS
from quire.models.extract.core.rules import join_crossing
from quire.models.extract.layout.tables.regions.view import LineRow, PageView
from quire.models.extract.layout.tables.scoring.candidates import Candidate


@dataclass(frozen=True, slots=True)
class WholenessLimits:
    """Limits of the features that separate a whole table from a part."""

    most_rules: int = 80
    """Maximum rules of a region in each direction, because every pair is compared."""
    wide_part: float = 0.6
    """Share of the region that the rules of one lattice run across."""
    closed_gap: float = 0.5
    """Lattices of one table are not further apart than this (ems)."""
    far: float = 12.0
    """Rows further away than this (ems) belong to other content."""
    jump: float = 1.7
    """A step between rows this many times the usual one is a jump."""


LIMITS = WholenessLimits()


WHOLE_NAMES = (
    "closed_gaps", "rule_parts", "vertical_gap", "jump_most", "jumps", "rules_alike", "first_repeats",
    "above_fits", "above_step", "below_fits", "below_step", "above_parted", "below_parted", "level_gap", "columns_held",
)  # fmt: skip


KnownWholes = dict[int, list[float]]
"""Cache of values that all grids of a region share, by the region's identity."""


def whole_features(candidate: Candidate, view: PageView, known: KnownWholes) -> list[float]:
    """Return the features `WHOLE_NAMES`; `known` caches values that all grids of a region share."""
    shared = known.get(id(candidate.region))
    if shared is None:
        shared = known[id(candidate.region)] = _measure_region(candidate)
    usual, *whole, level_gap = shared
    names = [row[0].words[0].text if row and row[0].words else "" for row in candidate.grid.rows]
    repeats = names.count(names[0]) - 1 if names[0] else 0
    return [
        *whole,
        repeats / len(candidate.grid.rows),
        *_beyond(candidate, view, usual),
        level_gap,
        _columns_held(candidate),
    ]


def _measure_region(candidate: Candidate) -> list[float]:
    """Return the usual row step, the first six of `WHOLE_NAMES`, and the widest gap between levels."""
    rows, region = candidate.rows, candidate.region
    steps = sorted([below.base - above.base for above, below in pairwise(rows)]) or [1.0]
    usual = max(steps[len(steps) // 2], 1.0)
    lattices = _find_lattices(candidate)
    return [
        usual,
        _count_closed(lattices, candidate),
        float(len(lattices)),
        _widest_gap(sorted([(rule.y0, rule.y1) for rule in region.verticals]), rows[0].size),
        steps[-1] / usual,
        sum([step > LIMITS.jump * usual for step in steps]),
        _share_alike(candidate),
        _widest_gap(
            [(y, y) for y, rules in find_levels(region.horizontals) if _covers(candidate, rules)], rows[0].size
        ),
    ]


def _covers(candidate: Candidate, rules: list[Rule]) -> bool:
    box = candidate.region.box
    length = sum(rule.x1 - rule.x0 for rule in rules)
    return length > 0.7 * (box[2] - box[0])


def _find_lattices(candidate: Candidate) -> list[tuple[float, float]]:
    """Return top and bottom of every group of crossing rules nearly as wide as the region, top to bottom."""
    region = candidate.region
    flat, upright = region.horizontals[: LIMITS.most_rules], region.verticals[: LIMITS.most_rules]
    if not upright or not flat:
        return []
    sets = DisjointSets(len(flat) + len(upright))
    join_crossing(sets, flat, upright, RULE_LIMITS.touch)
    rules = flat + upright
    groups = [[rules[index] for index in group] for group in sets.groups() if len(group) > 2]
    width = region.box[2] - region.box[0]
    return sorted(
        (min(rule.y0 for rule in group), max(rule.y1 for rule in group))
        for group in groups
        if max(rule.x1 for rule in group) - min(rule.x0 for rule in group) > LIMITS.wide_part * width
    )


def _count_closed(lattices: list[tuple[float, float]], candidate: Candidate) -> float:
    """Return the number of blanks between lattices without print: one box is closed, and the next one opens."""
    closed = 0
    for (_, bottom), (top, _) in pairwise(lattices):
        rows = candidate.rows
        is_blank = not any(bottom < row.base - 0.3 * row.size < top for row in rows)
        closed += top - bottom > LIMITS.closed_gap * rows[0].size and is_blank
    return float(closed)


def _widest_gap(spans: list[tuple[float, float]], size: float) -> float:
    """Return the widest stretch (ems) between the first and the last span that no span covers."""
    widest, low = 0.0, spans[0][1] if spans else 0.0
    for top, bottom in spans[1:]:
        widest = max(widest, top - low)
        low = max(low, bottom)
    return min(40.0, widest / max(size, 1.0))


def _share_alike(candidate: Candidate) -> float:
    """Return the share of the horizontals' levels that are as wide as the region."""
    levels = find_levels(candidate.region.horizontals)
    x0, _, x1, _ = candidate.region.box
    alike = sum(
        [abs(min([r.x0 for r in rules]) - x0) < 6 and abs(max([r.x1 for r in rules]) - x1) < 6 for _, rules in levels]
    )
    return alike / len(levels) if levels else -1.0


def _beyond(candidate: Candidate, view: PageView, usual: float) -> list[float]:
    """Return features of the next rows above and below: how well they fit (columns filled), distance, rules between."""
    own = set(candidate.indices)
    inside = [number for number, row in enumerate(view.rows) if not own.isdisjoint(row.indices)]
    if not inside:
        return [0.0] * 6
    first, last = view.rows[inside[0]], view.rows[inside[-1]]
    above = next((row for row in reversed(view.rows[: inside[0]]) if _overlaps_columns(row, candidate)), None)
    below = next((row for row in view.rows[inside[-1] + 1 :] if _overlaps_columns(row, candidate)), None)
    up = _fit(above, first.base, candidate, view, usual)
    down = _fit(below, last.base, candidate, view, usual)
    parted_up = above is not None and _is_parted(candidate, above.base, first.base - 0.8 * first.size)
    parted_down = below is not None and _is_parted(candidate, last.base, below.base - 0.8 * below.size)
    return [*up, *down, parted_up, parted_down]


def _overlaps_columns(row: LineRow, candidate: Candidate) -> bool:
    return row.x0 < candidate.region.box[2] and row.x1 > candidate.region.box[0]


def _is_parted(candidate: Candidate, top: float, bottom: float) -> bool:
    least = 0.5 * (candidate.region.box[2] - candidate.region.box[0])
    return any([top - 1 < rule.y0 < bottom + 1 and rule.x1 - rule.x0 > least for rule in candidate.region.horizontals])


def _fit(row: LineRow | None, base: float, candidate: Candidate, view: PageView, usual: float) -> list[float]:
    """Return the share of columns the row would fill (0 if a line crosses an edge) and its distance in usual steps."""
    if row is None:
        return [-1.0, LIMITS.far]
    step = min(LIMITS.far, abs(row.base - base) / usual)
    columns = candidate.grid.columns
    filled: set[int] = set()
    for index in row.indices:
        line = view.lines[index]
        if line.x1 < candidate.region.box[0] or line.x0 > candidate.region.box[2]:
            continue
        if spans_columns(line.x0, line.x1, columns):
            return [0.0, step]
        filled.add(column_at((line.x0 + line.x1) / 2, columns))
    return [len(filled) / (len(columns) + 1), step]


def _columns_held(candidate: Candidate) -> float:
    """Return the share of inner edges with a vertical rule near them."""
    columns = candidate.grid.columns
    sides = [rule.x0 for rule in candidate.region.verticals]
    held = sum([any([abs(x - edge) < 4 for x in sides]) for edge in columns]) if sides else 0
    return held / max(1, len(columns))
