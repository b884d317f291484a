"""Text that nobody can see: drawn without ink, white on white, or too small to be read."""

from models.extract.layout.lines.marks import Line, PageMarks

_INK = 16 | 32
"""MuPDF's character flags for filled and stroked glyphs; text of render mode 3 has neither."""
_WHITE = 0xFA
_SMALLEST = 2.0


def is_unseen(char_flags: int, alpha: int, size: float) -> bool:
    """True for text without ink, wholly transparent, or under two points."""
    return not char_flags & _INK or alpha == 0 or size < _SMALLEST


def is_white(color: int) -> bool:
    return color >> 16 >= _WHITE and (color >> 8) & 0xFF >= _WHITE and color & 0xFF >= _WHITE


def hide_unseen(marks: PageMarks) -> None:
    """Mark white lines as hidden unless something lies behind them that could be dark."""
    for line in marks.lines:
        if line.white and not line.hidden and not _has_ground(line, marks):
            line.hidden = True


def _has_ground(line: Line, marks: PageMarks) -> bool:
    """True when a shaded area, shape or picture lies behind the line's middle."""
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    if any(fill.x0 <= x <= fill.x1 and fill.y0 <= y <= fill.y1 for fill in marks.fills):
        return True
    return any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in (*marks.shapes, *marks.pictures))
