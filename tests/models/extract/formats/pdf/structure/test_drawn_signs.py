"""Ticks, crosses and boxes drawn as lines in cells, tables inside cells, and grids of many rectangles."""

from collections.abc import Callable, Sequence
from typing import Any

from quire.models.cdom.table import Table
from quire.models.extract.formats.pdf.engine import pymupdf
from tests.lab.bench.reading.bench_accounts import read_tree

HEAD = ("Rule", "Small", "Large")


def read_tables(draw: Callable[[Any], None], *, side: float = 842.0) -> list[Table]:
    file = pymupdf.open()
    draw(file.new_page(width=595 if side == 842 else side, height=side))
    return [block.table for block in read_tree(bytes(file.tobytes())).blocks if block.table is not None]


def rows_of(table: Table) -> list[list[str]]:
    return [[cell.text for cell in table.cells if cell.row == row] for row in range(table.rows)]


def draw_strokes(page: Any, x: float, y: float, strokes: list[tuple[tuple[float, float], tuple[float, float]]]) -> None:
    for (x0, y0), (x1, y1) in strokes:
        page.draw_line((x + x0, y + y0), (x + x1, y + y1), width=1.3)


def draw_sign(page: Any, sign: str, x: float, y: float) -> None:
    """Draw a sign of 10 points at that place."""
    if sign in "☐☑☒":
        page.draw_rect((x, y, x + 10, y + 10), width=0.7)
    if sign in "✗☒":
        draw_strokes(page, x, y, [((0, 0), (10, 10)), ((0, 10), (10, 0))])
    elif sign == "✓":
        draw_strokes(page, x, y, [((0, 6), (3, 10)), ((3, 10), (10, 0))])
    elif sign == "☑":
        draw_strokes(page, x, y, [((2, 5), (4, 8)), ((4, 8), (8, 2))])
    elif sign == "●":
        page.draw_circle((x + 5, y + 5), 5, fill=(0, 0, 0))


def draw_signs(page: Any, rows: Sequence[tuple[str, ...]]) -> None:
    for index, row in enumerate(rows):
        for column, text in enumerate(row):
            x, y = 72 + 120 * column, 100 + 24 * index
            page.draw_rect((x, y, x + 120, y + 24), width=0.5)
            if text in "✓✗☐☑☒●":
                draw_sign(page, text, x + 50, y + 7)
            else:
                page.insert_text((x + 5, y + 16), text, fontsize=10)


def test_signs_drawn_as_lines_are_text_of_their_cells() -> None:
    rows = [HEAD, ("Fence", "✓", "✗"), ("Gate", "☐", "☒"), ("Lamp", "☑", "●")]
    (table,) = read_tables(lambda page: draw_signs(page, rows))
    assert rows_of(table) == [list(row) for row in rows]


def test_other_drawings_in_cells_are_no_signs() -> None:
    rows = [HEAD, ("Fence", "no", "yes"), ("Gate", "yes", "no"), ("Lamp", "no", "")]

    def draw(page: Any) -> None:
        draw_signs(page, rows[:-1])
        draw_signs_row(page, 3)

    def draw_signs_row(page: Any, index: int) -> None:
        for column in range(3):
            x, y = 72 + 120 * column, 100 + 24 * index
            page.draw_rect((x, y, x + 120, y + 24), width=0.5)
        page.insert_text((77, 188), "Lamp", fontsize=10)
        draw_strokes(page, 220, 179, [((0, 0), (10, 0)), ((5, 0), (5, 10))])

    (table,) = read_tables(draw)
    assert not {cell.text for cell in table.cells} & set("✓✗☐☑☒●")


def test_signs_outside_ruled_cells_are_left_as_drawings() -> None:
    def draw(page: Any) -> None:
        page.insert_text((72, 100), "A page of text with a mark that is drawn beside it.", fontsize=10)
        draw_sign(page, "✗", 60, 92)

    file = pymupdf.open()
    draw(file.new_page())
    assert [block.text for block in read_tree(bytes(file.tobytes())).blocks if "✗" in block.text] == []


def test_table_inside_a_cell_stays_in_the_cell() -> None:
    rows = [
        ("Port", "Depth", "Remark"),
        ("North", "", "Deep enough"),
        ("South", "4", "Small boats"),
        ("West", "6", "Open"),
    ]

    def draw(page: Any) -> None:
        heights, y = (18.0, 44.0, 18.0, 18.0), 100.0
        for row, height in zip(rows, heights, strict=True):
            for column, text in enumerate(row):
                x = 72 + 130 * column
                page.draw_rect((x, y, x + 130, y + height), width=0.5)
                page.insert_text((x + 5, y + 12), text, fontsize=9)
            y += height
        for index, text in enumerate(("Low", "High", "3", "7")):
            x, y = 208 + 40 * (index % 2), 121 + 19 * (index // 2)
            page.draw_rect((x, y, x + 40, y + 19), width=0.5, fill=(1, 1, 0.6) if index == 0 else None)
            page.insert_text((x + 4, y + 12), text, fontsize=9)

    (table,) = read_tables(draw)
    assert rows_of(table)[1] == ["North", "Low High 3 7", "Deep enough"]
    assert (table.rows, table.cols) == (4, 3)


def test_corner_without_a_border_is_an_empty_cell() -> None:
    def draw(page: Any) -> None:
        for index, row in enumerate((("", "2023", "2024"), ("North", "11", "12"), ("South", "21", "22"))):
            for column, text in enumerate(row):
                x, y = 72 + 90 * column, 100 + 20 * index
                if text:
                    page.draw_rect((x, y, x + 90, y + 20), width=0.5)
                    page.insert_text((x + 5, y + 14), text, fontsize=10)

    (table,) = read_tables(draw)
    assert rows_of(table) == [["", "2023", "2024"], ["North", "11", "12"], ["South", "21", "22"]]


def test_grid_of_thousands_of_rectangles_is_one_table() -> None:
    def draw(page: Any) -> None:
        shape = page.new_shape()
        for index in range(4900):
            x, y = 10 + 15 * (index % 70), 20 + 12 * (index // 70)
            shape.draw_rect((x, y, x + 15, y + 12))
            shape.insert_text((x + 2, y + 9), str(index % 97), fontsize=6)
        shape.finish(width=0.4)
        shape.commit()

    (table,) = read_tables(draw, side=1100.0)
    assert (table.rows, table.cols) == (70, 70)
