"""Learns the levels of headings: python -m tests.lab.training.levels --sets FOLDER [--only rendered] [--keep].

Truth is the Markdown of documents whose levels are exact. Prints the share of levels exact over templates left out.
"""

import argparse
import re
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz import fuzz

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.document.draft import Draft, make_drafts
from quire.models.extract.document.levels import NAMES, WEIGHTS, find_level_features, rank_styles, style_of
from quire.models.extract.document.running_heads import mark_running
from quire.models.extract.pipeline.pdf import open_pdf
from tests.lab.training.forest_file import write_forest
from tests.lab.training.heading_truth import plain
from tests.lab.training.learn import DocumentRows, fold_of, read_templates, train
from tests.lab.training.sources import find_named_sources

_HEADING = re.compile(r"(#{1,6})\s+(.*)$")
_LEAST_LIKENESS = 85.0
_FEWER_LEAVES = {"num_leaves": 7, "min_data_in_leaf": 15, "feature_fraction": 0.5}


def read_rows(home: Path, path: Path) -> DocumentRows | None:
    """Rows of a document's headings, their true level (-1 = no heading of the truth), their style's rank as kind."""
    with_pages = open_pdf(path.read_bytes(), ReadOptions())
    drafts = make_drafts([with_pages.read_page(number).content for number in with_pages.facts.page_numbers])
    mark_running(drafts)
    headings = [draft for draft in drafts if draft.type is BlockType.HEADING and draft.level is None]
    if not headings:
        return None
    ranks = rank_styles(headings)
    levels = find_true_levels(headings, (home / "gt" / f"{path.stem}.md").read_text())
    kinds = [str(ranks[style_of(draft)]) for draft in headings]
    return DocumentRows(home.name, path.stem, find_level_features(headings), np.array(levels, np.int8), kinds)


def find_true_levels(headings: list[Draft], markdown: str) -> list[int]:
    """The level of the heading in the truth that each is most like; -1 without one."""
    stated = [
        (len(found[1]), plain(found[2]).lower()) for row in markdown.splitlines() if (found := _HEADING.match(row))
    ]
    levels: list[int] = []
    for draft in headings:
        text = plain(draft.block.text).lower()
        likeness, at = max(((fuzz.ratio(text, other), -at) for at, (_, other) in enumerate(stated)), default=(0.0, 0))
        levels.append(stated.pop(-at)[0] if likeness >= _LEAST_LIKENESS else -1)
    return levels


def learn(documents: list[DocumentRows], level: int) -> Any:
    """Trees for "at least as deep as `level`"."""
    rows = []
    for one in documents:
        truth = np.where(one.truth < 0, -1, one.truth >= level).astype(np.int8)
        rows.append(DocumentRows(one.source, one.name, one.features, truth, one.kinds))
    return train(rows, parameters=_FEWER_LEAVES)


def count_exact(document: DocumentRows, chances: list[Any]) -> tuple[int, int]:
    """Levels exact, levels known; a style has one level."""
    exact = 0
    for at, truth in enumerate(document.truth):
        same = [index for index, kind in enumerate(document.kinds) if kind == document.kinds[at]]
        exact += int(truth == 1 + sum(one[same].mean() > 0.5 for one in chances))
    return exact, int((document.truth > 0).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", action="append", type=Path, required=True, help="a folder below which sources lie")
    parser.add_argument("--only", default="rendered,idm", help="names of the sources whose levels are exact")
    parser.add_argument("--keep", action="store_true", help="print the score, leave the weights as they are")
    asked = parser.parse_args()
    sources = find_named_sources(asked.sets, asked.only)
    work = [(source.home, path) for source in sources for path in source.originals]
    with ProcessPoolExecutor() as pool:
        documents = [rows for rows in pool.map(read_rows, *zip(*work, strict=True), chunksize=8) if rows is not None]
    templates = {name: template for source in sources for name, template in read_templates(source.home).items()}
    counts = []
    for fold in sorted({fold_of(document, templates) for document in documents}):
        boosters = [learn([one for one in documents if fold_of(one, templates) != fold], level) for level in WEIGHTS]
        for one in documents:
            if fold_of(one, templates) == fold:
                counts.append((one.source, *count_exact(one, [tree.predict(one.features) for tree in boosters])))
    for source in sorted({source for source, _, _ in counts}):
        own = [(exact, known) for name, exact, known in counts if name == source]
        print(f"{source:12} exact {sum(exact for exact, _ in own) / max(1, sum(known for _, known in own)):.3f}")
    if not asked.keep:
        for level, path in WEIGHTS.items():
            write_forest(learn(documents, level), path, NAMES)


if __name__ == "__main__":
    main()
