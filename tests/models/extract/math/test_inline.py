"""Formulas inside a line: which stretches of the text become LaTeX, and which stay words."""

import pytest

from quire.models.extract.math.glyphs import MathGlyph
from quire.models.extract.math.inline import TextGlyph, find_inline_formulas

SIZE, BASE = 10.0, 100.0


def find(text: str) -> list[tuple[str, str]]:
    """Formulas in a line where `*x*` is set in a font of mathematics, `_i` lowered and small, `^2` raised and small."""
    glyphs: list[TextGlyph] = []
    plain, is_math, script = "", False, ""
    for char in text:
        if char == "*":
            is_math = not is_math
            continue
        if char in "_^":
            script = char
            continue
        if char != " ":
            size, base = (7.0, BASE + (2 if script == "_" else -4)) if script else (SIZE, BASE)
            x = 6.0 * len(plain)
            font = "cmmi10" if is_math else "cmr10"
            glyph = MathGlyph(char, x, base - 0.7 * size, x + 5, base, base, size, font)
            glyphs.append(TextGlyph(len(plain), glyph, is_math))
        plain, script = plain + char, ""
    return [(plain[one.start : one.end], one.latex) for one in find_inline_formulas(glyphs, [], SIZE, BASE)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("we set *n* = 32, and *s* = 48.", [("n = 32", "n=32"), ("s = 48", "s=48")]),
        ("where *x*_i *∈* *R* is given", [("xi ∈ R", "x_{i}\\in R")]),
        ("the energy *mc*^2 of it", [("mc2", "mc^{2}")]),
        ("a *k*-means cluster (of *α*) here", [("k", "k"), ("α", "\\alpha")]),
        ("see Average (*a*, *b*), then", [("(a, b)", "(a,b)")]),
        ("in 1995 *x* was 3 times", [("x", "x")]),
        ("the value sin *x* + 1 grows", [("sin x + 1", "\\sin x+1")]),
    ],
)
def test_letters_of_mathematics_take_their_figures_signs_and_scripts_along(
    line: str, expected: list[tuple[str, str]]
) -> None:
    assert find(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "no mathematics, only 3 + 4 = 7 and a (b) here",
        "5 *µ*m of rain",
        "*whole words in such a font*",
        "*→* and *≤* alone",
        "a script that *χ*2 lost",
        "an unclosed (*",
    ],
)
def test_words_units_and_lone_signs_stay_text(line: str) -> None:
    assert find(line) == []


def test_brackets_of_the_sentence_are_not_part_of_a_formula() -> None:
    assert find("it holds (since *x* > 0) that") == [("x > 0", "x>0")]
    assert find("it holds (*x* > 0 always) that") == [("x > 0", "x>0")]


def test_a_line_of_nothing_but_letters_of_mathematics_is_bounded() -> None:
    assert find("*" + "x + " * 200 + "y*") == []
