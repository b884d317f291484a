"""Values by place: distinct places, the reach of a decision, and marks on a page."""

import hashlib
import json
from dataclasses import replace

import pytest

from quire.models.cdom.table import Table, TablePart
from quire.models.cdom.tree import Block, BlockId, BlockType, FlagSpan, Route, Source, Tree
from quire.models.pii.marks import mark_flags, place_flags
from quire.models.pii.paint import mark_values, view_page
from quire.models.pii.places import _content, decide_blocks, find_places, find_spans
from quire.models.pii.redact import WHOLE
from tests.models.pii.trees import flagged_tree, grid, paragraph

EMAIL, PHONE = "pii:email", "pii:phone"
TWO = "ann@example.com, bob@example.com"


def flagged(number: int, text: str, *spans: tuple[int, int], flag: str = EMAIL, page: int = 1) -> Block:
    block = paragraph(number, text, flags=(flag,))
    return replace(block, page=page, flag_spans=tuple(FlagSpan(flag=flag, start=a, end=b) for a, b in spans))


def scanned(*blocks: Block, route: Route = Route.FAST) -> Tree:
    made = flagged_tree(*blocks)
    return replace(made, pages=tuple(replace(made.pages[0], number=number, route=route) for number in (1, 2)))


def places(*blocks: Block) -> list[str]:
    return [one.place for one in find_places(scanned(*blocks))]


def test_each_value_is_a_place_and_equal_blocks_are_distinguished() -> None:
    both = flagged(0, TWO, (0, 15), (17, 32))
    assert len(set(places(both, replace(both, id=paragraph(7, "").id)))) == 4
    assert places(both) == places(replace(both, id=paragraph(7, "").id, bbox=None))
    assert set(places(both)).isdisjoint(places(replace(both, page=2)))
    assert set(places(both)).isdisjoint(places(flagged(0, TWO + ".", (0, 15), (17, 32))))
    assert set(places(both)).isdisjoint(places(flagged(0, TWO, (0, 15), (17, 32), flag=PHONE)))


def test_a_flag_without_spans_is_one_place_of_its_block() -> None:
    found = scanned(flagged(0, "all of it"), paragraph(1, "nothing", flags=("low-confidence",)))
    (place,) = find_places(found)
    assert (place.block_id, place.flag, place.page, place.order) == ("b0", EMAIL, 1, 0)
    assert find_spans(found) == {("b0", EMAIL, place.place): ()}


def test_the_span_of_each_place_is_found_again() -> None:
    found = scanned(flagged(0, TWO, (0, 15), (17, 32)))
    spans = find_spans(found)
    assert [spans["b0", EMAIL, one.place][0].start for one in find_places(found)] == [0, 17]


def test_same_value_has_the_same_name_in_any_spelling_and_place() -> None:
    block = replace(grid(2, ["Phone", "+44 20 7946 0958"]), flags=(PHONE,))
    cell = replace(block, flag_spans=(FlagSpan(flag=PHONE, start=0, end=16, cell=1),))
    one, other, third, fourth = find_places(
        scanned(
            flagged(0, "call +44 20 7946 0958", (5, 21), flag=PHONE),
            flagged(1, "+44-20-7946-0958", (0, 16), flag=PHONE),
            cell,
            flagged(3, "+44-20-7946-0958", (0, 16)),
        )
    )
    assert one.value == other.value == third.value
    assert fourth.value != one.value


def test_a_cell_on_a_later_page_is_a_place_of_that_page() -> None:
    parts = (TablePart(page=1, rows=1), TablePart(page=2, rows=1))
    block = grid(0, ["Phone"], ["5550100"])
    table = replace(block.table or Table(rows=0, cols=0, cells=()), parts=parts)
    spans = (FlagSpan(flag=PHONE, start=0, end=7, cell=1),)
    (place,) = find_places(scanned(replace(block, table=table, flags=(PHONE,), flag_spans=spans)))
    assert place.page == 2


def test_decision_about_value_goes_before_one_about_all_of_its_block() -> None:
    found = scanned(flagged(0, TWO, (0, 15), (17, 32)), flagged(1, "whole"))
    first, second, whole = find_places(found)
    (together,) = places(flagged(0, TWO, (0, 15)))  # a place of one value has the name that all had together
    assert decide_blocks(found, {}) == {}
    assert decide_blocks(found, {(first.place, PHONE): "rejected"}) == {}
    assert together == first.place
    assert decide_blocks(found, {(first.place, EMAIL): "rejected"}) == {("b0", EMAIL, 0): "rejected"}
    assert decide_blocks(found, {(second.place, EMAIL): "approved"}) == {("b0", EMAIL, 1): "approved"}
    assert decide_blocks(found, {(whole.place, EMAIL): "approved"}) == {("b1", EMAIL, WHOLE): "approved"}


