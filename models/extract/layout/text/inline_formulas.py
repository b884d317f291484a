"""Formulas inside running text as runs of their lines, with LaTeX; the text stays what is printed."""

from dataclasses import replace
from unicodedata import normalize

from models.cdom.geometry import Bbox
from models.extract.layout.lines.marks import Line, PageMarks, Run
from models.extract.math.fonts import sets_only_math
from models.extract.math.glyphs import FractionBar, MathGlyph
from models.extract.math.inline import InlineFormula, TextGlyph, find_inline_formulas

_UP, _DOWN, _SIDE = 0.55, 0.35, 0.4
"""Where (in ems) the origins of a line's glyphs and their scripts lie, from its baseline and its ends."""


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
    side = _SIDE * line.size
    return (line.x0 - side, line.base - _UP * line.size, line.x1 + side, line.base + _DOWN * line.size)


def _place(line: Line, glyphs: list[MathGlyph]) -> list[TextGlyph]:
    """Each glyph at its place in the line's text; nothing where the two do not tell the same characters in a row."""
    printed = [(at, char) for at, char in enumerate(line.text) if not char.isspace()]
    seen = [(char, glyph) for glyph in glyphs for char in glyph.char if not _is_blank(char)]
    if [normalize("NFKC", char) for _, char in printed] != [normalize("NFKC", char) for char, _ in seen]:
        return []
    return [TextGlyph(at, glyph, sets_only_math(glyph.font)) for (at, _), (_, glyph) in zip(printed, seen, strict=True)]


def _is_blank(char: str) -> bool:
    return char.isspace() or char in "\u200b\u00ad"


def _mark(line: Line, formula: InlineFormula) -> None:
    """The formula as a run of the line, in place of the styles it had; inside a link it stays text."""
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
