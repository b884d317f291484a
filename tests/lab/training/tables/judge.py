"""Training rows of the table forests: printed rows, regions and candidates with their truth."""

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.layout.lines.marks import PageMarks
from quire.models.extract.layout.page import mirror_page
from quire.models.extract.layout.tables import continuation
from quire.models.extract.layout.tables.regions import glance
from quire.models.extract.layout.tables.regions.glance import GLANCE_NAMES, glance_at, pick_proposals
from quire.models.extract.layout.tables.regions.propose import Proposal
from quire.models.extract.layout.tables.regions.view import PageView, view_page
from quire.models.extract.layout.tables.scoring.candidates import Candidate
from quire.models.extract.layout.tables.scoring.features import FEATURE_NAMES, describe_candidates
from quire.models.extract.layout.tables.scoring.find import find_candidates
from tests.lab.training.sources import TrainingSource
from tests.lab.training.tables.parts import cut_parts
from tests.lab.training.tables.quality import Judged, TableContent, judge
from tests.lab.training.tables.row_labels import LabelledRows, cells_of, label_page
from tests.lab.training.tables.truth import TruthTable, read_truth
from tests.models.extract.passes import find_marks

Learned = TypeVar("Learned")


@dataclass(frozen=True, slots=True)
class Weights:
    """Forests through which a pass looks: `rows` groups printed rows, `regions` glances at regions (null: at none)."""

    rows: Path
    regions: Path | None = None


@dataclass(frozen=True, slots=True)
class JudgedRegions:
    """Glance features of a page's regions, with the quality of each region's best table."""

    glances: Any
    quality: list[float]


@dataclass(slots=True)
class JudgedPage:
    """The candidates of one page: features, what the truth says of each, and what the choice needs to know."""

    document: str
    page: int
    rows: Any
    judged: list[Judged]
    lines: list[tuple[int, ...]]
    modes: list[str]
    makers: list[list[str]]
    truths: list[int]


def _look(home: Path, pdf: Path) -> Iterator[tuple[int, PageView, list[TruthTable]]]:
    """Number, view and truth of every page whose truth is known."""
    document = pymupdf.open(pdf)
    try:
        pages = {number: find_marks(page) for number, page in enumerate(document, start=1)}
    finally:
        document.close()
    truth, unknown = cut_parts(read_truth(home, pdf.stem), pages)
    for number, marks in pages.items():
        if number not in unknown:
            upright: PageMarks = mirror_page(marks)[0]
            yield number, view_page(upright, upright.lines), truth


def label_document(home: Path, pdf: Path, weights: Weights) -> list[LabelledRows]:
    """The labelled rows of all pages of one document."""
    continuation.use_weights(weights.rows)
    return [
        rows
        for number, view, truth in _look(home, pdf)
        for rows in label_page(view, [one.cells for one in truth if one.page in (None, number)])
    ]


def judge_regions(home: Path, pdf: Path, weights: Weights) -> list[JudgedRegions]:
    """All proposals of all pages of one document."""
    continuation.use_weights(weights.rows)
    found: list[JudgedRegions] = []
    for number, view, truth in _look(home, pdf):
        seen: list[Proposal] = []

        def keep_all(proposals: list[Proposal], _: PageView, kept: list[Proposal] = seen) -> list[Proposal]:
            kept.extend(proposals)
            return proposals

        def keep_none(proposals: list[Proposal], _: PageView, kept: list[Proposal] = seen) -> list[Proposal]:
            kept.extend(proposals)
            return []

        contents = [TableContent(one.cells, one.page) for one in truth]
        best: dict[tuple[int, ...], float] = {}
        if any(one.page in (None, number) for one in truth):
            for candidate in find_candidates(view, keep_all):
                quality = judge(TableContent(cells_of(candidate)), contents, number).quality
                best[candidate.indices] = max(best.get(candidate.indices, 0.0), quality)
        else:
            find_candidates(view, keep_none)
        glances = glance_at(seen, view) if seen else np.zeros((0, len(GLANCE_NAMES)), np.float32)
        found.append(JudgedRegions(glances, [best.get(proposal.indices, 0.0) for proposal in seen]))
    return found


def judge_candidates(home: Path, pdf: Path, weights: Weights) -> list[JudgedPage]:
    """The candidates of all pages of one document as the reader meets them: without regions that the glance drops."""
    continuation.use_weights(weights.rows)
    if weights.regions is not None:
        glance.use_weights(weights.regions)
    found: list[JudgedPage] = []
    for number, view, truth in _look(home, pdf):
        contents = [TableContent(one.cells, one.page) for one in truth]
        candidates: list[Candidate] = find_candidates(view, pick_proposals)
        rows = np.array(describe_candidates(candidates, view), dtype=np.float32)
        found.append(
            JudgedPage(
                pdf.stem,
                number,
                rows.reshape(len(candidates), len(FEATURE_NAMES)),
                [judge(TableContent(cells_of(one)), contents, number) for one in candidates],
                [one.indices for one in candidates],
                [one.mode for one in candidates],
                [sorted(one.makers) for one in candidates],
                [index for index, one in enumerate(truth) if one.page in (None, number)],
            )
        )
    return found


def collect(
    look: Callable[..., list[Learned]], source: TrainingSource, weights: Weights, jobs: int = 2
) -> list[Learned]:
    """Return the results of a pass over all documents of a source, in their order."""
    read = partial(look, source.home, weights=weights)
    with ProcessPoolExecutor(jobs) as pool:
        return [one for pages in pool.map(read, source.originals, chunksize=4) for one in pages]
