"""Cells of ruled tables as the rules enclose them, and tables that continue over pages."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from quire.models.cdom.table import Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.pdf.engine import pymupdf
from tests.lab.bench.reading.bench_accounts import HEADS, STYLES, make_statement, read_rows, read_tree, score

XS = (60.0, 150.0, 220.0, 290.0, 360.0, 430.0)
Spans = dict[str, tuple[int, int]]


def read_tables(draw: Callable[[Any], None]) -> list[Table]:
    file = pymupdf.open()
    draw(file.new_page())
    blocks = read_tree(bytes(file.tobytes())).blocks
    return [block.table for block in blocks if block.table is not None]


def spans_of(table: Table) -> Spans:
    return {cell.text: (cell.row_span, cell.col_span) for cell in table.cells if cell.text}


def draw_cells(page: Any, cells: list[tuple[int, int, int, int, str]], xs: tuple[float, ...] = XS) -> None:
    """Each cell is (row, column, rows, columns, text); its four sides are drawn."""
    for row, column, rows, columns, text in cells:
        x0, y0, x1, y1 = xs[column], 100 + 20.0 * row, xs[column + columns], 100 + 20.0 * (row + rows)
        for start, end in (((x0, y0), (x1, y0)), ((x1, y0), (x1, y1)), ((x1, y1), (x0, y1)), ((x0, y1), (x0, y0))):
            page.draw_line(start, end, width=0.5)
        page.insert_text((x0 + 5, (y0 + y1) / 2 + 3), text, fontsize=9)


def test_section_rows_and_column_heads_span_as_the_rules_enclose() -> None:
    cells = [(0, 0, 2, 1, "Region"), (0, 1, 1, 2, "2023"), (0, 3, 1, 2, "2024")]
    cells += [(1, column, 1, 1, text) for column, text in enumerate(("H1", "H2", "H3", "H4"), 1)]
    cells += [(2, 0, 1, 5, "Coast")]
    cells += [(3, column, 1, 1, text) for column, text in enumerate(("North", "11", "12", "13", "14"))]
    cells += [(4, column, 1, 1, text) for column, text in enumerate(("South", "21", "22", "23", "24"))]
    (table,) = read_tables(lambda page: draw_cells(page, cells))
    assert (table.rows, table.cols) == (5, 5)
    spans = spans_of(table)
    assert (spans["Region"], spans["2023"], spans["2024"], spans["Coast"]) == ((2, 1), (1, 2), (1, 2), (1, 5))
    assert spans["South"] == (1, 1)


def test_row_label_over_several_rows_spans_them() -> None:
    cells = [(0, 0, 1, 1, "Dept"), (0, 1, 1, 1, "Post"), (0, 2, 1, 1, "Name")]
    cells += [(1, 0, 3, 1, "Works"), (4, 0, 2, 1, "Parks")]
    rows = (("Head", "Ann"), ("Clerk", "Bob"), ("Clerk 2", "Cid"), ("Head 2", "Dee"), ("Gardener", "Eve"))
    for row, texts in enumerate(rows, 1):
        cells += [(row, column, 1, 1, text) for column, text in enumerate(texts, 1)]
    (table,) = read_tables(lambda page: draw_cells(page, cells))
    assert (table.rows, table.cols) == (6, 3)
    assert (spans_of(table)["Works"], spans_of(table)["Parks"]) == ((3, 1), (2, 1))
    assert [cell.text for cell in table.cells if cell.col == 2] == ["Name", "Ann", "Bob", "Cid", "Dee", "Eve"]


def test_heads_without_a_rule_between_them_are_parted() -> None:
    words = ("Name", "Assigned to", "Status", "Due date", "Notes", "Unit price")
    right = 0
    for seed in range(20):
        chance = random.Random(seed)
        width, heads = chance.randrange(2, 5), chance.sample(words, 4)
        rows = [[f"{chance.choice('ABC')}{row}{column}" for column in range(width)] for row in range(1, 5)]

        def draw(page: Any, rows: list[list[str]] = rows, width: int = width, heads: list[str] = heads) -> None:
            cells = [(row, at, 1, 1, text) for row, texts in enumerate(rows, 1) for at, text in enumerate(texts)]
            draw_cells(page, [(0, 0, 1, width, ""), *cells])
            for x, text in zip(XS, heads[:width], strict=False):
                page.insert_text((x + 5, 113), text, fontsize=9)

        (table,) = read_tables(draw)
        right += [cell.text for cell in table.cells if cell.row == 0] == heads[:width]
    assert right >= 19


def test_title_over_all_columns_stays_one_cell() -> None:
    cells = [(0, 0, 1, 3, "Costs of the year by region and by month"), (1, 0, 1, 1, "A"), (1, 1, 1, 1, "B")]
    cells += [(1, 2, 1, 1, "C"), (2, 0, 1, 1, "D"), (2, 1, 1, 1, "E"), (2, 2, 1, 1, "F")]
    (table,) = read_tables(lambda page: draw_cells(page, cells))
    assert spans_of(table)["Costs of the year by region and by month"] == (1, 3)


def test_rows_that_no_rule_parts_stay_rows() -> None:
    def draw(page: Any) -> None:
        for x in XS[:4]:
            page.draw_line((x, 100), (x, 220), width=0.5)
        for y in (100, 120, 220):
            page.draw_line((XS[0], y), (XS[3], y), width=0.5)
        for row, texts in enumerate(
            (("Item", "Net", "Gross"), *((f"Rope {n}", f"{n}.50", f"{n}.90") for n in range(6)))
        ):
            for x, text in zip(XS, texts, strict=False):
                page.insert_text((x + 5, 113 + 16 * row), text, fontsize=9)

    (table,) = read_tables(draw)
    assert table.rows == 7


@pytest.mark.parametrize("style", STYLES)
def test_statement_over_pages_is_one_table_with_balances_that_hold(style: str) -> None:
    statement = make_statement(1, style, 3)
    assert score(statement) == (1, 1.0, 1.0)


def test_joined_statement_has_a_part_for_each_page_and_its_head_once() -> None:
    statement = make_statement(2, "ruled", 4)
    (block,) = [block for block in read_tree(statement.data).blocks if block.type is BlockType.TABLE]
    assert block.table is not None
    assert [part.page for part in block.table.parts] == [1, 2, 3, 4]
    assert read_rows([block]).count(HEADS) == 1


@pytest.mark.parametrize("scale", [1.0, 0.5, 0.1])
def test_lines_under_a_scaled_matrix_are_rules(scale: float) -> None:
    """The engine's boxes of such lines are too large by their width before scaling."""

    def draw(page: Any) -> None:
        for row in range(6):
            for column, x in enumerate(XS[:5]):
                page.insert_text((x + 25, 114 + 20 * row), f"{row + 1}{column + 1}", fontsize=9)
        lines = [(60, 742 - y, 430, 742 - y) for y in (0, 20, 120)] + [(x, 622, x, 742) for x in XS]
        drawn = " ".join(f"{a / scale} {b / scale} m {c / scale} {d / scale} l S" for a, b, c, d in lines)
        content = page.get_contents()[-1]
        stream = page.parent.xref_stream(content) + f"\nq {scale} 0 0 {scale} 0 0 cm {0.5 / scale} w {drawn} Q".encode()
        page.parent.update_stream(content, stream)

    (table,) = read_tables(draw)
    assert (table.rows, table.cols) == (6, 5)
    assert table.cells[-1].text == "65"
