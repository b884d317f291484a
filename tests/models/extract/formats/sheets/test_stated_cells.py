"""Cells are counted from the bytes of a worksheet as a parser would find them; what is written otherwise is parsed."""

import pytest

from quire.models.extract.coverage.stated.office import _scan_cells, _walk_cells, state_xlsx
from quire.models.extract.formats.common.opc import Package
from tests.models.extract.flow_trees import read_tree
from tests.models.extract.formats.sheets.workbooks import number_cell, sheet, text_cell, workbook

NAME = "xl/worksheets/sheet1.xml"
SHARED = '<c r="A2" s="3" t="s"><v>0</v></c>'
FORMULA = '<c r="B2" t="str"><f>A1&amp;"x"</f><v>12 &lt; 13</v></c><c r="C2"><f t="shared" si="0"/><v>7</v></c>'
EMPTY = '<c r="D2" s="1"/><c r="E2"></c>'


def package(rows: str) -> Package:
    return Package(workbook(sheet(rows)))


def test_values_are_found_in_the_bytes_as_in_the_tree() -> None:
    made = package(f'<row r="1">{number_cell("A1", 12)}</row><row r="2">{SHARED}{FORMULA}{EMPTY}</row>')
    found = _scan_cells(made.read(NAME))
    assert found == [cell for cell in _walk_cells(made, NAME) if cell[2]]
    assert [text for *_, text in found] == ["12", "0", "12 < 13", "7"]


@pytest.mark.parametrize(
    "cell",
    [
        '<c r="A1" t="inlineStr"><is><t>Ropes</t></is></c>',
        '<c r="A1" t="str"><!-- no --><v>Ropes</v></c>',
        '<c r="A1" t="str">\n<v>Ropes</v>\n</c>',
    ],
)
def test_other_cell_markup_is_left_to_the_parser(cell: str) -> None:
    made = package(f'<row r="1">{cell}</row>')
    assert _scan_cells(made.read(NAME)) is None
    assert [text for *_, text in _walk_cells(made, NAME)] == ["Ropes"]


def test_sheet_name_is_stated_and_text_of_other_sheets_is_distinguished() -> None:
    data = workbook(
        sheet(f'<row r="1">{text_cell("A1", "Ropes")}</row>'), sheet(f'<row r="1">{text_cell("A1", "Sails")}</row>')
    )
    stated = state_xlsx(data)
    assert "Sheet1" in stated.text
    coverage = read_tree(data).coverage
    assert coverage is not None
    assert [page.characters.placed for page in coverage.pages] == [len("Sheet1Ropes"), len("Sheet2Sails")]
    assert (coverage.characters.excluded, coverage.complete) == ({}, True)
