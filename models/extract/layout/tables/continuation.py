"""Decide which printed rows continue the table row above them, with a small forest for each pair of neighbours.

Regions without rules give no other evidence, and distances do not suffice if a cell's lines are as far apart as rows.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from quire.models.extract import HOME
from quire.models.extract.core import steps
from quire.models.extract.core.marks import RuledRegion
from quire.models.extract.core.steps import STEP_NAMES
from quire.models.extract.core.words import TextRow
from quire.models.extract.layout.learned.forest import Forest, load_forest

_weights = HOME / "layout" / "tables" / "weights" / "rows.npz"


@dataclass(frozen=True, slots=True)
class ContinuationLimits:
    """Bounds of the features."""

    wide_rule: float = 0.5
    """Share of the region's width from which a rule parts rows."""
    parted: float = 0.5
    """Maximum probability of continuation at which a printed row starts a table row."""


LIMITS = ContinuationLimits()
Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RowGroups:
    """Printed rows grouped into table rows; `sure` (0..1) is the mean certainty."""

    groups: list[list[TextRow]]
    sure: float


def group_rows(rows: list[TextRow], columns: list[float], region: RuledRegion) -> RowGroups:
    """Group the printed rows of a region into table rows over the given columns."""
    if len(rows) < 2:
        return RowGroups([list(rows)], 1.0)
    chances = _load(_weights).sums(describe_steps(rows, columns, region)).tolist()
    groups = [[rows[0]]]
    for row, chance in zip(rows[1:], chances, strict=True):
        if chance > LIMITS.parted:
            groups[-1].append(row)
        else:
            groups.append([row])
    sure = sum([min(1.0, 2 * abs(chance - 0.5)) for chance in chances]) / len(chances)
    return RowGroups(groups, sure)


def describe_steps(rows: list[TextRow], columns: list[float], region: RuledRegion) -> Matrix:
    """Return the features `STEP_NAMES` of every printed row except the first."""
    if len(rows) < 2:
        return np.zeros((0, len(STEP_NAMES)), np.float32)
    least = LIMITS.wide_rule * (region.box[2] - region.box[0])
    levels = sorted([rule.y0 for rule in region.horizontals if rule.x1 - rule.x0 > least])
    described = np.frombuffer(memoryview(steps.describe_steps(rows, columns, levels)), np.float64)
    return np.asarray(described.astype(np.float32).reshape(-1, len(STEP_NAMES)))


def load_continuation() -> None:
    """Read the weights now."""
    _load(_weights)


def use_weights(path: Path) -> None:
    """Take other weights from now on: training asks the forest that it has just grown."""
    global _weights
    _weights = path


@lru_cache(maxsize=2)
def _load(path: Path) -> Forest:
    return load_forest(path)
