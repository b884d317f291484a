"""Displayed formulas of a page: lines of mathematics apart from running text, each combined to one formula."""

import re
from dataclasses import dataclass

from quire.models.cdom.geometry import Bbox
from quire.models.extract.core.disjoint import DisjointSets
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.text.paragraphs import is_item
from quire.models.extract.math.glyphs import FractionBar, MathGlyph
from quire.models.extract.math.rows import write_latex
from quire.models.extract.math.symbols import FUNCTIONS

_RELATION = re.compile(r"[=<>≤≥≈≡≅≃∼∝≪≫∈∉⊂⊆⊃⊇→←↔⇒⇐⇔↦≠≜≺⪯:∀∃∑∏∫]|\ufffd")
_OPERATION = re.compile(r"[+−√].{0,200}?[^\W\d_]")
_SIGN = re.compile(r"[∑∏∫√≤≥±∂∇∞∈∉⊂⊆∪∩→⇒≈≠∝∀∃⋅·∣α-ωϑϕϵΓΔΘΛΞΠΣΦΨΩ\U0001d400-\U0001d7ff−]")
_WORD = re.compile(r"[^\W\d_]{4,}")
_LEAD = re.compile(r"([^\W\d_]{3,})[\s,]")
_WORDS = frozenset({"otherwise", "else", "softmax", "argmax", "argmin", "diag", "rank", "sign", "span", "const"})
_NUMBER = re.compile(r"\((?:[A-Z]\.?)?\d+(?:[.\-–]\d+)*[a-z]?\)")
_ITEM = re.compile(r"\(?\d{1,3}[.)]\s")


@dataclass(frozen=True, slots=True)
class DisplayLimits:
    """Limits that separate a displayed formula from text."""

    most_chars: int = 160
    """Characters: a longer line is a sentence with mathematics, not a displayed formula."""
    most_word_chars: int = 30
    """Maximum characters of a line next to a displayed formula that belongs to it ("if x is even")."""
    tall: float = 1.2
    """A drawn sign of this height (in ems) is a root or a bracket; arrows and hats are lower."""
    largest: float = 4.0
    """Maximum size (relative to the text); stretched signs of web pages are glyphs of a giant size without meaning."""
    reach: float = 2.4
    """Maximum trusted distance (in ems) of glyph boxes from the baseline; boxes of Type 3 fonts are arbitrary."""
    row_gap: float = 0.75
    """Maximum distance of rows of one formula (in ems)."""
    least_pad: float = 0.8
    """Minimum distance (in ems) of a displayed formula from the text's edge, or below the text."""


LIMITS = DisplayLimits()

_EXTENSION = re.compile(r"cmex|mathextension", re.IGNORECASE)


@dataclass(slots=True)
class DisplayedFormula:
    """A displayed formula: its LaTeX, box and lines."""

    latex: str
    box: Bbox
    lines: list[Line]


def find_formulas(marks: PageMarks, lines: list[Line], body: float) -> tuple[list[DisplayedFormula], list[Line]]:
    """Return displayed formulas that could be converted to LaTeX, and the lines outside them."""
    if not any(line.math for line in lines) or _is_set_in_nameless_type(lines):
        return [], lines
    zones = _find_zones(lines, body)
    if not zones:
        return [], lines
    boxes = [_zone_box(zone) for zone in zones]
    bars = [FractionBar(rule.x0, rule.x1, rule.y0) for rule in (*marks.horizontals, *marks.dashes)]
    formulas: list[DisplayedFormula] = []
    for zone, box, glyphs in zip(zones, boxes, marks.glyphs(boxes), strict=True):
        formula = _write_formula(zone, box, glyphs, bars, marks.shapes) if _are_same(glyphs, zone) else None
        if formula is not None:
            formulas.append(formula)
    taken = {id(line) for formula in formulas for line in formula.lines}
    return formulas, [line for line in lines if id(line) not in taken]


