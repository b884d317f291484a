"""Never more of a table is painted than the cell, wherever the cell's place is known from."""

from dataclasses import replace

from models.cdom.table import Cell, Table
from models.cdom.tree import Block, FlagSpan, PiiScan, Tree
from models.pii.cells import find_cell_box
from models.pii.paint import view_page
from models.pii.redact import Decisions
from models.pii.review import in_context
from tests.models.pii.trees import paragraph, tree
from tests.models.pii.trees import table as table_block

OUTER = (0.0, 0.0, 300.0, 90.0)
NOTHING: Decisions = {}


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
    base: Tree = tree(table_block(0, "x"))
    block: Block = replace(base.blocks[0], bbox=OUTER, table=table, text="", flags=("pii:email",), flag_spans=spans)
    scanned = replace(base, blocks=(block,), pii=PiiScan(engine="regex", version="1", complete=True))
    return view_page(scanned, NOTHING, block.page).hidden


def test_a_cell_with_a_box_is_painted_alone() -> None:
    assert painted(grid(), 4) == ((105.0, 34.0, 190.0, 56.0),)


def test_a_cell_without_a_box_is_painted_where_no_other_cell_stands() -> None:
    assert painted(grid((1, 1)), 4) == ((90.0, 26.0, 205.0, 64.0),)


def test_of_several_masked_cells_the_one_without_a_box_does_not_paint_the_table() -> None:
    hidden = painted(grid((1, 1)), 0, 4)
    assert hidden == ((5.0, 4.0, 90.0, 26.0), (90.0, 26.0, 205.0, 64.0))


def test_a_table_of_which_no_cell_has_a_place_is_painted_whole() -> None:
    everything = tuple((row, col) for row in range(3) for col in range(3))
    assert painted(grid(*everything), 4) == (OUTER,)


def test_where_rows_overlap_everything_that_may_be_the_cell_is_painted() -> None:
    table = grid((1, 1))
    tall = replace(table.cells[1], bbox=(105.0, 4.0, 190.0, 80.0))
    cells = (table.cells[0], tall, *table.cells[2:])
    assert find_cell_box(replace(table, cells=cells), 4, OUTER) == (105.0, 34.0, 190.0, 56.0)


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
