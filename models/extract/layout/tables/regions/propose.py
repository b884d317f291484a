"""Collect all proposals of a page: sets of lines that may be a table, with their generators. It does not rate them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from quire.models.cdom.geometry import Bbox
from quire.models.extract.layout.tables.regions.drawn import (
    find_shaded_bands,
    group_rules,
    group_verticals,
    stack_bands,
    stack_box,
)
from quire.models.extract.layout.tables.regions.floods import find_floods
from quire.models.extract.layout.tables.regions.runs import (
    GAPS,
    find_runs,
    find_text_columns,
    indices_of,
    row_above,
    run_around,
    vary_run,
)
from quire.models.extract.layout.tables.regions.view import LineRow, PageView, lines_within
from quire.models.extract.layout.text.captions import is_caption


@dataclass(frozen=True, slots=True)
class ProposalLimits:
    """Limits of the number of proposals of a page and of their size."""

    most_proposals: int = 220
    """Maximum proposals of a page before they are rated."""
    most_bands: int = 24
    """Bands and rules around which runs are searched; pages with more are drawings."""
    least_lines: int = 4
    """Minimum lines of text of a table with two rows and two columns."""


LIMITS = ProposalLimits()

MAKERS = ("rules", "verticals", "fills", "band", "head", "runs", "column", "flood")
"""Names of the generators, in the order of their features."""

Edges = list[float]
Within = Callable[[Bbox], tuple[int, ...]]


@dataclass(slots=True)
class Proposal:
    """Lines (indices, ascending) that may be a table, and the generators that proposed exactly these."""

    indices: tuple[int, ...]
    makers: set[str] = field(default_factory=set)


def propose_regions(view: PageView) -> list[Proposal]:
    """Return proposals of all generators, each set of lines once, in a fixed order."""
    proposals: dict[tuple[int, ...], Proposal] = {}
    edges = ([line.y0 for line in view.lines], [-line.y1 for line in view.lines])
    captions: set[int] | None = None
    for maker, indices in _generate(view):
        if captions is None:
            captions = {index for index, line in enumerate(view.lines) if is_caption(line.text)}
        if captions and not captions.isdisjoint(indices):
            indices = _without_captions(view, indices, edges, captions)
        if len(indices) < LIMITS.least_lines:
            continue
        if indices not in proposals:
            if len(proposals) >= LIMITS.most_proposals:
                continue
            proposals[indices] = Proposal(indices)
        proposals[indices].makers.add(maker)
    return list(proposals.values())


def _without_captions(
    view: PageView, indices: tuple[int, ...], edges: tuple[Edges, Edges], captions: set[int]
) -> tuple[int, ...]:
    """Return the lines without a caption alone on the first or last line: it describes the table and is outside it.

    `edges`: the tops of all lines of the page, and the negated bottoms.
    """
    for first, edge_of in zip((True, False), edges, strict=True):
        if len(indices) < LIMITS.least_lines:
            break
        ends = sorted(indices, key=edge_of.__getitem__)
        edge, following = view.lines[ends[0]], view.lines[ends[1]]
        apart = following.y0 >= edge.y1 - 1 if first else following.y1 <= edge.y0 + 1
        if apart and ends[0] in captions:
            indices = tuple(index for index in indices if index != ends[0])
    return indices


def _generate(view: PageView) -> Iterator[tuple[str, tuple[int, ...]]]:
    columns = find_text_columns(view.lines, view.rows)
    number = {id(line): index for index, line in enumerate(view.lines)}

    def within(box: Bbox) -> tuple[int, ...]:
        return tuple(number[id(line)] for line in lines_within(view.lines, box))

    for box in group_rules(view):
        yield "rules", within(box)
        heads = row_above(view.lines, view.rows, box)
        if heads:
            yield "rules", tuple(sorted({*within(box), *heads}))
    yield from _around_bands(view, within)
    for box in group_verticals(view)[: LIMITS.most_bands]:
        yield from (("verticals", indices) for indices in _between(view, columns, box))
    for rule in view.horizontals[: LIMITS.most_bands]:
        if rule.x1 - rule.x0 >= 60:
            yield "head", run_around(view.lines, view.rows, rule.x0, rule.x1, rule.y0, rule.y0 + 1, up=True)
    for rows in (view.rows, *columns):
        yield from (("flood", indices_of(rows, run)) for run in find_floods(view.lines, rows))
    yield from (("runs", indices) for indices in _runs_of(view.rows))
    for rows in columns:
        yield from (("column", indices) for indices in _runs_of(rows))


def _around_bands(view: PageView, within: Within) -> Iterator[tuple[str, tuple[int, ...]]]:
    stacks = stack_bands(find_shaded_bands(view))
    for stack in stacks[: LIMITS.most_bands]:
        x0, y0, x1, y1 = stack_box(stack)
        if x1 - x0 < 40:
            continue
        yield "fills", within((x0, y0, x1, y1))
        yield "band", run_around(view.lines, view.rows, x0, x1, y0, y1, up=False)
        if len(stack) > 1:
            yield "band", run_around(view.lines, view.rows, x0, x1, y0, y1, up=True)


def _between(view: PageView, columns: list[list[LineRow]], box: Bbox) -> Iterator[tuple[int, ...]]:
    """Yield lines next to verticals: of the whole page, and of the text column that contains them."""
    for rows in (view.rows, *columns):
        held = [row for row in rows if box[1] - 2 <= row.base - 0.3 * row.size <= box[3] + 2]
        if held and min(row.x0 for row in held) < box[0] and max(row.x1 for row in held) > box[2]:
            yield tuple(sorted(index for row in held for index in row.indices))


def _runs_of(rows: list[LineRow]) -> Iterator[tuple[int, ...]]:
    known: dict[tuple[int, int], tuple[int, ...]] = {}
    for gap in GAPS:
        for run in find_runs(rows, gap):
            for variant in vary_run(rows, run, gap):
                indices = known.get(variant)
                if indices is None:
                    indices = known[variant] = indices_of(rows, variant)
                yield indices