def _is_set_in_nameless_type(lines: list[Line]) -> bool:
    """Return True if most of the page is in Type 3 fonts, which then indicate nothing."""
    nameless = sum(len(line.text) for line in lines if line.font.startswith("Type3"))
    return 2 * nameless > sum(len(line.text) for line in lines)


def _write_formula(
    zone: list[Line], box: Bbox, glyphs: list[MathGlyph], bars: list[FractionBar], shapes: list[Bbox]
) -> DisplayedFormula | None:
    """Return the formula of a group of lines; None if a glyph or a drawn sign has no name."""
    size = max(line.size for line in zone)
    x0, y0, x1, y1 = box[0] - 1.5 * size, box[1] - 0.6 * size, box[2] + 2, box[3]
    inside = [bar for bar in bars if x0 <= bar.x0 and bar.x1 <= x1 and y0 < bar.y < y1]
    drawn = [
        shape for shape in shapes if x0 <= shape[0] and shape[2] <= x1 and y0 - size < shape[1] < shape[3] < y1 + size
    ]
    rooted = _find_roots(drawn, inside, glyphs, size)
    tall = [shape for shape in drawn if shape[3] - shape[1] > LIMITS.tall * size]
    if len(tall) > len(rooted):
        return None
    roots = [glyph for glyph, _ in rooted]
    inside += [bar for _, bar in rooted if not any(bar is other for other in inside)]
    latex = write_latex([*glyphs, *roots], inside)
    if not latex:
        return None
    ink = [(glyph.x0, glyph.y0, glyph.x1, glyph.y1) for glyph in (*glyphs, *roots) if glyph.char.strip()]
    return DisplayedFormula(latex, _surround([*ink, *((bar.x0, bar.y, bar.x1, bar.y) for bar in inside)]), zone)


def _find_roots(
    shapes: list[Bbox], bars: list[FractionBar], glyphs: list[MathGlyph], size: float
) -> list[tuple[MathGlyph, FractionBar]]:
    """Return root signs drawn as shapes (on web pages) with their bars, which may be part of the shape."""
    roots: list[tuple[MathGlyph, FractionBar]] = []
    for x0, y0, x1, y1 in shapes:
        if y1 - y0 < 0.5 * size or x1 - x0 < 1.2 * size:
            continue
        own = [bar for bar in bars if abs(bar.x1 - x1) < 1.5 and abs(bar.y - y0) < 2 and bar.x0 - x0 < 1.5 * size]
        covered = [
            glyph.x0
            for glyph in glyphs
            if x0 < glyph.x0 < x1 and y0 < glyph.base < y1 + 2 and glyph.char.strip("\u200b ")
        ]
        if not own and covered and min(covered) - x0 > 0.5 * size:
            own = [FractionBar(min(covered) - 0.5, x1, y0)]
        roots += [(MathGlyph("√", x0, y0, bar.x0, y1, y1, size), bar) for bar in own[:1] if bar.x0 - x0 > 0.3 * size]
    return roots


def _are_same(glyphs: list[MathGlyph], zone: list[Line]) -> bool:
    """Return True if the number of glyphs matches the characters of the lines; tall brackets have several glyphs."""
    seen = sum(not (glyph.char.isspace() or glyph.char == "\u200b") for glyph in glyphs)
    stated = sum(not char.isspace() for line in zone for char in line.text)
    return 0.6 * stated <= seen <= stated + max(2, 0.1 * stated)


