"""Characters are compared without what two texts have in common; the count is that of the whole texts."""

import random
from collections import Counter

import pytest

from quire.models.cdom.tree import BlockType
from quire.models.extract.coverage.stated.counted import account_flow
from quire.models.extract.coverage.stated.rich_text import state_rtf
from quire.models.extract.coverage.stated.text import NOT_SHOWN, StatedText, part_common, part_signs, visible_characters
from quire.models.extract.formats.flow.blocks import FlowBlock

LETTERS = "abcä–“中🍣 \u200b\xa0\n"


def made(seed: int) -> str:
    chance = random.Random(seed)
    return "".join(chance.choice(LETTERS) for _ in range(chance.randrange(40)))


def block(text: str, *flags: str) -> FlowBlock:
    return FlowBlock(BlockType.PARAGRAPH, text, flags=flags)


@pytest.mark.parametrize("seed", range(40))
def test_common_start_and_end_of_two_texts_are_left_out_of_both(seed: int) -> None:
    inner, before, after = made(seed), made(seed + 100), made(seed + 200)
    one, other = part_common(before + inner + after, before + after)
    assert Counter(one) - Counter(other) == Counter(inner)
    assert Counter(other) - Counter(one) == Counter()


@pytest.mark.parametrize("seed", range(40))
def test_pages_state_all_text_of_a_file_in_any_order(seed: int) -> None:
    texts = [made(seed + step) for step in range(0, 900, 300)]
    stated = StatedText(text=list(reversed(texts)))
    pages = account_flow(stated, [[block(text)] for text in texts], first=1)
    assert [page.characters.placed for page in pages] == [len(visible_characters(text)) for text in texts]
    assert not any(page.characters.lost for page in pages)


def test_signs_that_the_file_does_not_state_are_not_counted_as_placed() -> None:
    pages = account_flow(StatedText(text=["abc", "de"]), [[block("abc")], [block("1. de")]], first=1)
    assert [page.characters.placed for page in pages] == [3, 2]


def test_missing_text_is_lost_and_permitted_omissions_have_their_reason() -> None:
    stated = StatedText(text=["ropes and sails"])
    stated.allow(NOT_SHOWN, "prompt")
    (page,) = account_flow(stated, [[block("ropes")]], first=1)
    assert (page.characters.lost, dict(page.characters.excluded)) == (8, {NOT_SHOWN: 6})


def test_letters_and_signs_of_any_script_are_separated() -> None:
    assert part_signs('naïve, "中文" 12_3 – x') == ("naïve中文123x", ',""_–')


def test_words_of_rich_text_that_say_nothing_are_passed_at_once() -> None:
    said = rb"\pard\b0\fs24 Ropes{\b\i  and}\par\u228?\'e4{\*\x y}{\v no}"
    stated = state_rtf(rb"{\rtf1\ansi\uc1{\fonttbl{\f0 Arial;}}" + said + b"}")
    assert "".join(stated.text).split() == ["Ropes", "and"]
    assert ("".join(stated.formed), stated.other) == ("ää", {"invisible": ["no"]})
