"""Inputs of the table forests: candidates are the same for any number of jobs, and the card names the files."""

import hashlib
import json
from pathlib import Path

import pytest

from quire.models.extract import HOME
from quire.models.extract.core.steps import STEP_NAMES
from quire.models.extract.layout.tables.regions.glance import GLANCE_NAMES
from tests.lab.training.forest_file import write_forest
from tests.lab.training.sources import find_sources
from tests.lab.training.tables.__main__ import FILES, Blank
from tests.lab.training.tables.judge import Weights, collect, judge_candidates, judge_regions
from tests.models.extract.formats.pdf.paper import Paper

WEIGHTS = HOME / "layout" / "tables" / "weights"


def make_source(home: Path, name: str) -> None:
    """Five documents of one page with a ruled table, and their truth."""
    for folder in ("pdfs", "gt_tables"):
        (home / name / folder).mkdir(parents=True)
    for number in range(5):
        paper, cells = Paper(), []
        for row in range(3 + number):
            paper.rule(50, 55 + 20 * row, 350, 55 + 20 * row)
            for col, text in enumerate((f"Item {row}", str(7 * row + number))):
                paper.text(55 + 150 * col, 70 + 20 * row, text)
                cells.append({"row": row, "col": col, "rowspan": 1, "colspan": 1, "text": text})
        (home / name / "pdfs" / f"{number}.pdf").write_bytes(paper.file.tobytes())
        (home / name / "gt_tables" / f"{number}.json").write_text(json.dumps([{"page": 1, "cells": cells}]))


def test_candidates_are_the_same_for_any_number_of_jobs(tmp_path: Path) -> None:
    make_source(tmp_path, "makers")
    (source,) = find_sources(tmp_path)
    weights = Weights(WEIGHTS / "rows.npz", WEIGHTS / "regions.npz")
    alone, together = (collect(judge_candidates, source, weights, jobs) for jobs in (1, 2))
    assert [page.document for page in alone] == ["0", "1", "2", "3", "4"]
    assert all(page.judged for page in alone)
    for one, other in zip(alone, together, strict=True):
        assert one.rows.tobytes() == other.rows.tobytes()
        assert (one.judged, one.makers) == (other.judged, other.makers)


def test_the_glance_learns_from_all_regions(tmp_path: Path) -> None:
    make_source(tmp_path, "makers")
    (source,) = find_sources(tmp_path)
    pages = collect(judge_regions, source, Weights(WEIGHTS / "rows.npz"))
    assert len(pages) == 5
    assert all(len(page.glances) == len(page.quality) and max(page.quality) > 0.9 for page in pages)


class Refusing:
    """A booster that expects nothing of any region."""

    def dump_model(self) -> dict[str, object]:
        return {"tree_info": [{"tree_structure": {"leaf_value": -1.0}}]}


def test_score_is_trained_only_on_candidates_kept_by_the_given_glance(tmp_path: Path) -> None:
    make_source(tmp_path, "makers")
    (source,) = find_sources(tmp_path)
    write_forest(Blank(), tmp_path / "blank.npz", STEP_NAMES)
    write_forest(Refusing(), tmp_path / "none.npz", GLANCE_NAMES)
    left = collect(judge_candidates, source, Weights(tmp_path / "blank.npz", tmp_path / "none.npz"))
    every = collect(judge_candidates, source, Weights(tmp_path / "blank.npz", WEIGHTS / "regions.npz"))
    assert {mode for page in left for mode in page.modes} == {"gates"}
    assert all(len(set(page.modes)) > 1 for page in every)


@pytest.mark.parametrize("name", FILES)
def test_the_card_names_the_weights_that_ship(name: str) -> None:
    assert hashlib.sha256((WEIGHTS / name).read_bytes()).hexdigest() in (WEIGHTS / "CARD.md").read_text("utf-8")