def _find_zones(lines: list[Line], body: float) -> list[list[Line]]:
    """Return groups of neighbouring lines that together form a displayed formula."""
    pieces = sorted(
        (line for line in lines if line.size < LIMITS.largest * body and _is_piece(line)), key=lambda line: line.y0
    )
    sets = DisjointSets(len(pieces))
    for index, line in enumerate(pieces):
        reach = max(line.y1, _extent(line)[1]) + 2 * body
        for other in range(index + 1, len(pieces)):
            if pieces[other].y0 > reach:
                break
            if _is_near(line, pieces[other], body):
                sets.join(index, other)
    zones = [[pieces[index] for index in group] for group in sets.groups()]
    zones = [zone for zone in zones if _is_formula(zone)]
    if not zones:
        return []
    inside = {id(line) for zone in zones for line in zone}
    others = [line for line in lines if id(line) not in inside and line.upright]
    numbers, words = [line for line in others if _is_number(line)], [line for line in others if not _is_number(line)]
    for zone in zones:
        words = _take_words(zone, words)
    kept = _join_rows([zone for zone in zones if not _is_inline(zone, words, body)], body)
    for zone in kept:
        zone += [line for line in numbers if _is_number_of(line, zone, lines)]
    return kept


def _take_words(zone: list[Line], words: list[Line]) -> list[Line]:
    """Move a few words right of the zone's left edge, next to its pieces, into it ("if n is even")."""
    x0, y0, x1, y1 = _zone_extent(zone)
    taken = [
        line
        for line in words
        if len(line.text) <= LIMITS.most_word_chars
        and x0 < line.x0 < x1 + 1.5 * line.size
        and y0 - 1 < (line.y0 + line.y1) / 2 < y1 + 1
        and not any(other is not line and _is_next_to(line, other) for other in words)
    ]
    zone += taken
    return [line for line in words if not any(line is word for word in taken)] if taken else words


def _is_next_to(line: Line, other: Line) -> bool:
    gap = max(line.x0 - other.x1, other.x0 - line.x1)
    return abs(line.base - other.base) < 0.5 * line.size and gap < 1.3 * line.size


def _join_rows(zones: list[list[Line]], body: float) -> list[list[Line]]:
    """Join groups right above each other, which are rows of one formula."""
    out: list[list[Line]] = []
    for zone in sorted(zones, key=lambda item: _zone_extent(item)[1]):
        x0, y0, x1, _ = _zone_extent(zone)
        for above in out:
            a0, _, a1, bottom = _zone_extent(above)
            if y0 - bottom < LIMITS.row_gap * body and min(x1, a1) > max(x0, a0):
                above += zone
                break
        else:
            out.append(zone)
    return out


def _is_number(line: Line) -> bool:
    return bool(_NUMBER.fullmatch(line.text))


def _is_piece(line: Line) -> bool:
    """Return True for a line that can be a part of a formula."""
    if not line.upright or line.hidden or line.recognised or len(line.text) > LIMITS.most_chars or line.code:
        return False
    if is_item(line.text) or _opens_sentence(line):
        return False
    words = [match.group() for match in _WORD.finditer(line.text) if not _is_italic(line, *match.span())]
    words = [word for word in words if word.lower() not in _WORDS and word not in FUNCTIONS]
    if not words:
        return not _is_number(line)
    return line.math and sum(map(len, words)) < 0.5 * len(line.text)


def _is_italic(line: Line, start: int, end: int) -> bool:
    """Return True for a product of letters, in a line with mathematics."""
    return line.math and any(run.italic and run.start <= start and end <= run.end for run in line.runs)


def _is_math(line: Line) -> bool:
    """Return True for a line with letters or signs of mathematics, but not with upright words among italic letters."""
    if line.math or _SIGN.search(line.text):
        return True
    letters = sum(char.isalpha() for char in line.text)
    italic = sum(char.isalpha() for run in line.runs if run.italic for char in line.text[run.start : run.end])
    return letters > 0 and italic == letters and not line.italic


def _opens_sentence(line: Line) -> bool:
    """Return True for a line that begins with an upright word, as text with formulas does ("where x is")."""
    match = _LEAD.match(line.text)
    if match is None or match[1] in FUNCTIONS or match[1].lower() in _WORDS:
        return False
    return not _is_italic(line, 0, len(match[1]))


