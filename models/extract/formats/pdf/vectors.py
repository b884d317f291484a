"""Vector blocks of a MuPDF page dictionary as rules, shaded areas and other shapes, sorted in one pass."""

from typing import Any

from quire.models.extract.core.marks import Fill, Rule
from quire.models.extract.layout.lines.marks import PageMarks

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
