"""LightGBM's trees as the flat arrays that `quire.models.extract.layout.learned.forest` reads."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np


class FlatTrees:
    """Nodes of all trees in one row; a leaf is its own child on both sides."""

    def __init__(self) -> None:
        self.feature: list[int] = []
        self.threshold: list[float] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.value: list[float] = []
        self.roots: list[int] = []

    def add_tree(self, structure: dict[str, Any]) -> None:
        self.roots.append(self._add(structure))

    def _add(self, node: dict[str, Any]) -> int:
        at = len(self.feature)
        self.feature.append(0)
        self.threshold.append(0.0)
        self.left.append(at)
        self.right.append(at)
        self.value.append(0.0)
        if "split_feature" not in node:
            self.value[at] = node["leaf_value"]
            return at
        if node["decision_type"] != "<=":
            raise ValueError(f"a split of type {node['decision_type']} cannot be walked")
        self.feature[at], self.threshold[at] = node["split_feature"], node["threshold"]
        self.left[at] = self._add(node["left_child"])
        self.right[at] = self._add(node["right_child"])
        return at


def write_forest(booster: Any, path: Path, names: Sequence[str]) -> None:
    """The booster's trees in `path` (.npz), with the names of its columns."""
    flat = FlatTrees()
    for tree in booster.dump_model()["tree_info"]:
        flat.add_tree(tree["tree_structure"])
    np.savez_compressed(
        path,
        feature=np.array(flat.feature, np.int16),
        threshold=np.array(flat.threshold, np.float64),
        left=np.array(flat.left, np.int32),
        right=np.array(flat.right, np.int32),
        value=np.array(flat.value, np.float64),
        roots=np.array(flat.roots, np.int32),
        names=np.array(list(names)),
    )