def _extent(line: Line) -> tuple[float, float]:
    """Return top and bottom of a line's ink; glyphs of TeX's extension font hang from their baseline."""
    if _EXTENSION.search(line.font):
        return (line.base - 0.1 * line.size, line.base + 1.9 * line.size)
    high, low = _reach(line)
    return (min(line.y0, high), max(line.y1, low)) if line.math else (line.y0, line.y1)


def _reach(line: Line) -> tuple[float, float]:
    """Return top and bottom of all glyphs' boxes, limited to a trustworthy distance."""
    far = LIMITS.reach * line.size
    return (max(line.reach[0], line.base - far), min(line.reach[1], line.base + far))


def _is_near(a: Line, b: Line, body: float) -> bool:
    """Return True for neighbours: side by side with a gap of at most two ems, or right above each other."""
    size = max(a.size, b.size, body)
    across = max(a.x0, b.x0) - min(a.x1, b.x1)
    (a0, a1), (b0, b1) = _extent(a), _extent(b)
    down = max(a0, b0) - min(a1, b1)
    return (down < 0 and across < 2.2 * size) or (across < 0.3 * size and down < 0.45 * size)


def _is_formula(zone: list[Line]) -> bool:
    """Return True if the lines contain a relation, a letter and more mathematics than words."""
    text = " ".join(line.text for line in sorted(zone, key=lambda line: line.x0))
    if _ITEM.match(text) or not re.search(r"[^\W\d_]", text) or not any(_is_math(line) for line in zone):
        return False
    if not _RELATION.search(text) and not (_OPERATION.search(text) and any(line.math for line in zone)):
        return False
    chars = sum(len(line.text) for line in zone)
    return sum(len(line.text) for line in zone if _is_math(line) or len(line.text) < 12) > 0.6 * chars


def _is_inline(zone: list[Line], others: list[Line], body: float) -> bool:
    """Return True if the lines are part of running text: next to words, or continued from the line above."""
    x0, y0, x1, y1 = _zone_extent(zone)
    for line in others:
        beside = min(line.y1, y1) - max(line.y0, y0) > 0.4 * (line.y1 - line.y0)
        if beside and -0.5 * body < max(line.x0 - x1, x0 - line.x1) < 1.3 * body:
            return True
        if beside and line.x0 < x1 and line.x1 > x0:
            return True
        if abs(line.x0 - x0) < LIMITS.least_pad * body and -0.6 * body < y0 - line.y1 < 0.35 * body and line.x1 > x0:
            return len(line.text) > 20
    return False


def _is_number_of(number: Line, zone: list[Line], lines: list[Line]) -> bool:
    """Return True for a number in brackets right of the lines, with nothing in between."""
    _, y0, x1, y1 = _zone_extent(zone)
    if not y0 - 1 < (number.y0 + number.y1) / 2 < y1 + 1 or number.x0 < x1:
        return False
    return not any(
        line is not number and x1 <= line.x0 < number.x0 and min(line.y1, number.y1) - max(line.y0, number.y0) > 2
        for line in lines
    )


def _zone_extent(zone: list[Line]) -> Bbox:
    tops, bottoms = zip(*(_extent(line) for line in zone), strict=True)
    return (min(line.x0 for line in zone), min(tops), max(line.x1 for line in zone), max(bottoms))


def _zone_box(zone: list[Line]) -> Bbox:
    """Return the box of the origins of the lines' glyphs."""
    return (
        min(line.x0 - 0.4 * line.size for line in zone),
        min(min(line.y0, _reach(line)[0]) for line in zone),
        max(line.x1 + 0.4 * line.size for line in zone),
        max(max(line.y1, _reach(line)[1]) for line in zone),
    )


def _surround(boxes: list[Bbox]) -> Bbox:
    x0s, y0s, x1s, y1s = zip(*boxes, strict=True)
    return (min(x0s), min(y0s), max(x1s), max(y1s))
