"""Removes copies of text that a page paints at almost the same place for a shadow, a bold look or an outline."""

from typing import Any

from quire.models.extract.core.copies import may_have_copies
from quire.models.extract.formats.pdf.visibility.paint import PaintedSpan
from quire.models.extract.formats.pdf.visibility.unseen import keep_spans

_OFFSET = 0.2
"""Ems that a copy may lie away from its text in each direction."""
_SHORT_OFFSET = 0.08
"""The same for texts of one or two characters, which also stand next to each other ("ll")."""
_SHORT = 2
"""Characters of a short text."""
_CELL = 4.0
"""Points: height of the cells by which texts are found, and so the greatest offset."""
_WIDE_CELL = 60.0
"""Points: width of the cells."""
_MOST_IN_CELL = 64
"""Texts compared in one cell, so that a page with all its texts at one place takes linear time."""

Rows = dict[tuple[int, int], list[PaintedSpan]]
"""Spans by the cells (row, column) of their baseline."""


def take_copies(blocks: list[dict[str, Any]]) -> list[PaintedSpan]:
    """Remove all but the last painted copy of each span from the blocks, in place, and return the removed spans.

    A span is also a copy of a longer one at its place that holds its text: words over a line, or a line over words.
    """
    spans = [
        (*span["origin"], span["size"], span["bbox"][0], span["bbox"][2])
        for block in blocks
        if block["type"] == 0
        for line in block["lines"]
        for span in line["spans"]
        if not span["text"].isspace()
    ]
    if not may_have_copies(spans, _OFFSET, _CELL):
        return []
    rows: Rows = {}
    removed: dict[int, PaintedSpan] = {}
    for block in reversed(blocks):
        for line in reversed(block["lines"]) if block["type"] == 0 else ():
            for span in reversed(line["spans"]):
                if not span["text"].isspace():
                    removed |= _find_copies(span, rows)
    if removed:
        for block in blocks:
            for line in block["lines"] if block["type"] == 0 else ():
                kept = [span for span in line["spans"] if id(span) not in removed]
                if len(kept) < len(line["spans"]):
                    keep_spans(line, kept)
    return list(removed.values())


def _find_copies(span: PaintedSpan, rows: Rows) -> dict[int, PaintedSpan]:
    """Return the copies among the span and those painted later, by identity; note the place of a span that stays."""
    size, x0, x1 = span["size"], span["bbox"][0], span["bbox"][2]
    first, last = int((x0 - _CELL) // _WIDE_CELL), int((x1 + _CELL) // _WIDE_CELL) + 1
    row = int(span["origin"][1] // _CELL)
    copies: dict[int, PaintedSpan] = {}
    for number in (row - 1, row, row + 1):
        for cell in range(first, last + 1):
            for other in rows.get((number, cell), ()):
                if id(other) in copies or abs(size - other["size"]) > 0.1 * size:
                    continue
                if _is_copy(span, other):
                    return copies | {id(span): span}
                if _is_copy(other, span):
                    copies[id(other)] = other
    for cell in range(first, last):
        own = rows.setdefault((row, cell), [])
        if len(own) < _MOST_IN_CELL:
            own.append(span)
    return copies


def _is_copy(span: PaintedSpan, other: PaintedSpan) -> bool:
    """Return whether the other span has the text of the span at its place."""
    text, whole = span["text"].strip(), other["text"].strip()
    limit = min(_CELL, (_OFFSET if len(text) > _SHORT else _SHORT_OFFSET) * span["size"])
    across, down = (abs(span["origin"][axis] - other["origin"][axis]) for axis in (0, 1))
    if down > limit:
        return False
    if across <= limit:
        return bool(whole.startswith(text))
    is_within = other["bbox"][0] - limit <= span["bbox"][0] and span["bbox"][2] <= other["bbox"][2] + limit
    return is_within and len(text) > _SHORT and text in whole and _is_level(span) and _is_level(other)


def _is_level(span: PaintedSpan) -> bool:
    """Return whether the box of a span is around one level line, so that its width is that of its text."""
    return bool(span["bbox"][3] - span["bbox"][1] < 2 * span["size"])
