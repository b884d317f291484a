"""Figures of extraction by schema on made pages: `python -m tests.lab.bench.schema.bench_pages --layouts 24-63`.

For each kind of document prints the F1 of heads, of cells of rows and of cells of rows inside rows, the share of the
values stated at .9 or more that are right, and the CPU time per page. A folder with `NAME.pdf` and `NAME.json` (schema
and truth) is judged with `--folder`.
"""

import argparse
import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quire.models.cdom.tree import Tree
from quire.models.derive.schema.answer import ExtractedData
from quire.models.derive.schema.extract import extract_data, read_schema
from quire.models.export.tables.values import list_leaves
from tests.lab.bench.schema.cases import read_tree
from tests.lab.bench.schema.made_pages import KINDS, draw, make_page

SURE = 0.9
LEVELS = ("heads", "lines", "nested")
_NUMBER = re.compile(r"/\d+(?=/|$)")


def count_right(truth: Any, data: Any) -> dict[str, list[int]]:
    """Return the right, found and true values by level: outside rows, in rows, in rows inside rows."""
    wanted, found = (Counter(map(_key, list_leaves(side))) for side in (truth, data))
    counts: dict[str, list[int]] = {level: [0, 0, 0] for level in LEVELS}
    for place, side in ((1, found), (2, wanted)):
        for (path, value), count in side.items():
            if value is not None:
                counts[_level(path)][place] += count
    for (path, value), count in (wanted & found).items():
        if value is not None:
            counts[_level(path)][0] += count
    return counts


def _key(leaf: tuple[str, Any]) -> tuple[str, Any]:
    path, value = leaf
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = round(float(value), 2)
    elif isinstance(value, str):
        value = " ".join(value.casefold().split())
    return _NUMBER.sub("/*", path), value


def _level(path: str) -> str:
    return LEVELS[min(2, path.count("/*"))]


def judge_leaves(truth: Any, answer: ExtractedData) -> list[tuple[float, bool]]:
    """Return the confidence of each found value and whether it is right."""
    wanted = Counter(map(_key, list_leaves(truth)))
    return [
        (answer.evidence[path].confidence, wanted[_key((path, value))] > 0)
        for path, value in list_leaves(answer.data)
        if path in answer.evidence
    ]


def f1(counts: list[int]) -> float:
    """Return the harmonic mean of precision and recall; 1 where nothing is wanted or found."""
    return 2 * counts[0] / (counts[1] + counts[2]) if counts[1] + counts[2] else 1.0


def run(cases: Iterator[tuple[str, str, Tree, Any, Any]], *, verbose: bool) -> None:
    """Print the figures by kind."""
    totals: dict[str, dict[str, list[int]]] = defaultdict(lambda: {level: [0, 0, 0] for level in LEVELS})
    sure: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    spent: dict[str, float] = defaultdict(float)
    pages: Counter[str] = Counter()
    for kind, name, tree, schema, truth in cases:
        read = read_schema(schema)
        begun = time.process_time()
        answer = extract_data(tree, read)
        spent[kind] += time.process_time() - begun
        pages[kind] += max(1, len(tree.pages))
        for confidence, right in judge_leaves(truth, answer):
            sure[kind][1] += confidence >= SURE
            sure[kind][0] += confidence >= SURE and right
        for level, counts in count_right(truth, answer.data).items():
            for place, count in enumerate(counts):
                totals[kind][level][place] += count
        if verbose:
            for path, value in list_leaves(truth):
                got = dict(list_leaves(answer.data)).get(path)
                if _key((path, value)) != _key((path, got)):
                    print(f"{name:22} {path:32} {value!r:32.60} got {got!r:.60} {answer.missing.get(path, '')}")
    for kind, levels in totals.items():
        shown = " ".join(f"{level} {f1(levels[level]):.3f} (P {levels[level][0] / max(1, levels[level][1]):.2f}, "
                         f"{levels[level][2]})" for level in LEVELS)  # fmt: skip
        print(f"{kind:15} {shown} sure {sure[kind][0]}/{sure[kind][1]} = {sure[kind][0] / max(1, sure[kind][1]):.3f}"
              f" CPU {10_000 * spent[kind] / pages[kind]:.0f} ms per 10 pages")  # fmt: skip


def made_cases(
    first: int, last: int, kinds: list[str], cache: Path | None
) -> Iterator[tuple[str, str, Tree, Any, Any]]:
    """Yield the made pages of some layouts."""
    for page in draw(make_page(kind, layout, 0) for layout in range(first, last + 1) for kind in kinds):
        yield page.kind, page.name, read_tree(page.data, cache=cache), page.schema, page.truth


def folder_cases(folder: Path, cache: Path | None) -> Iterator[tuple[str, str, Tree, Any, Any]]:
    """Yield the documents of a folder; the kind is the name up to its first number."""
    for path in sorted(folder.glob("*.json")):
        stored = json.loads(path.read_text("utf-8"))
        tree = read_tree(path.with_suffix(".pdf").read_bytes(), cache=cache)
        yield re.split(r"-\d", path.stem)[0], path.stem, tree, stored["schema"], stored["truth"]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layouts", default="24-63")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--cache", type=Path, help="folder that keeps trees")
    parser.add_argument("--verbose", action="store_true", help="print each wrong value")
    asked = parser.parse_args()
    first, last = map(int, asked.layouts.split("-"))
    kinds = asked.kinds.split(",")
    found = folder_cases(asked.folder, asked.cache) if asked.folder else made_cases(first, last, kinds, asked.cache)
    run((case for case in found if not asked.folder or case[0] in kinds), verbose=asked.verbose)


if __name__ == "__main__":
    main()