def test_block_decision_applies_to_values_without_a_newer_decision() -> None:
    two = flagged(0, TWO, (0, 15), (17, 32))
    found = scanned(two)
    spans = [[span.start, span.end, span.cell] for span in two.flag_spans]
    together = hashlib.sha256(json.dumps([_content(two), 1, EMAIL, spans]).encode()).hexdigest()
    first, second = find_places(found)
    both = {("b0", EMAIL, 0): "rejected", ("b0", EMAIL, 1): "rejected"}
    assert decide_blocks(found, {(together, EMAIL): "rejected"}) == both
    assert decide_blocks(found, {(together, EMAIL): "rejected", (second.place, EMAIL): "approved"}) == both | {
        ("b0", EMAIL, 1): "approved"
    }
    assert first.place != together


PDF_PAGE = scanned(flagged(0, TWO, (0, 15), (17, 32)))


def test_values_of_a_page_with_glyphs_are_looked_up_in_them() -> None:
    (mark,) = mark_values(PDF_PAGE, {}, 1).values()
    assert (mark.text, mark.spans) == (TWO, ((0, 15), (17, 32)))
    assert mark_values(PDF_PAGE, {("b0", EMAIL, 0): "rejected"}, 1)[BlockId("b0"), None].spans == ((17, 32),)
    first, second = mark_flags(PDF_PAGE, 1)
    assert first.mark is not None
    assert (first.mark.spans, first.within) == (((0, 15),), PDF_PAGE.blocks[0].bbox)
    assert second.mark is not None
    assert second.mark.spans == ((17, 32),)


def test_glyph_lookup_is_decided_per_page() -> None:
    first, second = PDF_PAGE.pages
    pages = (replace(first, route=Route.OCR), second)
    blocks = (*PDF_PAGE.blocks, flagged(1, TWO, (0, 15), page=2))
    mixed = replace(PDF_PAGE, pages=pages, blocks=blocks)
    assert (len(mark_values(mixed, {}, 1)), len(mark_values(mixed, {}, 2))) == (0, 1)
    assert [one.mark is None for one in mark_flags(mixed, 1)] == [True, True]
    assert [one.mark is None for one in mark_flags(mixed, 2)] == [False]


@pytest.mark.parametrize(
    "other",
    [
        scanned(*PDF_PAGE.blocks, route=Route.OCR),
        replace(PDF_PAGE, source=Source(format="png", sha256="0" * 64, bytes=1)),
        replace(PDF_PAGE, blocks=(replace(PDF_PAGE.blocks[0], bbox=None),)),
        replace(PDF_PAGE, blocks=(replace(PDF_PAGE.blocks[0], page=2),)),
        replace(PDF_PAGE, pages=()),
        scanned(paragraph(0, TWO)),
    ],
)
def test_values_without_glyphs_or_place_are_not_looked_up(other: Tree) -> None:
    assert mark_values(other, {}, 1) == {}
    assert all(one.mark is None for one in mark_flags(other, 1))


def test_picture_and_hidden_text_have_no_glyphs_to_look_up() -> None:
    block = PDF_PAGE.blocks[0]
    for unseen in (replace(block, type=BlockType.PICTURE), replace(block, flags=(*block.flags, "hidden-text"))):
        assert mark_values(replace(PDF_PAGE, blocks=(unseen,)), {}, 1) == {}
    assert mark_values(replace(PDF_PAGE, blocks=(grid(0, ["ann@example.com"]),)), {}, 1) == {}


