"""Formulas inside a line of text: stretches that are certainly mathematics, and their LaTeX.

Only letters in a font of mathematics start a formula. Figures, signs and scripts around them join it, words never.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.math.glyphs import FractionBar, MathGlyph
from quire.models.extract.math.letters import make_item
from quire.models.extract.math.rows import parse
from quire.models.extract.math.symbols import FUNCTIONS


@dataclass(frozen=True, slots=True)
class InlineFormulaLimits:
    """Limits for glyphs to join a letter of mathematics."""

    script_size: float = 0.85
    """Relative to the line's size: smaller glyphs are scripts."""
    script_rise: float = 0.12
    """Minimum distance of a script from the baseline, in ems."""
    most_glyphs: int = 80
    """Maximum glyphs of one formula inside text; a longer stretch is an unrecognised displayed formula."""


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
    """A printed character at position `index` of its line's text; `is_math`: printed in a font of mathematics."""

    index: int
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
    """Return the formulas in a line of this type size and baseline; `glyphs` are its characters without blanks."""
    formulas: list[InlineFormula] = []
    for stretch in _find_stretches(glyphs, size, base):
        kept = _trim(stretch, glyphs)
        if not kept or len(kept) > LIMITS.most_glyphs or _holds_flat_figure(kept):
            continue
        latex = _write(kept, bars)
        if latex is not None:
            formulas.append(InlineFormula(kept[0].index, kept[-1].index + 1, latex))
    return formulas


def _find_stretches(glyphs: Sequence[TextGlyph], size: float, base: float) -> list[list[TextGlyph]]:
    """Return runs of glyphs that may be mathematics; a word, or a comma or stop before a blank, ends one."""
    out: list[list[TextGlyph]] = [[]]
    depth = 0
    for word in _split_words(glyphs):
        is_name = _text_of(word) in FUNCTIONS
        for character in word:
            if is_name or _is_part(character, size, base):
                out[-1].append(character)
                depth += (character.glyph.char in _OPEN) - (character.glyph.char in _CLOSE)
            else:
                out.append([])
                depth = 0
        if word[-1].glyph.char in ",.:" and depth <= 0:
            out.append([])
            depth = 0
    return [stretch for stretch in out if any(_is_letter(character) for character in stretch)]


def _split_words(glyphs: Sequence[TextGlyph]) -> list[list[TextGlyph]]:
    """Split glyphs at blanks of the text."""
    words: list[list[TextGlyph]] = []
    for character in glyphs:
        if words and character.index == words[-1][-1].index + 1:
            words[-1].append(character)
        else:
            words.append([character])
    return words


def _text_of(word: list[TextGlyph]) -> str:
    return "".join(character.glyph.char for character in word)


def _is_part(character: TextGlyph, size: float, base: float) -> bool:
    glyph = character.glyph
    if character.is_math or glyph.char.isdigit() or glyph.char in _SIGNS:
        return True
    return glyph.size < LIMITS.script_size * size and abs(glyph.base - base) > LIMITS.script_rise * size


def _is_letter(character: TextGlyph) -> bool:
    return character.is_math and _LETTER.match(character.glyph.char) is not None


def _trim(stretch: list[TextGlyph], line: Sequence[TextGlyph]) -> list[TextGlyph]:
    """Return the stretch without parts of the surrounding text: stops, lone brackets and figures, one-sided signs."""
    before = len(stretch) + 1
    while stretch and len(stretch) < before:
        before = len(stretch)
        stretch = _unwrap(_balance(_strip(stretch)))
    if not any(map(_is_letter, stretch)) or _touches_word(stretch, line) or any(map(_is_prose, _split_words(stretch))):
        return []
    return stretch


