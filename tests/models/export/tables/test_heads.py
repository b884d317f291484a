"""Tables are asked by the names that they print: heads of all levels, marks, units, scale, sections and titles."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import pytest

from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType, Tree
from quire.models.export.tables.catalog import catalog_tables
from quire.models.export.tables.cells import CellRow, list_cells
from quire.models.export.tables.files import cell_batch
from quire.models.export.tables.heads import find_scale
from tests.builders import make_block, make_tree, table_block

LEAST_RIGHT = 0.95
LINE, LEFT, WIDTH = 12.0, 200.0, 60.0
ITEMS = ("Revenue", "Cost of sales", "Research", "Net income", "Cash", "Inventory", "Total assets")
PERIODS = ("December 31, 2024", "June 30, 2023", "Three months ended", "FY 2022")


@dataclass(frozen=True)
class Asked:
    """A made table with what each of its numbers is called."""

    tree: Tree
    names: dict[tuple[str, tuple[str, ...]], float]


def make_table(seed: int) -> Asked:
    """Return a table of two levels of heads: marked or not, above it or in it, with or without columns of marks."""
    chance = random.Random(seed)
    marked, above, mark_columns, grouped = (chance.random() < 0.5 for _ in range(4))
    tops = chance.sample(PERIODS, 2)
    paths = [(top, leaf) for top in tops for leaf in ("Actual", "Plan")]
    cells: list[Cell] = []
    row = 0
    step = 2 if mark_columns else 1

    def put(row: int, col: int, text: str, span: int = 1, *, header: bool = False) -> None:
        box = (LEFT + col * WIDTH, 100 + row * LINE, LEFT + (col + span) * WIDTH - 4, 110 + row * LINE)
        cells.append(Cell(row=row, col=col, col_span=span, text=text, bbox=box, header=header))

    before = [
        make_block(BlockType.HEADING, "Balance sheet", bbox=(LEFT, 20, LEFT + 100, 32)),
        make_block(BlockType.PARAGRAPH, "(in millions)", bbox=(LEFT, 40, LEFT + 80, 50)),
    ]
    for number, top in enumerate(tops):
        if above:
            left = LEFT + (1 + number * 2 * step) * WIDTH
            box = (left + 2, 86.0, left + 2 * step * WIDTH - 8, 96.0)
            before.append(make_block(BlockType.PARAGRAPH, top, bbox=box))
        else:
            put(0, 1 + number * 2 * step, top, 2 * step, header=marked)
    row = 0 if above else 1
    if not above and marked:
        put(0, 0, "", header=True)
    put(row, 0, "", header=marked)
    for number, (_, leaf) in enumerate(paths):
        put(row, 1 + number * step, leaf, step, header=marked)
    names: dict[tuple[str, tuple[str, ...]], float] = {}
    for place, item in enumerate(chance.sample(ITEMS, 4)):
        row += 1
        if grouped and place == 2:
            put(row, 0, "Other items:")
            row += 1
        put(row, 0, item)
        for number, path in enumerate(paths):
            value = chance.randrange(1_000, 99_000)
            if mark_columns:
                put(row, 1 + number * step, "$" if place == 0 else "")
            put(row, 1 + number * step + step - 1, f"{value:,}")
            names[item, path] = float(value)
    cells.sort(key=lambda cell: (cell.row, cell.col))
    table = Table(rows=row + 1, cols=1 + 4 * step, cells=tuple(cells))
    block = make_block(BlockType.TABLE, "", table=table, bbox=(LEFT, 100, LEFT + 600, 110 + row * LINE))
    return Asked(make_tree(*before, block), names)


def answers(cells: list[CellRow], label: str, path: tuple[str, ...]) -> Iterator[float | None]:
    for cell in cells:
        if cell.label == label and cell.head == " ".join(path) and not cell.header:
            yield cell.number


def test_numbers_are_found_by_the_names_of_their_row_and_column() -> None:
    right = asked = 0
    for seed in range(40):
        made = make_table(seed)
        cells = list(list_cells(made.tree))
        for (label, path), value in made.names.items():
            asked += 1
            right += list(answers(cells, label, path)) == [value]
    assert right >= LEAST_RIGHT * asked, (right, asked)


def make_parts(seed: int, *, between: bool) -> Tree:
    """Return a table and its rest on the next page, whose first row is marked as a head, or may be the head again.

    Columns may be centred, and the next page may have other margins.
    """
    chance = random.Random(seed)
    repeats, cols = chance.random() < 0.4 and not between, chance.randrange(2, 6)
    heads = chance.sample(("Name", "Status", "Owner", "Hours", "Note"), cols)
    texts = [[f"{chance.choice('abcd')}{row}{col}" for col in range(cols)] for row in range(6)]
    parts = []
    for page, rows in ((1, [heads, *texts[:3]]), (2, [*([heads] if repeats else []), *texts[3:]])):
        cells: list[Cell] = []
        for (row, line), col in product(enumerate(rows), range(cols)):
            width, top = 9 * len(line[col]), 90 + 14 * row
            left = LEFT + 80 * col + (34 if page == 2 and seed % 3 == 1 else 0) + (40 - width / 2) * (seed % 4 == 2)
            box = (left, top, left + width, top + 10)
            cells.append(Cell(row=row, col=col, text=line[col], header=row == 0, bbox=box))
        table = Table(rows=len(rows), cols=cols, cells=tuple(cells))
        parts.append(make_block(BlockType.TABLE, "", page=page, table=table, bbox=(LEFT, 90, LEFT + 80 * cols, 150)))
    kind = BlockType.HEADING if between else BlockType.PAGE_HEADER
    return make_tree(parts[0], make_block(kind, "The other part", page=2, bbox=(LEFT + 90, 70, 500, 80)), parts[1])


@pytest.mark.parametrize("between", [False, True])
def test_rest_of_a_table_on_the_next_page_keeps_its_heads(*, between: bool) -> None:
    for seed in range(20):
        cells = list(list_cells(make_parts(seed, between=between)))
        heads = {cell.col: cell.text for cell in cells if cell.header and cell.page == 1}
        rest = [cell for cell in cells if cell.page == 2]
        assert all(cell.head == heads[cell.col] for cell in rest if not cell.header) is not between
        assert len({cell.row for cell in rest if not cell.header}) == 3 - between


@pytest.mark.parametrize("kind", [BlockType.CAPTION, BlockType.PAGE_HEADER])
def test_captions_and_running_heads_head_no_column(kind: BlockType) -> None:
    above = make_block(kind, "Report of all units", bbox=(LEFT + 90, 70, LEFT + 170, 80))
    table = make_parts(3, between=True).blocks[0]
    assert {
        cell.head_path[:1] for cell in list_cells(make_tree(above, table)) if cell.col == 1 and not cell.header
    } == {(table.table.cells[1].text,) if table.table else ()}


def test_table_without_heads_is_asked_by_its_first_row() -> None:
    for seed in range(20):
        chance = random.Random(seed)
        answers, is_marked = chance.choices(("Yes", "No", "Open"), k=6), seed % 2 == 0
        rows = [[f"Rule {number}", answer] for number, answer in enumerate([answers[-1], *answers])]
        cells = list(list_cells(make_tree(table_block(rows, header_rows=int(is_marked)))))
        assert not any(cell.header for cell in cells)
        assert [cell.head for cell in cells if cell.col == 1] == ["", *[rows[0][1]] * 6]
        assert {cell.head_path for cell in cells} == {()}


def test_signs_alone_head_their_columns() -> None:
    for sign in ("%", "$", "€"):
        rows = [["Building", "n", sign], ["Residence", "60", "27.7"], ["Grounds", "58", "26.7"]]
        cells = [cell for cell in list_cells(make_tree(table_block(rows))) if not cell.header]
        assert [cell.head for cell in cells if cell.col == 2] == [sign, sign]


def test_number_between_a_sign_and_a_bracket_keeps_its_unit() -> None:
    rows = (("", "", "Plan", ""), ("Loss", "$", "(12.3", ")"), ("Gain", "$", "4.5", ""), ("Rest", "$", "7.5", ""))
    tree = make_tree(table_block(rows))
    (cell,) = [cell for cell in list_cells(tree) if cell.number == -12.3]
    assert (cell.unit, cell.head_path) == ("$", ("Plan",))


def test_cells_name_title_scale_section_and_unit() -> None:
    for seed in range(40):
        cells = [cell for cell in list_cells(make_table(seed).tree) if cell.number is not None]
        assert {cell.title for cell in cells} == {"Balance sheet"}
        assert {cell.scale for cell in cells} == {1e6}
        assert {cell.section for cell in cells} <= {"", "Other items"}
        assert {cell.unit for cell in cells} <= {None, "$"}
        assert all(cell.text != "$" for cell in cells)


@pytest.mark.parametrize(
    ("text", "scale"),
    [("(in millions, except per share)", 1e6), ("In thousands", 1e3), ("in TEUR", 1e3), ("in Mio. EUR", 1e6),
     ("en milliers d’euros", 1e3), ("in milioni di euro", 1e6), ("Amounts in $ billions", 1e9), ("in all", 1.0)],
)  # fmt: skip
def test_scales_are_read_in_several_languages(text: str, scale: float) -> None:
    assert find_scale(text) == scale


def test_catalog_lists_heads_types_and_first_rows() -> None:
    tree = make_table(1).tree
    [table] = catalog_tables(cell_batch("doc_a", "a.pdf", list_cells(tree)).to_pylist())
    assert (table.title, table.scale, table.page) == ("Balance sheet", 1e6, 1)
    assert [column.type for column in table.columns if column.head_path] == ["number"] * 4
    assert len(table.sample) == 3


NAMES = ["Region", "Units", "Price"]
FIGURES = [["North", "5", "2.50"], ["South", "7", "1.20"], ["West", "8", "3.00"]]
WORDS = [["North", "Clerk", "Oslo"], ["South", "Driver", "Rome"], ["West", "Clerk", "Oslo"]]


@pytest.mark.parametrize("body", [FIGURES, WORDS])
@pytest.mark.parametrize("titles", [0, 1, 2])
def test_titles_inside_a_table_head_no_column(body: list[list[str]], titles: int) -> None:
    above = [["Sales of the year", "", ""], ["All branches", "", ""]][:titles]
    cells = list(list_cells(make_tree(table_block([*above, NAMES, *body], header_rows=0))))
    assert [cell.head for cell in cells if cell.label in ("North", "South", "West")] == NAMES * 3
    assert {cell.title for cell in cells} == {" ".join(line[0] for line in above)}


def test_names_below_a_group_over_an_empty_corner_are_heads() -> None:
    rows = [["", "Values", "Values"], NAMES, *FIGURES]
    cells = list(list_cells(make_tree(table_block(rows))))
    paths = [("Region",), ("Values", "Units"), ("Values", "Price")]
    assert [cell.head_path for cell in cells if cell.label == "North"] == paths


@pytest.mark.parametrize("first", [["North", "Clerk", "Oslo"], ["Name", "Role", "Oslo"], ["Name", "2", "City"]])
def test_a_row_of_words_that_a_table_repeats_or_of_figures_is_data(first: list[str]) -> None:
    cells = list(list_cells(make_tree(table_block([first, *WORDS], header_rows=0))))
    assert not any(cell.header for cell in cells)
