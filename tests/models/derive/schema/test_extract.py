"""Extraction by schema: values, their evidence, the reasons for missing ones, and rows of tables and lists."""

import json
import pickle
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from quire.models.cdom.tree import BlockType, Tree
from quire.models.derive.schema.answer import ExtractedData, How
from quire.models.derive.schema.extract import extract_data, read_schema
from tests.builders import make_block, make_tree, table_block
from tests.models.derive.report import small_report
from tests.models.derive.strategies import trees

P = BlockType.PARAGRAPH
LINE = {
    "type": "object",
    "properties": {
        "description": {"type": "string"},
        "quantity": {"type": "integer"},
        "unit_price": {"type": "number"},
        "amount": {"type": "number"},
    },
}
INVOICE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "invoice_number": {"type": "string"},
        "invoice_date": {"type": "string", "format": "date"},
        "total": {"type": "number"},
        "currency": {"enum": ["EUR", "USD", None]},
        "supplier": {"type": "object", "properties": {"name": {"type": "string"}}},
        "po": {"type": ["string", "null"]},
        "lines": {"type": "array", "items": LINE},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}
ROWS = [["Item", "Qty", "Unit price", "Amount"], ["Rope", "2", "3.00", "6.00"], ["Hook", "1", "1,50", "1,50"]]


def objects(**properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties}


def extract(tree: Tree, schema: dict[str, Any] = INVOICE) -> ExtractedData:
    answer = extract_data(tree, read_schema(schema))
    assert_grounded(tree, answer)
    if answer.valid:
        Draft202012Validator(schema).validate(answer.data)
    return answer


def assert_grounded(tree: Tree, answer: ExtractedData) -> None:
    """Every value that is not null has evidence, and the text at its places is its verbatim text."""
    blocks = {block.id: block for block in tree.blocks}
    for path, value in leaves(answer.data):
        assert (value is None) == (path not in answer.evidence), path
        assert value is not None or path in answer.missing
    for path, evidence in answer.evidence.items():
        texts = []
        for place in evidence.places:
            block = blocks[place.block_id]
            text = block.text if place.cell is None or block.table is None else block.table.cells[place.cell].text
            texts.append(text[place.start : place.end])
        assert " ".join(texts) == evidence.verbatim, path
        assert evidence.places or evidence.how is How.DEFAULT
        assert 0 < evidence.confidence <= 1


def leaves(value: object, path: str = "") -> list[tuple[str, object]]:
    if isinstance(value, dict):
        return [leaf for key, part in value.items() for leaf in leaves(part, f"{path}/{key}")]
    if isinstance(value, list):
        return [leaf for index, part in enumerate(value) for leaf in leaves(part, f"{path}/{index}")]
    return [(path, value)]


def test_labelled_values_are_typed_and_cite_their_text() -> None:
    tree = make_tree(
        make_block(P, "Invoice No: INV-7"),
        make_block(P, "Supplier: Northern Rope"),
        make_block(P, "Invoice date: 3 June 2021"),
        table_block([*ROWS, ["Total", "", "", "7.50 €"]]),
        make_block(P, "Tags: a, b; c"),
        make_block(P, "Total: $ 7.50"),
    )
    answer = extract(tree)
    assert answer.data == {
        "invoice_number": "INV-7",
        "invoice_date": "2021-06-03",
        "total": 7.5,
        "currency": "EUR",
        "supplier": {"name": "Northern Rope"},
        "po": None,
        "lines": [
            {"description": "Rope", "quantity": 2, "unit_price": 3, "amount": 6},
            {"description": "Hook", "quantity": 1, "unit_price": 1.5, "amount": 1.5},
        ],
        "tags": ["a", "b", "c"],
    }
    assert answer.valid
    assert answer.evidence["/invoice_date"].verbatim == "3 June 2021"
    assert answer.evidence["/lines/1/amount"].places[0].cell == 11
    assert answer.missing == {"/po": "no-label"}


