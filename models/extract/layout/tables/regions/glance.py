"""A first, cheap look at proposals: features from lines and rules alone, so that few regions need grids.

Words are not split, columns not looked for. A small forest guesses the quality of the best table a region may give.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from models.extract.layout.learned.forest import Forest, load_forest
from models.extract.layout.tables.data_rows import FIGURE
from models.extract.layout.tables.regions.propose import MAKERS, Proposal
from models.extract.layout.tables.regions.view import PageView

_weights = Path(__file__).parent.parent / "weights" / "regions.npz"


@dataclass(frozen=True, slots=True)
class GlanceLimits:
    """Regions guessed under `bar` get no grid; of the others the best `most` do."""

    bar: float = 0.1
    most: int = 12
    long: int = 40
    """Characters of a line that is no label."""
    edge_step: float = 3.0
    """Edges are told apart in steps of so many points."""
    wide_gap: float = 8.0
    """Gaps between neighbours on a row (ems) beyond this tell no more."""


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
    """A row of `GLANCE_NAMES` for every proposal."""
    looks = _line_looks(view)
    boxes = np.array([line.bbox for line in view.lines], np.float32)
    number = np.zeros(len(view.lines), np.int64)
    bases = np.zeros(len(view.rows) + 1, np.float32)
    for at, row in enumerate(view.rows):
        number[row.indices] = at
        bases[at] = row.base
    flat = np.array([(rule.x0, rule.y0, rule.x1, rule.y1) for rule in view.horizontals], np.float32).reshape(-1, 4)
    upright = np.array([(rule.x0, rule.y0, rule.x1, rule.y1) for rule in view.verticals], np.float32).reshape(-1, 4)
    fills = np.array([(fill.x0, fill.y0, fill.x1, fill.y1) for fill in view.fills], np.float32).reshape(-1, 4)
    page = (float(len(view.lines)), float(np.mean([row.segments > 1 for row in view.rows])) if view.rows else 0.0)
    width, height = max(view.marks.width, 1.0), max(view.marks.height, 1.0)
    out = np.zeros((len(proposals), len(GLANCE_NAMES)), np.float32)
    own = len(_LINE_NAMES)
    for at, proposal in enumerate(proposals):
        held = np.array(proposal.indices)
        look, box = looks[held], boxes[held]
        out[at, :own] = look.mean(axis=0)
        x0, y0 = box[:, 0].min(), box[:, 1].min()
        x1, y1 = box[:, 2].max(), box[:, 3].max()
        rows = sorted(set(number[held].tolist()))
        size = max(float(out[at, 8]), 1.0)
        steps = np.diff(bases[rows]) / size if len(rows) > 1 else np.zeros(1, np.float32)
        inside = _inside(flat, x0, y0, x1, y1)
        out[at, own : own + 18] = (
            len(held), len(rows), len(held) / len(rows), _distinct(box[:, 0]) / len(held),
            _distinct(box[:, 2]) / len(held), look[:, 8].max() - look[:, 8].min(), _median(steps), steps.max(),
            (x1 - x0) / width, (y1 - y0) / height, len(held) / max(page[0], 1.0), len(inside),
            _distinct(inside[:, 1]), len(_inside(upright, x0, y0, x1, y1)), len(_inside(fills, x0, y0, x1, y1)),
            page[0], page[1], len(proposal.makers),
        )  # fmt: skip
        out[at, own + 18 :] = [name in proposal.makers for name in MAKERS]
    return out


def _line_looks(view: PageView) -> Table:
    """`_LINE_NAMES` for every line of the page."""
    looks: list[list[float]] = []
    for line in view.lines:
        text = line.text
        count = len(text)
        looks.append([
            min(count, 200), count > LIMITS.long, count < LIMITS.long and FIGURE.fullmatch(text) is not None,
            text[0].islower(),
            count > 12 and text[-1] in ".;,!?", line.bold, line.code, line.math, line.size, 0.0, 0.0, 0.0,
        ])  # fmt: skip
    for row in view.rows:
        for index in row.indices:
            looks[index][9], looks[index][10] = row.segments > 1, row.segments
        for left, right in zip(row.indices, row.indices[1:], strict=False):
            gap = (view.lines[right].x0 - view.lines[left].x1) / max(row.size, 1.0)
            looks[left][11] = min(max(gap, 0.0), LIMITS.wide_gap)
    return np.array(looks, np.float32)


def _inside(boxes: Table, x0: float, y0: float, x1: float, y1: float) -> Table:
    if not len(boxes):
        return boxes
    held = (boxes[:, 0] < x1) & (boxes[:, 2] > x0) & (boxes[:, 1] < y1 + 8) & (boxes[:, 3] > y0 - 8)
    found: Table = boxes[held]
    return found


def _distinct(values: Table) -> int:
    return len(set(np.round(values / LIMITS.edge_step).tolist()))


def _median(values: Table) -> np.float32:
    """As `np.median`, which takes ten times as long over the few values of a proposal."""
    ordered = np.sort(values)
    half = len(ordered) // 2
    return np.float32(ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / np.float32(2))


def load_glance() -> None:
    """Read the weights now."""
    _load(_weights)


def use_weights(path: Path) -> None:
    """Take other weights from now on: training looks through the forest that it has just grown."""
    global _weights
    _weights = path


def pick_proposals(proposals: list[Proposal], view: PageView) -> list[Proposal]:
    """The proposals worth a grid, in their order."""
    if not proposals:
        return []
    guesses = _load(_weights).sums(glance_at(proposals, view))
    order = sorted(range(len(proposals)), key=lambda at: (-guesses[at], at))
    kept = [at for at in order[: LIMITS.most] if guesses[at] >= LIMITS.bar]
    return [proposals[at] for at in sorted(kept)]


@lru_cache(maxsize=2)
def _load(path: Path) -> Forest:
    return load_forest(path)
