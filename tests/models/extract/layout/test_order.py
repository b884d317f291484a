"""Reading order of columns with something across them."""

import random

import pytest

from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.text.order import KnownOrders, order_lines, order_with_floats

TEXT = "words of a column"


def line(x0: float, base: float, text: str, width: float = 140.0) -> Line:
    return Line(x0, base - 7.5, x0 + width, base + 2.2, base, 10.0, text)


def columns(top: float) -> list[Line]:
    """Two columns of two paragraphs each; the blanks between the paragraphs stand side by side."""
    bases = [top + 12 * at + (30 if at > 2 else 0) for at in range(6)]
    return [line(x, base, f"{TEXT} {side}{at}") for at, base in enumerate(bases) for x, side in ((50, "l"), (220, "r"))]


def names(lines: list[Line]) -> list[str]:
    return [one.text.split()[-1] for one in order_lines(lines)]


def test_line_across_both_columns_is_separated_before_the_columns() -> None:
    title = line(60, 60, "A title across both columns title", 280)
    sides = [f"{side}{at}" for side in "lr" for at in range(6)]
    assert names([title, *columns(80)]) == ["title", *sides]
    assert names([*columns(80), line(60, 200, "A caption across both columns caption", 280)]) == [*sides, "caption"]


def test_block_between_columns_above_and_below_separates_them() -> None:
    table = line(60, 200, "A table across both columns table", 280)
    first, second = columns(60), [one for one in columns(220)]
    found = names([*first, table, *second])
    sides = [f"{side}{at}" for side in "lr" for at in range(6)]
    assert found == [*sides, "table", *sides]


def test_word_that_sticks_out_into_next_column_parts_nothing() -> None:
    lines = columns(60)
    lines[6] = line(50, lines[6].base, "A word too long for it l3", 175)
    assert names(lines) == [f"{side}{at}" for side in "lr" for at in range(6)]


def test_short_title_across_gutter_parts_columns() -> None:
    title = line(50, 105, "A title that ends behind the gutter title", 190)
    assert names([*columns(60), title])[:7] == ["l0", "l1", "l2", "r0", "r1", "r2", "title"]


def test_note_far_below_columns_ends_page() -> None:
    note = line(50, 320, "A note at the foot of the page note")
    assert names([*columns(60), note])[-1] == "note"


def test_first_word_of_stretched_line_is_not_label() -> None:
    from quire.models.extract.layout.figures.pictures import _continues_text

    rows = [line(220, 60, "For", 15), line(255, 60, "example,", 40), line(220, 84, "a longer line of the same column")]
    box = (50.0, 40.0, 215.0, 120.0)
    assert _continues_text(rows[0], box, rows)
    assert not _continues_text(line(216, 100, "10", 10), box, rows)


def test_order_found_before_is_that_of_lines_in_same_places() -> None:
    known: KnownOrders = {}
    lines, again, moved = columns(100), columns(100), list(reversed(columns(100)))
    for given in (lines, again, moved):
        assert list(map(id, order_lines(given, known))) == list(map(id, order_lines(given)))
    assert len(known) == 2


def with_picture(x0: float, y0: float, x1: float, y1: float) -> list[str]:
    ground = Line(x0, y0, x1, y1, y1, 10.0, "")
    return [
        one.text.split()[-1] if one is not ground else "picture" for one in order_with_floats(columns(90), [ground])
    ]


def test_a_picture_between_columns_into_which_text_reaches_parts_no_column() -> None:
    left = [f"l{at}" for at in range(6)]
    assert with_picture(165, 90, 235, 190) == ["l0", "picture", *left[1:], *(f"r{at}" for at in range(6))]


def test_picture_that_stands_clear_of_columns_keeps_its_place() -> None:
    sides = [f"{side}{at}" for side in "lr" for at in range(6)]
    assert with_picture(165, 300, 235, 400) == [*sides, "picture"]


@pytest.mark.parametrize("seed", range(20))
def test_picture_behind_lines_narrower_than_half_an_em_has_a_place(seed: int) -> None:
    chance = random.Random(seed)
    ground = Line(0, 0, 200, 200, 200, 10, "")
    narrow = []
    for row in range(chance.randint(3, 12)):
        x, y = chance.uniform(5, 190), 10 + 14 * row
        narrow.append(Line(x, y, x + chance.uniform(0.5, 4.5), y + 10, y + 8, 10, "i"))
    ordered = order_with_floats(narrow, [ground])
    assert ordered[0] is ground
    assert {id(line) for line in ordered} == {id(line) for line in (*narrow, ground)}
