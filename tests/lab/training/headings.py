"""Learns the heading decision: python -m tests.lab.training.headings --sets FOLDER [--only odl,rendered] [--keep].

A set is a folder with pdfs/ and gt/ (Markdown), and gt_layout/ or layout/ where it has boxes. Prints, for each source,
F1 of the rules and of the decision that never saw the source (or the template), then writes the weights.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import takewhile
from pathlib import Path

import numpy as np

from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.layout.headings.decide import NEEDED, WEIGHTS, may_be_heading
from quire.models.extract.layout.headings.features import NAMES, find_features
from quire.models.extract.layout.lines.marks import PageMarks
from quire.models.extract.layout.lines.turned import runs_right_to_left
from quire.models.extract.pipeline.page import PageColumns
from quire.models.extract.pipeline.passes import LAYOUT_PASSES
from quire.models.extract.steps import Steps
from tests.lab.training.forest_file import write_forest
from tests.lab.training.heading_truth import label_by_boxes, label_by_markdown
from tests.lab.training.learn import DocumentRows, find_doubtful, fold_of, read_templates, train
from tests.lab.training.sources import TrainingSource, find_named_sources, find_trusted
from tests.models.extract.passes import find_marks

SOURCES = (
    "odl,rendered,smartpay,idm,bcds,cadsr,docx4j,latex_twins,ncip,officesuites,openchain,poi,sdkdocs,specs,tagged_nl,"
    "tagged_us,usgov"
)
ROUNDS = 300
"""Trees: half as many lose .01 F1 on sources that are not learned from."""
TAGGED = frozenset({"idm", "smartpay"})
"""Sources whose truth are the authors' own tags."""
_SURE = 0.7


def read_rows(home: Path, path: Path) -> DocumentRows | None:
    """Rows of all groups of a document that can be headings; null without any."""
    features, groups, kinds, labels = [], [], [], []
    elements = _read_elements(home, path.stem)
    for number, marks in _read_marks(path):
        page = PageColumns(marks=marks)
        Steps().run_passes(takewhile(lambda item: item.name != "headings", LAYOUT_PASSES), page)
        asked = [at for at, group in enumerate(page.groups) if may_be_heading(group)]
        if not asked or runs_right_to_left(marks.lines):
            continue
        said = page.kinds
        own = [page.groups[at] for at in asked]
        features.append(find_features(page.groups, marks, page.look.body, asked))
        groups += own
        kinds += [said[at].value for at in asked]
        if elements is not None:
            here = [element for element in elements if element["page"] == number]
            labels += label_by_boxes(own, marks.width, marks.height, here)
    if not groups:
        return None
    if elements is None:
        labels = label_by_markdown(groups, (home / "gt" / f"{path.stem}.md").read_text())
    return DocumentRows(home.name, path.stem, np.concatenate(features), np.array(labels, np.int8), kinds)


def _trusted_of(source: TrainingSource) -> Iterator[Path]:
    """The originals whose headings are trusted; authors who set headings as bold text state none."""
    trusted = find_trusted(source.home)
    return (path for path in source.originals if trusted is None or path.stem in trusted)


def _read_elements(home: Path, name: str) -> list[dict[str, object]] | None:
    for folder in ("gt_layout", "layout"):
        path = home / folder / f"{name}.json"
        if path.exists():
            return list(json.loads(path.read_text())["elements"])
    return None


def _read_marks(path: Path) -> Iterator[tuple[int, PageMarks]]:
    with pymupdf.open(path) as document:
        for number, page in enumerate(document, 1):
            yield number, find_marks(page)


def score(documents: list[DocumentRows], chances: dict[str, np.ndarray]) -> dict[str, tuple[float, float]]:
    """Source → F1 of the rules, F1 of the decision."""
    counts: dict[str, list[int]] = {}
    needed = {kind.value: least for kind, least in NEEDED.items()}
    for document in documents:
        count = counts.setdefault(document.source, [0] * 5)
        for answer, kind, chance in zip(document.truth, document.kinds, chances[document.name], strict=True):
            if answer < 0:
                continue
            ruled, decided = kind == BlockType.HEADING, chance >= needed.get(kind, 2.0)
            count[0] += int(answer)
            count[1] += int(ruled)
            count[2] += int(decided)
            count[3] += int(ruled and answer == 1)
            count[4] += int(decided and answer == 1)
    return {
        source: (2 * count[3] / max(1, count[0] + count[1]), 2 * count[4] / max(1, count[0] + count[2]))
        for source, count in counts.items()
    }


def _learn(documents: list[DocumentRows]) -> object:
    return train(documents, find_doubtful(documents, TAGGED, BlockType.HEADING, _SURE), rounds=ROUNDS)


def _score_left_out(documents: list[DocumentRows], templates: dict[str, str], kept: Path | None) -> None:
    folds = sorted({fold_of(document, templates) for document in documents})
    chances: dict[str, np.ndarray] = {}
    for fold in folds:
        booster = _learn([document for document in documents if fold_of(document, templates) != fold])
        if kept is not None:
            write_forest(booster, kept / f"loso_{fold}.npz", NAMES)
        for document in documents:
            if fold_of(document, templates) == fold:
                chances[document.name] = booster.predict(document.features)  # type: ignore[attr-defined]
    for source, (rules, decided) in score(documents, chances).items():
        print(f"{source:12} rules {rules:.3f}  decided {decided:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", action="append", type=Path, required=True, help="a folder below which sources lie")
    parser.add_argument("--only", default=SOURCES, help="names of the sources to learn from")
    parser.add_argument("--keep", action="store_true", help="print the scores, leave the weights as they are")
    parser.add_argument("--folds", type=Path, help="a folder for the weights that never saw each source")
    asked = parser.parse_args()
    sources = find_named_sources(asked.sets, asked.only)
    work = [(source.home, path) for source in sources for path in _trusted_of(source)]
    with ProcessPoolExecutor() as pool:
        documents = [rows for rows in pool.map(read_rows, *zip(*work, strict=True), chunksize=8) if rows is not None]
    templates = {name: template for source in sources for name, template in read_templates(source.home).items()}
    _score_left_out(documents, templates, asked.folds)
    if not asked.keep:
        write_forest(_learn(documents), WEIGHTS, NAMES)
    print(f"{len(documents)} documents", file=sys.stderr)


if __name__ == "__main__":
    main()
