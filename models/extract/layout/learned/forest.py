"""Gradient-boosted trees as flat arrays, walked by numpy: the run-time half of what `make train` learns.

The file is an .npz written by the training; nothing here knows how it was made. The sum is taken tree by tree in the
file's order, in double precision, so a row's score never depends on which rows stand beside it.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]

_DEEPEST = 64
"""No tree of ours is deeper (15 leaves): a bound for a broken file, which must not walk for ever."""


@dataclass(frozen=True, slots=True)
class Forest:
    """Nodes of all trees in one row. `below` holds each node's children, left and right; a leaf is its own child.

    `roots` are the first nodes of the trees, `depth` the most steps to a leaf, `names` the columns of a row.
    """

    feature: npt.NDArray[np.int64]
    threshold: Scores
    below: npt.NDArray[np.int64]
    value: Scores
    roots: npt.NDArray[np.int64]
    depth: int
    names: tuple[str, ...]

    def probabilities(self, rows: Matrix) -> Scores:
        """The chance (0..1) that each row is a case of what was learned."""
        return np.asarray(1.0 / (1.0 + np.exp(-self.sums(rows))))

    def sums(self, rows: Matrix) -> Scores:
        """The sum over the trees for each row: what a regression foretells."""
        if not len(rows):
            return np.zeros(0)
        flat = rows.ravel()
        start = (np.arange(len(rows), dtype=np.int64) * rows.shape[1])[:, None]
        at = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        for _ in range(self.depth):
            at = self.below.take(2 * at + (flat.take(self.feature.take(at) + start) > self.threshold.take(at)))
        total: Scores = self.value.take(at).cumsum(axis=1)[:, -1]
        return total


def load_forest(path: Path) -> Forest:
    """The trees in the file. Raises `OSError`, `KeyError` or `ValueError` when it holds none."""
    with np.load(path, allow_pickle=False) as file:
        below = np.stack([file["left"], file["right"]], axis=1).astype(np.int64)
        roots = file["roots"].astype(np.int64)
        return Forest(
            feature=file["feature"].astype(np.int64),
            threshold=file["threshold"].astype(np.float64),
            below=below.ravel(),
            value=file["value"].astype(np.float64),
            roots=roots,
            depth=_find_depth(below, roots),
            names=tuple(str(name) for name in file["names"]),
        )


def _find_depth(below: npt.NDArray[np.int64], roots: npt.NDArray[np.int64]) -> int:
    """Steps until every path has come to its leaf."""
    at = roots
    for depth in range(_DEEPEST):
        under = np.unique(below[at])
        if np.array_equal(below[under, 0], under):
            return depth + 1
        at = under
    raise ValueError("a tree without an end")
