"""Joined texts of a tree: seams and their reach, and the mapping back to fields."""

import pytest

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.pii.flagging.joined import REACH, Field, JoinedPiece, fields_of, join_columns, join_loose, join_seams
from tests.models.pii.trees import grid, paragraph, table


def fields(*texts: str) -> list[Field]:
    return [Field(number, None, text) for number, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("left", "right", "seam"),
    [
        ("write to ann.reed@exam", "ple.org today", "write to ann.reed@example.org today"),
        ("key AKIA12", "34", "key AKIA1234"),
        ("sk-", "abc1", "skabc1"),
        ("soft\u00ad", "x9", "softx9"),
        ("KEYABC", "DEFKEY", "KEYABCDEFKEY"),
        ("by the way", "goes on", ""),
        ("the way (", "goes on", ""),
        ("the way,", "“goes” on", ""),
        ("Rope", "ROPE", ""),
        ("ROPE", "Rope", ""),
        ("ends here 7 ", "8", ""),
        ("ends here 7", "   ", ""),
    ],
)
def test_a_seam_is_looked_at_where_a_word_could_continue(left: str, right: str, seam: str) -> None:
    assert join_seams(fields(left, right)).text == (seam and seam + "\n")


def test_a_word_between_two_seams_joins_them() -> None:
    seams = join_seams(fields("4111", "1111", "1111 1111")).text
    assert seams == "41111111\n411111111111 1111\n11111111 1111\n"


@pytest.mark.parametrize("between", ["1111 is", " 1111", "1111 ", "1" * (REACH + 1)])
def test_text_other_than_a_short_word_does_not_join_two_seams(between: str) -> None:
    seams = join_seams(fields("4111", between, "2222"))
    assert not [line for line in seams.text.splitlines() if "4111" in line and "2222" in line]


def test_longest_word_joins_two_seams_unless_text_cannot_continue() -> None:
    long = "1" * REACH
    assert join_seams(fields("4111", long, "2222")).text == f"4111{long}\n4111{long}2222\n{long}2222\n"
    assert join_seams(fields("4111", "Rope", "ladder")).text == "4111Rope\n"


def test_no_more_of_a_text_than_its_reach_is_looked_at() -> None:
    left, right = "a" * 40 + "1" * REACH, "2" * REACH + "b" * 40
    seams = join_seams(fields(left, right))
    assert seams.text == "1" * REACH + "2" * REACH + "\n"
    assert [(part.start, part.end) for part in seams.parts] == [(40, 40 + REACH), (0, REACH)]
    hyphen = join_seams(fields(left + "-", right))
    assert [(part.start, part.end) for part in hyphen.parts] == [(40, 40 + REACH), (0, REACH)]


def test_range_of_the_join_maps_to_parts_of_fields() -> None:
    one, two, three = fields("abc", "de", "fgh")
    joined = join_loose([one, two, three])
    assert (joined.text, joined.starts) == ("abc\nde\nfgh\n", (0, 4, 7))
    assert list(joined.pieces(0, 3)) == [JoinedPiece(one, 0, 3)]
    assert list(joined.pieces(1, 2)) == [JoinedPiece(one, 1, 2)]
    assert list(joined.pieces(2, 8)) == [JoinedPiece(one, 2, 3), JoinedPiece(two, 0, 2), JoinedPiece(three, 0, 1)]
    assert list(joined.pieces(4, 7)) == [JoinedPiece(two, 0, 2)]
    assert list(joined.pieces(3, 4)) == []
    assert list(join_loose([]).pieces(0, 0)) == []


def test_places_within_a_seam_are_those_of_the_texts() -> None:
    one, two, three = fields("9" * REACH + " see 4111-", "1111 now 5", "6 then")
    joined = join_seams([one, two, three])
    assert joined.text == "9" * (REACH - 9) + " see 41111111 now 5\n" + "1111 now 56 then\n"
    assert joined.starts == (0, REACH, REACH + 11, REACH + 21)
    assert list(joined.pieces(REACH - 4, REACH + 4)) == [JoinedPiece(one, REACH + 5, REACH + 9), JoinedPiece(two, 0, 4)]
    assert list(joined.pieces(REACH + 20, REACH + 22)) == [JoinedPiece(two, 9, 10), JoinedPiece(three, 0, 1)]
    assert list(joined.pieces(REACH + 16, REACH + 19)) == [JoinedPiece(two, 5, 8)]
    assert list(joined.pieces(REACH + 23, REACH + 27)) == [JoinedPiece(three, 2, 6)]


def test_fields_are_texts_then_cells_and_hidden_text_comes_last() -> None:
    blocks = (
        paragraph(0, "first"),
        paragraph(1, "hidden", flags=(HIDDEN_TEXT,)),
        table(2, "one", "", "two"),
        paragraph(3, ""),
        paragraph(4, "last"),
    )
    assert [(field.block, field.cell, field.text) for field in fields_of(blocks)] == [
        (0, None, "first"),
        (2, 0, "one"),
        (2, 2, "two"),
        (4, None, "last"),
        (1, None, "hidden"),
    ]


def test_cell_is_looked_at_behind_heading_of_its_column() -> None:
    columns = join_columns((paragraph(0, "no table"), grid(1, ["Name", "Phone"], ["Ann", "5550100"], ["Ben", ""])))
    assert columns.text == "Phone\n5550100\n"
    assert [(part.field.block, part.field.cell) for part in columns.parts] == [(1, 1), (1, 3)]


@pytest.mark.parametrize(
    ("heading", "says_so"), [("PHONE", True), ("phone".ljust(60), True), ("phone".ljust(61), False), ("", False)]
)
def test_a_heading_that_names_values_is_short(heading: str, says_so: bool) -> None:
    assert bool(join_columns((grid(0, [heading], ["5550100"]),)).text) is says_so
