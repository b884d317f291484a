"""Trees as flat arrays: walked as they were learned, row by row, and a broken file is refused."""

from pathlib import Path

import numpy as np
import pytest

from quire.models.extract.layout.headings.decide import WEIGHTS
from quire.models.extract.layout.headings.features import NAMES
from quire.models.extract.layout.learned.forest import load_forest
from tests.lab.training.forest_file import write_forest

TREE = {
    "split_feature": 0,
    "threshold": 1.5,
    "decision_type": "<=",
    "left_child": {"leaf_value": -2.0},
    "right_child": {
        "split_feature": 1,
        "threshold": 0.0,
        "decision_type": "<=",
        "left_child": {"leaf_value": 0.0},
        "right_child": {"leaf_value": 3.0},
    },
}


class Learned:
    """Scripted description of a booster."""

    def dump_model(self) -> dict[str, object]:
        return {"tree_info": [{"tree_structure": TREE}, {"tree_structure": {"leaf_value": 1.0}}]}


def test_every_row_ends_in_the_leaf_its_values_lead_to(tmp_path: Path) -> None:
    write_forest(Learned(), tmp_path / "trees.npz", ["size", "bold"])
    forest = load_forest(tmp_path / "trees.npz")
    rows = np.array([[1.5, 9], [2, 0], [2, 1]], np.float32)
    wanted = [1 / (1 + np.exp(-score)) for score in (-1.0, 1.0, 4.0)]
    assert forest.probabilities(rows).tolist() == pytest.approx(wanted)
    assert forest.names == ("size", "bold")


def test_a_row_scores_the_same_alone_and_among_others() -> None:
    forest = load_forest(WEIGHTS)
    rows = np.random.default_rng(1).normal(size=(50, len(NAMES))).astype(np.float32)
    together = forest.probabilities(rows)
    assert [forest.probabilities(rows[at : at + 1])[0] for at in range(50)] == together.tolist()


def test_weights_that_ship_were_learned_on_features_that_are_made() -> None:
    assert load_forest(WEIGHTS).names == NAMES


def test_forest_file_with_a_cycle_is_refused(tmp_path: Path) -> None:
    zeros, ahead = np.zeros(2), np.array([1, 0])
    np.savez(
        tmp_path / "circle.npz", left=ahead, right=ahead, feature=zeros, threshold=zeros, value=zeros,
        roots=np.array([0]), names=np.array(["a"]),
    )  # fmt: skip
    with pytest.raises(ValueError, match="without an end"):
        load_forest(tmp_path / "circle.npz")
