"""Every extracted value stands in its evidence, checked without the code of the extraction."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import to_json

from quire.models.cdom.tree import Tree, dump_tree
from quire.models.derive.schema.extract import extract_data, read_schema
from tests.lab.bench.schema.cases import read_tree
from tests.lab.bench.schema.documents import documents
from tests.lab.bench.schema.long_lists import KINDS, list_schema, make_list
from tests.lab.bench.schema.made_invoices import LAYOUTS, invoice_schema, make_invoice
from tests.lab.bench.schema.scoring import count_right_lines, is_right, share_of_rows
from tests.models.derive.schema.grounding import find_ungrounded

ROOT = Path(__file__).parents[4]


def extract(tree: Tree, schema: dict[str, Any]) -> tuple[dict[str, Any], int, list[str]]:
    answer = extract_data(tree, read_schema(schema))
    return answer.data, *find_ungrounded(dump_tree(tree), to_json(answer))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_of_made_invoices_are_right_and_grounded(layout: str) -> None:
    made = make_invoice(layout, 1)
    data, checked, wrong = extract(read_tree(made.data), invoice_schema())
    right = [is_right(value, data.get(name)) for name, value in made.head.items()]
    assert wrong == []
    assert checked > 10
    assert sum(right) >= 0.75 * len(right)
    assert count_right_lines(made.lines, data["lines"]) >= 0.75 * len(made.lines)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_long_lists_are_exact_in_order_and_grounded(kind: str) -> None:
    made = make_list(3, kind, 110)
    data, checked, wrong = extract(read_tree(made.data), list_schema())
    assert wrong == []
    assert checked >= 600
    assert share_of_rows(made.rows, data["items"]) == 1.0


def test_values_that_a_document_itself_names_are_grounded() -> None:
    checked = 0
    for case in (*documents(ROOT / "docs" / "sample"), *documents(ROOT / "tests" / "golden")):
        _, count, wrong = extract(case.tree, dict(case.schema))
        assert wrong == [], case.name
        checked += count
    assert checked > 20


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("/items/0/amount", {"verbatim": "12.00"}),
        ("/items/0/amount", {"places": []}),
        ("/items/0/quantity", {"places": [{"block_id": "b9999", "cell": None, "start": 0, "end": 1}]}),
    ],
)
def test_the_check_reports_changed_evidence(path: str, change: dict[str, Any]) -> None:
    tree = read_tree(make_list(3, "plain", 5).data)
    answer = json.loads(to_json(extract_data(tree, read_schema(list_schema()))))
    answer["evidence"][path] |= change
    _, wrong = find_ungrounded(dump_tree(tree), json.dumps(answer).encode())
    assert [text.split(":")[0] for text in wrong] == [path]


@pytest.mark.parametrize("value", [1, 99_999_999])
def test_the_check_reports_a_shifted_value(value: int) -> None:
    tree = read_tree(make_list(3, "plain", 5).data)
    answer = json.loads(to_json(extract_data(tree, read_schema(list_schema()))))
    answer["data"]["items"][2]["quantity"] = value
    _, wrong = find_ungrounded(dump_tree(tree), json.dumps(answer).encode())
    assert len(wrong) == 1
