"""Poolings by hand-made numbers; padding changes none of them, on whichever side it stands."""

import numpy as np
import pytest

from models.neural.embed.pooling import activate, pool, unit
from models.neural.embed.sentence_directory import Activation, Pooling

HIDDEN = np.array([[[1, 2], [3, -4], [5, 0]]], dtype=np.float32)
EXPECTED: dict[Pooling, list[float]] = {
    Pooling.CLS: [1, 2],
    Pooling.LAST: [5, 0],
    Pooling.MAX: [5, 2],
    Pooling.MEAN: [3, -2 / 3],
    Pooling.MEAN_SQRT: [9 / 3**0.5, -2 / 3**0.5],
    Pooling.WEIGHTED_MEAN: [22 / 6, -6 / 6],
}


@pytest.mark.parametrize("pooling", list(Pooling))
def test_a_pooling_is_what_its_name_says(pooling: Pooling) -> None:
    assert np.allclose(pool(HIDDEN, np.ones((1, 3), dtype=np.int64), [pooling]), [EXPECTED[pooling]])


@pytest.mark.parametrize("pooling", list(Pooling))
@pytest.mark.parametrize("left", [0, 2])
def test_padding_changes_nothing(pooling: Pooling, left: int) -> None:
    padded = np.full((1, 5, 2), 99, dtype=np.float32)
    mask = np.zeros((1, 5), dtype=np.int64)
    padded[:, left : left + 3], mask[:, left : left + 3] = HIDDEN, 1
    assert np.allclose(pool(padded, mask, [pooling]), [EXPECTED[pooling]])


def test_several_poolings_stand_side_by_side() -> None:
    both = pool(HIDDEN, np.ones((1, 3), dtype=np.int64), [Pooling.CLS, Pooling.MAX])
    assert both.tolist() == [[1, 2, 5, 2]]
    assert both.dtype == np.float32


def test_unit_vectors_have_length_one_and_zeros_stay() -> None:
    assert np.allclose(unit(np.array([[3, 4], [0, 0]], dtype=np.float32)), [[0.6, 0.8], [0.0, 0.0]])


def test_activations() -> None:
    values = np.array([[-1.0, 0.0, 2.0]], dtype=np.float32)
    assert activate(values, Activation.IDENTITY).tolist() == [[-1, 0, 2]]
    assert activate(values, Activation.RELU).tolist() == [[0, 0, 2]]
    assert np.allclose(activate(values, Activation.TANH), np.tanh(values))
    assert np.allclose(activate(values, Activation.SIGMOID), 1 / (1 + np.exp(-values)))