def _strip(stretch: list[TextGlyph]) -> list[TextGlyph]:
    """Return the stretch without unbound signs at its ends and without unbound words of figures."""
    while stretch and _dangles(stretch[-1], ",.:;-–'*\\^[({"):
        stretch = stretch[:-1]
    while stretch and _dangles(stretch[0], ",.:;–'*\\!)]}/"):
        stretch = stretch[1:]
    words = _split_words(stretch)
    while len(words) > 1 and _is_figure(words[-1]) and words[-2][-1].glyph.char not in _SIGNS:
        words.pop()
    while len(words) > 1 and _is_figure(words[0]) and words[1][0].glyph.char not in _SIGNS:
        words.pop(0)
    return [character for word in words for character in word]


def _dangles(character: TextGlyph, signs: str) -> bool:
    return character.glyph.char in signs or character.glyph.char in _BINDS - {"|", "−", "+", "±", "∣"}


def _is_figure(word: list[TextGlyph]) -> bool:
    """Return True for a word without letters and binding signs of mathematics, except names of functions."""
    return _text_of(word) not in FUNCTIONS and not any(
        _is_letter(character) or character.glyph.char in _BINDS for character in word
    )


def _balance(stretch: list[TextGlyph]) -> list[TextGlyph]:
    """Return the stretch without the part outside an unmatched bracket."""
    open_at: list[int] = []
    for index, character in enumerate(stretch):
        if character.glyph.char in _OPEN:
            open_at.append(index)
        elif character.glyph.char in _CLOSE:
            if not open_at:
                head, tail = stretch[:index], stretch[index + 1 :]
                return head if any(map(_is_letter, head)) else tail
            open_at.pop()
    if open_at:
        head, tail = stretch[: open_at[0]], stretch[open_at[0] + 1 :]
        return head if any(map(_is_letter, head)) else tail
    return stretch


def _is_prose(word: list[TextGlyph]) -> bool:
    """Return True for a word with four consecutive letters on its line, except names of functions."""
    size = max(character.glyph.size for character in word)
    text = "".join(
        character.glyph.char if character.glyph.size > LIMITS.script_size * size else " " for character in word
    )
    return any(match not in FUNCTIONS for match in _WORD.findall(text))


def _unwrap(stretch: list[TextGlyph]) -> list[TextGlyph]:
    """Return the stretch without brackets around all of it, which belong to the sentence, except around lists."""
    if len(stretch) < 3 or stretch[0].glyph.char != "(" or stretch[-1].glyph.char != ")":
        return stretch
    inner = stretch[1:-1]
    return inner if not any(character.glyph.char in "(),;" for character in inner) else stretch


def _holds_flat_figure(stretch: list[TextGlyph]) -> bool:
    """Return True if a figure follows a letter on its line and in its size: it may be an unrecognisable script."""
    return any(
        _is_letter(character)
        and other.glyph.char.isdigit()
        and other.index == character.index + 1
        and abs(character.glyph.base - other.glyph.base) < LIMITS.script_rise * character.glyph.size
        and other.glyph.size > LIMITS.script_size * character.glyph.size
        for character, other in pairwise(stretch)
    )


def _touches_word(stretch: list[TextGlyph], line: Sequence[TextGlyph]) -> bool:
    """Return True if a letter of text adjoins the stretch without a blank, as in a unit with a Greek letter."""
    first, last = stretch[0].index, stretch[-1].index
    beside = [character for character in line if character.index in (first - 1, last + 1)]
    return any(character.glyph.char.isalnum() for character in beside)


def _write(stretch: list[TextGlyph], bars: list[FractionBar]) -> str | None:
    """Return the LaTeX of the stretch, or None if a glyph has no name or the stretch has several rows."""
    items = [make_item(character.glyph) for character in stretch]
    named = [item for item in items if item is not None]
    if len(named) < len(items):
        return None
    x0, x1 = min(item.x0 for item in named), max(item.x1 for item in named)
    inside = [bar for bar in bars if x0 - 2 <= bar.x0 and bar.x1 <= x1 + 2]
    latex = parse(named, inside)[0].strip()
    return None if not latex or "$" in latex or "√" in latex or _STRUCTURE.search(latex) else latex
