"""Names the script of a page that the built-in networks cannot read, by what their recogniser sees in its lines.

In: a picture and the boxes of its lines. Out: a name and a probability. One linear layer over the mean and the spread
of the recogniser's last hidden layer; `script_names.npz` is written by `tests/bench/training/scripts.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.neural.ocr.crops import batch_lines, cut_line
from models.neural.ocr.detect import Picture
from models.neural.ocr.runtime import Floats, Network, load_hidden_layer
from models.neural.registry import ModelName, locate_model

WEIGHTS = Path(__file__).with_name("script_names.npz")
MOST_LINES = 40
"""Lines that are compared, the longest first: more do not change the result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptClassifier:
    """The recogniser's hidden layer, and the weights of each script."""

    hidden: Network
    weights: Floats
    bias: Floats
    names: tuple[str, ...]

    def classify(self, picture: Picture, boxes: Sequence[Floats]) -> tuple[str, float] | None:
        """Return the likeliest script of the lines and its probability, or None without lines."""
        cuts = sorted((cut_line(picture, box) for box in boxes), key=lambda cut: -cut.shape[1])[:MOST_LINES]
        if not cuts:
            return None
        features, columns = describe_lines(cuts, self.hidden)
        scores = features @ self.weights + self.bias
        scores -= scores.max(axis=1, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        mean = np.maximum(logs, -20.0).T @ columns / columns.sum()
        shares = np.exp(mean - mean.max())
        best = int(shares.argmax())
        return self.names[best], float(shares[best] / shares.sum())


def describe_lines(cuts: Sequence[Picture], hidden: Network) -> tuple[Floats, Floats]:
    """Return features of each line (mean and spread of the hidden layer) and the lines' widths in pixels."""
    features: list[Floats] = []
    columns: list[int] = []
    for batch in batch_lines(cuts):
        layers = hidden(batch.pictures)
        for layer, width in zip(layers, batch.columns, strict=True):
            steps = max(1, round(layer.shape[0] * width / batch.pictures.shape[3]))
            features.append(np.concatenate([layer[:steps].mean(axis=0), layer[:steps].std(axis=0)]))
            columns.append(width)
    return np.stack(features), np.asarray(columns, np.float32)


def load_classifier() -> ScriptClassifier:
    """Load the weights and the recogniser's hidden layer. Raises `MlUnavailable` when the model is missing."""
    hidden = load_hidden_layer(locate_model(ModelName.TEXT_RECOGNISER))
    with np.load(WEIGHTS) as stored:
        names = tuple(str(name) for name in stored["names"])
        return ScriptClassifier(hidden=hidden, weights=stored["weights"], bias=stored["bias"], names=names)
