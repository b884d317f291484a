"""Grouping of lines: quotations, captions, items set apart from their marks, listings."""

from dataclasses import replace

import pytest

from quire.models.cdom.tree import BlockType
from quire.models.extract.layout.headings.decide import decide_headings
from quire.models.extract.layout.lines.marks import Line, PageMarks, Run
from quire.models.extract.layout.lines.pieces import merge_pieces
from quire.models.extract.layout.text.captions import is_caption
from quire.models.extract.layout.text.furniture import find_furniture
from quire.models.extract.layout.text.kinds import PageLook, find_kind
from quire.models.extract.layout.text.listings import join_code, join_listings
from quire.models.extract.layout.text.paragraphs import group_paragraphs

FULL = "A line of running text that fills all of the width of it"
LOOK = PageLook(10.0, 0.0, 420.0, 600.0, chars=2000)


def line(text: str, base: float, x0: float = 50.0, **look: object) -> Line:
    return Line(x0, base - 7.5, x0 + 5.0 * len(text), base + 2.2, base, 10.0, text, **look)  # type: ignore[arg-type]


def grouped(*lines: Line) -> list[list[str]]:
    return [[one.text for one in group] for group in group_paragraphs(list(lines), 10.0)]


def test_text_left_of_an_indented_quotation_starts_a_new_block() -> None:
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
def test_a_sentence_about_tables_is_not_a_caption(text: str) -> None:
    assert not is_caption(text)


@pytest.mark.parametrize("text", ["Table A-1. Response rates", "Figure 3 Growth", "TABLE IV: Costs", "Exhibit B Costs"])
def test_names_with_numbers_are_captions(text: str) -> None:
    assert is_caption(text)


@pytest.mark.parametrize("number", ["A-5", "B.12", "BEHAVIORAL ECONOMICS PRACTICUM XXV"])
def test_page_numbers_of_appendices_and_front_matter_are_furniture(number: str) -> None:
    body = [line(FULL, 100 + 12 * at) for at in range(20)]
    assert find_furniture([body, [line(number, 585, 330)]], LOOK, PageMarks(595, 842, [])) == {1: BlockType.PAGE_FOOTER}


@pytest.mark.parametrize("mark", ["\uf06e", "•", "3.", "(a)", "1.2"])
def test_distant_mark_of_an_item_is_part_of_its_line(mark: str) -> None:
    (item,) = merge_pieces([line(mark, 100), line("Recall period of all", 100, 50 + 5 * len(mark) + 28)])
    assert item.text == f"{mark} Recall period of all"


def test_number_without_a_stop_stays_separate_from_distant_text() -> None:
    assert len(merge_pieces([line("3", 100), line("Recall period", 100, 85)])) == 2


@pytest.mark.parametrize("mark", ["\u2b9a", "\uf06e", "❑"])
def test_bullets_of_fonts_of_signs_begin_items(mark: str) -> None:
    assert find_kind([line(f"{mark} Initial task order award", 100)], LOOK) is BlockType.LIST_ITEM


@pytest.mark.parametrize("text", ["✓ ✓ ✓ 176", "* * *", "• • •", "✔ 637", "– 12.5", "- - -", "* ✓ 5.1"])
def test_a_mark_before_marks_or_numbers_begins_no_item(text: str) -> None:
    assert find_kind([line(text, 100)], LOOK) is BlockType.PARAGRAPH


@pytest.mark.parametrize("text", ["✓ Ropes are measured", "* 3 ropes", "• 5", "– Winches", "- (see the log)"])
def test_a_mark_before_words_begins_an_item(text: str) -> None:
    assert find_kind([line(text, 100)], LOOK) is BlockType.LIST_ITEM


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


def test_item_of_statute_continues_at_left_edge() -> None:
    lines = [
        line("(c) Prevent damage to or waste of some", 100, 64),
        line("any natural resource, of property, or the", 112),
        line("Environment of the State; and", 124),
        line("(d) Cooperate and consult with them.", 136, 64),
    ]
    assert grouped(*lines) == [[one.text for one in lines[:3]], [lines[3].text]]


