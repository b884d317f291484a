"""Exact counts of the work that reading a page takes; unlike seconds, they do not wander with the load of a machine.

`python -m tests.golden.counts` prints them next to the record, `--write` records them. They are sums over the pages of
`made.py`, read a second time, so that caches are filled. Raise a number only with a line in the changelog that says
what it bought.
"""

import argparse
import cProfile
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import CodeType
from typing import Any

import tests.models.sources  # noqa: F401  (before a module of the reader)  isort: skip
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.tree import Source, Tree
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document
from tests.golden.made import make_documents
from tests.golden.trees import FOLDER
from tests.lab.bench.reading.bench_accounts import STYLES, make_statement

RECORD = FOLDER / "counts.json"
MORE_STATEMENTS = 5
"""One-page statements of account that make the pages forty."""
OPTIONS = ReadOptions(ocr=OcrMode.NEVER)
COUNTED = {
    "text_pages": {"pymupdf/__init__.py:_get_textpage"},
    "dictionaries": {f"pymupdf/__init__.py:extract{kind}" for kind in ("DICT", "RAWDICT", "WORDS")},
    "candidates": {"models/extract/layout/tables/scoring/candidates.py:build_candidates"},
    "grids": {"models/extract/core/build.py:build_grid"},
    "cell_texts": {"models/extract/layout/tables/grid.py:join_words", "models/extract/core/cells.py:join_line"},
}
"""Counted besides all calls: calls of these functions. Compiled modules hide theirs, so `sources` is imported."""
_COMPREHENSIONS = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>"})
"""Python 3.12 calls no function for them, so they do not count in 3.11 either."""


def choose_documents() -> list[bytes]:
    """Return the PDF files of the repository and its tests, which have forty pages together."""
    made = [data for data in make_documents().values() if data.startswith(b"%PDF")]
    return made + [make_statement(2, style, 1).data for style in STYLES[:MORE_STATEMENTS]]


def read_document(data: bytes) -> Tree:
    """Return the tree of a document, read without recognition."""
    document = open_document(data, OPTIONS)
    contents = [document.read_page(number).content for number in document.facts.page_numbers]
    document.close()
    return assemble(document.facts, contents, source=Source(format="pdf", sha256="", bytes=0), options=OPTIONS)


def count_work(documents: Iterable[bytes]) -> dict[str, int]:
    """Return the calls of Python functions and built-ins, and of the functions of `COUNTED`, over the documents."""
    documents = list(documents)
    for data in documents:
        read_document(data)
    profile = cProfile.Profile()
    trees = [profile.runcall(read_document, data) for data in documents]
    counts: Counter[str] = Counter()
    for entry in profile.getstats():
        counts["calls"] += entry.callcount * (_name_of(entry.code) not in _COMPREHENSIONS)
        for name, functions in COUNTED.items():
            if isinstance(entry.code, CodeType):
                place = f"{entry.code.co_filename}:{entry.code.co_name}"
                counts[name] += entry.callcount * place.endswith(tuple(functions))
    counts["pages"] = sum(len(tree.pages) for tree in trees)
    counts["tables"] = sum(block.table is not None for tree in trees for block in tree.blocks)
    return dict(sorted(counts.items()))


def _name_of(code: Any) -> str:
    return code.co_name if isinstance(code, CodeType) else ""


def format_counts(counts: dict[str, int]) -> str:
    """Return the counts a page and a kept table as one line."""
    pages, tables = counts["pages"], max(counts["tables"], 1)
    each = (f"{name} {counts[name] / pages:,.2f}" for name in ("calls", "text_pages", "dictionaries", "candidates"))
    of_tables = f"grids {counts['grids'] / tables:.1f}, cell texts {counts['cell_texts'] / tables:.0f}"
    return f"a page: {', '.join(each)}; a kept table: {of_tables}"


def load_record(path: Path = RECORD) -> dict[str, int]:
    """Return the recorded counts."""
    return dict(json.loads(path.read_text()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.golden.counts", description=__doc__)
    parser.add_argument("--write", action="store_true")
    counted = count_work(choose_documents())
    if parser.parse_args().write:
        RECORD.write_text(json.dumps(counted, indent=1) + "\n")
    print(f"recorded  {format_counts(load_record())}\ncounted   {format_counts(counted)}")
