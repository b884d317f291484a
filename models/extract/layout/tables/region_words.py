"""Words of lines, with their places."""

from quire.models.cdom.geometry import Bbox
from quire.models.extract.core.words import TableWord
from quire.models.extract.layout.lines.marks import Line, PageMarks


def make_words(line: Line, marks: PageMarks) -> list[TableWord]:
    """Return the words of a line with their places."""
    if not line.upright:
        return [_stand_upright(line)]
    return [
        TableWord(piece.x0, piece.x1, line.y0, line.y1, line.base, line.size, piece.text, line.bold)
        for piece in marks.words_of(line)
    ]


def _stand_upright(line: Line) -> TableWord:
    """Return a slanted or upended line as one word at the place where it begins.

    Slanted headers lean over other columns.
    """
    x1 = min(line.x1, line.x0 + line.size)
    return TableWord(line.x0, x1, line.y0, line.y1, line.y1, line.size, line.text, line.bold, upright=False)


def lines_within(lines: list[Line], box: Bbox) -> list[Line]:
    """Return lines whose middle is in the box (with a tolerance of 3 points sideways, 2 vertically)."""
    x0, y0, x1, y1 = box
    return [
        line
        for line in lines
        if x0 - 3 <= (line.x0 + line.x1) / 2 <= x1 + 3 and y0 - 2 <= (line.y0 + line.y1) / 2 <= y1 + 2
    ]
