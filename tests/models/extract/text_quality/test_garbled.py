"""A text layer that differs from the page is distinguished from an unusual one that matches."""

import random
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from quire.models.cdom.flags import GARBLED_TEXT
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.ports import RecognisedPage, Word
from quire.models.cdom.tree import Route
from quire.models.extract.contract import PageContent, PageRead
from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.pipeline.ocr_regions import leave_areas
from quire.models.extract.pipeline.recognised import apply_recognition
from quire.models.extract.registry import open_document
from quire.models.extract.text_quality.garbled import find_garbled
from quire.models.extract.text_quality.statistics import _is_code, find_codes
from tests.models.extract.text_quality.scrambling import PROSE, latin_signs, make_page, moved, private, shuffled

SCRAMBLED = [shuffled(1), shuffled(2), moved(1), moved(3), moved(5), private, latin_signs(4)]
RUSSIAN = "Каждую весну измеряют канаты, проверяют тормоза под нагрузкой и записывают результаты. " * 4
COMMANDS = "$ git clone https://github.com/libgit2/libgit2\n$ sudo dnf install dh-autoreconf curl-devel\n" * 3
HEADING = "Ropes and brakes of the cranes on the north quay, and the list of the people who may work with each of them"
CIPHER = "".join(chr((ord(char) - 84) % 26 + 97) if char.islower() else char for char in PROSE)
"""Prose in a cipher that moves each small letter on by 13."""


def read(data: bytes, options: ReadOptions | None = None) -> PageRead:
    document = open_document(data, options or ReadOptions())
    try:
        return document.read_page(1)
    finally:
        document.close()


def recognise(content: PageContent, *lines: tuple[str, tuple[float, float, float, float]]) -> PageContent:
    words = tuple(Word(text=text, bbox=box, confidence=0.9, line=number) for number, (text, box) in enumerate(lines))
    page = RecognisedPage(number=1, words=words, engine="eyes", model="m", version="1")
    return apply_recognition(content, page)


@pytest.mark.parametrize("scramble", SCRAMBLED)
def test_page_in_garbled_font_goes_to_recogniser(scramble: Callable[[int], str]) -> None:
    found = read(make_page(PROSE, scramble))
    assert (found.content.route, found.content.reason) == (Route.OCR, "garbage-text")
    assert found.pixels is not None


@pytest.mark.parametrize("text", [PROSE, COMMANDS, "A 1\nB 2\nC 3", "17,201 18,340 99.4 12.7 " * 20])
def test_unusual_but_sound_text_layer_is_kept(text: str) -> None:
    assert read(make_page(text, None)).content.reason == "text-layer"


def test_a_page_in_another_script_is_sound() -> None:
    assert not find_garbled([Line(0, 0, 100, 10, 8, 10, RUSSIAN)]).lines
    table: dict[str, str | int | None] = {
        char: chr(ord("а") + (ord(char) - ord("а")) * 7 % 32) for char in "абвгдежзийклмнопрстуфхцчшщъыьэюя"
    }
    garbled = RUSSIAN.translate(str.maketrans(table))
    assert find_garbled([Line(0, 0, 100, 10, 8, 10, garbled)]).share == 1


def test_only_the_garbled_font_of_a_page_is_read_again() -> None:
    found = read(make_page(HEADING, shuffled(3), other=PROSE))
    assert (found.content.route, found.content.reason) == (Route.MIXED, "garbled-font")
    assert len(found.content.areas) == 1
    box = found.content.areas[0].bbox
    made = recognise(found.content, (HEADING, box))
    assert made.route is Route.MIXED
    assert [block.text for block in made.blocks if block.recognised] == [HEADING]
    assert any(block.text.startswith("The harbour office") and not block.recognised for block in made.blocks)
    assert made.coverage is not None
    counts = made.coverage.characters
    assert counts.painted == counts.placed + sum(counts.excluded.values()) + counts.lost
    assert counts.excluded["replaced"] == len(HEADING.replace(" ", ""))
    assert counts.lost == 0


def test_a_layer_that_the_recogniser_confirms_is_kept() -> None:
    content = read(make_page(CIPHER, None)).content
    assert content.route is Route.OCR
    layer = [(block.text, block.bbox or (0.0, 0.0, 1.0, 1.0)) for block in content.blocks]
    kept = recognise(content, *layer)
    assert (kept.route, kept.reason) == (Route.FAST, "text-layer-confirmed")
    assert kept.blocks == content.blocks


def test_unread_garbled_text_is_flagged() -> None:
    never = read(make_page(PROSE, shuffled(1)), ReadOptions(ocr=OcrMode.NEVER)).content
    assert never.reason == "garbage-text, ocr off"
    assert all(GARBLED_TEXT in block.flags and block.confidence < 0.5 for block in never.blocks)
    mixed = read(make_page(HEADING, shuffled(3), other=PROSE)).content
    left = leave_areas(mixed)
    assert [GARBLED_TEXT in block.flags for block in left.blocks].count(True) == 1
    assert left.warnings == ("areas-not-read",)


