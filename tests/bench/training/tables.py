"""Trains the two forests of tables: a glance at regions, and the score of finished tables.

Every candidate of every page of every source is built as the reader builds it and compared with the truth: first of all
proposals, from which the glance learns the best quality that a region may give; then of those that a glance leaves,
from which the score learns. That glance has learned from the other sources only: the score is to meet what the reader
meets on pages of a maker that nobody trained on. Regression by boosted trees; a page weighs its candidates' number to
the power .4, a source its pages' number to the power .7.

    python -m tests.bench.training.tables --sets DIR [--out FOLDER | --keep] [--without SOURCE]

One seed, one thread a fit, documents in the order of their names: the same bytes twice. `--without` leaves a source
out, to be scored on it afterwards.
"""

import argparse
import hashlib
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from models.extract.formats.pdf.engine import pymupdf
from models.extract.formats.pdf.marks import find_marks
from models.extract.layout.lines.marks import PageMarks
from models.extract.layout.lines.mirror import mirror_marks, runs_right_to_left
from models.extract.layout.tables.grid import make_table
from models.extract.layout.tables.regions import glance
from models.extract.layout.tables.regions.glance import GLANCE_NAMES, glance_at, pick_proposals
from models.extract.layout.tables.regions.propose import Proposal
from models.extract.layout.tables.regions.view import PageView, view_page
from models.extract.layout.tables.scoring.candidates import Candidate
from models.extract.layout.tables.scoring.features import FEATURE_NAMES, describe_candidates
from models.extract.layout.tables.scoring.find import find_candidates
from models.extract.layout.text.hyphens import may_divide
from tests.bench.training.forest_file import write_forest
from tests.bench.training.sources import TrainingSource, find_sources
from tests.bench.training.table_quality import Judged, TableContent, judge
from tests.bench.training.table_sources import TruthCell, read_truth

PARAMETERS: dict[str, Any] = {
    "objective": "regression",
    "num_leaves": 8,
    "learning_rate": 0.08,
    "min_data_in_leaf": 20,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 2,
    "seed": 1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbose": -1,
}
ROUNDS = 200
_PAGE_POWER, _SOURCE_POWER = 0.6, 0.3


@dataclass(slots=True)
class JudgedPage:
    """The candidates of one page: features, what the truth says of each, and what the choice needs to know."""

    document: str
    page: int
    rows: Any
    judged: list[Judged]
    lines: list[tuple[int, ...]]
    words: list[int]
    modes: list[str]
    makers: list[list[str]]
    truths: list[int]
    glances: Any
    region_quality: list[float]


def judge_document(home: Path, pdf: Path, weights: Path | None) -> list[JudgedPage]:
    """All pages of one document; `weights`: as the reader sees them, without the regions that this glance drops."""
    if weights is not None:
        glance.use_weights(weights)
    truths = [TableContent(one.cells, one.page) for one in read_truth(home, pdf.stem)]
    document = pymupdf.open(pdf)
    try:
        return [
            _judge_page(pdf.stem, number, find_marks(page), truths, pruned=weights is not None)
            for number, page in enumerate(document, start=1)
        ]
    finally:
        document.close()


def _judge_page(
    document: str, number: int, marks: PageMarks, truths: list[TableContent], *, pruned: bool
) -> JudgedPage:
    if runs_right_to_left(marks.lines):
        marks = mirror_marks(marks)
    view = view_page(marks, marks.lines)
    seen: list[Proposal] = []

    def keep_all(proposals: list[Proposal], _: PageView) -> list[Proposal]:
        seen.extend(proposals)
        return proposals

    candidates = find_candidates(view, pick_proposals if pruned else keep_all)
    rows = np.array(describe_candidates(candidates, view), dtype=np.float32)
    judged = [judge(TableContent(_cells_of(one)), truths, number) for one in candidates]
    best: dict[tuple[int, ...], float] = {}
    for one, candidate in zip(judged, candidates, strict=True):
        best[candidate.indices] = max(best.get(candidate.indices, 0.0), one.quality)
    return JudgedPage(
        document,
        number,
        rows.reshape(len(candidates), len(FEATURE_NAMES)),
        judged,
        [one.indices for one in candidates],
        [sum(len(row.words) for row in one.rows) for one in candidates],
        [one.mode for one in candidates],
        [sorted(one.makers) for one in candidates],
        [index for index, truth in enumerate(truths) if truth.page in (None, number)],
        glance_at(seen, view) if seen else np.zeros((0, len(GLANCE_NAMES)), np.float32),
        [best.get(proposal.indices, 0.0) for proposal in seen],
    )


