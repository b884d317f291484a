"""The form of wanted values: rows in the address, their schema, and suggestions from a document."""

import random

import pytest
from starlette.datastructures import QueryParams

from quire.serve_apps.ui.pages.schema_form import (
    KINDS,
    FormRow,
    from_schema,
    read_rows,
    suggest_rows,
    to_query,
    to_schema,
)

LABELS = (
    "Invoice number", "Rechnungsnr.", "N° de facture", "請求書番号", "رقم الفاتورة", "Номер счёта", "<b>Total</b>",
    "a" * 300, "Due / payable", "~tilde", "IVA (%)", "Zahl & Wert",
)  # fmt: skip


def make_rows(seed: int) -> list[FormRow]:
    """Return rows of distinct labels in random lists; rows of a list stand together, as a schema keeps them."""
    chance = random.Random(seed)
    labels = chance.sample(LABELS, chance.randint(1, len(LABELS)))
    lists = [chance.choice(("", "", "Lines", "Zahlungen")) for _ in labels]
    rows = [FormRow(label, chance.choice(list(KINDS)), inside, chance.choice(("", "as printed"))) for label, inside in
            zip(labels, lists, strict=True)]  # fmt: skip
    return sorted(rows, key=lambda row: row.list)


@pytest.mark.parametrize("seed", range(24))
def test_rows_survive_the_address_and_the_schema(seed: int) -> None:
    rows = make_rows(seed)
    assert read_rows(QueryParams(to_query(rows))) == rows
    assert from_schema(to_schema(rows)) == rows


@pytest.mark.parametrize(
    ("act", "order"),
    [
        ("", "abc"), ("up 1", "bac"), ("up 0", "abc"), ("down 0", "bac"), ("down 2", "abc"), ("remove 1", "ac"),
        ("remove 9", "abc"), ("up ²", "abc"), ("drop", "abc"),
    ],
)  # fmt: skip
def test_buttons_move_and_remove_rows(act: str, order: str) -> None:
    query = to_query([FormRow("a"), FormRow("b"), FormRow("c"), FormRow()])
    assert "".join(row.label for row in read_rows(QueryParams([*query, ("do", act)]))) == order


def test_equal_labels_become_two_properties() -> None:
    schema = to_schema([FormRow("Date", "date"), FormRow("Date"), FormRow("Date", list="Date")])
    assert list(schema["properties"]) == ["date", "date_2", "date_3"]
    assert schema["properties"]["date_3"]["items"]["properties"]["date"]["title"] == "Date"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "string", "enum": ["x"]}}},
        {"type": "object", "properties": {"a": {"type": "object", "properties": {}}}},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}},
        {"type": "object", "properties": {"a": True}},
        {"type": "object", "properties": {}},
    ],
)
def test_schema_that_the_form_cannot_state_has_no_rows(schema: dict[str, object]) -> None:
    assert from_schema(schema) is None


def test_suggestion_has_pairs_and_columns_of_the_largest_table() -> None:
    head = [{"row": 0, "col": col, "text": text, "header": True} for col, text in enumerate(("Item", "Price"))]
    body = [{"row": row, "col": col, "text": text} for row in (1, 2) for col, text in enumerate(("Pen", "1.234,50"))]
    tree = {"blocks": [{"table": {"rows": 3, "cells": head + body}}, {"table": None}, {}]}
    pairs = [{"key": "Total:", "value_type": "amount"}, {"key": "Name", "value_type": "text"}]
    assert suggest_rows(pairs, tree) == [
        FormRow("Total", "number"),
        FormRow("Name"),
        FormRow("Item", "text", "Rows"),
        FormRow("Price", "number", "Rows"),
    ]
