"""Values that an ideal model adds: `python -m tests.lab.bench.schema.bench_ideal --layouts 24-43 --cache FOLDER`.

The model knows the truth and refers to it as well as the request allows. For each kind of document prints the F1 of
the rules, of `llm` (the model is asked about everything) and of `auto` (about what the rules lack or doubt), and the
share of leaves that `auto` asks about. Values that `auto` gets wrong and `llm` right are printed with `--verbose`.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.tree import Block, Tree
from quire.models.derive.schema.answer import ExtractedData, pointer
from quire.models.derive.schema.assign import read_sources
from quire.models.derive.schema.extract import NOTHING_GIVEN, ReadSchema, extract_data, read_schema
from quire.models.derive.schema.model.digest import TreeDigest
from quire.models.derive.schema.model.references import extract_referred
from quire.models.derive.schema.model.requests import plan_requests
from quire.models.derive.schema.nodes import ArrayNode, Leaf, arrays_of, leaves_of
from quire.models.derive.schema.rows import metric_of
from quire.models.derive.schema.sources import TextSource, cell_source
from quire.models.export.tables.values import list_leaves
from tests.lab.bench.schema.bench_pages import _key, count_right, f1, folder_cases, made_cases
from tests.lab.bench.schema.made_pages import KINDS

MAX_QUOTE = 12  # words of a value
Reference = tuple[str, str]
"""A text's reference and the quote in it."""


class IdealModel:
    """Answers requests about one tree from its truth."""

    def __init__(self, tree: Tree, schema: ReadSchema, truth: Any) -> None:
        self._digest, self._truth = TreeDigest(tree, {}), dict(list_leaves(truth))
        self._schema, self._whole = schema, truth
        self.asked = 0

    def answer(self, fields: Sequence[str], rows: Sequence[str]) -> str:
        """Return references to the values of the fields, and the tables of the rows."""
        values: list[dict[str, Any]] = []
        for leaf in leaves_of(self._schema.root):
            path = pointer(*leaf.path)
            if path in fields and path in self._truth:
                found = next(self._find(leaf, self._truth[path]), None)
                values += [_value(path, found)] if found is not None else []
        tables = []
        for array in arrays_of(self._schema.root):
            path = pointer(*array.path)
            if path in fields and isinstance(array.item, Leaf):
                items = [value for at, value in self._truth.items() if at.startswith(f"{path}/")]
                found_items = [next(self._find(array.item, item), None) for item in items]
                values += [_value(path, found) for found in found_items if found is not None]
            elif path in rows:
                tables += [{"field": path, "columns": columns} for columns in self._find_columns(array)]
        self.asked += len(fields) + sum(len(list(leaves_of(array.item))) for array in self._arrays(rows))
        return json.dumps({"values": values, "tables": tables})

    def _arrays(self, paths: Sequence[str]) -> Iterator[ArrayNode]:
        return (array for array in arrays_of(self._schema.root) if pointer(*array.path) in paths)

    def _find(self, leaf: Leaf, value: Any) -> Iterator[Reference]:
        """Yield the places whose words state the value, whole texts first."""
        for most in (0, MAX_QUOTE):
            for reference, source in self._sources():
                words = self._digest.words(source)
                for first in range(len(words) if most else 1):
                    for last in range(first, min(len(words), first + most) if most else len(words)):
                        if not most and last < len(words) - 1:
                            continue
                        quote = " ".join(word.text for word in words[first : last + 1])
                        if self._states(source, quote, leaf, value):
                            yield reference, quote

    def _states(self, source: TextSource, quote: str, leaf: Leaf, value: Any) -> bool:
        if not (quote.casefold() in str(value).casefold() or any(map(str.isdigit, quote)) or leaf.members):
            return False
        cut = self._digest.cut(source, None, quote)
        read = read_sources((cut,), leaf) if cut is not None else None
        return read is not None and _key(("", read[0])) == _key(("", value))

    def _sources(self) -> Iterator[tuple[str, TextSource]]:
        for number, block in enumerate(self._digest.blocks):
            if block.table is not None and block.table.cells:
                places = BlockPlaces(block)
                for index in range(len(block.table.cells)):
                    yield f"b{number}#c{index}", cell_source(block, places, index)
            elif (source := self._digest.find_source(f"b{number}")) is not None:
                yield f"b{number}", source

    def _find_columns(self, array: ArrayNode) -> Iterator[list[dict[str, str]]]:
        """Yield the columns of each table that holds values of the rows, with the leaves that they hold."""
        wanted = {
            leaf: Counter(
                _key(("", value))
                for at, value in self._truth.items()
                if _column(at, array) == pointer(*leaf.path[len(array.path) :])
            )
            for leaf in leaves_of(array.item)
        }
        metric = metric_of(array)
        for number, block in enumerate(self._digest.blocks):
            if block.table is not None and block.table.cells:
                columns = _map_columns(number, block, wanted) if metric is None else []
                if metric is not None:
                    columns = _map_row(number, block, metric.value, wanted[metric.value])
                if columns:
                    yield columns


def _column(path: str, array: ArrayNode) -> str | None:
    start = pointer(*array.path) + "/"
    if not path.startswith(start):
        return None
    return "/" + path.removeprefix(start).partition("/")[2]