def test_only_cells_of_a_table_are_marked_and_painted() -> None:
    block = replace(grid(0, ["Phone", "5550100"]), flags=(PHONE,))
    table = block.table or Table(rows=0, cols=0, cells=())
    cells = tuple(replace(cell, bbox=(50.0 * cell.col, 0.0, 50.0 * cell.col + 40, 9.0)) for cell in table.cells)
    spans = (FlagSpan(flag=PHONE, start=0, end=7, cell=1),)
    found = scanned(replace(block, table=replace(table, cells=cells), flag_spans=spans))
    (one,) = mark_flags(found, 1)
    assert one.within == (50.0, 0.0, 90.0, 9.0)
    assert one.mark is not None
    assert (one.mark.text, one.mark.spans) == ("5550100", ((0, 7),))
    view = view_page(found, {}, 1)
    assert (view.hidden, view.blank) == ((one.within,), False)
    (mark,) = mark_values(found, {}, 1).items()
    assert mark == ((block.id, 1), one.mark)
    digits = (52.0, 1.0, 70.0, 8.0)
    assert view_page(found, {}, 1, {(block.id, 1): (digits,)}).hidden == (digits,)
    assert mark_values(found, {}, 2) == {}
    assert view_page(found, {("b0", PHONE, 0): "rejected"}, 1).hidden == ()
    whole = replace(found, blocks=(replace(found.blocks[0], flag_spans=()),))
    assert view_page(whole, {}, 1).hidden == (block.bbox,)


def test_value_without_a_known_place_blanks_its_page_only() -> None:
    found = scanned(replace(flagged(0, TWO, (0, 15)), bbox=None), flagged(1, "elsewhere", page=2))
    assert view_page(found, {}, 1).blank
    assert view_page(found, {("b0", EMAIL, 0): "rejected"}, 1).shown == ()
    assert not view_page(found, {}, 2).blank
    assert view_page(found, {}, 2).hidden == (found.blocks[1].bbox,)


def test_exact_boxes_replace_hiding_the_whole_block() -> None:
    box = (12.0, 2.0, 60.0, 14.0)
    assert view_page(PDF_PAGE, {}, 1, {(PDF_PAGE.blocks[0].id, None): (box,)}).hidden == (box,)
    assert view_page(PDF_PAGE, {}, 1, {(PDF_PAGE.blocks[0].id, None): ()}).hidden == (PDF_PAGE.blocks[0].bbox,)
    assert view_page(PDF_PAGE, {}, 1).shown == (PDF_PAGE.blocks[0].bbox,)


def test_boxes_that_were_found_go_to_the_marks_they_were_found_for() -> None:
    unmarked = mark_flags(scanned(flagged(0, "whole")), 1)
    marked = mark_flags(PDF_PAGE, 1)
    box, other = (0.0, 0.0, 1.0, 1.0), (2.0, 2.0, 3.0, 3.0)
    given = list(place_flags([marked[0], *unmarked, marked[1]], [[box], [other]]))
    assert [boxes for _, boxes in given] == [[box], [], [other]]
    assert [boxes for _, boxes in place_flags(marked, [[box]])] == [[box], []]


PERSON, ADDRESS = "pii:person", "pii:address"
ONE_VALUE = (
    (PERSON, "Hans Jürgen Habermann", "Habermann"), (PERSON, "Hans Jürgen Habermann", "Hans Jürgen"),
    (PERSON, "ACME_miller", "ACME_jones"), (ADDRESS, "Uferweg 40-42 - D-63571 Gelnhausen", "Uferweg 40-42"),
    (ADDRESS, "Uferweg 40-42, D-63571 Gelnhausen", "Uferweg 40-42 - D-63571 Gelnhausen"),
    (ADDRESS, "12 High Street, Leeds LS1 4AB", "Leeds LS1 4AB"), (PERSON, "Ann O'Neill", "O'NEILL"),
)  # fmt: skip
TWO_VALUES = (
    (PERSON, "Anna Smith", "Ann"), (PERSON, "Anna Smith", "Smith Jones"), (ADDRESS, "12 High Street", "1 High Street"),
    (EMAIL, "ann@example.com", "ann"), (PERSON, "ACME_miller", "OTHER_miller"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("flag", "whole", "part", "values"), [(*row, 1) for row in ONE_VALUE] + [(*row, 2) for row in TWO_VALUES]
)
def test_part_of_a_name_or_address_has_the_value_of_the_whole(flag: str, whole: str, part: str, values: int) -> None:
    blocks = [flagged(number, text, (0, len(text)), flag=flag) for number, text in enumerate((whole, part))]
    assert len({place.value for place in find_places(scanned(*blocks))}) == values


def test_part_of_two_names_is_a_value_of_its_own() -> None:
    texts = ("Anna Smith", "John Smith", "Smith")
    blocks = [flagged(number, text, (0, len(text)), flag=PERSON) for number, text in enumerate(texts)]
    assert len({place.value for place in find_places(scanned(*blocks))}) == len(texts)
