"""Tables of kinds that no gate lets through: they are proposed, scored and chosen."""

from typing import Any

import pytest

from quire.models.extract.core.marks import Fill, Rule
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.tables.regions.view import view_page
from quire.models.extract.layout.tables.scoring.candidates import build_candidates
from tests.models.extract.layout.tables.pages import prose, tables_of, text_rows, texts_of

STATES = [
    ["State", "People", "Area", "Share"],
    ["Alba", "1,204", "88.1", "12 %"],
    ["Brena", "2,377", "14.9", "24 %"],
    ["Corvo", "904", "203.4", "9 %"],
    ["Duna", "1,118", "51.0", "11 %"],
    ["Elva", "3,020", "77.7", "31 %"],
]
LEFTS = [60.0, 180.0, 300.0, 420.0]


def page(*lines: list[Line], **marks: Any) -> PageMarks:
    held = [line for group in lines for line in group]
    return PageMarks(width=600, height=800, lines=held, **marks)


def test_columns_are_separated_by_vertical_rules_alone() -> None:
    posts = [Rule(x, 90, x, 190) for x in (170, 290, 410)]
    (table,) = tables_of(page(prose(60, 40, 2), text_rows(LEFTS, 102, STATES), prose(60, 230, 4), verticals=posts))
    assert texts_of(table) == STATES


def test_zebra_rows_are_one_table() -> None:
    bands = [Fill(55, 106 + 32 * at, 500, 122 + 32 * at, 0xE0E0E0) for at in range(3)]
    (table,) = tables_of(page(prose(60, 40, 2), text_rows(LEFTS, 102, STATES), prose(60, 230, 4), fills=bands))
    assert texts_of(table) == STATES


def test_cells_are_separated_by_colour_alone() -> None:
    shades = [
        Fill(x0, 90 + 16 * at, x0 + 120, 106 + 16 * at, 0xD0E0F0 if (at + col) % 2 else 0xF0E0D0)
        for at in range(6)
        for col, x0 in enumerate((55, 175, 295, 415))
    ]
    (table,) = tables_of(page(prose(60, 40, 2), text_rows(LEFTS, 102, STATES), prose(60, 230, 4), fills=shades))
    assert texts_of(table) == STATES


def test_boxes_in_a_stack_are_as_many_tables() -> None:
    labels = [["Name", "Reader"], ["Part", "900-A"], ["Version", "2.03"]]
    lines: list[Line] = []
    rules: list[Rule] = []
    posts: list[Rule] = []
    for box in range(3):
        top = 100 + 90 * box
        lines += text_rows([70.0, 200.0], top + 12, labels)
        rules += [Rule(60, top + 16 * at, 400, top + 16 * at) for at in range(4)]
        posts += [Rule(x, top, x, top + 48) for x in (60, 190, 400)]
    tables = tables_of(page(lines, horizontals=rules, verticals=posts))
    assert [texts_of(table) for table in tables] == [labels] * 3


def test_a_small_table_inside_a_column_of_text() -> None:
    small = [["Year", "Sum", "Part"], ["2001", "14", "3.1"], ["2002", "19", "4.4"], ["2003", "21", "4.9"]]
    rules = [Rule(40, y, 270, y) for y in (200, 217, 266)]
    left = [line for line in prose(40, 60, 10)]
    right = [line for line in prose(320, 60, 22)]
    for line in left + right:
        line.text, line.x1 = line.text[:46], line.x0 + 230
    marks = page(left, text_rows([44.0, 130.0, 210.0], 212, small), right, horizontals=rules)
    (table,) = tables_of(marks)
    assert texts_of(table) == small


@pytest.mark.parametrize("columns", [1, 2])
def test_running_text_is_not_a_table(columns: int) -> None:
    lines = [line for at in range(columns) for line in prose(40 + 280 * at, 60, 40)]
    for line in lines:
        line.text, line.x1 = line.text[: 92 // columns], line.x0 + 500 / columns
    assert tables_of(page(lines)) == []


def test_a_letters_head_is_not_a_table() -> None:
    head = text_rows([60.0, 380.0], 60, [["Miller & Sons", "12 May 2021"], ["14 Low Street", "Our sign: KL"]], 13)
    assert tables_of(page(head, prose(60, 180, 12))) == []


def test_ten_thousand_rules_are_bounded_by_counts() -> None:
    rules = [Rule(10 + at % 100 * 5, 10 + at // 100 * 7, 14 + at % 100 * 5, 10 + at // 100 * 7) for at in range(10000)]
    marks = page(text_rows(LEFTS, 102, STATES), horizontals=rules, verticals=rules)
    first, second = tables_of(marks), tables_of(marks)
    assert first == second


def test_no_line_stands_in_two_tables() -> None:
    twice = text_rows(LEFTS, 102, STATES) + text_rows(LEFTS, 260, STATES)
    tables = tables_of(page(twice))
    words = [text for table in tables for row in texts_of(table) for text in row if text]
    assert len(words) == len(set(words)) * 2 == 48


@pytest.mark.parametrize(("label", "heads"), [("{}:", [0, 2, 4]), ("{}", [0, 1])])
def test_labels_with_colons_are_the_head_of_a_table(label: str, heads: list[int]) -> None:
    rows = [[label.format(one[0]), one[1]] for one in STATES[:3]]
    flats = [Rule(55, 90 + 16 * at, 300, 90 + 16 * at) for at in range(4)]
    posts = [Rule(x, 90, x, 138) for x in (55, 170, 300)]
    (table,) = tables_of(page(text_rows(LEFTS[:2], 102, rows), prose(60, 230, 4), horizontals=flats, verticals=posts))
    assert [at for at, cell in enumerate(table.cells) if cell.header] == heads


def test_framed_blocks_below_each_other_have_no_grid() -> None:
    rules = [Rule(50, y, 350, y) for y in (100, 130, 160, 190, 220, 250)]
    frame = [Rule(x, 100, x, 250) for x in (50, 330, 350)]
    lines = text_rows([90.0], 119, [[f"calculate_{name}();"] for name in ("mean", "sum", "least", "most", "all")], 30)
    view = view_page(page(lines, horizontals=rules, verticals=frame), lines)
    assert build_candidates(view, tuple(range(len(lines)))) == []
