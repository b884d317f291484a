"""Filled forms: values, ticks and choices stand where the page shows them, with the label that is printed there."""

from typing import Any

import pytest

from quire.models.cdom.tree import BlockType
from quire.models.derive.document_fields import find_fields
from quire.models.extract.formats.pdf.engine import pymupdf
from tests.models.extract.formats.pdf.paper import Paper, texts

TEXT, TICK, RADIO = (
    pymupdf.PDF_WIDGET_TYPE_TEXT,
    pymupdf.PDF_WIDGET_TYPE_CHECKBOX,
    pymupdf.PDF_WIDGET_TYPE_RADIOBUTTON,
)
CHOICE = pymupdf.PDF_WIDGET_TYPE_COMBOBOX


def add(paper: Paper, kind: int, name: str, box: tuple[float, float, float, float], **more: Any) -> Any:
    widget = pymupdf.Widget()
    widget.field_type, widget.field_name, widget.rect = kind, name, pymupdf.Rect(box)
    for key, value in more.items():
        setattr(widget, key, value)
    paper.page.add_widget(widget)
    return widget


def test_field_value_follows_the_label_printed_next_to_the_field() -> None:
    paper = Paper().text(50, 90, "Full name:").text(50, 120, "Born on:")
    add(paper, TEXT, "form[0].page[0].f1_1[0]", (120, 78, 300, 94), field_value="Ada Lovelace")
    add(paper, TEXT, "form[0].page[0].f1_2[0]", (120, 108, 300, 124))
    tree = paper.read()
    assert texts(tree, BlockType.KEY_VALUE) == ["Full name: Ada Lovelace"]
    assert texts(tree, BlockType.PARAGRAPH) == ["Born on:"]
    assert [(field.key, field.value) for field in find_fields(tree)] == [("Full name", "Ada Lovelace")]


def test_text_above_a_field_is_its_label_unless_a_sentence() -> None:
    paper = Paper().text(50, 60, "This form is for those who were born in the last century.").text(50, 100, "Surname")
    add(paper, TEXT, "a", (50, 104, 200, 120), field_value="Lovelace")
    add(paper, TEXT, "remarks", (50, 66, 200, 82), field_value="none")
    assert texts(paper.read(), BlockType.KEY_VALUE) == ["remarks: none", "Surname: Lovelace"]


def test_choice_field_shows_the_label_and_not_its_code() -> None:
    paper = Paper().text(50, 90, "Country:")
    pairs = [("de", "Germany"), ("fr", "France")]
    add(paper, CHOICE, "c", (120, 78, 300, 94), choice_values=pairs, field_value="fr")
    assert texts(paper.read(), BlockType.KEY_VALUE) == ["Country: France"]


def test_selected_button_of_a_group_is_ticked() -> None:
    paper = Paper()
    for number, name in enumerate(("card", "cash", "transfer")):
        paper.text(70, 100 + 30 * number, name)
        add(paper, RADIO, "pay", (50, 90 + 30 * number, 62, 102 + 30 * number), field_value=False)
    for number, widget in enumerate(list(paper.page.widgets())):
        paper.file.xref_set_key(widget.xref, "AS", "/Yes" if number == 1 else "/Off")
    tree = paper.read()
    assert texts(tree, BlockType.CHECKBOX) == ["☐ card", "☑ cash", "☐ transfer"]
    ticked = {field.key: field.normalized for field in find_fields(tree)}
    assert ticked == {"card": "false", "cash": "true", "transfer": "false"}


def test_the_label_of_a_box_to_tick_continues_below() -> None:
    form = Paper()
    form.lines(70, 100, ["I have read the rules of the house and", "promise to keep them."])
    add(form, TICK, "agree", (50, 90, 62, 102), field_value=True)
    assert texts(form.read(), BlockType.CHECKBOX) == ["☑ I have read the rules of the house and promise to keep them."]


def test_a_value_in_a_table_stands_in_its_cell() -> None:
    paper = Paper()
    for y in (60, 80, 100, 120):
        paper.rule(50, y, 350, y)
    for x in (50, 200, 350):
        paper.rule(x, 60, x, 120)
    for row, cells in enumerate((("Item", "Count"), ("Apples", "7"), ("Pears", ""))):
        for x, text in zip((55, 205), cells, strict=True):
            paper.text(x, 74 + 20 * row, text or " ")
    add(paper, TEXT, "pears", (202, 102, 348, 118), field_value="12")
    (block,) = [block for block in paper.read().blocks if block.table is not None]
    assert block.table is not None
    assert [cell.text for cell in block.table.cells] == ["Item", "Count", "Apples", "7", "Pears", "12"]


def test_a_hidden_field_is_not_shown() -> None:
    paper = Paper().text(50, 90, "Nothing to fill in here")
    add(paper, TEXT, "secret", (120, 108, 300, 124), field_value="hidden value")
    (widget,) = list(paper.page.widgets())
    paper.file.xref_set_key(widget.xref, "F", "2")
    assert texts(paper.read(), BlockType.KEY_VALUE) == []


def test_no_character_of_a_filled_form_is_lost() -> None:
    paper = Paper().text(50, 90, "Full name:").text(70, 130, "I agree")
    add(paper, TEXT, "n", (120, 78, 300, 94), field_value="Ada")
    add(paper, TICK, "agree", (50, 120, 62, 132), field_value=True)
    tree = paper.read()
    assert tree.coverage is not None
    assert tree.coverage.characters.lost == 0


LABELS = (
    "Invoice Number: INV-7731",
    "Total: 1,204.50 EUR",
    "Supplier: Northern Rope Works",
    "Contact: jane.roe@example.org",
    "Delivery place: North quay 4",
    "Order ref: PX-9",
)


@pytest.mark.parametrize("step", [14, 20, 30])
def test_label_lines_at_any_spacing_are_pairs(step: int) -> None:
    paper = Paper()
    for number, line in enumerate(LABELS):
        paper.text(72, 90 + step * number, line)
    fields = [(field.key, field.value) for field in find_fields(paper.read())]
    assert [tuple(line.split(": ")) for line in LABELS] == [field for field in fields if f"{field[0]}: " in str(LABELS)]


def test_value_of_a_label_line_that_wraps_stays_one_paragraph() -> None:
    lines = ("Delivery place: the northern quay of the old harbour, shed", "number four", "Order ref: PX-9")
    paper = Paper()
    for number, line in enumerate(lines):
        paper.text(72, 90 + 14 * number, line)
    assert texts(paper.read(), BlockType.PARAGRAPH) == [f"{lines[0]} {lines[1]}", lines[2]]
