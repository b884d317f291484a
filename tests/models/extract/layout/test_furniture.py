"""Running heads, page numbers, margin marks and footnotes, found by their place on one page."""

import random
from dataclasses import replace

import pytest

from quire.models.cdom.tree import BlockType
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.text.furniture import find_footnotes, find_furniture, find_margin_marks
from quire.models.extract.layout.text.kinds import PageLook

WIDTH, HEIGHT, BODY = 420.0, 600.0, 10.0
NO_MARKS = PageMarks(WIDTH, HEIGHT, [])
LOOK = PageLook(BODY, 0.0, WIDTH, HEIGHT, chars=2000)
HEADER, FOOTER = BlockType.PAGE_HEADER, BlockType.PAGE_FOOTER
Group = list[Line]


def line(
    text: str, top: float, x0: float = 50.0, *, size: float = BODY, x1: float | None = None, **look: object
) -> Line:
    end = x0 + 0.5 * size * len(text) if x1 is None else x1
    return Line(x0, top, end, top + size, top + 0.8 * size, size, text, **look)  # type: ignore[arg-type]


def body(first: float = 120, last: float = 480, *, size: float = BODY, x0: float = 50.0) -> Group:
    """Running text between two heights."""
    count = int((last - first) / (1.2 * size))
    return [
        line("Running text that fills the line of the page", first + 1.2 * size * n, x0, size=size)
        for n in range(count)
    ]


def find(*groups: Group, look: PageLook = LOOK) -> list[BlockType | None]:
    found = find_furniture(list(groups), look, NO_MARKS)
    return [found.get(index) for index in range(len(groups))]


@pytest.mark.parametrize("seed", range(20))
def test_short_line_apart_from_the_text_is_running(seed: int) -> None:
    """The generator varies edge, words and the gap, which must exceed 1.4 ems."""
    draw = random.Random(seed)
    words = draw.choice(("Annual report", "Chapter of ropes", "Harbour Board"))
    gap, at_top = draw.uniform(3, 40), draw.random() < 0.5
    top = draw.uniform(15, 45) if at_top else draw.uniform(0.9 * HEIGHT, 585)
    text = body(top + BODY + gap, 400) if at_top else body(100, 400)
    if not at_top:
        text = [*text[:-1], line("Last line of it", top - gap - BODY)]
    is_apart = gap > 1.4 * BODY
    expected = (HEADER if at_top else FOOTER) if is_apart else None
    assert find([line(words, top)], text) == [expected, None]


@pytest.mark.parametrize(
    "number",
    ["7", "- 7 -", "Page 7", "page 7 of 9", "7/9", "xii", "A-5", "B.12", "1234", "| 7", "PAGE 7"],
)
def test_page_number_is_furniture_also_close_to_the_text(number: str) -> None:
    assert find(body(100, 560), [line(number, 565, 200)]) == [None, FOOTER]
    assert find([line(number, 20, 200)], body(32, 500)) == [HEADER, None]


@pytest.mark.parametrize("words", ["12345", "Seven", "7 men", "A-5555"])
def test_other_words_close_to_the_text_are_not(words: str) -> None:
    assert find(body(100, 556), [line(words, 556, 200)]) == [None, None]


@pytest.mark.parametrize("words", ["7 | Harbour Board", "Harbour Board 7", "xii Preface", "Preface XII"])
def test_numbered_line_at_the_very_edge_is_furniture(words: str) -> None:
    assert find(body(100, 556), [line(words, 560)]) == [None, FOOTER]
    assert find(body(100, 545), [line(words, 545)]) == [None, None]
    assert find([line(words, 20)], body(31, 500)) == [HEADER, None]
    assert find([line(words, 40)], body(51, 500)) == [None, None]
    assert find(body(100, 556), [line(words + "x" * 80, 560), line("and more", 575)]) == [None, None]


@pytest.mark.parametrize(
    "group",
    [
        [line("One", 540), line("Two", 552), line("Three", 564)],
        [line("Large words", 560, size=13)],
        [line("w" * 161, 560, x1=370)],
        [line("This is a sentence that ends the page.", 560)],
        [line("1. An item of a list", 545)],
        [line("Bold and larger", 560, size=11.5, bold=True)],
    ],
)
def test_group_that_looks_like_content_is_not_running(group: Group) -> None:
    assert find(body(100, 480), group) == [None, None]


