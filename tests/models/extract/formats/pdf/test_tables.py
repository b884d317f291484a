"""Tables: grids, half-ruled and shaded ones, spans, heads, tables without rules, and lookalikes."""

import pytest

from quire.models.cdom.original import TableParts
from quire.models.cdom.table import Table
from quire.models.cdom.tree import BlockType
from tests.models.extract.formats.pdf.paper import Paper, of_type

ROWS = [["Item", "Count", "Price"], ["Pears", "3", "1.20"], ["Apples", "14", "2.50"], ["Plums", "150", "10.00"]]


def rows_of(table: Table | None) -> list[list[str]]:
    assert table is not None
    rows: list[list[str]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row].append(cell.text)
    return rows


def only_table(paper: Paper) -> Table:
    (block,) = of_type(paper.read(), BlockType.TABLE)
    assert block.table is not None
    return block.table


def fill(
    paper: Paper, rows: list[list[str]], xs: tuple[float, ...] = (55, 155, 255), y: float = 72, step: float = 18
) -> None:
    for number, row in enumerate(rows):
        for x, text in zip(xs, row, strict=False):
            paper.text(x, y + step * number, text, 9)


def test_a_full_grid_gives_its_cells() -> None:
    paper = Paper()
    for row in range(5):
        paper.rule(50, 60 + 18 * row, 350, 60 + 18 * row)
    for x in (50, 150, 250, 350):
        paper.rule(x, 60, x, 132)
    fill(paper, ROWS)
    assert rows_of(only_table(paper)) == ROWS


def test_cells_of_several_lines_stay_whole_in_a_grid() -> None:
    paper = Paper()
    for y in (60, 80, 130):
        paper.rule(50, y, 350, y)
    for x in (50, 200, 350):
        paper.rule(x, 60, x, 130)
    fill(paper, [["Country", "Rule"]], (55, 205))
    paper.lines(205, 92, ["Foreigners may own land", "with a permit only,", "which is hard to get"], 9, 11)
    paper.text(55, 92, "Norland", 9)
    assert rows_of(only_table(paper))[1] == [
        "Norland",
        "Foreigners may own land with a permit only, which is hard to get",
    ]


def test_rules_above_and_below_the_head_make_a_table_with_a_head() -> None:
    paper = Paper()
    for y in (60, 77, 131):
        paper.rule(50, y, 350, y)
    fill(paper, ROWS)
    table = only_table(paper)
    assert rows_of(table) == ROWS
    assert [cell.header for cell in table.cells] == [True] * 3 + [False] * 9


def test_shaded_rows_part_rows_as_rules_do() -> None:
    paper = Paper()
    paper.rule(50, 60, 350, 60)
    for row in (0, 2):
        paper.bar(50, 60 + 24 * row, 350, 84 + 24 * row, (0.8, 0.88, 0.95))
    for x in (150, 250):
        paper.rule(x, 60, x, 156)
    fill(paper, [["No.", "Name", "Sum"], ["1", "Union of", "17"], ["2", "League", "9"], ["3", "Club", "4"]], step=24)
    paper.text(155, 105, "Youth Clubs", 9)
    assert rows_of(only_table(paper))[1] == ["1", "Union of Youth Clubs", "17"]


def test_a_head_over_two_columns_spans_them() -> None:
    paper = Paper()
    for y in (60, 96, 150):
        paper.rule(50, y, 350, y)
    paper.rule(150, 78, 350, 78)
    paper.text(215, 72, "Both together", 9)
    fill(paper, [["Model", "Left", "Right"]], y=90)
    fill(paper, [["one", "1.5", "2.5"], ["two", "3.5", "4.5"], ["six", "5.5", "6.5"]], y=108)
    table = only_table(paper)
    spans = {cell.text: (cell.row, cell.col, cell.row_span, cell.col_span) for cell in table.cells if cell.header}
    assert spans["Both together"] == (0, 1, 1, 2)
    assert spans["Model"] == (0, 0, 2, 1)
    assert spans["Left"] == (1, 1, 1, 1)


def test_figures_in_columns_are_a_table_without_any_rule() -> None:
    paper = Paper()
    y = paper.prose(50, 60, 4)
    fill(paper, ROWS, y=y + 20, step=14)
    paper.prose(50, y + 90, 4)
    table = only_table(paper)
    assert rows_of(table) == ROWS
    assert table.cells[0].header


@pytest.mark.parametrize("columns", [1, 2])
def test_running_text_between_rules_is_not_a_table(columns: int) -> None:
    paper = Paper()
    for y in (50, 70, 300):
        paper.rule(40, y, 390, y)
    paper.text(45, 64, "A box with a head", 10, "hebo")
    for column in range(columns):
        paper.prose(45 + 180 * column, 90, 16, 70 if columns == 1 else 32)
    assert of_type(paper.read(), BlockType.TABLE) == []


def test_gridlines_of_a_chart_are_not_a_table() -> None:
    paper = Paper()
    for line in range(6):
        paper.rule(80, 100 + 30 * line, 350, 100 + 30 * line)
    for bar in range(4):
        paper.bar(100 + 60 * bar, 250 - 30 * bar, 130 + 60 * bar, 250, (0.2, 0.4, 0.8))
        paper.text(105 + 60 * bar, 244 - 30 * bar, str(10 * bar), 7).text(100 + 60 * bar, 262, f"20{bar}0", 7)
    assert of_type(paper.read(), BlockType.TABLE) == []


