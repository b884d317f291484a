"""Find the tables of a page and remove their lines from the running text: many are proposed, and a score chooses."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.table import Table
from quire.models.extract import HOME
from quire.models.extract.core.columns import ruled_columns
from quire.models.extract.core.marks import Fill
from quire.models.extract.layout.learned.forest import Forest, load_forest
from quire.models.extract.layout.lines.marks import Line, Network, PageMarks
from quire.models.extract.layout.tables.continuation import load_continuation
from quire.models.extract.layout.tables.grid import make_table
from quire.models.extract.layout.tables.heads import join_alternate
from quire.models.extract.layout.tables.regions.glance import load_glance, pick_proposals
from quire.models.extract.layout.tables.regions.propose import Proposal, propose_regions
from quire.models.extract.layout.tables.regions.view import PageView, view_page
from quire.models.extract.layout.tables.scoring.above import take_groups_above, take_heads_above
from quire.models.extract.layout.tables.scoring.candidates import (
    Candidate,
    build_candidates,
    find_chart_lines,
    find_gated,
)
from quire.models.extract.layout.tables.scoring.choose import choose_candidates
from quire.models.extract.layout.tables.scoring.features import describe_candidates
from quire.models.extract.layout.tables.scoring.first_row import free_first_lines, take_first_rows
from quire.models.extract.layout.tables.scoring.last_row import take_last_lines, take_last_rows
from quire.models.extract.layout.tables.scoring.loose import split_loose_rows
from quire.models.extract.layout.tables.scoring.networks import (
    find_networks,
    find_parts,
    is_headed,
    without_networks,
)
from quire.models.extract.layout.tables.scoring.opinion import find_doubts, propose_seen, weigh_opinion
from quire.models.extract.layout.tables.scoring.repeats import add_alike, part_repeats

_WEIGHTS = HOME / "layout" / "tables" / "weights" / "tables.npz"


@dataclass(frozen=True, slots=True)
class FindLimits:
    """Limits of tables whose rules enclose every cell."""

    drawn: float = 0.95
    """Expected quality (0..1) of such a table."""
    least_levels: int = 3
    """Heights of rules around its rows."""


LIMITS = FindLimits()


@dataclass(slots=True)
class FoundTable:
    """A table with its box, its lines and its expected quality (0..1).

    `tagged`: marked as a table by its author. `edges`: the sides of its columns, as x, if rules enclose every cell.
    `is_headed`: its first row is bold or shaded, the next is not.
    """

    table: Table
    box: Bbox
    lines: list[Line]
    score: float = 1.0
    tagged: bool = False
    edges: tuple[float, ...] = ()
    is_headed: bool = False


def load_weights() -> None:
    """Read the weights now: a reading child has no files."""
    _forest()
    load_glance()
    load_continuation()


def find_tables(marks: PageMarks, lines: list[Line]) -> tuple[list[FoundTable], list[Line]]:
    """Return the tables of the page, top to bottom, and the lines outside them."""
    view = view_page(marks, lines)
    networks = find_networks(view)
    marks.parts = find_parts(view, networks)
    take_groups_above(view, networks)
    tables = [make_drawn(network, marks, view.fills) for network in networks]
    if networks:
        view = without_networks(view, networks)
    tables += _find_scored(view, marks.parts)
    tables.sort(key=lambda item: (item.box[1], item.box[0]))
    taken = {id(line) for item in tables for line in item.lines}
    return tables, [line for line in lines if id(line) not in taken]


def make_drawn(network: Network, marks: PageMarks, fills: list[Fill]) -> FoundTable:
    """Return the table of a network."""
    table = make_table(network.grid, marks.divides)
    edges = (network.region.box[0], *network.grid.columns, network.region.box[2])
    return FoundTable(
        table,
        network.region.box,
        network.lines,
        LIMITS.drawn,
        edges=tuple([round(x, 1) for x in edges]),
        is_headed=is_headed(network.grid, fills),
    )


def _find_scored(view: PageView, parts: list[Network]) -> list[FoundTable]:
    """Return the tables that are not fully drawn: the candidates with the best scores."""
    marks = view.marks
    candidates = find_candidates(view)
    if marks.seen:
        candidates += propose_seen(view, marks.seen, {item.indices for item in candidates})
    if not candidates:
        return []
    features = describe_candidates(candidates, view)
    scores = [float(item) for item in _forest().sums(np.array(features, dtype=np.float32))]
    if marks.seen is not None:
        scores = weigh_opinion(view, marks.seen, candidates, scores)
    chosen = choose_candidates(candidates, features, scores, find_chart_lines(view))
    chosen = [item for item in chosen if not any(_is_titled(view, item[0], part) for part in parts)]
    chosen = add_alike(view, free_first_lines(view, chosen), candidates, scores)
    chosen = take_last_lines(view, split_loose_rows(view, chosen))
    chosen = take_first_rows(view, take_last_rows(view, chosen))
    chosen = part_repeats(view, free_first_lines(view, chosen))
    chosen = take_heads_above(view, take_last_lines(view, chosen))
    if marks.doubts is not None:
        marks.doubts += find_doubts(candidates, scores, chosen)
    return [_make_found(view, candidate, score) for candidate, score in chosen]


def _is_titled(view: PageView, candidate: Candidate, part: Network) -> bool:
    """Return whether a table is one framed row and single texts above or below it, such as a running head."""
    held = {id(line) for line in part.lines}
    own = set(candidate.indices)
    rows = [row for row in view.rows if not own.isdisjoint(row.indices)]
    others = [row for row in rows if not any(id(view.lines[index]) in held for index in row.indices)]
    return (
        part.region.levels < LIMITS.least_levels
        and 0 < len(others) < len(rows)
        and all(id(view.lines[index]) in held for row in rows if row not in others for index in row.indices)
        and all(len(row.indices) == row.segments == 1 for row in others)
    )


def find_candidates(
    view: PageView, pick: Callable[[list[Proposal], PageView], list[Proposal]] = pick_proposals
) -> list[Candidate]:
    """Return finished tables of the proposals that `pick` keeps; those of the strict gates first."""
    out = find_gated(view)
    by_lines = {candidate.indices: candidate for candidate in out}
    proposals = propose_regions(view)
    for proposal in proposals:
        if proposal.indices in by_lines:
            by_lines[proposal.indices].makers |= proposal.makers
    for proposal in pick(proposals, view):
        gated = by_lines.get(proposal.indices)
        built = build_candidates(view, proposal.indices)
        for candidate in built:
            candidate.makers = proposal.makers | ({"gates"} if gated is not None else set())
        out += built
    return out


def _make_found(view: PageView, candidate: Candidate, score: float) -> FoundTable:
    lines = [view.lines[index] for index in candidate.indices]
    if not ruled_columns(candidate.region):
        join_alternate(candidate.grid)
    return FoundTable(
        make_table(candidate.grid, view.marks.divides),
        candidate.region.box,
        lines,
        round(score, 3),
        is_headed=is_headed(candidate.grid, view.fills),
    )


@lru_cache(maxsize=1)
def _forest() -> Forest:
    return load_forest(_WEIGHTS)
