"""Names the script of a page that the built-in networks cannot read, by what their recogniser sees in its lines.

In: features of lines (mean and spread of the recogniser's last hidden layer) and their widths. Out: a name and a
probability. One linear layer; `script_names.npz` is written by `tests/lab/training/scripts.py`.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WEIGHTS = Path(__file__).with_name("script_names.npz")
_LEAST_LOG = -20.0
"""Least log probability of a script in one line, so that no line outvotes all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptNames:
    """The weights of each script."""

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    names: tuple[str, ...]

    def classify(self, features: NDArray[np.float32], widths: NDArray[np.float32]) -> tuple[str, float]:
        """Return the likeliest script of the lines and its probability; wide lines count for more."""
        scores = features @ self.weights + self.bias
        scores -= scores.max(axis=1, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        mean = np.maximum(logs, _LEAST_LOG).T @ widths / widths.sum()
        shares = np.exp(mean - mean.max())
        best = int(shares.argmax())
        return self.names[best], float(shares[best] / shares.sum())


def load_names() -> ScriptNames:
    """Load the weights."""
    with np.load(WEIGHTS) as stored:
        names = tuple(str(name) for name in stored["names"])
        return ScriptNames(weights=stored["weights"], bias=stored["bias"], names=names)
