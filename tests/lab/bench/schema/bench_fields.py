"""Figures of `fields`: `python -m tests.lab.bench.schema.bench_fields --data FOLDER [--cache FOLDER]`.

FOLDER holds `sroie`, `funsd` and `invoices` with their truth; made invoices and pages are drawn by seed. For each
source prints how many values of a key are right in any of its fields, and in its most confident one; for forms the
precision, recall and F1 of label and value; and the CPU time of a page.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from quire.models.cdom.original import Format
from quire.models.cdom.tree import Tree
from quire.models.derive.document_fields import find_fields
from quire.models.derive.fields.extracted_field import ExtractedField
from quire.models.derive.fields.values import ValueType
from quire.models.derive.schema.extract import read_schema
from quire.models.derive.schema.nodes import leaves_of
from quire.models.derive.schema.phrases import leaf_key
from tests.lab.bench.schema import cases
from tests.lab.bench.schema.bench_pages import made_cases
from tests.lab.bench.schema.cases import read_tree
from tests.lab.bench.schema.scoring import is_right, is_similar, read_amount

SEEDS = range(300, 302)
LAYOUTS = (24, 43)
KINDS = ["invoice", "statement", "payslip", "delivery-note"]
ALIKE = (frozenset({"supplier", "company"}), frozenset({"invoice_date", "date"}))
"""Keys whose fields answer for each other."""
Documents = Iterator[tuple[str, str, Tree, Mapping[str, Any]]]


def find_documents(data: Path, cache: Path | None) -> Documents:
    """Yield source, name, tree and true values by canonical key."""
    for case in (*cases.receipts(data / "sroie", cache), *cases.invoices(data / "invoices")):
        yield case.source, case.name, case.tree, _by_key(case.schema, case.truth)
    for case in cases.made_invoices(SEEDS):
        yield case.source, case.name, case.tree, _by_key(case.schema, case.truth)
    for kind, name, tree, schema, truth in made_cases(*LAYOUTS, KINDS, cache):
        yield f"made {kind}s", name, tree, _by_key(schema, truth)


def _by_key(schema: Any, truth: Mapping[str, Any]) -> dict[str, Any]:
    leaves = [(leaf, leaf_key(leaf)) for leaf in leaves_of(read_schema(schema).root) if len(leaf.path) == 1]
    return {str(key): truth[leaf.name] for leaf, key in leaves if key and truth.get(leaf.name) is not None}


def find_forms(folder: Path, cache: Path | None) -> Iterator[tuple[Tree, list[tuple[str, str]]]]:
    """Yield the tree of each form and its labels with their values."""
    for path in sorted((folder / "gt_fields").glob("*.json")):
        image = next((folder / "images").glob(f"{path.stem}.*"))
        pairs = [(pair["key"], pair["value"]) for pair in json.loads(path.read_text())["pairs"]]
        yield read_tree(image.read_bytes(), Format.PNG, cache), pairs


def judge(fields: list[ExtractedField], key: str, truth: Any) -> tuple[bool, bool]:
    """Return whether any field of the key is right, and whether the most confident one is."""
    names = next((names for names in ALIKE if key in names), {key})
    own = [field for field in fields if field.canonical_key in names]
    best = max(own, key=lambda field: field.confidence, default=None)
    return any(_is_right(field, truth) for field in own), best is not None and _is_right(best, truth)


def _is_right(field: ExtractedField, truth: Any) -> bool:
    if field.value_type in (ValueType.AMOUNT, ValueType.NUMBER):
        return field.normalized is not None and round(float(field.normalized), 2) == read_amount(truth)
    return is_right(truth, field.normalized) or is_right(truth, field.value)


def count_pairs(fields: list[ExtractedField], pairs: list[tuple[str, str]]) -> tuple[int, int, int]:
    """Return the right, found and true pairs of a label with its value."""
    left, right = list(fields), 0
    for label, value in pairs:
        same = [field for field in left if is_similar(label, field.key) and is_similar(value, field.value)]
        right += bool(same)
        left = [field for field in left if field is not same[0]] if same else left
    return right, len(fields), len(pairs)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="folder that keeps trees")
    parser.add_argument("--verbose", action="store_true", help="print each missed value")
    asked = parser.parse_args()
    counts: Counter[tuple[str, str, str]] = Counter()
    spent, pages = 0.0, 0
    for source, name, tree, truth in find_documents(asked.data, asked.cache):
        begun = time.process_time()
        fields = find_fields(tree)
        spent, pages = spent + time.process_time() - begun, pages + len(tree.pages)
        for key, value in truth.items():
            any_right, best_right = judge(fields, key, value)
            for of in (key, "all"):
                counts.update({(source, of, "n"): 1, (source, of, "any"): any_right, (source, of, "best"): best_right})
            if asked.verbose and not any_right:
                found = [(field.canonical_key, field.value) for field in fields if is_right(value, field.value)]
                print(f"{source} {name} {key} {value!r}: not found, stands at {found}")
    for source, key in dict.fromkeys(entry[:2] for entry in counts):
        n, in_any, in_best = (counts[source, key, name] for name in ("n", "any", "best"))
        print(f"{source:20} {key:18} {n:4} any {in_any / n:.3f} most confident {in_best / n:.3f}")
    pairs = [count_pairs(find_fields(tree), stated) for tree, stated in find_forms(asked.data / "funsd", asked.cache)]
    right, named, wanted = map(sum, zip(*pairs, strict=True))
    print(f"forms: precision {right / named:.3f} recall {right / wanted:.3f} F1 {2 * right / (named + wanted):.3f}")
    print(f"CPU ms a page: {1000 * spent / max(1, pages):.1f}")


if __name__ == "__main__":
    main()
