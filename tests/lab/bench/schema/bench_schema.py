"""Figures of extraction by schema.

`python -m tests.lab.bench.schema.bench_schema --data FOLDER [--cache FOLDER] [--rows 2000]`: FOLDER holds `sroie` and
`invoices` with their truth, and any other documents. Prints, and keeps in bench-results/schema.json: fields of receipts
(loosely equal), heads and lines of invoices at hand and made, rows of long lists that are exact and in order, values
whose text is not in their evidence, calibration error, CPU time per ten pages with thirty leaves, and requests that
differ when repeated.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from quire.models.cdom.tree import dump_tree
from quire.models.derive.schema.extract import extract_data, read_schema
from tests.lab.bench.results import save_results
from tests.lab.bench.schema import cases
from tests.lab.bench.schema.cases import SchemaCase, judge
from tests.lab.bench.schema.documents import documents
from tests.lab.bench.schema.made_invoices import invoice_schema
from tests.lab.bench.schema.scoring import calibration_error, count_right_lines, is_right, share_of_rows
from tests.models.derive.schema.grounding import find_ungrounded

SEEDS = range(300, 305)  # made invoices: five of each of twelve layouts, none of them seen in training
MANY = 30  # leaves of the schema whose CPU time is measured


@dataclass(slots=True)
class SchemaFigures:
    """Figures of all cases so far."""

    shares: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    said: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    right: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    values: int = 0
    ungrounded: int = 0
    unequal: int = 0
    cpu_s: float = 0.0
    pages: int = 0

    def add(self, case: SchemaCase) -> None:
        """Extract twice and count."""
        schema = read_schema(case.schema)
        answer = extract_data(case.tree, schema)
        self.unequal += to_json(answer) != to_json(extract_data(case.tree, read_schema(case.schema)))
        checked, wrong = find_ungrounded(dump_tree(case.tree), to_json(answer))
        self.values += checked
        self.ungrounded += len(wrong)
        for value in judge(case, answer):
            self.said[case.source].append(value.confidence)
            self.right[case.source].append(value.right)
        for name, truth in case.truth.items():
            if truth is not None:
                self.shares[f"{case.source}: {name}"].append(float(is_right(truth, answer.data.get(name))))
        if case.array:
            self._add_rows(case, answer.data.get(case.array) or [])

    def _add_rows(self, case: SchemaCase, rows: list[dict[str, Any]]) -> None:
        if case.array == "lines":
            most = max(len(rows), len(case.rows))
            self.shares[f"{case.source}: lines"].append(count_right_lines(case.rows, rows) / max(1, most))
        else:
            self.shares[f"{case.source}: rows, {case.name}"].append(share_of_rows(case.rows, rows))

    def measure(self, case: SchemaCase) -> None:
        """Measure the CPU time of a schema with many leaves on the case's tree."""
        schema = read_schema(many_leaves())
        begun = time.process_time()
        extract_data(case.tree, schema)
        self.cpu_s += time.process_time() - begun
        self.pages += len(case.tree.pages)

    def summary(self) -> dict[str, Any]:
        """Return the figures by name."""
        figures: dict[str, Any] = {name: round(sum(found) / len(found), 4) for name, found in self.shares.items()}
        for source in self.said:
            figures[f"{source}: calibration error"] = round(calibration_error(self.said[source], self.right[source]), 4)
        figures["calibration error, all"] = round(
            calibration_error([*chain(*self.said.values())], [*chain(*self.right.values())]), 4
        )
        heads = [value for name in self.shares for value in self.shares[name] if _is_head(name)]
        figures["made invoices: heads"] = round(sum(heads) / max(1, len(heads)), 4)
        figures |= {"values": self.values, "values not in their evidence": self.ungrounded}
        figures["requests that differ the second time"] = self.unequal
        figures["CPU ms per 10 pages, 30 leaves"] = round(10_000 * self.cpu_s / max(1, self.pages), 1)
        return figures


def _is_head(name: str) -> bool:
    return name.startswith("made invoices: ") and not name.endswith("lines")


def many_leaves() -> dict[str, Any]:
    """Return an invoice's schema with other properties, thirty leaves in all."""
    schema = invoice_schema()
    names = ("iban", "bic", "vat_id", "order_number", "customer_number", "phone", "email", "website", "address",
             "payment_terms", "discount", "delivery_date", "contact", "reference", "project", "delivery_note",
             "account")  # fmt: skip
    lines = schema["properties"]["lines"]["items"]["properties"]
    room = MANY - (len(schema["properties"]) - 1) - len(lines)
    schema["properties"] |= {name: {"type": "string"} for name in names[:room]}
    return schema


def find_cases(data: Path, cache: Path | None, rows: int) -> Iterator[SchemaCase]:
    """Yield the cases of all sources."""
    yield from cases.receipts(data / "sroie", cache)
    yield from cases.invoices(data / "invoices")
    yield from cases.made_invoices(SEEDS)
    yield from cases.long_lists(rows)
    yield from cases.statements(max(1, rows // 41))
    yield from documents(data, cache)


def run(found: Iterable[SchemaCase]) -> dict[str, Any]:
    """Return the figures of the cases."""
    figures = SchemaFigures()
    for case in found:
        figures.add(case)
        figures.measure(case)
    return figures.summary()


def main() -> None:
    """Print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="folder that keeps recognised trees")
    parser.add_argument("--rows", type=int, default=2000)
    asked = parser.parse_args()
    figures = run(find_cases(asked.data, asked.cache, asked.rows))
    for name, value in figures.items():
        print(f"{name:50} {value}")
    save_results("schema", figures)


if __name__ == "__main__":
    main()
