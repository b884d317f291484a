"""Tables whose rules enclose every cell are taken as drawn; other networks are left to the candidates."""

from quire.models.extract.core.marks import Rule
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.tables.regions.view import view_page
from quire.models.extract.layout.tables.scoring.find import make_drawn
from quire.models.extract.layout.tables.scoring.networks import find_networks
from tests.models.extract.layout.tables.pages import text_line, text_rows

LEFTS = [55.0, 155.0, 255.0]
ROWS = [["Item", "Made of", "Needed"], ["ropes", "hemp", "four"], ["nets", "twine", "two"]]


def draw(lines: list[Line], xs: list[float], ys: list[float]) -> PageMarks:
    flat = [Rule(xs[0], y, xs[-1], y) for y in ys]
    upright = [Rule(x, ys[0], x, ys[-1]) for x in xs]
    return PageMarks(width=400, height=600, lines=lines, horizontals=flat, verticals=upright)


def find(marks: PageMarks) -> list[tuple[int, int]]:
    return [(len(network.grid.rows), network.grid.width) for network in find_networks(view_page(marks, marks.lines))]


def test_network_is_a_table_with_its_cells() -> None:
    marks = draw(text_rows(LEFTS, 114, ROWS, 20), [50, 150, 250, 350], [100, 120, 140, 160])
    view = view_page(marks, marks.lines)
    (network,) = find_networks(view)
    assert [[" ".join(word.text for word in slot.words) for slot in row] for row in network.grid.rows] == ROWS
    assert make_drawn(network, view.marks, view.fills).edges == (50, 150, 250, 350)


def test_lines_of_a_cell_are_one_row() -> None:
    wrapped = [*text_rows(LEFTS, 114, ROWS, 30), text_line(155, 156, "and tar")]
    assert find(draw(wrapped, [50, 150, 250, 350], [100, 130, 160, 190])) == [(3, 3)]


def test_network_with_verticals_through_words_is_left() -> None:
    lines = text_rows([60.0, 255.0], 114, [["onewordthatcrossesthecolumns", "x"] for _ in range(3)], 20)
    assert find(draw(lines, [50, 150, 250, 350], [100, 120, 140, 160])) == []


def test_network_with_open_rows_is_left() -> None:
    lines = text_rows(LEFTS, 114, [*ROWS, *ROWS, *ROWS], 12)
    assert find(draw(lines, [50, 150, 250, 350], [100, 106, 214, 220])) == []


def test_empty_network_is_left() -> None:
    lines = text_rows(LEFTS, 114, [["Item", "", ""], ["", "", ""], ["", "", "two"]], 20)
    assert find(draw(lines, [50, 150, 250, 350], [100, 120, 140, 160])) == []
