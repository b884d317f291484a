"""Removes copies of text that a page paints at almost the same place for a shadow, a bold look or an outline."""

from dataclasses import dataclass
from typing import Any

from quire.models.extract.core.copies import may_have_copies
from quire.models.extract.formats.pdf.text.raw_lines import iter_spans
from quire.models.extract.formats.pdf.visibility.paint import PaintedSpan
from quire.models.extract.formats.pdf.visibility.unseen import keep_spans


@dataclass(frozen=True, slots=True)
class CopyLimits:
    """Limits for a span to be a copy of another one."""

    offset: float = 0.2
    """Ems that a copy may lie away from its text in each direction."""
    short_offset: float = 0.08
    """The same for short texts, which also stand next to each other ("ll")."""
    short: int = 2
    """Characters of a short text."""
    bold_least: float = 0.008
    """Least distance (in ems) of two prints side by side that look bold."""
    bold_most: float = 0.06
    """The greatest such distance; a shadow lies further away."""
    cell: float = 4.0
    """Points: height of the cells by which texts are found, and so the greatest offset."""
    wide_cell: float = 60.0
    """Points: width of the cells."""
    most_in_cell: int = 64
    """Texts compared in one cell, so that a page with all its texts at one place takes linear time."""
    most_compared: int = 1_000_000
    """Texts compared on a page, a few seconds; a page with more is not judged."""


LIMITS = CopyLimits()
_BOLD = 16
"""A bit of the engine's font flags."""

Rows = dict[tuple[int, int], list[PaintedSpan]]
"""Spans by the cells (row, column) of their baseline."""


def take_copies(blocks: list[dict[str, Any]]) -> tuple[list[PaintedSpan], bool]:
    """Remove all but the last painted copy of each span from the blocks, in place.

    A span is also a copy of a longer one at its place that holds its text: words over a line, or a line over words.

    Returns:
        The removed spans, and whether all spans were compared, which a page with very many of them forbids.
    """
    spans = [span for span in iter_spans(blocks) if not span["text"].isspace()]
    places = [(*span["origin"], span["size"], span["bbox"][0], span["bbox"][2]) for span in spans]
    if not may_have_copies(places, LIMITS.offset, LIMITS.cell):
        return [], True
    rows: Rows = {}
    removed: dict[int, PaintedSpan] = {}
    left = LIMITS.most_compared
    for span in reversed(spans):
        left -= _find_copies(span, rows, removed, left)
        if left <= 0:
            break
    if removed:
        for block in blocks:
            for line in block["lines"] if block["type"] == 0 else ():
                kept = [span for span in line["spans"] if id(span) not in removed]
                if len(kept) < len(line["spans"]):
                    keep_spans(line, kept)
    return list(removed.values()), left > 0


def _find_copies(span: PaintedSpan, rows: Rows, removed: dict[int, PaintedSpan], most: int) -> int:
    """Add the copies among the span and those painted later to `removed`, by identity.

    Notes the place of a span that stays. Returns how many cells and spans were looked at; does nothing if the cells
    alone are more than `most`.
    """
    size, x0, x1 = span["size"], span["bbox"][0], span["bbox"][2]
    first, last = int((x0 - LIMITS.cell) // LIMITS.wide_cell), int((x1 + LIMITS.cell) // LIMITS.wide_cell) + 1
    count = 3 * (last - first + 1)
    if count > most:
        return count
    row = int(span["origin"][1] // LIMITS.cell)
    copies: dict[int, PaintedSpan] = {}
    for number in (row - 1, row, row + 1):
        for cell in range(first, last + 1):
            near = rows.get((number, cell), ())
            count += len(near)
            for other in near:
                if id(other) in copies or abs(size - other["size"]) > 0.1 * size:
                    continue
                if _is_copy(span, other):
                    _embolden(other, span)
                    removed |= copies
                    removed[id(span)] = span
                    return count
                if _is_copy(other, span):
                    _embolden(span, other)
                    copies[id(other)] = other
    removed |= copies
    for cell in range(first, last):
        own = rows.setdefault((row, cell), [])
        if len(own) < LIMITS.most_in_cell:
            own.append(span)
    return count


def _embolden(kept: PaintedSpan, copy: PaintedSpan) -> None:
    """Set the engine's bold flag on a span that is printed twice in one colour, a hair's breadth apart."""
    across, down = (abs(kept["origin"][axis] - copy["origin"][axis]) for axis in (0, 1))
    least, most = LIMITS.bold_least * kept["size"], LIMITS.bold_most * kept["size"]
    if (
        least <= across <= most
        and down < least
        and kept["color"] == copy["color"]
        and kept["text"].strip() == copy["text"].strip()
    ):
        kept["flags"] |= _BOLD


def _is_copy(span: PaintedSpan, other: PaintedSpan) -> bool:
    """Return whether the other span has the text of the span at its place."""
    text, whole = span["text"].strip(), other["text"].strip()
    limit = min(LIMITS.cell, (LIMITS.offset if len(text) > LIMITS.short else LIMITS.short_offset) * span["size"])
    across, down = (abs(span["origin"][axis] - other["origin"][axis]) for axis in (0, 1))
    if down > limit:
        return False
    if across <= limit:
        return bool(whole.startswith(text))
    is_within = other["bbox"][0] - limit <= span["bbox"][0] and span["bbox"][2] <= other["bbox"][2] + limit
    return is_within and len(text) > LIMITS.short and text in whole and _is_level(span) and _is_level(other)


def _is_level(span: PaintedSpan) -> bool:
    """Return whether the box of a span is around one level line, so that its width is that of its text."""
    return bool(span["bbox"][3] - span["bbox"][1] < 2 * span["size"])
