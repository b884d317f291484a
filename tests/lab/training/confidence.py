"""Learns how likely blocks and cells are right: python -m tests.lab.training.confidence --sets FOLDER [--keep].

Truth is Markdown, HTML or tables of the documents (`<source>/pdfs` or `files`, `<source>/gt` or `gt_tables`); every
fortieth PDF is also read as a scan of itself. Prints the error of each source by trees that have not seen it; the
weights are then learned from all.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from quire.models.cdom.original import ReadOptions, TableParts
from quire.models.cdom.tree import Source, Tree
from quire.models.extract.document.confidence import BLOCK_NAMES, CELL_NAMES, WEIGHTS, find_block_rows, find_cell_rows
from quire.models.extract.document.draft import make_drafts
from quire.models.extract.document.hyphens import settle_hyphens
from quire.models.extract.document.table_checks import check_block
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.pipeline.recognised import apply_recognition
from quire.models.extract.registry import open_document
from tests.lab.training.confidence_truth import judge_blocks, read_content
from tests.lab.training.forest_file import write_forest
from tests.lab.training.scans import recognise, scan_document
from tests.lab.training.sources import WORD_FILES, find_sources

PARAMETERS = {
    "objective": "binary", "num_leaves": 6, "learning_rate": 0.06, "min_data_in_leaf": 25, "feature_fraction": 0.6,
    "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 10, "seed": 7,
    "deterministic": True, "force_row_wise": True, "num_threads": 1, "verbose": -1,
}  # fmt: skip
ROUNDS = 60
BINS = 10  # of equal width: in each the mean of what was said is compared with the share that is right
_SCANNED_EVERY = 40  # documents: recognising a page costs two hundred times what reading its text does
_SCANS = "scans"
"""The scans of all sources are one source of their own."""
FLOOR = 20  # rows of a source below which its error says nothing


@dataclass(slots=True)
class RatedRows:
    """Rows of one document; `truth` is -1 where unknown. `cells` belong to block `of`."""

    source: str
    name: str
    blocks: npt.NDArray[np.float32]
    truth: list[int]
    cells: list[tuple[int, npt.NDArray[np.float32], list[bool | None]]]


def calibration_error(said: npt.NDArray[np.float64], right: npt.NDArray[np.float64]) -> float:
    """Mean distance of what was said from what is right, over bins of confidence."""
    place = np.minimum((said * BINS).astype(int), BINS - 1)
    gaps = [abs(said[place == at].mean() - right[place == at].mean()) * (place == at).sum() for at in set(place)]
    return float(sum(gaps) / max(1, len(said)))


@dataclass(frozen=True, slots=True)
class RatedDocument:
    """An original with truth; `scan`: its pages are drawn as pictures and recognised."""

    path: Path
    home: Path
    source: str
    scan: bool = False


def read_rows(one: RatedDocument) -> RatedRows:
    """A document's rows. Blocks come from the same drafts that assembly rates; tables stay in their parts."""
    options = ReadOptions(table_parts=TableParts.APART)
    data = one.path.read_bytes()
    document = open_document(scan_document(data, one.path.stem) if one.scan else data, options)
    reads = [document.read_page(number) for number in document.facts.page_numbers]
    pages = [apply_recognition(read.content, recognise(read)) if one.scan else read.content for read in reads]
    made = Source(format=document.facts.format.value, sha256="", bytes=0)
    tree: Tree = assemble(document.facts, pages, source=made, options=options)
    drafts = make_drafts(sorted(pages, key=lambda page: page.number))
    settle_hyphens(drafts)
    for draft, block in zip(drafts, tree.blocks, strict=True):
        draft.type = block.type
    checked = [check_block(draft.block) for draft in drafts]
    rows = RatedRows(one.source, one.path.stem, find_block_rows(drafts, checked), [], [])
    for at, (_, right, cells) in enumerate(judge_blocks(tree, read_content(one.home, one.path.stem))):
        rows.truth.append(-1 if right is None else int(right))
        if cells:
            rows.cells.append((at, find_cell_rows(drafts[at].page, checked[at], 0.0), cells))
    return rows


