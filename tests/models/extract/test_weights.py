"""Bold type by the faces of a family, and the languages of listings."""

import pytest

from quire.models.extract.formats.pdf.text.weights import mark_weights, strokes_text
from quire.models.extract.layout.text.code_language import guess_language

BOLD = 16


def bold_fonts(*spans: tuple[str, int], flags: int = 16) -> set[str]:
    """The fonts that are marked, of spans with so many letters."""
    stated = [{"font": font, "text": "x" * count, "char_flags": flags, "flags": 0} for font, count in spans]
    mark_weights([{"type": 0, "lines": [{"spans": stated}]}])
    return {str(span["font"]) for span in stated if int(str(span["flags"])) & BOLD}


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("Graphik-Regular", "Graphik-Medium"),
        ("GillSans-Light", "GillSans"),
        ("Avenir-Book", "Avenir-Medium"),
        ("Avenir-Light", "Avenir-Roman"),
        ("FranklinGothic-Book", "FranklinGothic-MedCnd"),
        ("NimbusRomNo9L-Regu", "NimbusRomNo9L-Medi"),
        ("Roboto-Regular", "Roboto-Medium"),
        ("AktivGrotesk-Light", "AktivGrotesk-Regular"),
        ("Gotham-Book", "Gotham-Ultra"),
        ("A030-Reg", "A030-Bol"),
        ("TradeGothicLTStd", "TradeGothicLTStd-Bd2"),
        ("SourceSansPro-Light-Identity-H", "SourceSansPro-Regular-Identity-H"),
    ],
)
def test_heavier_face_of_a_family_is_bold(text: str, head: str) -> None:
    assert bold_fonts((text, 900), (head, 60)) == {head}
    assert head not in bold_fonts((text, 60), (head, 900)) or head.endswith(("Ultra", "Bol", "Bd2"))


@pytest.mark.parametrize("font", ["OpenSymbol", "SymbolMT", "Wingdings-Regular", "Helvetica", "Times-Roman", "CMR10"])
def test_a_face_alone_is_not_bold(font: str) -> None:
    assert bold_fonts(("Carlito", 900), (font, 3)) == set()


def test_text_filled_and_stroked_is_bold_unless_most_of_the_page_is() -> None:
    assert bold_fonts(("Helvetica", 5), flags=48) == set()
    assert strokes_text(b"BT 2 Tr (a) Tj ET")
    assert not strokes_text(b"0 Tr 12 Tf 7 Tr")


LISTINGS = {
    "python": ["import os\nfor name in os.listdir('.'):\n    print(name)", "def add(a, b):\n    return a + b",
               "class Boat(Ship):\n    pass", "self.files = sorted([x for x in self.all_files])",
               "from pathlib import Path\nwith open(p) as f:\n    text = f.read()"],
    "cpp": ["#include <iostream>\nint main() {\n  std::cout << 1;\n}", "template <typename T>\nT add(const T& a);",
            "namespace boats { std::vector<int> sizes; }"],
    "java": ["public class Boat {\n  private int size;\n}", "System.out.println(a.size());",
             "import java.util.List;"],
    "javascript": ["const a = () => { return 1 }", "function add(a, b) { console.log(a === b) }"],
    "json": ['{"a": 1, "b": [2]}', '[{"name": "x"}]'],
    "sql": ["SELECT name\nFROM boats\nWHERE size > 3", "CREATE TABLE boats (size int);"],
    "bash": ["$ pip install quire", "sudo apt-get update", "#!/bin/bash\nexport A=1"],
    "go": ["package main\n\nfunc main() {\n\tfmt.Println(1)\n}"],
    "rust": ["fn main() {\n    let mut a = 1;\n    println!(\"{}\", a);\n}"],
    "html": ["<!DOCTYPE html>\n<html><body><p>Hi</p></body></html>", '<div class="a">x</div>'],
    "xml": ['<?xml version="1.0"?>\n<a:b xmlns:a="urn:a">1</a:b>'],
}  # fmt: skip


@pytest.mark.parametrize(("language", "text"), [(name, text) for name, texts in LISTINGS.items() for text in texts])
def test_language_of_a_listing(language: str, text: str) -> None:
    assert guess_language(text) == language


@pytest.mark.parametrize("text", ["total = 0", "a b c", "", "x", "error: file not found", "10 20 30\n40 50 60"])
def test_listing_without_a_clear_language_has_none(text: str) -> None:
    assert guess_language(text) is None
