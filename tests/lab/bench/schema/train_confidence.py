"""Learn the confidence of extracted values: `python -m tests.lab.bench.schema.train_confidence --data FOLDER [--keep]`.

FOLDER holds `sroie`, `funsd` and `invoices` with their truth; the other sources are made by seed. Prints the
calibration error (ECE) of each source by weights that have not seen it, then learns from all. The same documents give
the same weights: the regression is solved by Newton's method, without chance.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from quire.models.derive.schema.extract import extract_data, read_schema
from quire.models.derive.schema.verify import FEATURES, WEIGHTS, limit_of
from tests.lab.bench.schema import cases
from tests.lab.bench.schema.bench_pages import judge_leaves, made_cases
from tests.lab.bench.schema.cases import SchemaCase, run_case
from tests.lab.bench.schema.made_pages import KINDS
from tests.lab.bench.schema.scoring import calibration_error

RIDGE = 20.0  # penalty of squared weights; lower ones fit the sources at hand better and others worse
STEPS = 30  # of Newton's method
DIGITS = 4  # kept of each weight
SEEDS = range(200, 203)  # made invoices to learn from; benchmarks use others
STEP = 1e-7
"""Far below what a doubt lowers a confidence to."""
LAYOUTS = (0, 23)  # first and last layout of made pages to learn from; benchmarks use others
SURE = 0.9
Rows = npt.NDArray[np.float64]


class RecordedFeatures:
    """Replaces the confidence in training: keeps the features of each value and returns their number in tiny steps."""

    def __init__(self) -> None:
        self.rows: list[tuple[float, ...]] = []

    def __call__(self, features: Sequence[float]) -> float:
        """Keep the features."""
        self.rows.append(tuple(features))
        return STEP * (len(self.rows) - 1)

    def of(self, confidence: float) -> tuple[float, ...] | None:
        """Return the features of a value, or None for one whose confidence is assumed."""
        number = round(confidence / STEP)
        return self.rows[number] if number < len(self.rows) else None


def find_cases(data: Path, cache: Path | None) -> Iterator[SchemaCase]:
    """Yield the cases of all sources."""
    yield from cases.receipts(data / "sroie", cache)
    yield from cases.forms(data / "funsd", cache)
    yield from cases.invoices(data / "invoices")
    yield from cases.made_invoices(SEEDS, absent=True)
    yield from cases.long_lists(100, seed=7)
    yield from cases.statements(2, shift=3)


def collect(found: Iterator[SchemaCase], cache: Path | None) -> tuple[Rows, Rows, list[str]]:
    """Return features, truth and source of each judged value of the cases and of made pages."""
    rows, truth, sources = [], [], []
    for source, recorded, judged in chain(_judge_cases(found), _judge_pages(cache)):
        for confidence, right in judged:
            features = recorded.of(confidence)
            if features is not None:
                rows.append(features)
                truth.append(right)
                sources.append(source)
    return np.array(rows), np.array(truth, float), sources


Judged = tuple[str, RecordedFeatures, list[tuple[float, bool]]]


def _judge_cases(found: Iterator[SchemaCase]) -> Iterator[Judged]:
    for case in found:
        recorded = RecordedFeatures()
        yield case.source, recorded, [(value.confidence, value.right) for value in run_case(case, recorded)]


def _judge_pages(cache: Path | None) -> Iterator[Judged]:
    for kind, _, tree, schema, truth in made_cases(*LAYOUTS, list(KINDS), cache):
        recorded = RecordedFeatures()
        yield kind, recorded, judge_leaves(truth, extract_data(tree, read_schema(schema), rate=recorded))


def fit(rows: Rows, truth: Rows, sources: Sequence[str]) -> tuple[float, Rows]:
    """Return bias and weights; every source weighs as the square root of its rows."""
    sizes = {source: sources.count(source) for source in set(sources)}
    weight = np.array([sizes[source] ** -0.5 for source in sources])
    weight = weight / weight.mean()
    wide = np.hstack([rows, np.ones((len(rows), 1))])
    penalty = np.eye(wide.shape[1]) * RIDGE
    penalty[-1, -1] = 1e-6
    solution = np.zeros(wide.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(wide @ solution, -30, 30)))
        slope = wide.T @ (weight * (chance - truth)) + penalty @ solution
        curve = (wide * (weight * chance * (1 - chance))[:, None]).T @ wide + penalty
        solution -= np.linalg.solve(curve, slope)
    return float(solution[-1]), solution[:-1]


def predict(rows: Rows, bias: float, weights: Rows) -> Rows:
    """Return the chance of each row."""
    chances: Rows = np.minimum(1 / (1 + np.exp(-(rows @ weights + bias))), [limit_of(row) for row in rows])
    return chances


def main() -> None:
    """Print the errors and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="folder that keeps recognised trees")
    parser.add_argument("--keep", action="store_true", help="print the errors, leave the weights as they are")
    asked = parser.parse_args()
    rows, truth, sources = collect(find_cases(asked.data, asked.cache), asked.cache)
    names = np.array(sources)
    errors: list[float] = []
    every, hits = 0, 0.0
    for source in dict.fromkeys(sources):
        own = names == source
        chances = predict(rows[own], *fit(rows[~own], truth[~own], names[~own].tolist()))
        errors.append(calibration_error(chances.tolist(), truth[own].astype(bool).tolist()))
        sure = chances >= SURE
        every, hits = every + int(sure.sum()), hits + float(truth[own][sure].sum())
        print(f"{source:14} {own.sum():6} values, right {truth[own].mean():.3f}, said {chances.mean():.3f}, "
              f"error left out {errors[-1]:.3f}, {SURE} or more {sure.sum()}, right "
              f"{truth[own][sure].mean() if sure.any() else 1.0:.3f}")  # fmt: skip
    bias, weights = fit(rows, truth, sources)
    said = predict(rows, bias, weights)
    together = calibration_error(said.tolist(), truth.astype(bool).tolist())
    print(f"{SURE} or more, sources left out: {every} values, right {hits / max(1, every):.3f}")
    print(f"mean of sources left out {np.mean(errors):.3f}; all together, seen {together:.3f}")
    if not asked.keep:
        stored: dict[str, Any] = {
            "features": FEATURES,
            "bias": round(bias, DIGITS),
            "weights": [round(float(value), DIGITS) for value in weights],
        }
        WEIGHTS.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
