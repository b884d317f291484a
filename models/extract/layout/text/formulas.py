"""Displayed formulas: their pieces, which stand above and beside each other, gathered to one."""

import re

from models.extract.layout.lines.marks import Line

MATH = re.compile(r"[=∑∫√≤≥±×÷∂∇∞∈∉⊂∪∩→←⇒≈≠∝∀∃⋅·αβγδεθλμπρσφωΔΣΩ]")
_MATH_FONTS = re.compile(r"math|cmmi|cmsy|cmex|stix|symbol|msam|msbm|mtmi|mtsy", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{4,}")
_NAMES = frozenset({"sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "lim", "argmax", "argmin", "softmax", "diag"})
_MOST_CHARS = 120
"""Characters of a group of lines that can be one formula; a longer one is a sentence with signs."""


def merge_formulas(groups: list[list[Line]]) -> list[list[Line]]:
    """Groups with neighbouring pieces of one formula joined; all others as they are."""
    out: list[list[Line]] = []
    for group in groups:
        last = out[-1] if out else None
        if last is not None and _are_one(last, group):
            out[-1] = last + group
        else:
            out.append(group)
    return out


def _are_one(a: list[Line], b: list[Line]) -> bool:
    return _is_piece(b) and _is_piece(a) and _is_near(a, b) and (_is_math(a) or _is_math(b))


def _is_piece(group: list[Line]) -> bool:
    """Short, and without a word that is no function's name."""
    if not group[0].text or not group[0].upright or sum(len(line.text) for line in group) > _MOST_CHARS:
        return False
    return not any(word.lower() not in _NAMES for line in group for word in _WORD.findall(line.text))


def _is_math(group: list[Line]) -> bool:
    return any(MATH.search(line.text) or _MATH_FONTS.search(line.font) for line in group)


def _is_near(a: list[Line], b: list[Line]) -> bool:
    """True for boxes an em apart at most, up and down, and one and a half sideways."""
    size = max(a[0].size, b[0].size)
    down = _gap(sorted((min(line.y0 for line in group), max(line.y1 for line in group)) for group in (a, b)))
    across = _gap(sorted((min(line.x0 for line in group), max(line.x1 for line in group)) for group in (a, b)))
    return down < 0.6 * size and across < 1.5 * size


def _gap(extents: list[tuple[float, float]]) -> float:
    """Distance of two stretches, negative when they overlap."""
    return extents[1][0] - extents[0][1]
