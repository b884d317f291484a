"""What belongs together and what does not: quotations, captions, items set apart from their marks, listings."""

import pytest

from models.cdom.tree import BlockType
from models.extract.layout.lines.marks import Line
from models.extract.layout.lines.pieces import merge_pieces
from models.extract.layout.text.captions import is_caption
from models.extract.layout.text.furniture import find_furniture
from models.extract.layout.text.kinds import PageLook, find_kind
from models.extract.layout.text.listings import join_code, join_listings
from models.extract.layout.text.paragraphs import group_paragraphs

FULL = "A line of running text that fills all of the width of it"
LOOK = PageLook(10.0, 0.0, 420.0, 600.0, chars=2000)


def line(text: str, base: float, x0: float = 50.0, **look: object) -> Line:
    return Line(x0, base - 7.5, x0 + 5.0 * len(text), base + 2.2, base, 10.0, text, **look)  # type: ignore[arg-type]


def grouped(*lines: Line) -> list[list[str]]:
    return [[one.text for one in group] for group in group_paragraphs(list(lines), 10.0)]


def test_text_left_of_a_quotation_that_is_set_in_begins_anew() -> None:
    quoted = [
        line("so that people want to pitch in at work.", 100, 70),
        line("That is what it does. (page 90).", 112, 70),
    ]
    after = line("Hence, in the world of today, offices decide on it", 124)
    assert grouped(*quoted, after) == [[one.text for one in quoted], [after.text]]


def test_lines_of_centred_text_stay_together() -> None:
    lines = [line("The first line is here.", 100, 80), line("The second line is longer.", 112, 72)]
    assert len(grouped(*lines)) == 1


def test_the_words_below_a_captions_label_are_the_captions() -> None:
    label, words = line("TABLE 6", 100), line("Mean body weights of all that were seen", 112, bold=True)
    (group,) = group_paragraphs([label, words], 10.0)
    assert find_kind(group, LOOK) is BlockType.CAPTION


@pytest.mark.parametrize(
    "text", ["Tables show what was found in all of them", "Figures are given below", "Tables A-1 and A-2"]
)
def test_a_sentence_about_tables_is_no_caption(text: str) -> None:
    assert not is_caption(text)


@pytest.mark.parametrize("text", ["Table A-1. Response rates", "Figure 3 Growth", "TABLE IV: Costs", "Exhibit B Costs"])
def test_names_with_numbers_are_captions(text: str) -> None:
    assert is_caption(text)


@pytest.mark.parametrize("number", ["A-5", "B.12", "BEHAVIORAL ECONOMICS PRACTICUM XXV"])
def test_page_numbers_of_appendices_and_front_matter_are_furniture(number: str) -> None:
    body = [line(FULL, 100 + 12 * at) for at in range(20)]
    assert find_furniture([body, [line(number, 585, 330)]], LOOK) == {1: BlockType.PAGE_FOOTER}


@pytest.mark.parametrize("mark", ["\uf06e", "•", "3.", "(a)"])
def test_a_mark_set_far_before_its_item_is_one_line_with_it(mark: str) -> None:
    (item,) = merge_pieces([line(mark, 100), line("Recall period of all", 100, 50 + 5 * len(mark) + 28)])
    assert item.text == f"{mark} Recall period of all"


def test_a_number_without_a_stop_stays_apart_from_what_stands_far_beside_it() -> None:
    assert len(merge_pieces([line("3", 100), line("Recall period", 100, 85)])) == 2


@pytest.mark.parametrize("mark", ["\u2b9a", "\uf06e", "❑"])
def test_bullets_of_fonts_of_signs_begin_items(mark: str) -> None:
    assert find_kind([line(f"{mark} Initial task order award", 100)], LOOK) is BlockType.LIST_ITEM


def test_code_that_a_blank_line_parts_is_one_listing_with_its_blank_line() -> None:
    code = [line("def f():", 100, code=True), line("pass", 112, 70, code=True)]
    more = [line("f()", 136, code=True)]
    kinds, groups = join_listings([BlockType.CODE, BlockType.CODE], [code, more])
    assert kinds == [BlockType.CODE]
    assert join_code(groups[0]) == "def f():\n    pass\n\nf()"


def test_code_with_text_between_or_far_below_stays_two_listings() -> None:
    code, text = [line("a = 1", 100, code=True)], [line("Then:", 112)]
    kinds = [BlockType.CODE, BlockType.PARAGRAPH, BlockType.CODE]
    assert len(join_listings(kinds, [code, text, [line("b = 2", 124, code=True)]])[0]) == 3
    assert len(join_listings([BlockType.CODE] * 2, [code, [line("b = 2", 160, code=True)]])[0]) == 2
