"""Never more of a table is painted than the cell, wherever the cell's place is known from."""

from dataclasses import replace

import pytest

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.table import Cell, Table, TablePart
from quire.models.cdom.tree import FlagSpan
from quire.models.pii.cells import find_cell_box, find_cell_place
from quire.models.pii.paint import view_page
from quire.models.pii.redact import Decisions
from quire.models.pii.review import in_context
from tests.models.pii.trees import flagged_tree, paragraph
from tests.models.pii.trees import table as table_block

OUTER = (0.0, 0.0, 300.0, 90.0)
NOTHING: Decisions = {}
SIZE = 7


def grid(*missing: tuple[int, int]) -> Table:
    """Three by three cells of 100 by 30 points, a little inside their places; those of `missing` have no box."""
    cells = [
        Cell(
            row=row,
            col=col,
            text=f"{row}{col}",
            bbox=None
            if (row, col) in missing
            else (100.0 * col + 5, 30.0 * row + 4, 100.0 * col + 90, 30.0 * row + 26),
        )
        for row in range(3)
        for col in range(3)
    ]
    return Table(rows=3, cols=3, cells=tuple(cells))


def painted(table: Table, *masked: int) -> tuple[tuple[float, float, float, float], ...]:
    spans = tuple(FlagSpan(flag="pii:email", start=0, end=2, cell=cell) for cell in masked)
    block = replace(table_block(0, "x"), bbox=OUTER, table=table, text="", flags=("pii:email",), flag_spans=spans)
    return view_page(flagged_tree(block), NOTHING, block.page).hidden


def test_a_cell_with_a_box_is_painted_alone() -> None:
    assert painted(grid(), 4) == ((105.0, 34.0, 190.0, 56.0),)


def test_cell_without_box_is_painted_where_no_other_cell_stands() -> None:
    assert painted(grid((1, 1)), 4) == ((90.0, 26.0, 205.0, 64.0),)


def test_masked_cell_without_a_box_does_not_paint_the_whole_table() -> None:
    hidden = painted(grid((1, 1)), 0, 4)
    assert hidden == ((5.0, 4.0, 90.0, 26.0), (90.0, 26.0, 205.0, 64.0))


def test_table_of_which_no_cell_has_place_is_painted_whole() -> None:
    everything = tuple((row, col) for row in range(3) for col in range(3))
    assert painted(grid(*everything), 4) == (OUTER,)


def test_whole_possible_area_of_a_cell_is_painted_where_rows_overlap() -> None:
    table = grid((1, 1))
    tall = replace(table.cells[1], bbox=(105.0, 4.0, 190.0, 80.0))
    cells = (table.cells[0], tall, *table.cells[2:])
    assert find_cell_box(replace(table, cells=cells), 4, OUTER) == (105.0, 34.0, 190.0, 56.0)


def box_of(row: int, col: int) -> Bbox:
    """Of a cell in a grid of 10 by 10 points a place, a point inside it on each side."""
    return (10.0 * col + 1, 10.0 * row + 1, 10.0 * col + 9, 10.0 * row + 9)


def around(row: int, col: int, rows: int, cols: int, gap: int) -> Bbox | None:
    """The box found for a cell with none, in SIZE rows and columns; those nearer than `gap` have none either."""
    cell = Cell(row=row, col=col, text="", row_span=rows, col_span=cols)
    cells = [cell]
    for other_row in range(SIZE):
        for other_col in range(SIZE):
            off_row = max(row - other_row, other_row - (row + rows - 1), 0)
            off_col = max(col - other_col, other_col - (col + cols - 1), 0)
            if off_row or off_col:
                placed = all(off == 0 or off >= gap for off in (off_row, off_col))
                box = box_of(other_row, other_col) if placed else None
                cells.append(Cell(row=other_row, col=other_col, text="", bbox=box))
    table = Table(rows=SIZE, cols=SIZE, cells=tuple(cells))
    return find_cell_box(table, 0, (0.0, 0.0, 10.0 * SIZE, 10.0 * SIZE))


