"""Attaches small pieces to their text line: superscript marks, pictures of formulas."""

from collections import Counter
from dataclasses import dataclass

from quire.models.cdom.geometry import Bbox
from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.lines.pieces import join_pieces


@dataclass(frozen=True, slots=True)
class InlineMarkLimits:
    """Thresholds for a small piece that is a mark of the line next to it."""

    mark_chars: int = 5
    """Maximum characters of a footnote mark or an exponent."""
    mark_size: float = 0.82
    """Maximum size of a mark relative to its line."""
    near: float = 0.6
    """Maximum distance (in ems of its line) between a mark and the text it belongs to."""
    beside: float = 0.8
    """Maximum gap (in ems) between a small picture and the line that it stands on."""


LIMITS = InlineMarkLimits()


def attach_marks(lines: list[Line]) -> list[Line]:
    """Lines with raised or lowered small marks joined to the line before or after them in the file."""
    out: list[Line] = []
    index = 0
    while index < len(lines):
        line = lines[index]
        if len(line.text) > LIMITS.mark_chars:
            out.append(line)
            index += 1
            continue
        last = out[-1] if out else None
        following = lines[index + 1] if index + 1 < len(lines) else None
        if last is not None and _belongs(line, last):
            out[-1] = join_pieces(last, line)
        elif following is not None and _leads(line, following):
            out.append(join_pieces(line, following))
            index += 1
        else:
            out.append(line)
        index += 1
    return out


def _belongs(mark: Line, line: Line) -> bool:
    """Return True for a small mark right after the end of a line, off its baseline."""
    return _is_mark(mark, line) and -0.3 * line.size < mark.x0 - line.x1 < LIMITS.near * line.size


def _leads(mark: Line, line: Line) -> bool:
    """Return True for a small mark right before the start of a line (a footnote's number)."""
    return _is_mark(mark, line) and -0.3 * line.size < line.x0 - mark.x1 < LIMITS.near * line.size


def _is_mark(mark: Line, line: Line) -> bool:
    if mark.size > LIMITS.mark_size * line.size or not mark.upright or not line.upright:
        return False
    return line.y0 - 0.35 * line.size < mark.base < line.base + 0.3 * line.size


def stretch_over_pictures(lines: list[Line], pictures: list[Bbox], body: float) -> None:
    """Let lines reach over the small pictures (formulas, symbols) that stand on them.

    A picture before a line is its mark if others like it are below each other, or no other line begins or ends there.
    """
    edges = {round(edge) for line in lines for edge in (line.x0, line.x1)}
    alike = Counter((round(x0), round(x1 - x0)) for x0, _, x1, _ in pictures)
    for x0, y0, x1, y1 in pictures:
        is_mark = alike[round(x0), round(x1 - x0)] > 1 or edges.isdisjoint(
            range(int(x0 - LIMITS.beside * body), round(x0) + 2)
        )
        if y1 - y0 > 2.2 * body or x1 - x0 < 2:
            continue
        for line in lines:
            if line.base < y0 or line.base - 0.5 * line.size > y1:
                continue
            if 0 <= x0 - line.x1 < LIMITS.beside * line.size:
                line.x1, line.blank_after = x1, True
            elif 0 <= line.x0 - x1 < LIMITS.beside * line.size and not is_mark:
                line.x0, line.blank_before = x0, True
