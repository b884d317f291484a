"""An independent check that the value of every field stands in the places that its evidence names."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from quire.models.cdom.tree import FURNITURE, BlockType, Tree, tree_adapter
from quire.models.cdom.visible import visible_blocks
from quire.models.derive.document_fields import find_fields
from quire.models.derive.fields.extracted_field import ExtractedField
from tests.builders import lines_tree, make_block, make_tree, table_block
from tests.models.derive.report import small_report
from tests.models.derive.strategies import trees

GOLDEN = sorted((Path(__file__).parents[3] / "golden").glob("*/*.json"))
P = BlockType.PARAGRAPH


def golden_trees() -> Iterator[tuple[str, Tree]]:
    for path in GOLDEN:
        stored = json.loads(path.read_text())
        if isinstance(stored, dict) and "cdom_version" in stored:
            stored["provenance"] = {"service_version": "0", "options_hash": ""}
            yield path.stem, tree_adapter().validate_json(json.dumps(stored))


def printed_text(tree: Tree, field: ExtractedField) -> str:
    """The text at all places of the field's evidence, read from the tree alone."""
    blocks = {block.id: block for block in tree.blocks}
    parts = []
    for place in (field.evidence, *field.further_evidence):
        block = blocks[place.block_id]
        is_all = all(other.type in FURNITURE for other in visible_blocks(tree))
        assert block.type not in FURNITURE or len(tree.pages) == 1 or is_all
        text = block.text
        if place.cell is not None:
            assert block.table is not None
            text = block.table.cells[place.cell].text
        assert 0 <= place.start < place.end <= len(text)
        parts.append(text[place.start : place.end])
    return " ".join(" ".join(parts).split())


def assert_values_stand_in_their_evidence(tree: Tree) -> int:
    fields = find_fields(tree)
    for field in fields:
        assert field.value == printed_text(tree, field), field
    return len(fields)


def test_values_of_golden_trees_stand_in_their_evidence() -> None:
    checked = {name: assert_values_stand_in_their_evidence(tree) for name, tree in golden_trees()}
    assert len(checked) >= 5
    assert assert_values_stand_in_their_evidence(small_report()) > 5


@settings(max_examples=100)
@given(trees())
def test_values_of_any_tree_stand_in_their_evidence(tree: Tree) -> None:
    assert_values_stand_in_their_evidence(tree)


def test_name_and_address_over_several_lines_cite_each_line() -> None:
    tree = lines_tree(
        ("NORTHERN ROPE", (100, 40, 400, 54)),
        ("WORKS SDN BHD", (100, 56, 400, 70)),
        ("12, JALAN MAWAR 3,", (150, 76, 350, 88)),
        ("43000 KAJANG, SELANGOR", (150, 90, 350, 102)),
        ("TOTAL 9.00", (50, 210, 130, 222)),
    )
    fields = {field.canonical_key: field for field in find_fields(tree)}
    assert [place.block_id for place in (fields["address"].evidence, *fields["address"].further_evidence)] == [
        "b2",
        "b3",
    ]
    assert_values_stand_in_their_evidence(tree)


def test_iso_forms_and_codes_are_normal_forms_of_the_printed_value() -> None:
    tree = make_tree(make_block(P, "Facture du 3 juin 2021"), make_block(P, "Total: $ 1,204.50"))
    fields = {field.canonical_key: field for field in find_fields(tree)}
    assert (fields["date"].value, fields["date"].normalized) == ("3 juin 2021", "2021-06-03")
    assert (fields["currency"].value, fields["currency"].normalized) == ("$", "USD")


def test_values_with_wide_blanks_cite_their_place_in_the_text() -> None:
    tree = make_tree(
        make_block(P, "Supplier:   Northern   Rope"), table_block([["Name:", "Ada   Byron"]], header_rows=0)
    )
    fields = {field.canonical_key: field for field in find_fields(tree)}
    assert (fields["supplier"].value, fields["supplier"].evidence.start) == ("Northern Rope", 12)
    assert (fields["name"].value, fields["name"].evidence.end) == ("Ada Byron", 11)


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("Period: July 1 - July 31, 2014", ["2014-07-01", "2014-07-31"]),
        ("Date: 1 - 31 July 2014", ["2014-07-01", "2014-07-31"]),
        ("Period: 01.07. - 31.07.2014", ["2014-07-01", "2014-07-31"]),
        ("Date: Dec 20 - Jan 5, 2015", ["2014-12-20", "2015-01-05"]),
    ],
)
def test_a_range_of_dates_is_two_fields(text: str, dates: list[str]) -> None:
    tree = make_tree(make_block(P, text))
    labelled = [field for field in find_fields(tree) if field.confidence > 0.6]
    assert [field.normalized for field in labelled] == dates
    assert_values_stand_in_their_evidence(tree)


def test_running_heads_and_print_stamps_give_no_fields() -> None:
    blocks = (
        make_block(BlockType.PAGE_HEADER, "Customer: Ada"),
        make_block(P, "7/31/2014, 3:45 PM Order of ropes"),
        make_block(P, "https://example.org/orders?id=7 1/3"),
        make_block(P, "Printed on: 2014-08-01"),
        make_block(P, "Page: 3/7"),
        make_block(P, "Order no: PX-9"),
        make_block(BlockType.PAGE_FOOTER, "Invoice No: INV-7"),
    )
    assert [field.canonical_key for field in find_fields(make_tree(*blocks, pages=2))] == ["order_number"]
    stated = [field.canonical_key for field in find_fields(make_tree(*blocks))]
    assert stated == ["customer", "order_number", "invoice_number"], "a head that runs over no pages is a letterhead"