@pytest.mark.parametrize(
    "group",
    [
        [line("One", 550), line("Two", 562)],
        [line("Large words", 560, size=12)],
        [line("w" * 160, 560, x1=370)],
        [line("A short sentence.", 560)],
        [line("Bold", 560, bold=True)],
        [line("Larger", 560, size=11.5)],
    ],
)
def test_group_at_the_limits_is_running(group: Group) -> None:
    assert find(body(100, 480), group) == [None, FOOTER]


def test_page_of_few_characters_has_no_running_head() -> None:
    text = body(120, 400)
    for chars, expected in ((149, None), (150, HEADER)):
        assert find([line("Title words", 30)], text, look=replace(LOOK, chars=chars)) == [expected, None]
        assert find([line("7", 30)], text, look=replace(LOOK, chars=chars)) == [HEADER, None]


def test_line_above_the_sure_bottom_is_no_running_foot() -> None:
    assert find(body(100, 480), [line("Harbour Board", 0.885 * HEIGHT)]) == [None, None]
    assert find(body(100, 480), [line("Harbour Board", 0.895 * HEIGHT)]) == [None, FOOTER]


def test_pieces_pushed_to_both_margins_are_running() -> None:
    left, right = [line("Harbour Board", 526)], [line("Ropes", 526, 320)]
    assert find(body(100, 500), left, right) == [None, FOOTER, FOOTER]
    assert find(body(100, 500), left, [line("Ropes", 529, 320)]) == [None, None, None]
    assert find(body(100, 500), left, [line("Ropes", 526, 200)]) == [None, None, None]
    assert find(body(100, 500), left, [line("Ropes " * 14, 526, 200)]) == [None, None, None]
    assert find(body(100, 538), left, right) == [None, None, None]


@pytest.mark.parametrize("look", [{"bold": True}, {"size": 11.5}])
def test_heads_of_columns_are_not_running_heads(look: dict[str, object]) -> None:
    pieces = [[line("Left head", 40, **look)], [line("Right head", 40, 320, **look)]]  # type: ignore[arg-type]
    assert find(*pieces, body(56, 500)) == [None, None, None]
    plain = [[line("Left head", 40)], [line("Right head", 40, 320)]]
    assert find(*plain, body(56, 500)) == [HEADER, HEADER, None]


def test_pieces_at_the_limits_of_a_spread() -> None:
    """Pieces of 80 characters, over more than 0.6 of the width, with baselines less than 2 points apart."""
    near = [[line("Harbour Board", 526)], [line("Ropes", 527.9, x0=303, x1=303)]]
    assert find(body(100, 500), *near) == [None, FOOTER, FOOTER]
    assert find(body(100, 500), near[0], [line("Ropes", 526, x0=300, x1=302)]) == [None, None, None]
    assert find(body(100, 500), near[0], [line("x" * 80, 526, x0=200, x1=370)]) == [None, FOOTER, FOOTER]
    assert find(body(100, 500), near[0], [line("x" * 81, 526, x0=200, x1=370)]) == [None, None, None]


def test_lines_are_taken_from_the_edge_inwards() -> None:
    far, near = [line("Harbour Board", 15)], [line("This line is a sentence of the page.", 40)]
    assert find(near, far, body(100, 500)) == [None, HEADER, None]
    assert find([line("", 15)], [line("Harbour Board", 30)], body(100, 500)) == [None, HEADER, None]


def test_at_most_twelve_pieces_are_running() -> None:
    pieces = [[line(str(number), 15 + number, 20.0 * number)] for number in range(1, 15)]
    assert find(*pieces, body(120, 500)) == [HEADER] * 12 + [None] * 3


