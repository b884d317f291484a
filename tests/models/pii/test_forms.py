"""However a value is written, all of it is masked: forms that once were shown, alone and side by side."""

import re
from dataclasses import replace

import pytest

from quire.models.cdom.table import Cell, Table
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.pii.redact import redact_tree
from tests.models.pii.forms import FORMS, JOINS, LISTS
from tests.models.pii.trees import paragraph, table, tree

DETECTOR = RegexDetector()


def shown(text: str) -> str:
    redacted = redact_tree(flag_tree(tree(paragraph(0, text)), DETECTOR), {})
    return redacted.blocks[0].text


def left(before: str, value: str, behind: str) -> str:
    """Return the part of the value that is still visible."""
    text = shown(before + value + behind)
    text = text.removeprefix(before)
    return text.removesuffix(behind) if behind else text


@pytest.mark.parametrize(("before", "value", "behind"), FORMS, ids=lambda part: part[:40])
def test_value_is_masked_whole_in_any_spelling(before: str, value: str, behind: str) -> None:

    rest = re.sub(r"\[REDACTED:\w+\]", "", left(before, value, behind))
    assert not any(char.isdigit() for char in rest), rest
    assert not [word for word in re.findall(r"\w{2,}", value) if word in rest and word not in ("IBAN", "pwd", "the")], (
        rest
    )


@pytest.mark.parametrize("join", JOINS, ids=repr)
@pytest.mark.parametrize(("before", "values"), LISTS, ids=lambda part: str(part)[:30])
def test_values_side_by_side_do_not_hide_each_other(before: str, values: tuple[str, ...], join: str) -> None:
    text = shown(before + join.join(values) + ".")
    assert not any(char.isdigit() for char in text), text
    assert "leak" not in text


@pytest.mark.parametrize(("before", "values"), LISTS, ids=lambda part: str(part)[:30])
def test_values_in_cells_of_a_column_do_not_hide_each_other(before: str, values: tuple[str, ...]) -> None:
    redacted = redact_tree(flag_tree(tree(table(0, before.strip(" :"), *values)), DETECTOR), {})
    rest = redacted.blocks[0].table
    assert rest is not None
    assert not any(char.isdigit() for cell in rest.cells for char in cell.text), [cell.text for cell in rest.cells]


COLUMNS = (
    ("Date of birth", ("12.03.1971", "n/a", "13-Apr-72", "19730512")),
    ("Passport no.", ("C01X00T47", "", "12AB34567")),
    ("Mobile", ("4155552671", "none", "0170/1234567")),
    ("SSN", ("536228726", "-", "536 22 8727")),
    ("Nº DNI", ("12345678Z", "x", "12345678Z")),
)


@pytest.mark.parametrize(("heading", "values"), COLUMNS, ids=lambda part: str(part)[:20])
def test_column_heading_applies_to_all_its_cells(heading: str, values: tuple[str, ...]) -> None:
    rows = [("Name of the person", heading, "Town in which the person lives now, and since when")]
    rows += [("Somebody Else", value, "Wherever it may be, it is a place of some size") for value in values]
    cells = [Cell(row=r, col=c, text=text) for r, row in enumerate(rows) for c, text in enumerate(row)]
    block = replace(table(0), table=Table(rows=len(rows), cols=3, cells=tuple(cells)))
    redacted = redact_tree(flag_tree(tree(block), DETECTOR), {}).blocks[0].table
    assert redacted is not None
    assert not [cell.text for cell in redacted.cells if any(char.isdigit() for char in cell.text)]


def test_hidden_text_between_two_pages_does_not_part_a_value() -> None:
    parts = (
        paragraph(0, "IBAN: DE536700308"),
        paragraph(1, "unseen", flags=("hidden-text",)),
        paragraph(2, "95224385623 it is"),
    )
    redacted = redact_tree(flag_tree(tree(*parts), DETECTOR), {})
    assert "DE536700308" not in redacted.blocks[0].text
    assert "95224385623" not in redacted.blocks[2].text


def test_neighbouring_numbers_of_a_table_are_neither_phone_nor_ip_address() -> None:
    cells = [("1 - 2", "400", "0.25", "0.38", "9 - 12"), ("0.5", "0.6", "0.7", "1.0", "180-225")]
    cells.append(("13 - 16", "100", "60", "17 - 20", "0.8"))
    texts = [Cell(row=row, col=col, text=text) for row, line in enumerate(cells) for col, text in enumerate(line)]
    block = replace(table(0, "x"), table=Table(rows=3, cols=5, cells=tuple(texts)))
    assert not flag_tree(tree(block), RegexDetector()).blocks[0].flags


@pytest.mark.parametrize(
    "text",
    [
        "Paragraph 1.2.3.1 of this part", "2.3.8.1. First sub-item at this level", "See Section 4.1.2.7 below",
        "Using the samples prepared in Activity 1, carefully place the electrode", "the 3 boats in the first row",
    ],
)  # fmt: skip
def test_section_numbers_and_prose_are_not_personal_data(text: str) -> None:
    assert not flag_tree(tree(paragraph(0, text)), RegexDetector()).blocks[0].flags


@pytest.mark.parametrize(
    "text", ["The host is 10.0.0.7. Ask him.", "10.0.0.7. Ask him.", "at 12 Oak Close", "12 oak street"]
)
def test_similar_personal_values_stay_flagged(text: str) -> None:
    assert flag_tree(tree(paragraph(0, text)), RegexDetector()).blocks[0].flags
