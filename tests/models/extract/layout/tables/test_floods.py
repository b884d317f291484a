"""Runs of rows that fit into the columns above them: cells of many lines stay inside, lines across columns end them."""

from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.tables.regions.floods import LIMITS, Run, find_floods
from quire.models.extract.layout.tables.regions.view import find_rows
from tests.models.extract.layout.tables.pages import PROSE, SIZE, text_line, text_rows

LEFTS = [60.0, 120.0, 400.0, 450.0]
HEAD = ["#", "What is asked", "L1", "CWE"]


def tall_row(top: float, key: str, count: int, pitch: float = 16.0) -> list[Line]:
    """A row whose second cell has so many lines."""
    first = text_rows(LEFTS, top, [[key, "first line of the cell", "x", "637"]])
    return first + [text_line(LEFTS[1], top + pitch * at, "another line of the cell") for at in range(1, count)]


def runs_of(lines: list[Line]) -> list[Run]:
    return list(find_floods(lines, find_rows(lines)))


def test_flood_holds_cells_of_nine_lines() -> None:
    lines = text_rows(LEFTS, 100, [HEAD]) + tall_row(118, "1.1", 9) + tall_row(270, "1.2", 2)
    assert (0, 12) in runs_of(lines)


def test_flood_keeps_lines_of_the_last_cell() -> None:
    lines = text_rows(LEFTS, 100, [HEAD]) + tall_row(118, "1.1", 1) + tall_row(136, "1.2", 4)
    assert (0, 6) in runs_of(lines)


def test_flood_ends_at_a_line_across_two_columns() -> None:
    lines = text_rows(LEFTS, 100, [HEAD]) + tall_row(118, "1.1", 2) + [text_line(60, 152, PROSE)]
    assert max(end for _, end in runs_of(lines)) == 3


def test_flood_ends_at_a_heading_in_larger_type() -> None:
    heading = text_line(60, 152, "Next")
    heading.size = 1.3 * SIZE
    lines = [
        *text_rows(LEFTS, 100, [HEAD]), *tall_row(118, "1.1", 2), heading,
        *text_rows(LEFTS, 170, [HEAD]), *tall_row(188, "2.1", 2),
    ]  # fmt: skip
    runs = runs_of(lines)
    assert (0, 3) in runs
    assert (4, 7) in runs
    assert not [run for run in runs if run[0] < 3 < run[1]]


def test_flood_is_cut_where_its_head_is_repeated() -> None:
    part = [HEAD, ["1.1", "one", "x", "1"], ["1.2", "two", "x", "2"]]
    lines = text_rows(LEFTS, 100, part) + text_rows(LEFTS, 148, part)
    assert {(0, 3), (3, 6)} <= set(runs_of(lines))


def test_flood_is_cut_at_wide_steps() -> None:
    body = [["1.1", "one", "x", "1"]] * 3
    lines = text_rows(LEFTS, 100, body) + text_rows(LEFTS, 162, body)
    assert {(0, 3), (3, 6)} <= set(runs_of(lines))


def test_flood_ends_where_rows_are_far_apart() -> None:
    far = 1 + max(LIMITS.gaps) * SIZE
    lines = text_rows(LEFTS, 100, [HEAD] * 2) + text_rows(LEFTS, 116 + far, [HEAD] * 2)
    assert not [run for run in runs_of(lines) if run[0] < 2 < run[1]]


def test_prose_is_in_no_flood() -> None:
    assert runs_of([text_line(60, 100 + 12 * at, PROSE) for at in range(30)]) == []
