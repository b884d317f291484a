"""Cheap facts that spare dear steps: they may only say no where the step would find nothing."""

import random
import re
from typing import Any

import pymupdf
import pytest

from quire.models.extract.formats.pdf.structure.contents import may_paint
from quire.models.extract.formats.pdf.visibility.copies import take_copies
from quire.models.extract.text_quality.statistics import _is_code, find_codes

_PAINTING = ("f", "F", "f*", "B", "B*", "b", "b*", "S", "s", "sh", "Do", "Tj", "TJ", "'", '"', "EI")
_SILENT = ("q", "Q", "n", "W", "W*", "re", "m", "l", "h", "cm", "gs", "BT", "ET", "Tf", "Td", "rg", "BDC", "EMC", "BI")


@pytest.mark.parametrize("seed", range(20))
def test_may_paint_is_true_for_every_painting_operator(seed: int) -> None:
    chance = random.Random(seed)
    for operator in _PAINTING:
        words = [chance.choice(_SILENT) for _ in range(chance.randrange(6))]
        place = chance.randrange(len(words) + 1)
        before, after = chance.choice((" ", "\n", "]", ")", ">")), chance.choice((" ", "\n", "[", "/", "("))
        contents = " ".join(words[:place]) + before + operator + after + " ".join(words[place:])
        assert may_paint(_page_of(contents)), contents
        assert not may_paint(_page_of(" ".join(words))), words


def test_may_paint_is_true_for_a_blank_page_with_an_annotation() -> None:
    page = _page_of("")
    page.add_rect_annot((10, 10, 50, 50))
    assert may_paint(page)


@pytest.mark.parametrize("seed", range(20))
def test_take_copies_finds_one_copy_among_many_spans(seed: int) -> None:
    chance = random.Random(seed)
    spans = [_span(f"text {number}", 20.0 + 300 * (number % 2), 20.0 + 14 * number, 10.0) for number in range(40)]
    copied = chance.choice(spans)
    x, y = copied["origin"]
    spans.append(_span(copied["text"], x + chance.uniform(-1.5, 1.5), y + chance.uniform(-1.5, 1.5), 10.0))
    blocks = [{"type": 0, "lines": [{"spans": [span], "bbox": span["bbox"]}]} for span in spans]
    assert [span["text"] for span in take_copies(blocks)[0]] == [copied["text"]]
    assert take_copies(blocks) == ([], True)


@pytest.mark.parametrize("seed", range(20))
def test_find_codes_equals_a_check_of_every_word(seed: int) -> None:
    chance = random.Random(seed)
    signs = "abcXYZéß19._/-:@ \n\u00a0"
    text = "".join(chance.choice(signs) for _ in range(400)) + " Form AB-12 www.x.org plain Words NASA"
    expected = [(word.start(), word.end() + 1) for word in re.finditer(r"\S+", text) if _is_code(word[0])]
    assert find_codes(text) == expected


def _page_of(contents: str) -> pymupdf.Page:
    document = pymupdf.open()
    page = document.new_page()
    number = document.get_new_xref()
    document.update_object(number, "<<>>")
    document.update_stream(number, contents.encode() or b" ")
    page.set_contents(number)
    return page


def _span(text: str, x: float, y: float, size: float) -> dict[str, Any]:
    return {"text": text, "origin": (x, y), "size": size, "bbox": (x, y - size, x + 5 * len(text), y + 0.2 * size)}
