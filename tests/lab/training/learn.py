"""Training of one binary decision on rows of several sources, and its honest score: each source left out in turn."""

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

ROUNDS = 150
PARAMETERS = {
    "objective": "binary", "num_leaves": 15, "learning_rate": 0.06, "min_data_in_leaf": 20, "feature_fraction": 0.4,
    "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 2, "seed": 7,
    "deterministic": True, "force_row_wise": True, "num_threads": 1, "verbose": -1,
}  # fmt: skip
"""One thread and a fixed order: the same documents give the same trees, byte for byte."""
FOLDS = 5
"""A source typeset from templates is left out by templates, a fifth at a time."""


@dataclass(slots=True)
class DocumentRows:
    """Rows of one document: features, truth (1, 0, or -1 = not known), what the rules said of each."""

    source: str
    name: str
    features: npt.NDArray[np.float32]
    truth: npt.NDArray[np.int8]
    kinds: list[str]


def fold_of(document: DocumentRows, templates: dict[str, str]) -> str:
    """Return the fold that is left out together with the document."""
    template = templates.get(document.name)
    return document.source if template is None else f"{document.source}{zlib.crc32(template.encode()) % FOLDS}"


def read_templates(home: Path) -> dict[str, str]:
    """Document → template of a typeset source; empty for others."""
    path = home / "meta.jsonl"
    if not path.exists():
        return {}
    return {meta["id"]: meta["template"] for meta in map(json.loads, path.read_text().splitlines())}


def train(
    documents: list[DocumentRows],
    doubtful: set[tuple[str, str, int]] | None = None,
    parameters: dict[str, float] | None = None,
    rounds: int = ROUNDS,
) -> Any:
    """A booster of `rounds` trees; every source weighs as the square root of its rows. `doubtful` rows are left out."""
    import lightgbm

    rows, truth, weights = [], [], []
    sizes: dict[str, int] = {}
    for document in documents:
        sizes[document.source] = sizes.get(document.source, 0) + len(document.truth)
    for document in documents:
        for at, answer in enumerate(document.truth):
            if answer >= 0 and (document.source, document.name, at) not in (doubtful or ()):
                rows.append(document.features[at])
                truth.append(answer)
                weights.append(sizes[document.source] ** -0.5)
    weight = np.array(weights)
    data = lightgbm.Dataset(np.stack(rows), np.array(truth), weight=weight / weight.mean())
    return lightgbm.train({**PARAMETERS, **(parameters or {})}, data, num_boost_round=rounds)


def find_doubtful(
    documents: list[DocumentRows], tagged: frozenset[str], kind: str, least: float
) -> set[tuple[str, str, int]]:
    """Return rows whose author tags deny `kind` while the rules and a model of all other sources are sure of it.

    Authors omit tags: in nearly all of those rows the model was right. They are dropped, not relabelled.
    """
    found: set[tuple[str, str, int]] = set()
    for source in sorted({document.source for document in documents} & tagged):
        others = [document for document in documents if document.source != source]
        if not others:
            continue
        booster = train(others)
        for document in documents:
            if document.source != source:
                continue
            chances = booster.predict(document.features)
            for at, (answer, said, chance) in enumerate(zip(document.truth, document.kinds, chances, strict=True)):
                if answer == 0 and said == kind and chance >= least:
                    found.add((document.source, document.name, at))
    return found
