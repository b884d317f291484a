"""Masks in a text and in cells: masked ranges, their labels, and the new places of neighbouring ranges."""

from dataclasses import replace

import pytest

from quire.models.cdom.tree import Block, FlagSpan, Span
from quire.models.pii.redact import WHOLE, active_spans, mask_spans, redact_tree
from tests.models.pii.trees import flagged_tree, grid, paragraph

EMAIL, PHONE = "pii:email", "pii:phone"
TEXT = "ask Ann or Bob, now"


def spans(*places: tuple[int, int], flag: str = EMAIL) -> list[FlagSpan]:
    return [FlagSpan(flag=flag, start=start, end=end) for start, end in places]


def redacted(block: Block) -> Block:
    return redact_tree(flagged_tree(block), {}).blocks[0]


@pytest.mark.parametrize(
    ("flagged", "text", "moved"),
    [
        ([], TEXT, []),
        (spans((4, 7)), "ask [REDACTED:email] or Bob, now", [(4, 7, 16)]),
        (spans((11, 14), (4, 7)), "ask [REDACTED:email] or [REDACTED:email], now", [(4, 7, 16), (11, 14, 16)]),
        (spans((4, 7), (6, 14)), "ask [REDACTED:email], now", [(4, 14, 16)]),
        (spans((4, 14), (5, 7)), "ask [REDACTED:email], now", [(4, 14, 16)]),
        (spans((4, 7), (7, 14)), "ask [REDACTED:email][REDACTED:email], now", [(4, 7, 16), (7, 14, 16)]),
        (spans((4, 7), flag=PHONE) + spans((4, 14)), "ask [REDACTED:email], now", [(4, 14, 16)]),
        (spans((0, 19)), "[REDACTED:email]", [(0, 19, 16)]),
    ],
)
def test_stretches_that_overlap_are_one_mask(
    flagged: list[FlagSpan], text: str, moved: list[tuple[int, int, int]]
) -> None:
    assert mask_spans(TEXT, flagged) == (text, moved)


@pytest.mark.parametrize(
    ("style", "shown"),
    [
        ((0, 3), "ask"),
        ((0, 4), "ask "),
        ((8, 10), "or"),
        ((15, 19), " now"),
        ((4, 7), "[REDACTED:email]"),
        ((0, 19), "ask [REDACTED:email] or [REDACTED:email], now"),
        ((0, 5), "ask [REDACTED:email]"),
        ((5, 10), " or"),
        ((7, 11), " or "),
        ((5, 6), None),
        ((12, 19), ", now"),
    ],
)
def test_style_stays_with_the_unmasked_part_of_its_words(style: tuple[int, int], shown: str | None) -> None:
    block = paragraph(0, TEXT, spans=(Span(start=style[0], end=style[1], bold=True),), flags=(EMAIL,))
    block = redacted(replace(block, flag_spans=tuple(spans((4, 7), (11, 14)))))
    assert [block.text[span.start : span.end] for span in block.spans] == ([] if shown is None else [shown])


def test_flagged_cells_are_masked_and_others_stay() -> None:
    block = replace(grid(0, ["one", "two"], ["Ann", "Bob"]), flags=(EMAIL,))
    flag = FlagSpan(flag=EMAIL, start=0, end=2, cell=3)
    other = FlagSpan(flag="low-confidence", start=0, end=1, cell=2)
    hidden = redacted(replace(block, flag_spans=(flag, other, replace(other, cell=3))))
    assert hidden.table is not None
    assert [cell.text for cell in hidden.table.cells] == ["one", "two", "Ann", "[REDACTED:email]b"]
    assert hidden.flag_spans == (other,)


def test_a_flag_without_spans_masks_the_text_and_every_cell() -> None:
    block = replace(grid(0, ["one", "two"]), text="said", flags=(EMAIL,))
    assert [(span.start, span.end, span.cell) for span in active_spans(block, {})] == [
        (0, 4, None),
        (0, 3, 0),
        (0, 3, 1),
    ]
    assert active_spans(block, {("b0", EMAIL, WHOLE): "rejected"}) == []
    assert active_spans(replace(block, flags=("low-confidence",)), {}) == []


def test_block_without_an_active_flag_is_unchanged() -> None:
    block = paragraph(0, TEXT, spans=(Span(start=0, end=3, bold=True),), flags=("low-confidence",))
    marked = replace(block, flag_spans=(FlagSpan(flag="low-confidence", start=0, end=3),))
    assert redacted(marked) == replace(marked, provenance=redacted(marked).provenance)
