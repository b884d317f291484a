"""Signs of symbol fonts in PDFs become what they show: bullets, check marks, arrows; none is lost or garbled."""

from collections.abc import Callable, Sequence

import pymupdf
import pytest

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageContent
from quire.models.extract.registry import open_document
from quire.models.extract.text_quality.symbol_fonts import shown_symbol, symbol_font
from tests.models.extract.text_quality.scrambling import map_font

WORDS = ("Check the brakes of the crane", "Oil the ropes in spring", "Write down what was found")


def page_with(
    codes: Sequence[str], font: str, map_code: Callable[[int], str | None], words: tuple[str, ...] = WORDS
) -> bytes:
    """Lines of words behind signs whose font says `map_code(code)` of each of them."""
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    for at, (code, line) in enumerate(zip(codes, words, strict=True)):
        page.insert_text((40, 60 + 16 * at), code, fontsize=11, fontname="cour")
        page.insert_text((58, 60 + 16 * at), line, fontsize=11, fontname="helv")
    map_font(document, page, "Courier", map_code, named=font)
    return bytes(document.tobytes())


def read(data: bytes) -> PageContent:
    document = open_document(data, ReadOptions())
    try:
        return document.read_page(1).content
    finally:
        document.close()


HIGH = {"|": 0xFC, "7": 0xB7, "~": 0xD2, "^": 0xDE}


def to_private(code: int) -> str:
    return chr(0xF000 + HIGH.get(chr(code), code))


def said(content: PageContent) -> str:
    return "".join("".join(block.text.split()) for block in content.blocks)


@pytest.mark.parametrize(
    ("font", "codes", "shown"),
    [("Wingdings-Regular", "nl|", "■●✓"), ("ABCDEF+SymbolMT", "7~^", "•®⇒"), ("Wingdings2", "PRQ", "✓☑☒")],
)
def test_private_use_signs_become_the_displayed_characters_of_their_font(font: str, codes: str, shown: str) -> None:
    content = read(page_with(codes, font, to_private))
    assert said(content) == "".join(sign + words.replace(" ", "") for sign, words in zip(shown, WORDS, strict=True))
    assert content.coverage is not None
    counts = content.coverage.characters
    assert (counts.painted, counts.placed, counts.lost) == (len(said(content)), len(said(content)), 0)
    assert content.reason == "text-layer"


def test_letters_in_a_font_of_pictures_are_the_pictures() -> None:
    content = read(page_with("nlq", "Wingdings-Regular", chr))
    assert [(block.type, block.text[0]) for block in content.blocks] == [
        (BlockType.LIST_ITEM, sign) for sign in "■●❑"
    ]  # fmt: skip


@pytest.mark.parametrize("signs", ["z", "z" * 20])
def test_unknown_signs_stay_and_are_not_garbled(signs: str) -> None:
    content = read(page_with([signs] * 3, "Wingdings-Regular", to_private))
    assert content.reason == "text-layer"
    assert said(content).count("\uf07a") == 3 * len(signs)
    assert content.coverage is not None
    assert content.coverage.characters.lost == 0


def test_symbol_fonts_are_known_by_the_names_that_files_give_them() -> None:
    names = ("Symbol", "SymbolMT", "ABCDEF+Wingdings-Regular", "Wingdings2", "Wingdings,Bold", "Webdings")
    assert [symbol_font(name) for name in names] == [
        "symbol", "symbol", "wingdings", "wingdings 2", "wingdings", "webdings",
    ]  # fmt: skip
    assert symbol_font("SymbolNeu") is symbol_font("Arial") is None
    assert shown_symbol("Symbol", ord("a")) == ord("a")
    assert shown_symbol("Arial", 0xF0B7) == 0xF0B7
