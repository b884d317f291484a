"""Removes copies of text that a page paints at almost the same place for a shadow, a bold look or an outline."""

from typing import Any

from models.extract.formats.pdf.visibility.paint import PaintedSpan
from models.extract.formats.pdf.visibility.unseen import keep_spans

_OFFSET = 0.2
"""Ems that a copy may lie away from its text in each direction."""
_SHORT_OFFSET = 0.08
"""The same for texts of one or two characters, which also stand next to each other ("ll")."""
_SHORT = 2
"""Characters of a short text."""
_CELL = 4.0
"""Points: side of the cells by which texts are found, and so the greatest offset."""
_MOST_IN_CELL = 16
"""Texts compared in one cell, so that a page with all its texts at one place takes linear time."""

Places = dict[tuple[int, int], list[PaintedSpan]]
"""Spans by the cell of their origin."""


def take_copies(blocks: list[dict[str, Any]]) -> list[PaintedSpan]:
    """Remove all but the last painted copy of each span from the blocks, in place, and return the removed spans.

    A span is also a copy of a longer one that starts with its text.
    """
    places: Places = {}
    removed: list[PaintedSpan] = []
    for block in reversed(blocks):
        for line in reversed(block["lines"]) if block["type"] == 0 else ():
            kept = [span for span in reversed(line["spans"]) if not _is_copy(span, places)]
            if len(kept) == len(line["spans"]):
                continue
            numbers = {id(span) for span in kept}
            removed += [span for span in line["spans"] if id(span) not in numbers]
            keep_spans(line, kept[::-1])
    return removed


def _is_copy(span: PaintedSpan, places: Places) -> bool:
    """Return whether the text was painted again later at this place; if not, note its place."""
    text = span["text"].strip()
    if not text:
        return False
    limit = min(_CELL, (_OFFSET if len(text) > _SHORT else _SHORT_OFFSET) * span["size"])
    x, y = span["origin"]
    column, row = int(x // _CELL), int(y // _CELL)
    for right in (-1, 0, 1):
        for down in (-1, 0, 1):
            for other in places.get((column + right, row + down), ()):
                near = abs(x - other["origin"][0]) <= limit and abs(y - other["origin"][1]) <= limit
                alike = near and abs(span["size"] - other["size"]) <= 0.1 * span["size"]
                if alike and other["text"].lstrip().startswith(text):
                    return True
    cell = places.setdefault((column, row), [])
    if len(cell) < _MOST_IN_CELL:
        cell.append(span)
    return False
