"""Values over several cells of a workbook: every short piece is removed, and neighbouring cells stay."""

import zipfile
from collections.abc import Callable
from io import BytesIO

import pytest

from tests.models.extract.formats.sheets.workbooks import number_cell, sheet, text_cell, workbook
from tests.models.redaction.papers import read, redact
from tests.models.redaction.people import make_workbook
from tests.models.redaction.test_formats import types

PARTS = types(
    xl__workbook="spreadsheetml.sheet.main",
    xl__worksheets__sheet1="spreadsheetml.worksheet",
    xl__sharedStrings="spreadsheetml.sharedStrings",
    xl__styles="spreadsheetml.styles",
)
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
HEAD = f'<row r="1">{text_cell("A1", "Who")}{text_cell("B1", "SSN")}</row><row r="2"></row>'


def cells_of(data: bytes) -> list[str]:
    return [cell.text for block in read(data).blocks if block.table for cell in block.table.cells if cell.text]


def a_workbook(*cells: str, shared: tuple[str, ...] = ()) -> bytes:
    strings = "".join(f"<si><t>{text}</t></si>" for text in shared)
    more = PARTS | {"xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{strings}</sst>'}
    rows = f'<row r="3">{text_cell("A3", "Ann")}{"".join(cells)}{number_cell("E3", 77)}</row>'
    other = f'<row r="4">{number_cell("A4", 22)}{text_cell("B4", "metres")}</row>'
    return workbook(sheet(HEAD + rows + other), more=more)


@pytest.mark.parametrize("write", [number_cell, text_cell])
def test_every_piece_of_a_number_in_several_cells_goes(write: Callable[[str, str], str]) -> None:
    pieces = [write(place, text) for place, text in (("B3", "536"), ("C3", "22"), ("D3", "1234"))]
    assert cells_of(redact(a_workbook(*pieces))) == [
        "Who", "SSN", "Ann", "█████", "█████", "█████", "77", "22", "metres",
    ]  # fmt: skip


def test_pieces_that_lie_among_the_texts_of_all_sheets_go_from_their_cells() -> None:
    pieces = [f'<c r="{place}3" t="s"><v>{n}</v></c>' for n, place in enumerate("BCD")]
    made = redact(a_workbook(*pieces, shared=("536", "22", "1234")))
    assert cells_of(made)[3:6] == ["█████", "█████", "█████"]


def test_cell_text_keeps_the_words_around_a_value() -> None:
    made = redact(a_workbook(text_cell("B3", "Ask jane.zaq@leak.example soon")))
    assert cells_of(made)[3] == "Ask █████ soon"


@pytest.mark.parametrize("seed", range(24))
def test_workbook_of_people_is_redacted_at_the_first_try(seed: int) -> None:
    data, needles = make_workbook(seed)
    made = redact(data)
    parts = zipfile.ZipFile(BytesIO(made))
    content = "\n".join(parts.read(name).decode("utf-8", "replace") for name in parts.namelist())
    shown = "\n".join(cells_of(made))
    assert [needle for needle in sorted(needles) if needle in content or needle in shown] == []
    assert sum(text.endswith(",000.00") for text in cells_of(made)) >= 3  # pay is no personal datum of a known kind