def test_a_document_without_text_has_a_reason_for_every_leaf() -> None:
    for tree in (make_tree(), make_tree(make_block(BlockType.PICTURE)), make_tree(table_block([["", ""], ["", ""]]))):
        answer = extract(tree)
        assert all(value in (None, []) for _, value in leaves(answer.data))
        assert answer.evidence == {}
        assert answer.missing.keys() == {
            "/invoice_number", "/invoice_date", "/total", "/currency", "/supplier/name", "/po", "/lines", "/tags"
        }  # fmt: skip


def test_missing_required_value_is_null_and_the_answer_not_valid() -> None:
    schema = objects(serial={"type": "string"}) | {"required": ["serial"]}
    answer = extract(make_tree(make_block(P, "nothing here")), schema)
    assert (answer.data, answer.valid) == ({"serial": None}, False)


def test_defaults_and_constants_of_the_schema_are_marked() -> None:
    schema = objects(country={"type": "string", "default": "FR"}, kind={"const": "bill"})
    answer = extract(make_tree(), schema)
    assert answer.data == {"country": "FR", "kind": "bill"}
    assert {evidence.how for evidence in answer.evidence.values()} == {How.DEFAULT}


def test_text_of_another_type_is_missing_as_not_of_type() -> None:
    schema = objects(due_date={"type": "string", "format": "date"})
    assert extract(make_tree(make_block(P, "Due date: soon")), schema).missing == {"/due_date": "not-of-type"}


def test_labels_pages_and_texts_nearby_are_hints() -> None:
    blocks = [make_block(P, f"TypedReading: {number}.5") for number in range(30)]
    blocks[20] = make_block(P, "Pump house")
    schema = objects(level={"type": "number", "x-quire": {"labels": ["TypedReading"], "near": "pump house"}})
    assert 12.5 <= extract(make_tree(*blocks), schema).data["level"] <= 28.5


def test_values_below_the_head_of_their_object_are_preferred() -> None:
    tree = make_tree(
        make_block(BlockType.HEADING, "Supplier"),
        make_block(P, "Contact person: Ada"),
        make_block(BlockType.HEADING, "Customer"),
        make_block(P, "Contact person: Grace"),
    )
    person = {"type": "object", "properties": {"contact_person": {"type": "string"}}}
    answer = extract(tree, objects(customer=person, supplier=person))
    assert answer.data == {"customer": {"contact_person": "Grace"}, "supplier": {"contact_person": "Ada"}}


def test_roles_and_definitions_of_prose_are_candidates() -> None:
    text = 'This agreement is between Northern Rope Ltd, as Borrower, and Old Bank (the "Agent").'
    tree = make_tree(make_block(P, text))
    schema = objects(borrower={"type": "string"}, agent={"type": "string"})
    assert extract(tree, schema).data == {"borrower": "Northern Rope Ltd", "agent": "Old Bank"}


def test_rows_continue_over_tables_without_repeated_heads_and_subtotals() -> None:
    tree = make_tree(
        table_block([*ROWS, ["Subtotal", "", "", "7.50"]]),
        table_block([["Wire", "4", "1.00", "4.00"], ["steel, thin", "", "", ""]], header_rows=0),
        table_block([ROWS[0], ["Nail", "9", "0.10", "0.90"]]),
    )
    rows = extract(tree).data["lines"]
    assert [(row["description"], row["amount"]) for row in rows] == [
        ("Rope", 6),
        ("Hook", 1.5),
        ("Wire steel, thin", 4),
        ("Nail", 0.9),
    ]


@pytest.mark.parametrize("joined", ["\n", " "])
def test_rows_are_read_under_a_line_that_holds_the_names(joined: str) -> None:
    text = joined.join(["Pos Team Points", "1 Alpha 30", "2 Beta team 28", "3 Gamma 7"])
    item = objects(pos={"type": "integer"}, team={"type": "string"}, points={"type": "number"})
    answer = extract(make_tree(make_block(P, text)), objects(rows={"type": "array", "items": item}))
    assert [row["team"] for row in answer.data["rows"]] == ["Alpha", "Beta team", "Gamma"]


def test_arrays_keep_their_bounds() -> None:
    tree = make_tree(make_block(P, "Tags: a, b, a, c, d"))
    schema = objects(tags={"type": "array", "items": {"type": "string"}, "maxItems": 3, "uniqueItems": True})
    assert extract(tree, schema).data == {"tags": ["a", "b", "c"]}


