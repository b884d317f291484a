"""Vector blocks of a MuPDF page dictionary as rules, shaded areas and other shapes, sorted in one pass.

Rules through words strike them out, and rules between figures are the bars of fractions.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from quire.models.cdom.geometry import Bbox
from quire.models.extract.core.marks import Fill, Rule
from quire.models.extract.layout.lines.marks import Line, PageMarks, Run

_THIN = 2.6
"""A bar no thicker than this (points) is a rule."""
_SHORTEST_H, _SHORTEST_V, _SHORTEST_DASH = 8.0, 5.0, 2.0
"""Points: shorter horizontals, verticals and dashes are parts of letters and pictures, not rules."""
_THIN_DASH = 1.2
"""Greatest thickness of fraction bars, in points."""
_LARGEST_LETTER = 60.0
"""Points: larger shapes are drawings."""
_WHITE = 0xF8
"""Colour component (0 to 255) from which paint looks like paper."""
_MOST_NARROWED = 2000
"""Shapes of a page beyond which their paths are not read."""
_SWOLLEN, _MOST_SWOLLEN, _LEAST_BARS = 1.0, 40.0, 3
"""Points by which the box of a line is too large, its greatest thickness, and the number of such lines of a page."""
_EVEN = 1.5
"""Points by which a box may reach further out to two sides than to the others."""
_MOST_VECTORS = 40000
"""Beyond this a page is a drawing (maps, plots), whose small marks say nothing about tables."""


def add_vectors(marks: PageMarks, blocks: list[dict[str, Any]]) -> None:
    """Sort the page's vector blocks into `marks`."""
    vectors = [block for block in blocks if block["type"] == 3]
    for block in vectors[:_MOST_VECTORS]:
        x0, y0, x1, y1 = block["bbox"]
        x0, y0, x1, y1 = max(x0, 0.0), max(y0, 0.0), min(x1, marks.width), min(y1, marks.height)
        if x1 < x0 or y1 < y0 or not block["alpha"] or (not block["stroked"] and _is_white(block["color"])):
            continue
        if y1 - y0 <= _THIN or x1 - x0 <= _THIN:
            _add_rule(marks, x0, y0, x1, y1)
        elif not block["isrect"]:
            marks.shapes.append((x0, y0, x1, y1))
            if not block["stroked"] and y1 - y0 <= _LARGEST_LETTER and x1 - x0 <= _LARGEST_LETTER:
                marks.glyph_shapes.append((x0, y0, x1, y1))
        elif block["stroked"]:
            _add_outline(marks, x0, y0, x1, y1)
        else:
            marks.fills.append(Fill(x0, y0, x1, y1, block["color"]))


def narrow_strokes(page: Any, marks: PageMarks, blocks: list[dict[str, Any]]) -> None:
    """Give stroked shapes and lines the boxes of their paths, in place; the engine's hold the longest corner.

    Those boxes reach out to all sides alike, up to ten line widths, and by the width before scaling: a line becomes a
    bar. Shapes that a clip cuts keep theirs.
    """
    stroked = {block["bbox"] for block in blocks if block["type"] == 3 and block["stroked"] and not block["isrect"]}
    bars = _find_alike_bars(marks, blocks)
    if len(marks.shapes) > _MOST_NARROWED or not (bars or any(shape in stroked for shape in marks.shapes)):
        return
    middles: dict[tuple[int, int], list[Bbox]] = {}
    for path in page.get_cdrawings():
        if "s" in path["type"]:
            x0, y0, x1, y1 = path["rect"]
            out = (path["width"] or 0.0) / 2
            middles.setdefault((round(x0 + x1), round(y0 + y1)), []).append((x0 - out, y0 - out, x1 + out, y1 + out))
    for index, shape in enumerate(marks.shapes):
        if shape in stroked and (narrow := _find_path(shape, middles)) is not None:
            marks.shapes[index] = narrow
    swollen = {
        bar: narrow
        for bar in bars
        if (narrow := _find_path(bar, middles)) is not None and narrow[2] - narrow[0] < bar[2] - bar[0] - _SWOLLEN
    }
    if swollen:
        drawn = PageMarks(marks.width, marks.height, [])
        for bar in swollen:
            _add_outline(drawn, *bar)
        wrong = {(rule.x0, rule.y0, rule.x1, rule.y1) for rule in (*drawn.horizontals, *drawn.verticals)}
        marks.horizontals = [rule for rule in marks.horizontals if (rule.x0, rule.y0, rule.x1, rule.y1) not in wrong]
        marks.verticals = [rule for rule in marks.verticals if (rule.x0, rule.y0, rule.x1, rule.y1) not in wrong]
        for x0, y0, x1, y1 in swollen.values():
            add = _add_rule if min(x1 - x0, y1 - y0) <= _THIN else _add_outline
            add(marks, x0, y0, x1, y1)


