"""From token vectors to one vector a text, as sentence-transformers defines it. Pure numpy; knows no model."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from models.neural.embed.sentence_directory import Activation, Pooling

Array = npt.NDArray[np.float32]


def pool(hidden: Array, mask: npt.NDArray[np.int64], poolings: Sequence[Pooling]) -> Array:
    """`hidden` (texts, tokens, width), `mask` 1 where a token counts; one row a text, several poolings side by side."""
    return np.concatenate([_POOLINGS[pooling](hidden, mask) for pooling in poolings], axis=1).astype(np.float32)


def unit(vectors: Array) -> Array:
    """Rows of length one; a row of zeros stays."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)


def activate(values: Array, activation: Activation) -> Array:
    match activation:
        case Activation.IDENTITY:
            return values
        case Activation.TANH:
            return np.tanh(values)
        case Activation.RELU:
            return np.maximum(values, np.float32(0))
        case Activation.SIGMOID:
            return np.asarray(1 / (1 + np.exp(-values)), dtype=np.float32)


def _cls(hidden: Array, mask: npt.NDArray[np.int64]) -> Array:
    """The first token that counts: padding may stand on the left."""
    first: Array = hidden[np.arange(len(hidden)), mask.argmax(axis=1)]
    return first


def _last(hidden: Array, mask: npt.NDArray[np.int64]) -> Array:
    last = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
    chosen: Array = hidden[np.arange(len(hidden)), last]
    return chosen


def _max(hidden: Array, mask: npt.NDArray[np.int64]) -> Array:
    return np.asarray(np.where(mask[:, :, None] > 0, hidden, np.float32(-1e9)).max(axis=1))


def _sum(hidden: Array, weights: Array) -> Array:
    return np.asarray((hidden * weights[:, :, None]).sum(axis=1))


def _mean(hidden: Array, mask: npt.NDArray[np.int64]) -> Array:
    return np.asarray(_sum(hidden, mask.astype(np.float32)) / np.maximum(mask.sum(axis=1), 1)[:, None])


def _mean_sqrt(hidden: Array, mask: npt.NDArray[np.int64]) -> Array:
    return np.asarray(_sum(hidden, mask.astype(np.float32)) / np.sqrt(np.maximum(mask.sum(axis=1), 1))[:, None])


def _weighted_mean(hidden: Array, mask: npt.NDArray[np.int64]) -> Array:
    """Later tokens weigh more: 1, 2, 3, … (Muennighoff, SGPT, 2022)."""
    weights = mask * np.cumsum(mask, axis=1)
    return np.asarray(_sum(hidden, weights.astype(np.float32)) / np.maximum(weights.sum(axis=1), 1)[:, None])


_POOLINGS = {
    Pooling.CLS: _cls,
    Pooling.MEAN: _mean,
    Pooling.MAX: _max,
    Pooling.MEAN_SQRT: _mean_sqrt,
    Pooling.WEIGHTED_MEAN: _weighted_mean,
    Pooling.LAST: _last,
}