def _cells_of(candidate: Candidate) -> tuple[TruthCell, ...]:
    return tuple(
        TruthCell(cell.row, cell.col, cell.row_span, cell.col_span, cell.text)
        for cell in make_table(candidate.grid, may_divide).cells
    )


def judge_source(source: TrainingSource, weights: Path | None = None, jobs: int = 2) -> list[JudgedPage]:
    """All pages of a source, in the order of its documents."""
    count = len(source.originals)
    with ProcessPoolExecutor(jobs) as pool:
        found = pool.map(judge_document, [source.home] * count, source.originals, [weights] * count, chunksize=8)
        return [page for pages in found for page in pages]


def fit_glance(sources: Iterable[list[JudgedPage]], seed: int = 1) -> Any:
    """The booster that guesses what a region may give."""
    return _fit([[(page.glances, page.region_quality) for page in pages] for pages in sources], seed)


def fit_score(sources: Iterable[list[JudgedPage]], seed: int = 1) -> Any:
    """The booster that scores finished tables."""
    return _fit([[(page.rows, [one.quality for one in page.judged]) for page in pages] for pages in sources], seed)


def _fit(sources: list[list[tuple[Any, list[float]]]], seed: int) -> Any:
    import lightgbm

    rows: list[Any] = []
    wanted: list[float] = []
    weights: list[float] = []
    for pages in sources:
        held = [page for page in pages if page[1]]
        share = max(1, len(held)) ** -_SOURCE_POWER
        for features, quality in held:
            rows.append(features)
            wanted += quality
            weights += [share * len(quality) ** -_PAGE_POWER] * len(quality)
    data = lightgbm.Dataset(np.vstack(rows), np.array(wanted), weight=np.array(weights))
    return lightgbm.train({**PARAMETERS, "seed": seed}, data, ROUNDS)


def train_tables(sources: list[TrainingSource], out: Path) -> None:
    """From documents to the two archives of weights, in the folder `out`."""
    out.mkdir(parents=True, exist_ok=True)
    everything = {source.name: judge_source(source) for source in sources}
    write_forest(fit_glance(everything.values()), out / "regions.npz", GLANCE_NAMES)
    left: list[list[JudgedPage]] = []
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            others = [pages for name, pages in everything.items() if name != source.name]
            blind = Path(folder) / f"{source.name}.npz"
            write_forest(fit_glance(others or everything.values()), blind, GLANCE_NAMES)
            left.append(judge_source(source, blind))
    write_forest(fit_score(left), out / "tables.npz", FEATURE_NAMES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", required=True, type=Path, help="folder with sources: folders with pdfs/ and truth")
    parser.add_argument("--out", type=Path, default=Path("models/extract/layout/tables/weights"))
    parser.add_argument("--keep", action="store_true", help="print the hashes, leave the weights as they are")
    parser.add_argument("--without", action="append", default=[], help="a source to leave out")
    chosen = parser.parse_args()
    sources = [source for source in find_sources(chosen.sets) if source.name not in chosen.without]
    for source in sources:
        print(f"{source.name}: {len(source.originals)} documents", flush=True)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as aside:
        out = Path(aside) if chosen.keep else chosen.out
        train_tables(sources, out)
        for name in ("regions.npz", "tables.npz"):
            print(name, hashlib.sha256((out / name).read_bytes()).hexdigest())
    print(f"{(time.perf_counter() - began) / 60:.1f} minutes")


if __name__ == "__main__":
    main()
