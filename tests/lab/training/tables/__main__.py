"""Trains the three forests of tables: rows of cells with several lines, a glance at regions, the score of a table.

Three passes over the same pages. The first labels printed rows. The second builds every candidate of every proposal:
the glance learns the best quality that a region may give. The third meets only what a glance leaves, as the reader
does: the score learns from that. What a pass looks through has never seen the source; sources are left out by folds.

    python -m tests.lab.training.tables --sets DIR [--out FOLDER | --keep] [--without SOURCE] [--seed N]

One thread a fit, documents in the order of their names: the same bytes twice. Pages of kinds that the documents lack
are made first (`tests.lab.training.made`), of words from the sources' texts. `--without` leaves a source out, to be
scored on it afterwards.
"""

import argparse
import hashlib
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from quire.models.extract.core.steps import STEP_NAMES
from quire.models.extract.layout.tables.regions.glance import GLANCE_NAMES
from quire.models.extract.layout.tables.scoring.features import FEATURE_NAMES
from tests.lab.training.forest_file import write_forest
from tests.lab.training.made.pages import COUNT, make_source
from tests.lab.training.made.texts import make_pool
from tests.lab.training.sources import TrainingSource, find_sources
from tests.lab.training.tables.fit import fit_glance, fit_rows, fit_score
from tests.lab.training.tables.judge import Weights, collect, judge_candidates, judge_regions, label_document

FILES = ("rows.npz", "regions.npz", "tables.npz")
FOLDS = 4
"""Sources are left out a quarter at a time."""
MOST_DOCUMENTS = {"rendered": 300}
"""Documents of a source that are learned from, spread over it; of others `MOST_OTHERS`."""
MOST_OTHERS = 30

Learned = TypeVar("Learned")


class Blank:
    """A booster that says of every printed row that it starts a table row: before the rows are learned."""

    def dump_model(self) -> dict[str, object]:
        return {"tree_info": [{"tree_structure": {"leaf_value": 0.0}}]}


class Folds:
    """Forests of one kind, each without a quarter of the sources."""

    def __init__(self, names: list[str], folder: Path, columns: tuple[str, ...]) -> None:
        self._names, self._folder, self._columns = sorted(names), folder, columns

    def fit(self, fit: Callable[[list[list[Learned]]], Any], found: dict[str, list[Learned]], out: Path) -> None:
        """Fit one forest of all sources in `out`, and one without each fold next to it."""
        write_forest(fit(list(found.values())), out, self._columns)
        for fold in range(FOLDS):
            others = [found[name] for at, name in enumerate(self._names) if at % FOLDS != fold]
            write_forest(fit(others or list(found.values())), self._path(fold), self._columns)

    def of(self, name: str) -> Path:
        """The forest that has not seen the source."""
        return self._path(self._names.index(name) % FOLDS)

    def _path(self, fold: int) -> Path:
        return self._folder / f"{fold}.npz"


def train_tables(sources: list[TrainingSource], out: Path, seed: int = 1) -> None:
    """From documents to the three archives of weights, in the folder `out`."""
    out.mkdir(parents=True, exist_ok=True)
    names = [source.name for source in sources]
    with tempfile.TemporaryDirectory() as aside:
        blank = Path(aside) / "blank.npz"
        write_forest(Blank(), blank, STEP_NAMES)
        rows, regions = (
            Folds(names, _folder(aside, kind), of) for kind, of in (("rows", STEP_NAMES), ("regions", GLANCE_NAMES))
        )
        labelled = {source.name: collect(label_document, source, Weights(blank)) for source in sources}
        rows.fit(lambda found: fit_rows(found, seed), labelled, out / "rows.npz")
        seen = {source.name: collect(judge_regions, source, Weights(rows.of(source.name))) for source in sources}
        regions.fit(lambda found: fit_glance(found, seed), seen, out / "regions.npz")
        left = [
            collect(judge_candidates, source, Weights(rows.of(source.name), regions.of(source.name)))
            for source in sources
        ]
    write_forest(fit_score(left, seed), out / "tables.npz", FEATURE_NAMES)


def _folder(aside: str, name: str) -> Path:
    folder = Path(aside) / name
    folder.mkdir()
    return folder


def choose_sources(root: Path, made: Path, without: list[str]) -> list[TrainingSource]:
    """The sources to learn from, thinned out, and made pages in the folder `made`."""
    found = [source for source in find_sources(root, listed=True) if source.name not in without]
    texts = [
        path.read_text("utf-8")
        for source in found
        for path in (source.home / "gt" / f"{one.stem}.md" for one in source.originals)
        if path.exists()
    ]
    make_source(made, make_pool(texts), COUNT)
    thinned = [
        TrainingSource(source.name, source.home, spread(source.originals, MOST_DOCUMENTS.get(source.name, MOST_OTHERS)))
        for source in found
    ]
    return [*thinned, TrainingSource("made", made, tuple(sorted((made / "pdfs").glob("*.pdf"))))]


def spread(documents: tuple[Path, ...], most: int) -> tuple[Path, ...]:
    """Return at most this many documents, evenly spread."""
    count = min(most, len(documents))
    return tuple(documents[at * len(documents) // count] for at in range(count))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", required=True, type=Path, help="folder with sources: folders with pdfs/ and truth")
    parser.add_argument("--out", type=Path, default=Path("models/extract/layout/tables/weights"))
    parser.add_argument("--keep", action="store_true", help="print the hashes, leave the weights as they are")
    parser.add_argument("--without", action="append", default=[], help="a source to leave out")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as aside:
        sources = choose_sources(chosen.sets, Path(aside) / "made", chosen.without)
        for source in sources:
            print(f"{source.name}: {len(source.originals)} documents", flush=True)
        out = Path(aside) / "weights" if chosen.keep else chosen.out
        train_tables(sources, out, chosen.seed)
        for name in FILES:
            print(name, hashlib.sha256((out / name).read_bytes()).hexdigest())
    print(f"{(time.perf_counter() - began) / 60:.1f} minutes")


if __name__ == "__main__":
    main()
