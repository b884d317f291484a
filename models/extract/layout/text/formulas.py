"""Displayed formulas as one block, and formulas inside running text as runs of their lines, with LaTeX."""

import re
from dataclasses import dataclass, replace
from typing import Final
from unicodedata import normalize

from quire.models.cdom.geometry import Bbox
from quire.models.extract.layout.lines.marks import Line, PageMarks, Run
from quire.models.extract.math.glyphs import FractionBar, MathGlyph, sets_only_math
from quire.models.extract.math.inline import InlineFormula, TextGlyph, find_inline_formulas

MATH = re.compile(r"[=∑∫√≤≥±×÷∂∇∞∈∉⊂∪∩→←⇒≈≠∝∀∃⋅·αβγδεθλμπρσφωΔΣΩ]")
_MATH_FONTS = re.compile(r"math|cmmi|cmsy|cmex|stix|symbol|msam|msbm|mtmi|mtsy", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{4,}")
_NAMES = frozenset({"sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "lim", "argmax", "argmin", "softmax", "diag"})


@dataclass(frozen=True, slots=True)
class FormulaLimits:
    """Sizes of displayed formulas, and the area around a line in which the glyphs of its formulas lie."""

    most_chars: int = 120
    """Maximum characters of a group of lines that can be one formula; a longer group is a sentence with signs."""
    above: float = 0.55
    """Ems above the baseline where origins of glyphs and their scripts lie."""
    below: float = 0.35
    """Ems below the baseline."""
    beside: float = 0.4
    """Ems before the start and after the end of the line."""


_LIMITS: Final = FormulaLimits()


def merge_formulas(groups: list[list[Line]]) -> list[list[Line]]:
    """Join neighbouring pieces of one formula; other groups stay unchanged."""
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
    """Return True for a short group whose words are names of functions only."""
    if not group[0].text or not group[0].upright or sum(len(line.text) for line in group) > _LIMITS.most_chars:
        return False
    return not any(word.lower() not in _NAMES for line in group for word in _WORD.findall(line.text))


def _is_math(group: list[Line]) -> bool:
    return any(MATH.search(line.text) or _MATH_FONTS.search(line.font) for line in group)


def _is_near(a: list[Line], b: list[Line]) -> bool:
    """Return True for boxes at most about half an em apart vertically and one and a half sideways."""
    size = max(a[0].size, b[0].size)
    down = _gap(sorted((min(line.y0 for line in group), max(line.y1 for line in group)) for group in (a, b)))
    across = _gap(sorted((min(line.x0 for line in group), max(line.x1 for line in group)) for group in (a, b)))
    return down < 0.6 * size and across < 1.5 * size


def _gap(extents: list[tuple[float, float]]) -> float:
    """Distance of two stretches, negative when they overlap."""
    return extents[1][0] - extents[0][1]


def mark_inline_formulas(lines: list[Line], marks: PageMarks) -> None:
    """Give the lines of running text a run for each formula in them; pages without fonts of mathematics pay nothing."""
    lines = [
        line for line in lines if line.has_math and line.upright and not (line.hidden or line.recognised or line.code)
    ]
    if not lines:
        return
    bars = [FractionBar(rule.x0, rule.x1, rule.y0) for rule in (*marks.horizontals, *marks.dashes)]
    for line, glyphs in zip(lines, marks.glyphs([_box_of(line) for line in lines]), strict=True):
        placed = _place(line, glyphs)
        if placed:
            near = [bar for bar in bars if line.y0 - line.size < bar.y < line.y1 + line.size]
            for formula in find_inline_formulas(placed, near, line.size, line.base):
                _mark(line, formula)


def _box_of(line: Line) -> Bbox:
    side = _LIMITS.beside * line.size
    return (
        line.x0 - side,
        line.base - _LIMITS.above * line.size,
        line.x1 + side,
        line.base + _LIMITS.below * line.size,
    )


def _place(line: Line, glyphs: list[MathGlyph]) -> list[TextGlyph]:
    """Return each glyph with its offset in the line's text; nothing when their characters differ."""
    printed = [(offset, char) for offset, char in enumerate(line.text) if not char.isspace()]
    seen = [(char, glyph) for glyph in glyphs for char in glyph.char if not _is_blank(char)]
    if [normalize("NFKC", char) for _, char in printed] != [normalize("NFKC", char) for char, _ in seen]:
        return []
    return [
        TextGlyph(offset, glyph, sets_only_math(glyph.font))
        for (offset, _), (_, glyph) in zip(printed, seen, strict=True)
    ]


def _is_blank(char: str) -> bool:
    return char.isspace() or char in "\u200b\u00ad"


def _mark(line: Line, formula: InlineFormula) -> None:
    """Replace the styles of the formula's range by a run with its LaTeX; inside a link it stays text."""
    start, end = formula.start, formula.end
    if any(run.href for run in line.runs if run.start < end and run.end > start):
        return
    runs: list[Run] = []
    for run in line.runs:
        if run.start < start:
            runs.append(replace(run, end=min(run.end, start)))
        if run.end > end:
            runs.append(replace(run, start=max(run.start, end)))
    runs = [run for run in runs if line.text[run.start : run.end].strip()]
    line.runs = sorted([*runs, Run(start, end, latex=formula.latex)], key=lambda run: run.start)
