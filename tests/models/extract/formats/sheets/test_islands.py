"""Tables of a sheet below titles and facts: where they begin, and what names their columns."""

import random
from itertools import count

import pytest

from quire.models.cdom.tree import BlockType
from quire.models.export.tables.cells import list_cells
from tests.models.extract.flow_trees import of_type, read_tree
from tests.models.extract.formats.sheets.workbooks import number_cell, sheet, text_cell, workbook

Line = list[str | int | None]
NAMES = ("Region", "Units", "Price", "Revenue", "Stock")
PLACES = ("North", "South", "East", "West", "Coast")
ABOVE: dict[str, list[Line]] = {
    "nothing": [],
    "a title": [["Sales of the year"]],
    "a title and a gap": [["Sales of the year"], []],
    "titles": [["Sales of the year"], ["Prepared by finance"], []],
    "facts": [["Company", "Harbour Ltd"], ["Prepared by", "Ann"]],
    "facts and a gap": [["Company", "Harbour Ltd"], ["Pages", 3], []],
    "a fact with a figure": [["Year", 2026]],
    "a title and facts": [["Sales"], [], ["Company", "Harbour Ltd"], ["Pages", 3], []],
    "another table": [["Name", "Hours"], ["Bob", 8], ["Ann", 7], []],
}


def make_sheet(lines: list[Line]) -> bytes:
    rows = []
    for number, line in zip(count(1), lines, strict=False):
        cells = (
            number_cell(f"{letter}{number}", value) if isinstance(value, int) else text_cell(f"{letter}{number}", value)
            for letter, value in zip("ABCDEF", line, strict=False)
            if value is not None
        )
        rows.append(f'<row r="{number}">{"".join(cells)}</row>')
    return workbook(sheet("".join(rows)))


def make_table(seed: int, *, in_words: bool) -> list[Line]:
    drawn = random.Random(seed)
    head: Line = [*NAMES[: drawn.randint(3, 5)]]
    places = drawn.sample(PLACES, drawn.randint(2, 5))
    kinds = ("new", "old", "fair")
    return [head] + [
        [place, *(drawn.choice(kinds) if in_words else drawn.randint(1, 99) for _ in head[1:])] for place in places
    ]


@pytest.mark.parametrize("above", ABOVE)
@pytest.mark.parametrize("in_words", [False, True])
def test_columns_have_their_names_below_titles_and_facts(above: str, in_words: bool) -> None:
    for seed in range(3):
        table = make_table(seed, in_words=in_words)
        tree = read_tree(make_sheet([*ABOVE[above], *table]))
        cells = [cell for cell in list_cells(tree) if cell.label in PLACES]
        assert [cell.head for cell in cells] == [name for _ in table[1:] for name in table[0]]
        texts = [str(value) for line in ABOVE[above] for value in line]
        whole = "\n".join(block.text for block in tree.blocks) + "\n".join(cell.text for cell in list_cells(tree))
        assert all(text in whole for text in texts)


def test_facts_above_a_table_have_no_header() -> None:
    tree = read_tree(make_sheet([["Number", "A1"], ["Pages", 3], [], *make_table(1, in_words=False)]))
    facts, table = (block.table for block in of_type(tree, BlockType.TABLE))
    assert facts is not None
    assert table is not None
    assert [any(cell.header for cell in found.cells) for found in (facts, table)] == [False, True]


def test_a_title_is_a_text_with_the_name_of_its_cell() -> None:
    tree = read_tree(make_sheet([*ABOVE["a title"], *make_table(1, in_words=False)]))
    (title,) = of_type(tree, BlockType.PARAGRAPH)
    assert (title.text, title.provenance.path) == ("Sales of the year", "Sheet1!A1")


@pytest.mark.parametrize(
    "lines",
    [
        [["Company", "Harbour Ltd"], ["City", "Oslo"], ["Owner", "Ann"]],
        [["Sum of sales", "Columns"], ["Rows", "North", "South"], ["Rope", 1, 2]],  # a table of a pivot
        [["Name", "Units"], ["Rope", 2], [], ["Hooks"], ["Small", 3], ["Large", 4]],  # groups with a gap
        [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]],
    ],
)
def test_other_rows_stay_in_one_table(lines: list[Line]) -> None:
    tree = read_tree(make_sheet(lines))
    assert len(of_type(tree, BlockType.TABLE)) == 1
    assert not of_type(tree, BlockType.PARAGRAPH)
