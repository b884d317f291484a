"""Gradient-boosted trees as bit masks over flat arrays: the run-time half of the models that `make train` learns.

All splits of all trees are evaluated at once (QuickScorer, Lucchese et al. 2015). A split that sends a row to the right
excludes the leaves on its left; the row's leaf is the leftmost one that remains. The sum runs over the trees in the
file's order, in double precision, so a row's score never depends on the other rows of the batch.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]
Masks = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class ForestLimits:
    """Bounds of a forest."""

    leaves: int = 16
    """Leaves of a tree: bits of a mask."""
    rows: int = 64
    """Rows evaluated at once; their results take half a megabyte."""


LIMITS = ForestLimits()

_LEFTMOST = np.zeros(1 << LIMITS.leaves, np.uint8)
"""Index of a mask's lowest bit."""
for _bit in range(1, LIMITS.leaves):
    _LEFTMOST[1 << _bit :: 2 << _bit] = _bit


@dataclass(frozen=True, slots=True)
class Forest:
    """A trained forest.

    `feature`, `threshold` and `gone` have one row for the first splits of all trees, one for the second, and so on.
    `gone` holds the leaves that are excluded if a row's value is above the threshold. Trees with fewer splits than the
    largest are padded with splits that no value passes. `value` are the leaves of all trees, `first` the first leaf of
    each tree, and `names` the columns of a row.
    """

    feature: npt.NDArray[np.int64]
    threshold: Matrix
    gone: Masks
    value: Scores
    first: npt.NDArray[np.int64]
    names: tuple[str, ...]

    def probabilities(self, rows: Matrix) -> Scores:
        """Return the probability (0..1) of the positive class for each row."""
        return np.asarray(1.0 / (1.0 + np.exp(-self.sums(rows))))

    def sums(self, rows: Matrix) -> Scores:
        """Return the sum over the trees for each row, which is the prediction of a regression."""
        parts = [self._sum(rows[start : start + LIMITS.rows]) for start in range(0, len(rows), LIMITS.rows)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.zeros(0)

    def _sum(self, rows: Matrix) -> Scores:
        is_right = rows.take(self.feature, axis=1) > self.threshold
        left = ~np.bitwise_or.reduce(is_right * self.gone, axis=1)
        total: Scores = self.value.take(_LEFTMOST.take(left) + self.first).cumsum(axis=1)[:, -1]
        return total


def load_forest(path: Path) -> Forest:
    """Load the trees of a file. Raises `OSError`, `KeyError` or `ValueError` if it contains none."""
    with np.load(path, allow_pickle=False) as file:
        nodes = FileNodes(*(file[name] for name in ("feature", "threshold", "left", "right", "value")))
        trees = [FlatTree(nodes, int(root)) for root in file["roots"]]
        names = tuple(str(name) for name in file["names"])
    shape = (max(len(tree.splits) for tree in trees), len(trees))
    feature, gone = np.zeros(shape, np.int64), np.zeros(shape, np.uint16)
    threshold = np.full(shape, np.inf, np.float32)
    for index, tree in enumerate(trees):
        for number, (node, ruled_out) in enumerate(tree.splits):
            feature[number, index], gone[number, index] = nodes.feature[node], ruled_out
            threshold[number, index] = _round_down(float(nodes.threshold[node]))
    sizes = np.array([len(tree.leaves) for tree in trees], np.int64)
    value = np.array([leaf for tree in trees for leaf in tree.leaves], np.float64)
    return Forest(feature, threshold, gone, value, np.cumsum(sizes) - sizes, names)


def _round_down(threshold: float) -> np.float32:
    """Return the largest single-precision number not above the threshold.

    Rows are single precision, so results stay equal.
    """
    rounded = np.float32(threshold)
    return rounded if float(rounded) <= threshold else np.nextafter(rounded, np.float32(-np.inf))


@dataclass(frozen=True, slots=True)
class FileNodes:
    """The arrays of the file; a leaf is its own child."""

    feature: npt.NDArray[np.int16]
    threshold: Scores
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    value: Scores


class FlatTree:
    """Leaves of one tree from left to right, and its splits as (node, mask of leaves that a right turn excludes)."""

    def __init__(self, nodes: FileNodes, root: int) -> None:
        self.leaves: list[float] = []
        self.splits: list[tuple[int, int]] = []
        self._nodes = nodes
        self._walk(root)

    def _walk(self, node: int) -> None:
        if self._nodes.left[node] == node:
            self.leaves.append(float(self._nodes.value[node]))
            return
        if len(self.splits) >= LIMITS.leaves - 1:
            raise ValueError(f"a tree without an end, or of more than {LIMITS.leaves} leaves")
        first, number = len(self.leaves), len(self.splits)
        self.splits.append((node, 0))
        self._walk(int(self._nodes.left[node]))
        self.splits[number] = (node, (1 << len(self.leaves)) - (1 << first))
        self._walk(int(self._nodes.right[node]))