def test_date_of_a_range_cites_the_part_without_its_year() -> None:
    tree = make_tree(make_block(P, "Period: July 1 - July 31, 2014"))
    answer = extract(tree, objects(period={"type": "string", "format": "date"}))
    assert (answer.data["period"], answer.evidence["/period"].verbatim) == ("2014-07-01", "July 1")


@settings(max_examples=60)
@given(trees())
def test_answers_for_any_tree_are_grounded_and_repeat_byte_for_byte(tree: Tree) -> None:
    again = extract_data(tree, read_schema(json.loads(json.dumps(INVOICE))))
    assert repr(extract(tree)) == repr(again)  # not as JSON: these texts have lone surrogates, those of readers none


def test_answers_for_a_report_are_grounded() -> None:
    assert extract(small_report()).data["invoice_number"]


def test_percentages_are_no_amounts_of_money_but_are_shares() -> None:
    tree = make_tree(make_block(P, "Tax: 19 % 23.40"), make_block(P, "Humidity: 45 %"))
    schema = objects(tax={"type": "number"}, humidity={"type": "number"})
    assert extract(tree, schema).data == {"tax": 23.4, "humidity": 45}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Pier Nine Hotel 55 Long Acre Exeter EX4 3PL", "Pier Nine Hotel"),
        ("Old Quay GmbH Hafenstraße 7 20457 Hamburg", "Old Quay GmbH"),
        ("Studio 54", "Studio 54"),
    ],
)
def test_name_of_a_party_ends_before_its_address(text: str, name: str) -> None:
    assert extract(make_tree(make_block(P, f"Customer: {text}")), objects(customer={"type": "string"})).data == {
        "customer": name
    }


def test_label_of_another_key_does_not_name_a_leaf() -> None:
    tree = make_tree(make_block(P, "Fecha: 3/6/2021"), make_block(P, "Fecha de vencimiento: 4/7/2021"))
    schema = objects(invoice_date={"type": "string", "format": "date"})
    assert extract(tree, schema).data == {"invoice_date": "2021-06-03"}


def test_description_of_a_leaf_leads_to_labels_of_the_lexicon() -> None:
    schema = objects(x1={"type": "number", "description": "Net amount before tax"})
    assert extract(make_tree(make_block(P, "Subtotal: 40.00")), schema).data == {"x1": 40}


def test_currency_and_amount_may_share_a_place() -> None:
    tree = make_tree(make_block(P, "Invoice No: 7"), make_block(P, "Subtotal: $40.00"), make_block(P, "Total: $48.00"))
    schema = objects(net={"type": "number"}, total={"type": "number"}, currency={"enum": ["USD", "EUR"]})
    assert extract(tree, schema).data == {"net": 40, "total": 48, "currency": "USD"}


def test_totals_of_a_table_are_no_rows() -> None:
    tree = make_tree(table_block([*ROWS, ["", "", "Montant HT", "7.50"], ["", "", "TVA 20 %", "1.50"]]))
    assert len(extract(tree).data["lines"]) == 2


def test_confidence_is_lower_for_a_doubtful_label_and_an_unsure_text() -> None:
    sure = make_tree(make_block(P, "Invoice number: INV-7"))
    unsure = make_tree(make_block(P, "Invoice number: INV-7", confidence=0.3))
    doubtful = make_tree(make_block(P, "Invoice: INV-7"))
    first, second, third = (extract(tree).evidence["/invoice_number"].confidence for tree in (sure, unsure, doubtful))
    assert first > second
    assert first > third


def test_read_schema_can_be_sent_to_another_process() -> None:
    schema = pickle.loads(pickle.dumps(read_schema(INVOICE, {"/total": ["Zu begleichen"]})))
    assert extract_data(make_tree(make_block(P, "Zu begleichen: 7.50")), schema).data["total"] == 7.5


def test_number_behind_a_label_without_colon_is_its_value() -> None:
    schema = objects(total={"type": "number", "x-quire": {"labels": ["Wir bekommen"]}})
    assert extract(make_tree(make_block(P, "Wir bekommen 103,50 EUR")), schema).data == {"total": 103.5}