def _map_columns(number: int, block: Block, wanted: dict[Leaf, Counter[Any]]) -> list[dict[str, str]]:
    assert block.table is not None
    places = BlockPlaces(block)
    scores: list[tuple[int, int, Leaf]] = []
    for column in range(block.table.cols):
        cells = [index for index, cell in enumerate(block.table.cells) if cell.col == column]
        for leaf, values in wanted.items():
            read = (read_sources((cell_source(block, places, index),), leaf) for index in cells)
            found = Counter(_key(("", value[0])) for value in read if value is not None)
            scores.append((sum((found & values).values()), column, leaf))
    chosen: dict[int, Leaf] = {}
    for score, column, leaf in sorted(scores, key=lambda entry: (-entry[0], entry[1])):
        if score and column not in chosen and leaf not in chosen.values():
            chosen[column] = leaf
    tops = {cell.col: index for index, cell in reversed(list(enumerate(block.table.cells)))}
    return [
        {"field": pointer(*leaf.path), "reference": f"b{number}#c{tops[column]}", "quote": ""}
        for column, leaf in chosen.items()
    ]


def _map_row(number: int, block: Block, leaf: Leaf, values: Counter[Any]) -> list[dict[str, str]]:
    """Return a reference to the row with most of the values; none if it has only one of several."""
    assert block.table is not None
    places = BlockPlaces(block)
    found: dict[int, Counter[Any]] = defaultdict(Counter)
    firsts: dict[int, int] = {}
    for index, cell in enumerate(block.table.cells):
        firsts.setdefault(cell.row, index)
        read = read_sources((cell_source(block, places, index),), leaf)
        if read is not None:
            found[cell.row][_key(("", read[0]))] += 1
    scores = {row: sum((counts & values).values()) for row, counts in found.items()}
    best = max(scores, key=lambda row: (scores[row], -row), default=None)
    if best is None or scores[best] < min(2, values.total()):
        return []
    return [{"field": pointer(*leaf.path), "reference": f"b{number}#c{firsts[best]}", "quote": ""}]


def _value(path: str, found: Reference) -> dict[str, Any]:
    return {"field": path, "reference": found[0], "first": None, "last": None, "quote": found[1]}


def ask(tree: Tree, schema: ReadSchema, model: IdealModel, rules: ExtractedData | None) -> ExtractedData:
    """Return what the model's answers lead to: with the rules' answer those of `auto`."""
    plan = plan_requests(tree, schema, {}, NOTHING_GIVEN, rules)
    if not plan.requests:
        return rules if rules is not None else ExtractedData(data={})
    parts = plan.requests[0].answer_schema["properties"]
    fields = parts.get("values", {}).get("items", {}).get("properties", {}).get("field", {}).get("enum", [])
    rows = parts.get("tables", {}).get("items", {}).get("properties", {}).get("field", {}).get("enum", [])
    return extract_referred(tree, schema, [model.answer(fields, rows)], {}, NOTHING_GIVEN, rules)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layouts", default="24-43")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--cache", type=Path, help="folder that keeps trees")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    first, last = map(int, given.layouts.split("-"))
    made = made_cases(first, last, given.kinds.split(","), given.cache)
    totals: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0, 0]))
    asked: Counter[str] = Counter()
    for kind, name, tree, schema, truth in folder_cases(given.folder, given.cache) if given.folder else made:
        read = read_schema(schema)
        rules = extract_data(tree, read)
        every, some = IdealModel(tree, read, truth), IdealModel(tree, read, truth)
        answers = {"rules": rules, "llm": ask(tree, read, every, None), "auto": ask(tree, read, some, rules)}
        for name_of in (kind, "all"):
            asked.update({f"{name_of} llm": every.asked, f"{name_of} auto": some.asked})
        for engine, answer in answers.items():
            for counts in count_right(truth, answer.data).values():
                for place, count in enumerate(counts):
                    totals[kind][engine][place] += count
                    totals["all"][engine][place] += count
        if given.verbose:
            _show_lost(name, truth, answers)
    for kind, engines in totals.items():
        rules_f1, llm, auto = (f1(engines[engine]) for engine in ("rules", "llm", "auto"))
        share = asked[f"{kind} auto"] / max(1, asked[f"{kind} llm"])
        print(f"{kind:15} rules {rules_f1:.3f} llm {llm:.3f} auto {auto:.3f} ({auto - llm:+.3f}) asks {share:.2f}")


def _show_lost(name: str, truth: Any, answers: dict[str, ExtractedData]) -> None:
    wanted = Counter(map(_key, list_leaves(truth)))
    data = {engine: Counter(map(_key, list_leaves(answer.data))) for engine, answer in answers.items()}
    lost = (wanted & data["llm"]) - data["auto"]
    kept = data["auto"] - wanted - data["llm"]
    for told, found in (("lost", lost), ("wrong", kept)):
        for (path, value), count in found.items():
            if value is not None:
                sure = [
                    round(e.confidence, 3) for at, e in answers["rules"].evidence.items() if _key((at, 0))[0] == path
                ]
                print(f"{name:22} {told} {path:32} {value!r:.50} x{count} rules at {sure[:5]}")


if __name__ == "__main__":
    main()
