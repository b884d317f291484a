"""Characters of Unicode for raised and lowered figures, so that text without styles keeps "15²" apart from 152."""

import re
from typing import Final

_RAISED: Final = str.maketrans("0123456789+−=", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼")
_LOWERED: Final = str.maketrans("0123456789+−=", "₀₁₂₃₄₅₆₇₈₉₊₋₌")
_LETTERS: Final = str.maketrans("abcdefghijklmnoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
_LONE_LETTER: Final = re.compile(r"(?<![^\W\d_])[a-pr-z](?![^\W\d_])")
"""A letter of a note or an exponent. Letters of an abbreviation ("1st", "Mme") follow each other."""
_MINUS: Final = re.compile(r"^[-–](?=\d)|(?<=\d)[-–]$")
"""A hyphen as the sign of an exponent or a charge; a hyphen between figures is a range of notes."""


def raise_figures(text: str) -> str:
    """Return raised text with its figures and lone letters as superscript characters; its length stays."""
    text = _MINUS.sub("⁻", text).translate(_RAISED)
    return _LONE_LETTER.sub(lambda letter: letter.group().translate(_LETTERS), text)


def lower_figures(text: str) -> str:
    """Return lowered text with its figures as subscript characters; its length stays."""
    return _MINUS.sub("₋", text).translate(_LOWERED)