def find_documents(folder: Path) -> Iterator[RatedDocument]:
    """Originals with truth, and scans of some of them."""
    for source in (*find_sources(folder), *find_sources(folder, WORD_FILES)):
        for number, path in enumerate(source.originals):
            yield RatedDocument(path, source.home, source.name)
            if not number % _SCANNED_EVERY and path.suffix == ".pdf" and (source.home / "gt").is_dir():
                yield RatedDocument(path, source.home, _SCANS, scan=True)


def block_data(documents: list[RatedRows]) -> tuple[Any, Any, list[str]]:
    kept = [
        (one.blocks[at], right, one.source) for one in documents for at, right in enumerate(one.truth) if right >= 0
    ]
    return (
        np.array([row for row, _, _ in kept]),
        np.array([right for _, right, _ in kept], float),
        [s for *_, s in kept],
    )


def cell_data(documents: list[RatedRows], blocks: Any) -> tuple[Any, Any, list[str]]:
    rows, truth, sources = [], [], []
    for one in documents:
        expected = blocks.predict(one.blocks) if len(one.blocks) else []
        for at, cells, right in one.cells:
            cells[:, 0] = round(float(expected[at]), 2)
            for row, answer in zip(cells, right, strict=True):
                if answer is not None:
                    rows.append(row.copy())
                    truth.append(answer)
                    sources.append(one.source)
    return np.array(rows), np.array(truth, float), sources


def fit(rows: Any, truth: Any, sources: list[str]) -> Any:
    """Trees; every source weighs as the square root of its rows."""
    import lightgbm

    sizes = Counter(sources)
    weight = np.array([sizes[source] ** -0.5 for source in sources])
    return lightgbm.train(PARAMETERS, lightgbm.Dataset(rows, truth, weight=weight / weight.mean()), ROUNDS)


def report(name: str, said: Any, truth: Any, sources: list[str]) -> None:
    errors = []
    for source, count in sorted(Counter(sources).items()):
        own = np.array(sources) == source
        if count >= FLOOR:
            errors.append(calibration_error(said[own], truth[own]))
            print(f"{name} {source}: {count} rows, right {truth[own].mean():.3f}, error {errors[-1]:.3f}")
    print(f"{name}: mean of sources {np.mean(errors):.3f}")


def _score_left_out(documents: list[RatedRows]) -> None:
    """The error of each source by trees that have not seen it."""
    said: list[tuple[Any, Any, list[str]]] = []
    said_of_cells: list[tuple[Any, Any, list[str]]] = []
    for source in sorted({one.source for one in documents}):
        others = [one for one in documents if one.source != source]
        own = [one for one in documents if one.source == source]
        blocks = fit(*block_data(others))
        rows, truth, sources = block_data(own)
        if len(rows):
            said.append((blocks.predict(rows), truth, sources))
        cells = fit(*cell_data(others, blocks))
        rows, truth, sources = cell_data(own, blocks)
        if len(rows):
            said_of_cells.append((cells.predict(rows), truth, sources))
    for name, parts in (("blocks", said), ("cells", said_of_cells)):
        chances, truths, names = zip(*parts, strict=True)
        report(name, np.concatenate(chances), np.concatenate(truths), [one for part in names for one in part])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", action="append", type=Path, required=True)
    parser.add_argument("--keep", action="store_true", help="print the error, leave the weights as they are")
    asked = parser.parse_args()
    work = [one for folder in asked.sets for one in find_documents(folder)]
    with ProcessPoolExecutor() as pool:
        documents = list(pool.map(read_rows, work, chunksize=4))
    _score_left_out(documents)
    if not asked.keep:
        blocks = fit(*block_data(documents))
        write_forest(blocks, WEIGHTS["blocks"], BLOCK_NAMES)
        write_forest(fit(*cell_data(documents, blocks)), WEIGHTS["cells"], CELL_NAMES)


if __name__ == "__main__":
    main()
