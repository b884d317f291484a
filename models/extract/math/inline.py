"""Formulas inside a line of text: which stretches of it are mathematics beyond doubt, and their LaTeX.

Only letters set in a font of mathematics begin one; figures, signs and scripts around them go along, words never.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from models.extract.math.glyphs import FractionBar, MathGlyph
from models.extract.math.letters import make_item
from models.extract.math.symbols import FUNCTIONS
from models.extract.math.write import parse


@dataclass(frozen=True, slots=True)
class InlineFormulaLimits:
    """What goes along with a letter of mathematics."""

    script_size: float = 0.85
    """Of the line's size: smaller glyphs are scripts."""
    script_rise: float = 0.12
    """In ems: so far off the baseline stands a script."""
    most_glyphs: int = 80
    """Glyphs of one formula inside text; a longer stretch is a display that was not told apart."""


LIMITS = InlineFormulaLimits()
_SIGNS = frozenset("=<>≤≥≠≈≡≅≃∼∝≪≫∈∉⊂⊆⊃⊇→←↔⇒⇐⇔↦∀∃∧∨+-−–±∓×÷·⋅∗*/∘⊕⊗∩∪∖|∣∥′'!^:⟨⟩()[]{},.…⋯\\")
_BINDS = frozenset("=<>≤≥≠≈≡≅≃∼∝≪≫∈∉⊂⊆⊃⊇→←↔⇒⇐⇔↦∧∨+−±∓×÷·⋅∗/∘⊕⊗∩∪∖|∣")
"""Signs that need something on both sides."""
_OPEN, _CLOSE = "([{⟨", ")]}⟩"
_LETTER = re.compile(r"[A-Za-zα-ωΑ-Ωϑϕϵϱϖ\U0001d400-\U0001d7ffℂℕℝℤℚℎℓ]")
_WORD = re.compile(r"[A-Za-z]{4,}")
_STRUCTURE = re.compile(r"\\\\|\\begin")


@dataclass(frozen=True, slots=True)
class TextGlyph:
    """A printed character at `at` in its line's text; `is_math`: set in a font of mathematics."""

    at: int
    glyph: MathGlyph
    is_math: bool


@dataclass(frozen=True, slots=True)
class InlineFormula:
    """A stretch of a line's text and its LaTeX."""

    start: int
    end: int
    latex: str


def find_inline_formulas(
    glyphs: Sequence[TextGlyph], bars: list[FractionBar], size: float, base: float
) -> list[InlineFormula]:
    """The formulas in a line of type of that size on that baseline; `glyphs` are its characters but for blanks."""
    found: list[InlineFormula] = []
    for stretch in _find_stretches(glyphs, size, base):
        kept = _trim(stretch, glyphs)
        if not kept or len(kept) > LIMITS.most_glyphs or _holds_flat_figure(kept):
            continue
        latex = _write(kept, bars)
        if latex is not None:
            found.append(InlineFormula(kept[0].at, kept[-1].at + 1, latex))
    return found


def _find_stretches(glyphs: Sequence[TextGlyph], size: float, base: float) -> list[list[TextGlyph]]:
    """Runs of glyphs that may be mathematics; a word, and a comma or stop before a blank, end one."""
    out: list[list[TextGlyph]] = [[]]
    depth = 0
    for word in _split_words(glyphs):
        is_name = _text_of(word) in FUNCTIONS
        for one in word:
            if is_name or _is_part(one, size, base):
                out[-1].append(one)
                depth += (one.glyph.char in _OPEN) - (one.glyph.char in _CLOSE)
            else:
                out.append([])
                depth = 0
        if word[-1].glyph.char in ",.:" and depth <= 0:
            out.append([])
            depth = 0
    return [stretch for stretch in out if any(_is_letter(one) for one in stretch)]


def _split_words(glyphs: Sequence[TextGlyph]) -> list[list[TextGlyph]]:
    """Glyphs between blanks of the text."""
    words: list[list[TextGlyph]] = []
    for one in glyphs:
        if words and one.at == words[-1][-1].at + 1:
            words[-1].append(one)
        else:
            words.append([one])
    return words


def _text_of(word: list[TextGlyph]) -> str:
    return "".join(one.glyph.char for one in word)


def _is_part(one: TextGlyph, size: float, base: float) -> bool:
    glyph = one.glyph
    if one.is_math or glyph.char.isdigit() or glyph.char in _SIGNS:
        return True
    return glyph.size < LIMITS.script_size * size and abs(glyph.base - base) > LIMITS.script_rise * size


def _is_letter(one: TextGlyph) -> bool:
    return one.is_math and _LETTER.match(one.glyph.char) is not None


