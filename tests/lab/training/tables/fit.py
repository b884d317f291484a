"""Fits of the three forests of tables by boosted regression trees."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from tests.lab.training.tables.judge import JudgedPage, JudgedRegions
from tests.lab.training.tables.row_labels import LabelledRows

PARAMETERS: dict[str, Any] = {
    "objective": "regression",
    "num_leaves": 15,
    "learning_rate": 0.06,
    "min_data_in_leaf": 20,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 2,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbose": -1,
}
_SCORE: dict[str, Any] = {"rounds": 300}
_GLANCE: dict[str, Any] = {"rounds": 200, "learning_rate": 0.08, "num_leaves": 8}
_ROWS: dict[str, Any] = {"rounds": 200, "learning_rate": 0.08, "feature_fraction": 0.4}
_PAGE_POWER, _SOURCE_POWER = 0.6, 0.55
"""A page weighs its rows' number to the power of 1 less the first, a source its pages' to that of 1 less the second."""
_TABLE_POWER, _ROWS_SOURCE_POWER = 0.5, 0.2
"""The same of a table's printed rows and of a source's."""

Batch = tuple[Any, Any]
"""Features of a page or table, and what is wanted of each row."""


def fit_rows(sources: Iterable[list[LabelledRows]], seed: int = 1) -> Any:
    """The booster that says which printed rows go on with the row above."""
    batches = [[(one.features, one.labels) for one in tables] for tables in sources]
    weights = [
        np.full(len(wanted), len(wanted) ** -_TABLE_POWER * sum(len(one) for _, one in tables) ** -_ROWS_SOURCE_POWER)
        for tables in batches
        for _, wanted in tables
    ]
    return _fit(batches, weights, seed, **_ROWS)


def fit_glance(sources: Iterable[list[JudgedRegions]], seed: int = 1) -> Any:
    """The booster that guesses what a region may give."""
    return _fit_pages([[(page.glances, page.quality) for page in pages] for pages in sources], seed, **_GLANCE)


def fit_score(sources: Iterable[list[JudgedPage]], seed: int = 1) -> Any:
    """The booster that scores finished tables."""
    wanted = [[(page.rows, [one.quality for one in page.judged]) for page in pages] for pages in sources]
    return _fit_pages(wanted, seed, **_SCORE)


def _fit_pages(sources: list[list[Batch]], seed: int, **settings: Any) -> Any:
    held = [[page for page in pages if len(page[1])] for pages in sources]
    weights = [
        np.full(len(wanted), len(pages) ** -_SOURCE_POWER * len(wanted) ** -_PAGE_POWER)
        for pages in held
        for _, wanted in pages
    ]
    return _fit(held, weights, seed, **settings)


def _fit(sources: list[list[Batch]], weights: list[Any], seed: int, *, rounds: int, **settings: Any) -> Any:
    import lightgbm

    batches = [batch for batches in sources for batch in batches]
    rows, wanted = np.vstack([one for one, _ in batches]), np.concatenate([np.asarray(one) for _, one in batches])
    data = lightgbm.Dataset(rows, wanted, weight=np.concatenate(weights))
    return lightgbm.train({**PARAMETERS, **settings, "seed": seed}, data, rounds)
