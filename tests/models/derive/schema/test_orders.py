"""Mails, web pages, sheets and other files with labelled facts: values by a schema, lines, and fields without one."""

from quire.models.derive.document_fields import find_fields
from quire.models.derive.schema.extract import extract_data, read_schema
from tests.models.derive.schema.orders import FACTS, SUMS, make_order
from tests.models.extract.flow_trees import read_tree

SEEDS = range(20)
LEAST_VALUES, LEAST_FIELDS = 0.97, 0.93


def test_facts_and_lines_of_orders_are_found_by_a_schema() -> None:
    right = asked = 0
    for seed in SEEDS:
        order = make_order(seed)
        answer = extract_data(read_tree(order.data), read_schema(order.schema))
        right += sum(answer.data.get(name) == value for name, value in order.facts.items())
        right += answer.data.get("lines") == order.lines
        asked += len(order.facts) + 1
    assert right >= LEAST_VALUES * asked


def test_facts_of_orders_are_fields() -> None:
    right = asked = 0
    for seed in SEEDS:
        order = make_order(seed)
        fields = {field.key.strip(" :"): field for field in find_fields(read_tree(order.data))}
        found = [fields.get(order.labels[name]) for name in (*FACTS, *SUMS)]
        stated = [order.facts[name] for name in (*FACTS, *SUMS)]
        right += sum(
            field is not None and _equal(field.normalized, value) for field, value in zip(found, stated, strict=True)
        )
        asked += len(found)
    assert right >= LEAST_FIELDS * asked


def _equal(normalized: object, value: str | float) -> bool:
    return float(str(normalized)) == value if isinstance(value, float) else normalized == value