def test_text_left_of_a_finished_item_is_not_part_of_the_item() -> None:
    item, after = (
        line("(c) Prevent damage to or waste of it;", 100, 64),
        line("and so they did for the rest of the time", 112),
    )
    assert len(grouped(item, after)) == 2
    short = line("(c) Prevent damage", 100, 64)
    assert len(grouped(short, after)) == 2
    assert len(grouped(item, replace(after, text="And so they did for the rest of the time"))) == 2


def test_indented_paragraph_below_an_item_starts_a_new_block() -> None:
    item = [
        line("(c) Prevent damage to or waste of some", 100, 64),
        line("natural resources of any kind of State", 112),
    ]
    assert len(grouped(*item, line("This section holds for all of them", 124, 64))) == 2


def test_second_line_of_bold_heading_may_be_set_in() -> None:
    head = [
        line("APPENDIX A: THE PARTS OF ALL THE CARDS AND OF THEIR USE", 100, bold=True),
        line("COMPARISON", 113, 70, bold=True),
    ]
    for one in head:
        one.runs = [Run(0, len(one.text), bold=True)]
    assert grouped(*head, line(FULL, 140)) == [[one.text for one in head], [FULL]]


def stretched(*words: tuple[str, float]) -> list[Line]:
    return [line(text, 100, x0, font="serif", bold=True) for text, x0 in words]


def test_a_line_stretched_over_its_column_is_one() -> None:
    words = stretched(("LIGAND", 50), ("PREDICTION", 105), ("OF", 180))
    below = line("ACTIVITY", 112, font="serif", bold=True)
    assert [one.text for one in merge_pieces([*words, below])] == ["LIGAND PREDICTION OF", "ACTIVITY"]


@pytest.mark.parametrize(
    ("words", "below"),
    [
        ((("LIGAND", 50), ("PREDICTION", 105), ("OF", 190)), 50),
        ((("LIGAND", 50), ("PREDICTION", 105), ("OF", 180)), 80),
        ((("LIGAND", 50), ("PREDICTION", 105)), 50),
    ],
)
def test_words_with_other_gaps_or_nothing_below_them_stay_apart(
    words: tuple[tuple[str, float], ...], below: float
) -> None:
    lines = [*stretched(*words), line("ACTIVITY", 112, below, font="serif", bold=True)]
    assert len(merge_pieces(lines)) == len(lines)


@pytest.mark.parametrize("rule", [BlockType.HEADING, BlockType.LIST_ITEM])
def test_large_item_with_round_bullet_is_not_heading(rule: BlockType) -> None:
    item = Line(50, 60, 250, 80, 76, 20.0, "• Verification", bold=True)
    text = [line(FULL, 100 + 12 * at) for at in range(20)]
    marks = PageMarks(width=420, height=600, lines=[item, *text])
    kinds, _ = decide_headings([rule, BlockType.PARAGRAPH], [[item], text], marks, LOOK)
    assert kinds[0] is BlockType.LIST_ITEM


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize(("step", "is_one"), [(15.2, True), (16.8, True), (19.0, False)])
def test_lowered_text_that_pushes_the_next_line_parts_no_paragraph(place: int, step: float, is_one: bool) -> None:
    base, lines = 100.0, []
    for number in range(5):
        lowered = number in (place, place + 1)
        lines.append(line(FULL, base, runs=[Run(5, 6, subscript=True)] if lowered else []))
        base += step if lowered else 12.0
    assert (len(grouped(*lines)) == 1) is is_one


def test_raised_text_pushes_its_own_line() -> None:
    raised = line(FULL, 127.2, runs=[Run(5, 6, superscript=True)])
    assert len(grouped(line(FULL, 100), line(FULL, 112), raised)) == 1
    assert len(grouped(line(FULL, 100), line(FULL, 112), line(FULL, 127.2))) == 2
