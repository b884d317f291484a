"""Corrections: the value at a chosen place, the label that it teaches, and the effect on other documents."""

import pytest

from quire.models.cdom.tree import BlockType, Tree
from quire.models.derive.schema.answer import How
from quire.models.derive.schema.correction.corrected import (
    CorrectedPlace,
    NotCorrected,
    apply_corrections,
    read_correction,
)
from quire.models.derive.schema.extract import extract_data, read_schema
from tests.builders import lines_tree, make_block, make_tree, table_block
from tests.models.derive.schema.test_extract import objects

P = BlockType.PARAGRAPH
SCHEMA = objects(
    total={"type": "number"},
    payee={"type": "string"},
    due={"type": "string", "format": "date"},
    rows={"type": "array", "items": objects(what={"type": "string"}, price={"type": "number"})},
)


def bill(number: int) -> Tree:
    """Return an invoice of a kind whose labels no lexicon knows."""
    return make_tree(
        make_block(P, f"Kwitantie van Huis {number}"),
        make_block(P, f"Zahlziel Ende: {number}.03.2024"),
        make_block(P, f"Wir bekommen {100 + number},50 EUR"),
        table_block([["Zaak", "Stuk kost"], [f"Rope {number}", f"{number}.25"], ["Hook", "2.00"]]),
    )


def test_correction_cites_the_value_and_names_the_label_before_it() -> None:
    taught = read_correction(bill(7), read_schema(SCHEMA), "/total", "b2", None, "107,50")
    assert (taught.value, taught.label, taught.leaf) == (107.5, "Wir bekommen", "/total")
    assert (taught.place.start, taught.place.end) == (13, 19)


def test_five_documents_of_a_kind_gain_from_one_correction() -> None:
    plain = read_schema(SCHEMA)
    assert [extract_data(bill(n), plain).data.get("total") for n in range(1, 6)] == [None] * 5
    labels: dict[str, list[str]] = {}
    for path, block, cell, text in [
        ("/total", "b2", None, "101,50"),
        ("/due", "b1", None, None),
        ("/rows/0/what", "b3", 2, None),
        ("/rows/0/price", "b3", 3, None),
    ]:
        taught = read_correction(bill(1), plain, path, block, cell, text)
        assert taught.label is not None
        labels.setdefault(taught.leaf, []).append(taught.label)
    schema = read_schema(SCHEMA, labels)
    for number in range(2, 7):
        data = extract_data(bill(number), schema).data
        assert (data["total"], data["due"]) == (100.5 + number, f"2024-03-{number:02}")
        assert data["rows"][0] == {"what": f"Rope {number}", "price": number + 0.25}


def test_label_is_found_left_of_a_value_and_above_it() -> None:
    schema = read_schema(SCHEMA)
    left = lines_tree(("Ontvanger", (50, 100, 120, 112)), ("Old Mill", (200, 100, 260, 112)))
    above = lines_tree(("Ontvanger", (50, 100, 120, 112)), ("Old Mill", (50, 114, 110, 126)))
    for tree in (left, above):
        assert read_correction(tree, schema, "/payee", "b1", None, None).label == "Ontvanger"


def test_place_without_a_label_teaches_none() -> None:
    tree = make_tree(make_block(P, "Old Mill"))
    assert read_correction(tree, read_schema(SCHEMA), "/payee", "b0", None, None).label is None


def test_sentence_before_a_value_is_no_label() -> None:
    tree = make_tree(make_block(P, "We ask you kindly to pay the sum of 7.50 today"))
    assert read_correction(tree, read_schema(SCHEMA), "/total", "b0", None, None).label is None


@pytest.mark.parametrize(
    ("path", "block", "cell", "text", "code"),
    [
        ("/x", "b0", None, None, "no-such-leaf"),
        ("/rows/x/price", "b0", None, None, "no-such-leaf"),
        ("/total", "b9", None, None, "no-such-place"),
        ("/total", "b3", 99, None, "no-such-place"),
        ("/total", "b3", None, None, "no-such-place"),
        ("/total", "b0", None, "Haus", "no-such-text"),
        ("/total", "b0", None, " ", "no-such-text"),
        ("/due", "b0", None, None, "not-of-type"),
    ],
)
def test_correction_that_gives_no_value_is_refused(
    path: str, block: str, cell: int | None, text: str | None, code: str
) -> None:
    with pytest.raises(NotCorrected) as refused:
        read_correction(bill(1), read_schema(SCHEMA), path, block, cell, text)
    assert refused.value.code == code


def test_corrected_value_replaces_the_value_of_the_rules() -> None:
    tree, schema = make_tree(make_block(P, "Total: 7.00"), make_block(P, "owed 9.00")), read_schema(SCHEMA)
    place = CorrectedPlace(path="/total", block_id="b1", cell=None, start=5, end=9, verbatim="9.00")
    stale = CorrectedPlace(path="/due", block_id="b8", cell=None, start=0, end=4, verbatim="9.00")
    changed = CorrectedPlace(path="/payee", block_id="b1", cell=None, start=0, end=4, verbatim="paid")
    answer = extract_data(tree, schema, apply_corrections(tree, schema, [place, stale, changed]))
    assert (answer.data["total"], answer.evidence["/total"].how) == (9, How.CORRECTED)
    assert answer.evidence["/total"].confidence == 1
    assert "payee" not in answer.data
