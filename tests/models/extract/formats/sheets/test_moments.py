"""Cells with a date format carry the date or time in ISO form beside the displayed text."""

import pytest

from quire.models.cdom.tree import Tree
from quire.models.extract.formats.sheets.formats import as_iso, moment_of
from tests.models.extract.flow_trees import read_tree
from tests.models.extract.formats.common.compound_files import cell, record, workbook, xls
from tests.models.extract.formats.opendocument.test_odf import opendocument
from tests.models.extract.formats.sheets.workbooks import S, number_cell, sheet
from tests.models.extract.formats.sheets.workbooks import workbook as xlsx

MARCH_4 = 46085
SHEET_XML = (
    '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" '
    'xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="S"><Table><Row><Cell>'
    '<Data ss:Type="DateTime">2026-03-04T00:00:00.000</Data></Cell></Row></Table></Worksheet></Workbook>'
)
ODS = (
    '<table:table table:name="S"><table:table-row><table:table-cell office:value-type="date" '
    'office:date-value="2026-03-04"><text:p>04.03.26</text:p></table:table-cell></table:table-row></table:table>'
)


def _styled(number: int) -> bytes:
    """A workbook whose cell has the built-in number format with that number."""
    styles = f'<styleSheet xmlns="{S}"><cellXfs><xf numFmtId="{number}"/></cellXfs></styleSheet>'
    return xlsx(sheet(f'<row r="1">{number_cell("A1", MARCH_4)}</row>'), more={"xl/styles.xml": styles})


def _cells(tree: Tree) -> list[tuple[str, str | None]]:
    return [(cell.text, cell.value) for block in tree.blocks if block.table for cell in block.table.cells]


@pytest.mark.parametrize(
    ("number", "text"), [(14, "3/4/2026"), (15, "4-Mar-26"), (22, "3/4/2026 0:00"), (31, "2026-03-04")]
)
def test_built_in_date_formats_carry_the_iso_date(number: int, text: str) -> None:
    assert _cells(read_tree(_styled(number))) == [(text, "2026-03-04")]


@pytest.mark.parametrize("number", [0, 2, 46])
def test_numbers_and_elapsed_times_carry_no_date(number: int) -> None:
    assert [value for _, value in _cells(read_tree(_styled(number)))] == [None]


@pytest.mark.parametrize(
    ("value", "code", "moment"),
    [
        (MARCH_4, "d.m.yyyy", "2026-03-04"),
        (MARCH_4 + 0.5, "d.m.yyyy", "2026-03-04T12:00:00"),
        (0.25, "h:mm", "06:00:00"),
        (-1.0, "d.m.yyyy", ""),
        (5.0, "0.00", ""),
    ],
)
def test_moment_is_a_date_a_time_or_nothing(value: float, code: str, moment: str) -> None:
    assert moment_of(value, code) == moment


def test_old_workbooks_and_other_programs_carry_the_iso_date() -> None:
    style = record(0xE0, bytes(2) + (14).to_bytes(2, "little") + bytes(16))
    number = cell(0x27E, 0, 0, ((MARCH_4 << 2) | 2).to_bytes(4, "little"))
    old = xls(workbook({"S": [number]}, style))
    for data, text in (
        (old, "3/4/2026"),
        (SHEET_XML.encode(), "2026-03-04"),
        (opendocument("spreadsheet", ODS), "04.03.26"),
    ):
        assert _cells(read_tree(data)) == [(text, "2026-03-04")]


@pytest.mark.parametrize(("stated", "moment"), [("2026-03-04T10:30:00Z", "2026-03-04T10:30:00"), ("soon", "")])
def test_stated_dates_are_read(stated: str, moment: str) -> None:
    assert as_iso(stated) == moment