def _find_alike_bars(marks: PageMarks, blocks: list[dict[str, Any]]) -> list[Bbox]:
    """Return the outlines of a page if some may be too large.

    Lines are then equally low or narrow, and cells that are drawn one after the other overlap.
    """
    bars: list[Bbox] = []
    counts: Counter[int] = Counter()
    for block in blocks:
        if block["type"] == 3 and block["stroked"] and block["isrect"]:
            x0, y0, x1, y1 = block["bbox"]
            thick = min(x1 - x0, y1 - y0)
            if thick > _THIN:
                bars.append((max(x0, 0.0), max(y0, 0.0), min(x1, marks.width), min(y1, marks.height)))
                counts[round(thick * 4)] += thick <= _MOST_SWOLLEN
    may_be = max(counts.values(), default=0) >= _LEAST_BARS or any(
        _overlap(bar, other) for bar, other in pairwise(bars)
    )
    return bars if may_be and len(bars) <= _MOST_NARROWED else []


def _overlap(bar: Bbox, other: Bbox) -> bool:
    """Return whether two boxes side by side share a strip that is too wide for a border."""
    (first, second), side = ((bar, other), 0) if abs(bar[0] - other[0]) > abs(bar[1] - other[1]) else ((bar, other), 1)
    if first[side] > second[side]:
        first, second = second, first
    shared = first[side + 2] - second[side]
    return _SWOLLEN < shared < _MOST_SWOLLEN and second[side + 2] > first[side + 2] + _SWOLLEN


def _find_path(shape: Bbox, middles: dict[tuple[int, int], list[Bbox]]) -> Bbox | None:
    """Return the box of the path around which a box extends to all sides alike."""
    across, down = round(shape[0] + shape[2]), round(shape[1] + shape[3])
    width, height = shape[2] - shape[0], shape[3] - shape[1]
    for near in ((across + dx, down + dy) for dx in (0, -1, 1) for dy in (0, -1, 1)):
        for x0, y0, x1, y1 in middles.get(near, ()):
            beside, above = width - x1 + x0, height - y1 + y0
            if abs(beside - above) <= _EVEN and beside >= -2 and above >= -1:
                return (x0, y0, x1, y1)
    return None


def _add_rule(marks: PageMarks, x0: float, y0: float, x1: float, y1: float) -> None:
    """Add a bar that is thin in one direction and long in the other; drop specks."""
    if y1 - y0 <= _THIN and x1 - x0 >= _SHORTEST_H:
        middle = (y0 + y1) / 2
        marks.horizontals.append(Rule(x0, middle, x1, middle))
    elif y1 - y0 <= _THIN_DASH and x1 - x0 >= _SHORTEST_DASH:
        marks.dashes.append(Rule(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2))
    elif x1 - x0 <= _THIN and y1 - y0 >= _SHORTEST_V:
        middle = (x0 + x1) / 2
        marks.verticals.append(Rule(middle, y0, middle, y1))


def _is_white(color: int) -> bool:
    return color >> 16 >= _WHITE and (color >> 8) & 0xFF >= _WHITE and color & 0xFF >= _WHITE


def _add_outline(marks: PageMarks, x0: float, y0: float, x1: float, y1: float) -> None:
    marks.horizontals += (Rule(x0, y0, x1, y0), Rule(x0, y1, x1, y1))
    marks.verticals += (Rule(x0, y0, x0, y1), Rule(x1, y0, x1, y1))