@pytest.mark.parametrize(("row", "col"), [(0, 0), (0, 6), (6, 0), (6, 6), (1, 2), (2, 1), (3, 3), (5, 4), (4, 5)])
@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 3), (3, 1), (2, 2)])
@pytest.mark.parametrize("gap", [1, 2, 3])
def test_cell_without_box_reaches_to_nearest_cells_that_have_one(
    row: int, col: int, rows: int, cols: int, gap: int
) -> None:
    rows, cols = min(rows, SIZE - row), min(cols, SIZE - col)
    first_row, first_col, last_row, last_col = row - gap, col - gap, row + rows - 1 + gap, col + cols - 1 + gap
    assert around(row, col, rows, cols, gap) == (
        10.0 * first_col + 9 if first_col >= 0 else 0.0,
        10.0 * first_row + 9 if first_row >= 0 else 0.0,
        10.0 * last_col + 1 if last_col < SIZE else 70.0,
        10.0 * last_row + 1 if last_row < SIZE else 70.0,
    )


@pytest.mark.parametrize("over", [0.0, 5.0])
def test_missing_box_is_bounded_by_row_and_column_where_columns_overlap(over: float) -> None:
    """The cells left and right of it meet, or reach into each other: nothing is left free between them."""
    left, right = (0.0, 10.0, 15.0 + over, 20.0), (15.0 - over, 10.0, 30.0, 20.0)
    cells = [
        Cell(row=1, col=1, text="", row_span=2),
        Cell(row=1, col=0, text="", bbox=left),
        Cell(row=2, col=2, text="", bbox=right),
        Cell(row=0, col=1, text="", bbox=(8.0, 0.0, 18.0, 9.0)),
        Cell(row=4, col=1, text="", bbox=(9.0, 40.0, 19.0, 49.0)),
        Cell(row=4, col=0, text="", bbox=(0.0, 40.0, 8.0, 49.0)),
        Cell(row=3, col=2, text="", bbox=(20.0, 30.0, 30.0, 39.0)),
    ]
    table = Table(rows=5, cols=3, cells=tuple(cells))
    assert find_cell_box(table, 0, (0.0, 0.0, 30.0, 50.0)) == (8.0, 10.0, 19.0, 20.0)


def test_cell_without_row_and_column_places_is_bounded_by_the_table() -> None:
    cells = [
        Cell(row=1, col=1, text=""),
        Cell(row=0, col=0, text="", bbox=(0.0, 0.0, 9.0, 20.0)),
        Cell(row=2, col=2, text="", bbox=(9.0, 10.0, 30.0, 30.0)),
    ]
    table = Table(rows=3, cols=3, cells=tuple(cells))
    assert find_cell_box(table, 0, (0.0, 0.0, 30.0, 30.0)) == (0.0, 0.0, 30.0, 30.0)
    assert find_cell_box(table, 0, None) is None


def test_cell_of_a_table_on_two_pages_is_bounded_by_cells_of_its_page() -> None:
    cells = [Cell(row=row, col=col, text="x", bbox=box_of(row % 2, col)) for row in range(4) for col in range(2)]
    cells[4] = replace(cells[4], bbox=None)
    parts = (
        TablePart(page=1, bbox=(0.0, 0.0, 20.0, 20.0), rows=2),
        TablePart(page=2, bbox=(0.0, 0.0, 25.0, 25.0), rows=2),
    )
    table = Table(rows=4, cols=2, cells=tuple(cells), parts=parts)
    block = replace(table_block(1), table=table, page=1, bbox=parts[0].bbox)
    assert find_cell_place(BlockPlaces(block), table, 4) == (2, (0.0, 0.0, 11.0, 11.0))
    assert find_cell_place(BlockPlaces(block), table, 5) == (2, box_of(0, 1))
    assert find_cell_place(BlockPlaces(block), table, 0) == (1, box_of(0, 0))


def test_cells_are_lines_and_their_stretches_move_along() -> None:
    block = table_block(1, "Ann", "none", "at Bob's")
    flagged = [FlagSpan(flag="pii:name", start=3, end=6, cell=2), FlagSpan(flag="pii:name", start=0, end=3, cell=0)]
    context = in_context(block, flagged)
    assert context.text == "Ann\nat Bob's"
    assert [context.text[start:end] for start, end in context.spans] == ["Ann", "Bob"]


def test_a_paragraphs_stretches_are_its_own() -> None:
    context = in_context(paragraph(1, "write to Ann"), [FlagSpan(flag="pii:name", start=9, end=12)])
    assert (context.text, context.spans) == ("write to Ann", ((9, 12),))


def test_a_flag_without_places_has_the_whole_text() -> None:
    context = in_context(paragraph(1, "write to Ann"), [])
    assert (context.text, context.spans) == ("write to Ann", ())
