"""Convert glyphs and bars of one displayed formula to LaTeX, or None where the result would be a guess.

The structure comes from geometry alone: bars make fractions and roots, size and height make scripts and limits (the
classical approach of Anderson 1967 and Zanibbi et al. 2002, with the exact boxes of a text layer).
"""

import re

from quire.models.extract.math.bars import take_bars
from quire.models.extract.math.glyphs import FractionBar, MathGlyph, MathItem
from quire.models.extract.math.letters import make_item
from quire.models.extract.math.limits import join_integrals, join_negations, take_accents, take_limits, take_names
from quire.models.extract.math.rows import split_rows, take_brackets, write_row

_NUMBER = re.compile(r"\((?:[A-Z]\.?)?\d+(?:[.\-–]\d+)*[a-z]?\)")
_NUMBER_GAP = 0.9
"""Minimum distance (in ems) of an equation's number from it."""
_MOST_GLYPHS = 600
"""Glyphs of one formula: rows and scripts are found by comparing them with each other."""
_ROW_END = " \\\\ "


def write_latex(glyphs: list[MathGlyph], bars: list[FractionBar]) -> str | None:
    """Return the LaTeX of a formula without delimiters: several rows as `aligned`, its number as a tag.

    None if uncertain.
    """
    seen = [
        glyph for glyph in glyphs if not glyph.char.isspace() and glyph.char not in "\u200b\u2061\u2062\u2063\ufeff"
    ]
    if not seen or len(seen) > _MOST_GLYPHS:
        return None
    numbers, seen = take_numbers(seen)
    items = [make_item(glyph) for glyph in seen]
    if not items or any(item is None for item in items):
        return None
    latex, _ = parse([item for item in items if item is not None], bars)
    if _ROW_END in _outside_environments(latex):
        latex = f"\\begin{{aligned}}{latex}\\end{{aligned}}"
    return latex + (f"\\tag{{{', '.join(numbers)}}}" if numbers else "")


def _outside_environments(latex: str) -> str:
    """Return the LaTeX without matrices and cases, which contain separate rows."""
    return re.sub(r"\\begin\{.*\\end\{\w+\}", "", latex)


def parse(items: list[MathItem], bars: list[FractionBar]) -> tuple[str, float]:
    """Return the LaTeX of items and the baseline of their first row."""
    items = join_integrals(take_bars(join_negations(items), bars, parse))
    items = take_accents(items)
    items = take_names(items)
    items = take_limits(items, parse)
    items = take_brackets(items, parse)
    if not items:
        return "", 0.0
    rows = [write_row(row, parse) for row in split_rows(items)]
    return _ROW_END.join(latex for latex, _ in rows), rows[0][1]


def take_numbers(glyphs: list[MathGlyph]) -> tuple[list[str], list[MathGlyph]]:
    """Return the numbers in brackets at the right end of rows, and the other glyphs."""
    numbers: list[str] = []
    kept = glyphs
    for last in sorted((glyph for glyph in glyphs if glyph.char == ")"), key=lambda glyph: glyph.base):
        row = sorted((glyph for glyph in kept if abs(glyph.base - last.base) < 1), key=lambda glyph: glyph.x0)
        if not row or row[-1] is not last:
            continue
        start = max((index for index, glyph in enumerate(row) if glyph.char == "("), default=-1)
        text = "".join(glyph.char for glyph in row[start:])
        if start < 0 or not _NUMBER.fullmatch(text):
            continue
        others = [glyph for glyph in kept if not any(glyph is part for part in row[start:])]
        beside = [glyph.x1 for glyph in others if glyph.y0 < last.y1 and glyph.y1 > last.y0]
        if others and row[start].x0 - max(beside, default=0.0) > _NUMBER_GAP * last.size:
            numbers.append(text[1:-1])
            kept = others
    return numbers, kept