_LOWEST, _HIGHEST = 0.12, 0.42
"""Ems above the baseline between which a line strikes out small letters: an underline is lower, a rule higher."""
_MARGIN = 0.3
"""Ems between the ends of the line and of the words: lines of charts end anywhere."""
_SHORTEST = 1.5
"""Ems: a shorter line is a dash or the bar of a fraction."""


_UNDERLINE, _SHADE = (-0.02, 0.3, 1.0), (0.05, 0.6, 0.4)
"""Ems below the baseline between which a line underlines words or a highlight ends, and the least width of either."""
_LIGHT, _STRONG = 0xD0, 0x60
"""Greatest colour component of a highlight, and its distance to the least one (0 to 255), at least."""
_HIGHEST_SHADE = 40.0
"""Greatest height of a highlight, in points."""
_MOST_RULES = 2000
"""Rules of a page beyond which it is a drawing or a form, whose lines underline nothing."""


def strike_out_words(marks: PageMarks) -> None:
    """Mark the words that horizontal rules strike out, and take those rules from the marks, in place."""
    rules = [*marks.horizontals, *marks.dashes]
    if not rules:
        return
    strikes = {id(rule) for rule in _mark_words(marks, rules, (-_HIGHEST, -_LOWEST, _SHORTEST), Run(0, 0, strike=True))}
    if strikes:
        marks.horizontals = [rule for rule in marks.horizontals if id(rule) not in strikes]
        marks.dashes = [rule for rule in marks.dashes if id(rule) not in strikes]


def underline_words(marks: PageMarks) -> None:
    """Mark the words that have a rule as wide as they are right below them, and those on a shade, in place."""
    rules = [rule for rule in (*marks.horizontals, *marks.dashes) if rule.x1 - rule.x0 < marks.width / 2]
    if len(rules) <= _MOST_RULES and rules:
        _mark_words(marks, rules, _UNDERLINE, Run(0, 0, underline=True))
    shades = [Rule(fill.x0, fill.y1, fill.x1, fill.y0) for fill in marks.fills if _may_highlight(fill)]
    if len(shades) <= _MOST_RULES and shades:
        _mark_words(marks, shades, _SHADE, Run(0, 0, highlight=True))


def _mark_words(marks: PageMarks, rules: list[Rule], reach: tuple[float, float, float], style: Run) -> list[Rule]:
    """Add a run of the style over the words of each rule within reach; return the rules.

    `reach`: two heights below the baseline and the least width, in ems.
    """
    low, high, least = reach
    by_height: dict[int, list[Rule]] = {}
    for rule in rules:
        by_height.setdefault(int(rule.y0), []).append(rule)
    heights = sorted(by_height)
    used: list[Rule] = []
    for line in marks.lines:
        if not line.upright:
            continue
        first, last = line.base + low * line.size, line.base + high * line.size
        for height in heights[bisect_left(heights, int(first)) : bisect_right(heights, int(last))]:
            for rule in by_height[height]:
                if (
                    first <= rule.y0 <= last
                    and rule.x1 - rule.x0 >= least * line.size
                    and _is_over(rule, line)
                    and _is_alone(rule, by_height[height])
                    and _add_style(marks, line, rule, style)
                ):
                    used.append(rule)
    return used


def _may_highlight(fill: Fill) -> bool:
    """Return True for a shade of the height of a line in a light strong colour."""
    red, green, blue = fill.color >> 16, (fill.color >> 8) & 0xFF, fill.color & 0xFF
    is_strong = max(red, green, blue) >= _LIGHT and max(red, green, blue) - min(red, green, blue) >= _STRONG
    return is_strong and fill.y1 - fill.y0 <= _HIGHEST_SHADE


def _is_over(rule: Rule, line: Line) -> bool:
    """Return whether the rule is inside the extent of the line's text."""
    margin = _MARGIN * line.size
    return rule.x0 >= line.x0 - margin and rule.x1 <= line.x1 + margin