def _trim(stretch: list[TextGlyph], line: Sequence[TextGlyph]) -> list[TextGlyph]:
    """The stretch without what belongs to the text around it: stops, lone brackets and figures, signs of one side."""
    before = len(stretch) + 1
    while stretch and len(stretch) < before:
        before = len(stretch)
        stretch = _unwrap(_balance(_strip(stretch)))
    if not any(map(_is_letter, stretch)) or _touches_word(stretch, line) or any(map(_is_prose, _split_words(stretch))):
        return []
    return stretch


def _strip(stretch: list[TextGlyph]) -> list[TextGlyph]:
    """Without signs at its ends that bind nothing, and without words of figures that no sign binds."""
    while stretch and _dangles(stretch[-1], ",.:;-–'*\\^[({"):
        stretch = stretch[:-1]
    while stretch and _dangles(stretch[0], ",.:;–'*\\!)]}/"):
        stretch = stretch[1:]
    words = _split_words(stretch)
    while len(words) > 1 and _is_figure(words[-1]) and words[-2][-1].glyph.char not in _SIGNS:
        words.pop()
    while len(words) > 1 and _is_figure(words[0]) and words[1][0].glyph.char not in _SIGNS:
        words.pop(0)
    return [one for word in words for one in word]


def _dangles(one: TextGlyph, signs: str) -> bool:
    return one.glyph.char in signs or one.glyph.char in _BINDS - {"|", "−", "+", "±", "∣"}


def _is_figure(word: list[TextGlyph]) -> bool:
    """True for a word without a letter or sign of mathematics that binds, and no function's name."""
    return _text_of(word) not in FUNCTIONS and not any(_is_letter(one) or one.glyph.char in _BINDS for one in word)


def _balance(stretch: list[TextGlyph]) -> list[TextGlyph]:
    """Without what lies outside a bracket whose other one is not in the stretch."""
    open_at: list[int] = []
    for at, one in enumerate(stretch):
        if one.glyph.char in _OPEN:
            open_at.append(at)
        elif one.glyph.char in _CLOSE:
            if not open_at:
                head, tail = stretch[:at], stretch[at + 1 :]
                return head if any(map(_is_letter, head)) else tail
            open_at.pop()
    if open_at:
        head, tail = stretch[: open_at[0]], stretch[open_at[0] + 1 :]
        return head if any(map(_is_letter, head)) else tail
    return stretch


def _is_prose(word: list[TextGlyph]) -> bool:
    """True for a word that holds four letters in a row on its line, and is no function's name."""
    size = max(one.glyph.size for one in word)
    text = "".join(one.glyph.char if one.glyph.size > LIMITS.script_size * size else " " for one in word)
    return any(found not in FUNCTIONS for found in _WORD.findall(text))


def _unwrap(stretch: list[TextGlyph]) -> list[TextGlyph]:
    """Without brackets around all of it, which are the sentence's, unless they hold several things."""
    if len(stretch) < 3 or stretch[0].glyph.char != "(" or stretch[-1].glyph.char != ")":
        return stretch
    inner = stretch[1:-1]
    return inner if not any(one.glyph.char in "(),;" for one in inner) else stretch


def _holds_flat_figure(stretch: list[TextGlyph]) -> bool:
    """True for a figure right after a letter, on its line and in its size: a script that nobody can tell."""
    return any(
        _is_letter(one)
        and other.glyph.char.isdigit()
        and other.at == one.at + 1
        and abs(one.glyph.base - other.glyph.base) < LIMITS.script_rise * one.glyph.size
        and other.glyph.size > LIMITS.script_size * one.glyph.size
        for one, other in pairwise(stretch)
    )


def _touches_word(stretch: list[TextGlyph], line: Sequence[TextGlyph]) -> bool:
    """True where a letter of text follows or precedes without a blank, as in the unit of a Greek letter."""
    first, last = stretch[0].at, stretch[-1].at
    beside = [one for one in line if one.at in (first - 1, last + 1)]
    return any(one.glyph.char.isalnum() for one in beside)


def _write(stretch: list[TextGlyph], bars: list[FractionBar]) -> str | None:
    """LaTeX of the stretch, null where a glyph has no name or it stands on several rows."""
    items = [make_item(one.glyph) for one in stretch]
    named = [item for item in items if item is not None]
    if len(named) < len(items):
        return None
    x0, x1 = min(item.x0 for item in named), max(item.x1 for item in named)
    inside = [bar for bar in bars if x0 - 2 <= bar.x0 and bar.x1 <= x1 + 2]
    latex = parse(named, inside)[0].strip()
    return None if not latex or "$" in latex or "√" in latex or _STRUCTURE.search(latex) else latex
