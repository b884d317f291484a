"""Elements of a formula: printed glyphs and bars, and the items built of them. Points, origin top-left."""

import re
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class MathGlyph:
    """One printed character: `x0 y0 x1 y1` around its ink, `base` the baseline's y, `size` the font's.

    `font` is the font's name in lower case without its subset mark.
    """

    char: str
    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    size: float
    font: str = ""


@dataclass(frozen=True, slots=True)
class FractionBar:
    """A thin horizontal rule: of a fraction, a root, an overline."""

    x0: float
    x1: float
    y: float


class MathRole(StrEnum):
    """Role of an item for its neighbours."""

    PLAIN = "plain"
    LETTER = "letter"
    """An upright letter, which may be part of a name or a word."""
    NAMELESS = "nameless"
    """A letter of a font without a name: upright or not, it may be part of a known name."""
    OPERATOR = "operator"
    """A large operator or a name that takes limits."""
    DELIMITER = "delimiter"
    ACCENT = "accent"
    ROOT = "root"
    ATOM = "atom"
    """A finished part: fraction, root, matrix. It is placed by its middle, from which `base` is computed."""


@dataclass(slots=True)
class MathItem:
    """A glyph or finished part of a formula, with its LaTeX."""

    latex: str
    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    size: float
    role: MathRole = MathRole.PLAIN
    char: str = ""
    font: str = ""

    @property
    def middle_x(self) -> float:
        """Return the horizontal middle."""
        return (self.x0 + self.x1) / 2

    @property
    def middle_y(self) -> float:
        """Return the vertical middle."""
        return (self.y0 + self.y1) / 2


def around(items: list[MathItem]) -> tuple[float, float, float, float]:
    """Return the box around items."""
    return (
        min(item.x0 for item in items),
        min(item.y0 for item in items),
        max(item.x1 for item in items),
        max(item.y1 for item in items),
    )


MATH_FONT = re.compile(
    r"math|katex|cmmi|cmsy|cmex|stix.*ital|symbol|standardsym|msam|msbm|mtmi|mtsy|mtex|eufm|mjx|eurm|rsfs|txmi|pxmi|type3|lmm[is]"
)
"""Matches lower-case names. Fonts without a name (Type 3) may be of mathematics, and STIX's italics print words too."""
_ONLY_MATH = re.compile(
    r"math|katex|cmmi|cmsy|cmex|symbol|standardsym|msam|msbm|mtmi|mtsy|mtex|eufm|mjx|eurm|rsfs|txmi|pxmi|lmm[is]"
)


def sets_only_math(name: str) -> bool:
    """Return True for a font (lower-case name) that is never used for words."""
    return _ONLY_MATH.search(name) is not None