def _is_alone(rule: Rule, rules: list[Rule]) -> bool:
    """Return whether no other rule runs on from this one, as the lines of a chart do."""
    return not any(
        other is not rule and other.x0 < rule.x1 and rule.x0 < other.x1 and abs(other.x0 - rule.x0) > 1
        for other in rules
    )


def _add_style(marks: PageMarks, line: Line, rule: Rule, style: Run) -> bool:
    """Add a run over the words at the rule; return whether there are any with a letter or a figure."""
    start, end, offset = -1, -1, 0
    left = right = 0.0
    for word in marks.words_of(line):
        offset = max(line.text.find(word.text, offset), 0)
        if rule.x0 <= (word.x0 + word.x1) / 2 <= rule.x1:
            start, left = (offset, word.x0) if start < 0 else (start, left)
            end, right = offset + len(word.text), word.x1
        offset += len(word.text)
    margin = _MARGIN * line.size
    if start < 0 or abs(left - rule.x0) > margin or abs(right - rule.x1) > margin:
        return False
    if not any(char.isalnum() for char in line.text[start:end]):
        return False
    line.runs.append(replace(style, start=start, end=end))
    return True


@dataclass(frozen=True, slots=True)
class FractionLimits:
    """Conditions under which two stacked pieces of text are a fraction."""

    small: float = 0.85
    """Greatest size of its parts, relative to the size of the text around."""
    most_chars: int = 6
    """Greatest number of characters in each part."""
    longest_bar: float = 40.0
    """Points: a longer rule does not belong to a fraction in running text."""
    overlap: float = 0.6
    """Share of the narrower part that must be over or under the other."""


LIMITS = FractionLimits()
Span = dict[str, Any]


def write_fractions(marks: PageMarks, blocks: list[dict[str, Any]]) -> None:
    """Add a slash to numerators, in place; the engine starts a new line at each denominator."""
    bars = [rule for rule in (*marks.dashes, *marks.horizontals) if rule.x1 - rule.x0 <= LIMITS.longest_bar]
    if not bars:
        return
    by_key = {line.key: line for line in marks.lines}
    for key, above, below in _find_stacked(blocks):
        line = by_key.get(key)
        if line is not None and line.text.endswith(above["text"].strip()) and _has_bar(above, below, bars):
            line.text += "/"


def _find_stacked(blocks: list[dict[str, Any]]) -> Iterator[tuple[tuple[int, int], Span, Span]]:
    """Yield the last span of a line and the first of the next where they are stacked, with the line's key."""
    texts = [block["lines"] for block in blocks if block["type"] == 0]
    keyed = [((number, index), line) for number, block in enumerate(texts) for index, line in enumerate(block)]
    for (key, upper), (_, lower) in pairwise(keyed):
        first, second = _visible_spans(upper), _visible_spans(lower)
        if not first or not second or len(first) + len(second) < 3:
            continue
        above, below = first[-1], second[0]
        size = max(span["size"] for span in (*first, *second))
        if _is_part(above, size) and _is_part(below, size) and _are_stacked(above, below):
            yield key, above, below


def _visible_spans(line: dict[str, Any]) -> list[Span]:
    return [span for span in line["spans"] if span["text"].strip()]


def _is_part(span: Span, size: float) -> bool:
    text = span["text"].strip()
    return span["size"] <= LIMITS.small * size and len(text) <= LIMITS.most_chars and text.isalnum()


def _are_stacked(above: Span, below: Span) -> bool:
    left, right = max(above["bbox"][0], below["bbox"][0]), min(above["bbox"][2], below["bbox"][2])
    narrow = min(span["bbox"][2] - span["bbox"][0] for span in (above, below))
    is_above: bool = above["origin"][1] < below["origin"][1]
    return is_above and bool(right - left >= LIMITS.overlap * narrow > 0)


def _has_bar(above: Span, below: Span, bars: list[Rule]) -> bool:
    middle = (above["bbox"][0] + above["bbox"][2]) / 2
    return any(bar.x0 <= middle <= bar.x1 and above["origin"][1] - 1 <= bar.y0 <= below["origin"][1] for bar in bars)