def test_bare_number_low_on_the_page_is_furniture_under_wide_margins() -> None:
    text = body(100, 380)
    assert find(text, [line("7", 440, 200)]) == [None, FOOTER]
    assert find(text, [line("7", 395, 200)]) == [None, None]
    assert find(text, [line("7a", 440, 200)]) == [None, None]
    assert find(text, [line("7", 440, 200), line("8", 452, 200)]) == [None, None]
    assert find(body(100, 440), [line("7", 440, 200)]) == [None, None]
    assert find([line("7", 440, 200)]) == [None]


def aslant(x0: float, text: str = "Downloaded", *, width: float = 10.0) -> Group:
    return [line(text, 200, x0, x1=x0 + width, upright=False)]


def marks(*groups: Group) -> list[int]:
    return find_margin_marks(list(groups), LOOK)


def test_line_along_the_margin_outside_the_text_is_a_mark() -> None:
    text = body(100, 500, x0=80)
    right = WIDTH - 0.13 * WIDTH
    assert marks(text, aslant(20), aslant(right + 5)) == [1, 2]
    assert marks(text, aslant(60)) == []
    assert marks(body(100, 500, x0=25), aslant(20)) == []
    assert marks(text, aslant(right - 30)) == []


def test_marks_are_not_searched_when_much_text_is_aslant_or_none() -> None:
    text = [line("x" * 100, 100, 80)]
    assert marks(text, aslant(20, "y" * 30)) == [1]
    assert marks(text, aslant(20, "y" * 31)) == []
    assert marks(text) == []
    assert marks(text, aslant(20, "")) == []


def notes(*groups: Group, skip: dict[int, BlockType] | None = None) -> set[int]:
    return find_footnotes(list(groups), LOOK, skip or {})


@pytest.mark.parametrize("words", ["1 A note", "12) A note", "* A note", "† A note", "a. A note", "123 A note"])
def test_small_marked_type_low_on_the_page_is_a_footnote(words: str) -> None:
    assert notes(body(100, 400), [line(words, 500, size=8)]) == {1}


@pytest.mark.parametrize(
    "note",
    [line("1 A note", 500, size=9.4), line("1 A note", 265, size=8), line("Words", 500, size=8), line("", 500, size=8)],
)
def test_other_lines_are_no_footnotes(note: Line) -> None:
    assert notes(body(100, 240), [note]) == set()


def test_limits_of_size_and_height_are_shares_of_text_and_page() -> None:
    assert notes(body(100, 240), [line("1 A note", 271, size=9.2)]) == {1}
    assert notes(body(100, 240), [line("1 A note", 500, size=8)], skip={1: FOOTER}) == set()


def test_lines_after_a_footnote_in_its_size_belong_to_it() -> None:
    note = [line("1 A note", 500, size=8)]
    assert notes(body(100, 400), note, [line("Goes on", 512, size=8.3)]) == {1, 2}
    assert notes(body(100, 400), note, [line("Goes on", 512, size=8.5)]) == {1}


def test_text_below_a_marked_line_in_its_column_makes_it_no_footnote() -> None:
    marked = [line("1 A note", 300, size=8)]
    assert notes(marked, body(320, 500)) == set()
    assert notes(marked, body(320, 500, x0=250)) == {0}
    assert notes(marked, [line("Short words", 320)]) == {0}


def test_end_of_the_last_pages_note_is_a_footnote() -> None:
    tail, note = [line("End of a note", 486, size=8)], [line("2 A note", 500, size=8)]
    assert notes(body(100, 400), tail, note) == {1, 2}
    assert notes(body(100, 400), [line("End of a note", 480, size=8)], note) == {2}
    assert notes(body(100, 400), [line("End of a note", 486, size=8.3)], note) == {2}
    assert notes(body(100, 400), [line("End of a note", 486, 40, size=8)], note) == {2}
    assert notes(body(100, 400), [line("", 486, size=8)], note) == {2}


def test_size_of_text_is_that_of_long_groups_on_a_page_full_of_notes() -> None:
    look = replace(LOOK, body=8.0)
    groups = [body(100, 240, size=10), [line("1 A note", 500, size=8)]]
    assert find_footnotes(groups, look, {}) == {1}
    assert find_footnotes([groups[0][:3], groups[1]], look, {}) == set()
    assert find_footnotes([body(100, 300, size=12.5), groups[1]], look, {}) == set()
