"""Captions next to text and tables, and drop caps: separated or joined, on lines made by hand."""

from dataclasses import replace

import pytest

from quire.models.cdom.table import Cell, Table
from quire.models.extract.layout.lines.dropcaps import join_drop_caps
from quire.models.extract.layout.lines.marks import Line, Run
from quire.models.extract.layout.tables.scoring.find import FoundTable
from quire.models.extract.layout.tables.scoring.titles import free_titles
from quire.models.extract.layout.text.blocks import join_lines
from quire.models.extract.layout.text.paragraphs import group_paragraphs

FULL = "A line of running text that fills all of the width of it"


def line(text: str, base: float, x0: float = 50.0, size: float = 10.0) -> Line:
    return Line(x0, base - 0.75 * size, x0 + 5.0 * len(text), base + 0.22 * size, base, size, text)


def grouped(*texts: str) -> list[list[str]]:
    lines = [line(text, 100 + 12 * at) for at, text in enumerate(texts)]
    return [[one.text for one in group] for group in group_paragraphs(lines, 10.0)]


def test_numbered_caption_below_a_paragraph_starts_a_new_block() -> None:
    caption = "Table 5. Share of food lost by food type"
    assert grouped(FULL, "and ends here.", caption) == [[FULL, "and ends here."], [caption]]


def test_text_below_a_short_caption_starts_a_new_block() -> None:
    caption = "Table 7. Peacekeeping"
    assert grouped(caption, FULL, FULL) == [[caption], [FULL, FULL]]


def test_a_caption_continues_where_its_line_is_full() -> None:
    caption = "Table 7. Peacekeeping of all nations and of those that wish"
    assert grouped(caption, "to become one") == [[caption, "to become one"]]


def test_sentence_that_names_table_at_its_line_start_continues() -> None:
    assert grouped(FULL + " see", "Table 5. It has all of them") == [[FULL + " see", "Table 5. It has all of them"]]


def found_table(first: str, last: str = "9") -> FoundTable:
    rows = [[first, ""], ["Year", "Count"], ["2001", "7"], ["2002", last]]
    cells = tuple(
        Cell(row=row, col=col, text=text, bbox=(50 + 100 * col, 92.0 + 12 * row, 140 + 100 * col, 103.0 + 12 * row))
        for row, texts in enumerate(rows)
        for col, text in enumerate(texts)
    )
    lines = [line(text, 100 + 12 * row, 50 + 100 * col) for row, texts in enumerate(rows) for col, text in
             enumerate(texts) if text]  # fmt: skip
    return FoundTable(Table(rows=4, cols=2, cells=cells), (50, 92, 240, 139), lines)


def test_caption_alone_in_the_first_row_is_not_a_row() -> None:
    found = found_table("Table 2: Child mortality")
    assert [one.text for one in free_titles([found], [])] == ["Table 2: Child mortality"]
    assert (found.table.rows, found.table.cells[0].text) == (3, "Year")
    assert found.box[1] > 100


@pytest.mark.parametrize("first", ["All regions", "Table 2"])
def test_first_row_without_a_caption_stays(first: str) -> None:
    found = found_table(first)
    assert not free_titles([found], [])
    assert found.table.rows == 4


def drop_cap(text: str, letter: str = "O", gap: float = 1.0) -> list[Line]:
    cap = replace(line(letter, 118, size=30.0), x1=70.0)
    beside = [
        line(words, 100 + 9 * at + 0, 70 + gap, 9.0)
        for at, words in enumerate([text, "over the hills and", "far away we go"])
    ]
    return [cap, *beside, line(FULL, 130, size=9.0)]


def test_a_drop_cap_is_the_first_letter_of_its_word() -> None:
    first, second, third, last = join_drop_caps(drop_cap("nce upon a time"), 9.0)
    assert (first.text, second.text, last.text) == ("Once upon a time", "over the hills and", FULL)
    assert {first.x0, second.x0, third.x0} == {50.0}


def test_a_drop_cap_that_is_a_word_keeps_its_blank() -> None:
    assert join_drop_caps(drop_cap("man of old", "A", gap=6.0), 9.0)[0].text == "A man of old"


def test_styles_behind_a_drop_cap_move_along() -> None:
    lines = drop_cap("nce upon a time")
    lines[1].runs = [Run(0, 3, bold=True)]
    assert [(run.start, run.end) for run in join_drop_caps(lines, 9.0)[0].runs] == [(1, 4)]


def test_large_letter_without_neighbouring_text_stays_unchanged() -> None:
    lines = [line("Q", 118, size=30.0), line(FULL, 200, size=9.0)]
    assert [one.text for one in join_drop_caps(lines, 9.0)] == ["Q", FULL]


def run_in(text: str, base: float, bold: int) -> Line:
    made = line(text, base)
    made.runs = [Run(0, bold, bold=True)]
    made.bold = bold > 0.8 * len(text)
    return made


def test_running_in_heading_over_two_lines_is_span_of_its_paragraph() -> None:
    first, second = "Proposed changes to the structure of all the", "offices. We now describe what the changes are"
    lines = [run_in(first, 100, len(first)), run_in(second, 112, 8), line("and what they are for.", 124)]
    (group,) = group_paragraphs(lines, 10.0)
    text, runs = join_lines(group)
    assert [text[run.start : run.end] for run in runs] == [f"{first} offices."]


def test_bold_line_above_text_that_begins_in_bold_stays_heading() -> None:
    lines = [run_in("Proposed changes.", 100, 17), run_in("Offices. We now describe", 112, 8)]
    assert len(group_paragraphs(lines, 10.0)) == 2