@pytest.mark.parametrize("font", ["KaTeX_Math-Italic", "cmmi10"])
def test_letters_of_formulas_make_no_words_and_are_not_garbled(font: str) -> None:
    signs = ["e", "iπ", "f(x) dx =", "a", "b", "a + b", "F(b) −F(a)", "∇⋅E =", "mc", "x² + y²", "∇× B = μ J", "kT ln"]
    prose = [Line(0, 20 * at, 300, 20 * at + 10, 20 * at + 8, 10, PROSE, font="tahoma") for at in range(3)]
    formulas = [Line(0, 300 + 20 * at, 90, 310, 308, 10, text, font=font) for at, text in enumerate(signs * 3)]
    assert not find_garbled([*prose, *formulas]).lines
    words = [replace(line, font="Ropefont", text=f"{line.text} {n}") for n, line in enumerate(formulas)]
    assert find_garbled([*prose, *words]).lines


@pytest.mark.parametrize(
    "code",
    [
        "LCFN-{}", "QX/WZK-{}B", "SN:WQHTZ{}", "ГЩТ-{}ЪФ", "(JQZX-{}),", "(XQL# {})", "http://www.xqzwk.org/{}",
        "xqz.wkf.Jvq{}", "xqz_wkf_{}", "zxqWkfJvqPxz{}", "WKFX.JVQZPX{}", "iVBORw0KGgoAAAANSUhEUgAAADkAAABL{}",
    ],
)  # fmt: skip
def test_a_font_of_codes_says_nothing_of_a_language(code: str) -> None:
    prose = [Line(0, 20 * at, 300, 20 * at + 10, 20 * at + 8, 10, PROSE, font="tahoma") for at in range(3)]
    codes = [
        Line(0, 300 + 20 * at, 90, 310 + 20 * at, 308 + 20 * at, 10, code.format(140001 + at), font="tahoma-bold")
        for at in range(40)
    ]
    assert not find_garbled([*prose, *codes]).lines
    assert not find_garbled(codes).lines


def _lines_in(font: str, texts: list[str], top: float = 300.0, *, code: bool = False) -> list[Line]:
    return [
        Line(0, top + 20 * n, 90, top + 20 * n + 10, top + 20 * n + 8, 10, text, font=font, code=code)
        for n, text in enumerate(texts)
    ]


def test_font_of_few_labels_is_judged_with_its_family() -> None:
    prose = _lines_in("ABCDEF+Tahoma", [PROSE] * 2, 0.0)
    labels = ["GLN: 4000001123452", "zzgl. Umsatzsteuer", "Kfz-Hpf. Zzgl."]
    assert not find_garbled([*prose, *_lines_in("GHIJKL+Tahoma-Italic", labels)]).lines
    assert not find_garbled([*prose, *_lines_in("Italic", labels)]).lines


def test_a_label_that_is_repeated_is_judged_once() -> None:
    labels = _lines_in("Ropefont", ["zzgl. Umsatzsteuer von Kfz-Hpf."] * 20)
    assert not find_garbled([*_lines_in("Tahoma", [PROSE] * 2, 0.0), *labels]).lines


def test_commands_among_prose_are_not_garbled() -> None:
    commands = [
        "$ sudo mkdir .ssh && chmod 700",
        "$ cd && ls -xzf grx",
        "$ pwd; wq!; fg; bg; tmux ls",
        "$ git rm -rf qx",
    ]
    prose = _lines_in("Tahoma", [PROSE] * 2, 0.0)
    assert find_garbled([*prose, *_lines_in("Ropefont", commands)]).lines
    assert not find_garbled([*prose, *_lines_in("Ropefont", commands, code=True)]).lines


def test_a_page_of_garbled_typewriter_text_is_garbled() -> None:
    mixed_up = "".join(shuffled(2)(ord(char)) if char.isascii() else char for char in PROSE)
    assert find_garbled(_lines_in("Courier", [mixed_up], code=True)).lines


@pytest.mark.parametrize("seed", range(30))
def test_plain_words_are_skipped_without_a_change(seed: int) -> None:
    chance = random.Random(seed)
    parts = ("www.", "a", "Ab", "ABC", "://", "_", ".", ",", ")", "1", "é", "Éa", "ß", "I", " ", "\n", "x.y", "aB", "-")
    texts = ["".join(chance.choices(parts, k=chance.randint(1, 12))) for _ in range(500)]
    for text in texts:
        words = re.finditer(r"\S+", text)
        assert find_codes(text) == [(word.start(), word.end() + 1) for word in words if _is_code(word[0])]
