"""Cheap pre-selection of proposals by features of lines and rules, so that only a few regions need grids.

It does not split words or search for columns. A small forest predicts the quality of the best table of a region.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from quire.models.extract import HOME
from quire.models.extract.core.marks import Fill, Rule
from quire.models.extract.core.signs import is_figure
from quire.models.extract.layout.learned.forest import Forest, load_forest
from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.tables.regions.propose import MAKERS, Proposal
from quire.models.extract.layout.tables.regions.view import PageView

_weights = HOME / "layout" / "tables" / "weights" / "regions.npz"


@dataclass(frozen=True, slots=True)
class GlanceLimits:
    """Limits of the pre-selection: regions predicted under `bar` get no grid; of the others the best `most` do.

    Of the variants of one table only the best `crowd` remain, and none predicted more than `behind` below the best, so
    that the next table of the page keeps its place. A part of a larger region does not count as a variant of it.
    """

    bar: float = 0.2
    behind: float = 0.2
    alike: float = 0.5
    """Share of the lines of two regions together that variants of one table have in common."""
    most: int = 14
    crowd: int = 3
    long: int = 40
    """Minimum characters of a line that is longer than a label."""
    edge_step: float = 3.0
    """Edges are distinguished in steps of this many points."""
    wide_gap: float = 8.0
    """Upper limit of gaps between neighbours on a row (ems)."""
    beside: float = 8.0
    """Rules this close (points) above or below the lines of a proposal count as its own."""


LIMITS = GlanceLimits()

_LINE_NAMES = (
    "chars", "long", "figure", "lower", "stop", "bold", "code", "math", "size", "multi", "segments", "gap",
)  # fmt: skip
GLANCE_NAMES = (
    *_LINE_NAMES, "lines", "rows", "per_row", "left_edges", "right_edges", "size_spread", "step", "step_most",
    "width", "height", "share", "flats", "flat_levels", "uprights", "cells", "page_lines", "page_multi", "makers",
    *MAKERS,
)  # fmt: skip

Table = npt.NDArray[np.float32]


def glance_at(proposals: list[Proposal], view: PageView) -> Table:
    """Return the features `GLANCE_NAMES` of every proposal."""
    count = np.array([len(proposal.indices) for proposal in proposals])
    lines = np.array([index for proposal in proposals for index in proposal.indices])
    starts = np.cumsum(count) - count
    every = _boxes(view.lines)
    look, box = _line_looks(view, sorted(set(lines.tolist())))[lines], every[lines]
    means = np.add.reduceat(look, starts) / count[:, None]
    x0, y0 = np.minimum.reduceat(box[:, :2], starts).T
    x1, y1 = np.maximum.reduceat(box[:, 2:], starts).T
    sizes = np.maximum.reduceat(look[:, 8], starts) - np.minimum.reduceat(look[:, 8], starts)
    rows, step, step_most = _measure_rows(proposals, view, means[:, 8])
    left, right = (_count_edges(proposals, every[:, side]) for side in (0, 2))
    flat, levels, upright, fills = _count_drawn(view, np.stack([x0, y0, x1, y1]))
    multi = sum([row.segments > 1 for row in view.rows]) / max(len(view.rows), 1)
    whole = [
        count, rows, count / rows, left / count, right / count, sizes, step, step_most,
        (x1 - x0) / max(view.marks.width, 1.0), (y1 - y0) / max(view.marks.height, 1.0),
        count / max(len(view.lines), 1), flat, levels, upright, fills, np.full(len(count), len(view.lines)),
        np.full(len(count), multi), [len(proposal.makers) for proposal in proposals],
        *([name in proposal.makers for proposal in proposals] for name in MAKERS),
    ]  # fmt: skip
    return np.concatenate([means, np.array(whole).T], axis=1).astype(np.float32)


def _boxes(items: Sequence[Line | Rule | Fill]) -> Table:
    return np.array([(item.x0, item.y0, item.x1, item.y1) for item in items], np.float32).reshape(-1, 4)


def _measure_rows(proposals: list[Proposal], view: PageView, sizes: Table) -> Table:
    """Return the number of rows, and the usual and the largest step between two (ems), for each proposal."""
    number = [0] * len(view.lines)
    for row_number, row in enumerate(view.rows):
        for index in row.indices:
            number[index] = row_number
    bases = [row.base for row in view.rows] or [0.0]
    features: list[tuple[float, float, float]] = []
    for proposal in proposals:
        rows = sorted({number[index] for index in proposal.indices})
        steps = sorted([bases[below] - bases[above] for above, below in pairwise(rows)]) or [0.0]
        half = len(steps) // 2
        usual = steps[half] if len(steps) % 2 else (steps[half - 1] + steps[half]) / 2
        features.append((len(rows), usual, steps[-1]))
    out = np.array(features, np.float32).T
    out[1:] /= np.maximum(sizes, np.float32(1.0))
    return out


def _count_edges(proposals: list[Proposal], edges: Table) -> npt.NDArray[np.int64]:
    """Return the number of different edges of the lines of each proposal."""
    steps = np.round(edges / LIMITS.edge_step).tolist()
    return np.array([len({steps[index] for index in proposal.indices}) for proposal in proposals])


def _count_drawn(view: PageView, around: Table) -> Iterator[npt.ArrayLike]:
    """Return the numbers of horizontals, their levels, verticals and shaded areas in each proposal."""
    flat = _boxes(view.horizontals)
    held = _reach_into(flat, around)
    steps = np.round(flat[:, 1] / LIMITS.edge_step)
    yield held.sum(axis=1)
    yield [len(set(steps[indices].tolist())) for indices in held]
    yield _reach_into(_boxes(view.verticals), around).sum(axis=1)
    yield _reach_into(_boxes(view.fills), around).sum(axis=1)


def _line_looks(view: PageView, indices: list[int]) -> Table:
    """Return the features `_LINE_NAMES` of every line of the page; zeros for unrequested lines."""
    places = [(0.0, 0.0, 0.0)] * len(view.lines)
    for row in view.rows:
        multi, count, size = float(row.segments > 1), float(row.segments), max(row.size, 1.0)
        for left, right in pairwise(row.indices):
            gap = (view.lines[right].x0 - view.lines[left].x1) / size
            places[left] = (multi, count, min(max(gap, 0.0), LIMITS.wide_gap))
        places[row.indices[-1]] = (multi, count, 0.0)
    values = chain.from_iterable([(*_look_of(view.lines[index]), *places[index]) for index in indices])
    looks = np.zeros((len(view.lines), len(_LINE_NAMES)), np.float32)
    looks[indices] = np.fromiter(values, np.float32, len(indices) * len(_LINE_NAMES)).reshape(-1, len(_LINE_NAMES))
    return looks


def _look_of(line: Line) -> tuple[float, ...]:
    text, count = line.text, len(line.text)
    return (
        min(count, 200), count > LIMITS.long, count < LIMITS.long and is_figure(text),
        text[0].islower(), count > 12 and text[-1] in ".;,!?", line.bold, line.code, line.math, line.size,
    )  # fmt: skip


def _reach_into(boxes: Table, around: Table) -> npt.NDArray[np.bool_]:
    """Return whether each box (column) reaches into each proposal (row), or is right above or below it."""
    x0, y0, x1, y1 = around[:, :, None]
    meets: npt.NDArray[np.bool_] = (
        (boxes[:, 0] < x1)
        & (boxes[:, 2] > x0)
        & (boxes[:, 1] < y1 + LIMITS.beside)
        & (boxes[:, 3] > y0 - LIMITS.beside)
    )
    return meets


def load_glance() -> None:
    """Read the weights now."""
    _load(_weights)


def use_weights(path: Path) -> None:
    """Take other weights from now on: training looks through the forest that it has just grown."""
    global _weights
    _weights = path


def pick_proposals(proposals: list[Proposal], view: PageView) -> list[Proposal]:
    """Return the proposals that are worth a grid, in their order."""
    if not proposals:
        return []
    guesses = _load(_weights).sums(glance_at(proposals, view))
    return keep_best(proposals, guesses.tolist())


def keep_best(proposals: list[Proposal], guesses: list[float]) -> list[Proposal]:
    """Return the best proposals in their order.

    At most `crowd` variants of one table, and none far `behind` the best.
    """
    kept: list[int] = []
    held: list[set[int]] = []
    for index in sorted(range(len(proposals)), key=lambda index: (-guesses[index], index)):
        if guesses[index] < LIMITS.bar or len(kept) == LIMITS.most:
            break
        lines = set(proposals[index].indices)
        variants = [best for best, other in zip(kept, held, strict=True) if _are_alike(lines, other)]
        is_behind = bool(variants) and guesses[variants[0]] - guesses[index] > LIMITS.behind
        if not is_behind and len(variants) < LIMITS.crowd:
            kept.append(index)
            held.append(lines)
    return [proposals[index] for index in sorted(kept)]


def _are_alike(lines: set[int], others: set[int]) -> bool:
    shared = len(lines & others)
    return shared > LIMITS.alike * (len(lines) + len(others) - shared)


@lru_cache(maxsize=2)
def _load(path: Path) -> Forest:
    return load_forest(path)