def test_a_ruled_list_of_contents_is_not_a_table() -> None:
    paper = Paper()
    for row, title in enumerate(("Summary", "Law", "Elections", "Society", "Media", "Voters")):
        paper.text(60, 72 + 20 * row, title).text(330, 72 + 20 * row, str(4 + 6 * row))
        paper.rule(50, 80 + 20 * row, 350, 80 + 20 * row)
    assert of_type(paper.read(), BlockType.TABLE) == []


def test_two_numbered_lists_of_contents_below_each_other_are_not_a_table() -> None:
    paper = Paper()
    for row in range(12):
        top = 72 + 16 * row
        paper.text(60, top, f"{row % 6 + 1}.").text(90, top, "Notes and facts").text(330, top, str(3 + row % 6 // 2))
    assert of_type(paper.read(), BlockType.TABLE) == []


def test_numbered_items_with_their_numbers_apart_are_not_a_table() -> None:
    paper = Paper()
    for row in range(6):
        paper.text(50, 60 + 14 * row, f"{row + 1}.").text(90, 60 + 14 * row, "a short thing to do")
    assert of_type(paper.read(), BlockType.TABLE) == []


def test_a_table_continues_over_the_page() -> None:
    paper = Paper()
    for page in range(2):
        if page:
            paper.new_page()
        top = 540 if page == 0 else 40
        for y in (top - 12, top + 5, top + 41):
            paper.rule(50, y, 350, y)
        fill(paper, [ROWS[0], *ROWS[1 + page : 3 + page]], y=top, step=17)
        if page == 0:
            paper.prose(50, 60, 30)
    (joined,) = of_type(paper.read(), BlockType.TABLE)
    assert rows_of(joined.table) == [ROWS[0], *ROWS[1:3], *ROWS[2:4]]
    first, second = of_type(paper.read(table_parts=TableParts.APART), BlockType.TABLE)
    assert second.continues == first.id


def test_slanted_heads_stand_over_their_columns() -> None:
    from quire.models.extract.formats.pdf.engine import pymupdf

    paper = Paper()
    for y in (60, 118, 190):
        paper.rule(50, y, 350, y)
    for x, head in ((155, "Speed"), (255, "Weight")):
        turn = (pymupdf.Point(x, 112), pymupdf.Matrix(45))
        paper.page.insert_text((x, 112), head, fontsize=9, morph=turn)
    fill(paper, [["cat", "48", "4"], ["dog", "45", "30"], ["elk", "56", "500"]], y=134)
    assert rows_of(only_table(paper))[0][1:] == ["Speed", "Weight"]


def test_running_text_next_to_the_outer_rules_of_a_table_is_not_a_row() -> None:
    paper = Paper(600, 800)
    prose = "This is a line of running text that goes on for as long as the column is wide, and on."
    paper.lines(60, 80, [prose] * 6, 11, 15)
    for number, row in enumerate(ROWS):
        paper.rule(60, 185 + 20 * number, 540, 185 + 20 * number)
        for x, text in zip((64, 204, 344), row, strict=True):
            paper.text(x, 199 + 20 * number, text, 11)
    paper.lines(60, 275, [prose] * 6, 11, 15)
    assert rows_of(only_table(paper)) == ROWS
    texts = [block.text for block in of_type(paper.read(), BlockType.PARAGRAPH)]
    assert sum(text.count("This is a line") for text in texts) == 12


def test_a_last_row_of_a_few_cells_that_no_rule_closes_is_the_tables() -> None:
    paper = Paper(600, 800)
    fruits = [["Apple", "red", "round", "north", "1.5"], ["Pear", "green", "long", "south", "8.5"]]
    fruits += [["Plum", "blue", "small", "west", "15.5"], ["Quince", "yellow", "hard", "east", "22.5"]]
    rows = [["Fruit", "Spring", "Summer", "Autumn", "Price"], *fruits, ["Total", "", "", "", "48.0"]]
    lefts = (64, 160, 256, 352, 448)
    for number, row in enumerate(rows):
        paper.rule(60, 100 + 30 * number, 540, 100 + 30 * number)
        fill(paper, [row], lefts, 120 + 30 * number)
    assert rows_of(only_table(paper))[-1] == rows[-1]


@pytest.mark.parametrize(
    ("size", "font", "gap"), [(14, "hebo", 6), (14, "hebo", 20), (14, "hebo", 28), (11, "hebo", 12)]
)
def test_section_heading_above_a_grid_is_not_one_of_its_rows(size: float, font: str, gap: float) -> None:
    paper = Paper()
    paper.prose(40, 60, 3)
    paper.text(40, 200 - gap, "2. Rope", size, font)
    for row, texts in enumerate([("Part", "Price"), ("Rope", "120.00"), ("Hook", "80.00"), ("Total", "200.00")]):
        for col, text in enumerate(texts):
            paper.page.draw_rect((40 + col * 120, 200 + row * 20, 160 + col * 120, 220 + row * 20))
            paper.text(44 + col * 120, 214 + row * 20, text)
    tree = paper.read()
    assert [block.type for block in tree.blocks][-2:] == ["heading", "table"]
    table = tree.blocks[-1].table
    assert table is not None
    assert (table.rows, table.cols) == (4, 2)