@pytest.mark.parametrize("is_loose", [False, True])
def test_totals_of_columns_are_named_by_their_heads(is_loose: bool) -> None:
    heads, rows = (
        ["", "Net", "VAT", "Gross"],
        [["Ropes", "10.00", "2.00", "12.00"], ["Total", "10.00", "2.00", "12.00"]],
    )
    boxes = [
        [(50 + 100 * col, 100 + 20 * row, 120 + 100 * col, 112 + 20 * row) for col in range(4)] for row in range(2)
    ]
    table = table_block(rows if is_loose else [heads, *rows], header_rows=0 if is_loose else 1)
    if is_loose:
        assert table.table is not None
        cells = tuple(replace(cell, bbox=boxes[cell.row][cell.col]) for cell in table.table.cells)
        table = replace(table, table=replace(table.table, cells=cells))
    lines = [make_block(P, text, bbox=(60 + 100 * n, 86, 100 + 100 * n, 96)) for n, text in enumerate(heads) if text]
    tree = make_tree(*(lines if is_loose else ()), table)
    answer = extract(tree, objects(net={"type": "number"}, tax={"type": "number"}, total={"type": "number"}))
    assert answer.data == {"net": 10.0, "tax": 2.0, "total": 12.0}


def test_name_of_another_leaf_is_no_value() -> None:
    tree = make_tree(make_block(P, "Month: Year"), make_block(P, "Year: 1987"))
    answer = extract(tree, objects(month={"type": "string"}, year={"type": "string"}))
    assert answer.data == {"year": "1987"}


@pytest.mark.parametrize("rest", ["an buchhaltung@brandt.de", "to billing@rope.example, please", "und Datum angeben"])
@pytest.mark.parametrize("label", ["Rechnungsnummer", "Invoice number", "Order number"])
def test_sentence_that_names_a_number_states_none(label: str, rest: str) -> None:
    schema = objects(invoice_number={"type": "string"}, order_number={"type": "string"})
    assert extract(make_tree(make_block(P, f"{label} {rest}")), schema).data == {}
    number = extract(make_tree(make_block(P, f"{label}: R-2041")), schema).data
    assert [*number.values()] == ["R-2041"]


@pytest.mark.parametrize(
    ("other", "reason"), [("Contract ref", "several-disagree"), ("Ref. contract", "ambiguous")]
)  # fmt: skip
def test_tied_values_say_whether_one_label_or_several_name_them(other: str, reason: str) -> None:
    schema = read_schema(objects(contract_reference_code={"type": "string"}))
    for seed in range(20):
        chance = random.Random(seed)
        first, second = (f"K-{chance.randrange(100, 999)}{letter}" for letter in "AB")
        lines = [make_block(P, f"{label}: {value}") for label, value in (("Contract ref", first), (other, second))]
        chance.shuffle(lines)
        answer = extract_data(make_tree(lines[0], make_block(P, "Terms"), lines[1]), schema)
        assert answer.missing == {"/contract_reference_code": reason}


@pytest.mark.parametrize("label", ["Subject", "Betreff", "Objet", "Title"])
@pytest.mark.parametrize(
    "value",
    [
        "Email with attachment", "Date of delivery", "Total loss", "Name change request", "Customer meeting",
        "Invoice number missing", "Phone bill", "Your order and its date", "Datum der Lieferung", "Adresse du client",
        "Total 55", "Invoice dated 3 May", "Order 55: delivery",
    ],
)  # fmt: skip
def test_words_of_a_value_are_no_labels_of_others(label: str, value: str) -> None:
    tree = make_tree(make_block(P, f"{label}: {value}"))
    assert extract(tree, objects(**{label: {"type": "string"}})).data == {label: value}


@pytest.mark.parametrize("text", ["No.: 12 Date 3 May 2026", "No.: 12 Date May 3, 2026", "No 12 Date: 3 May 2026"])
def test_labels_of_one_line_are_parted(text: str) -> None:
    answer = extract(make_tree(make_block(P, text)), objects(no={"type": "string"}, date={"type": "string"}))
    assert answer.data["no"] == "12"
    assert "May" in answer.data["date"]
