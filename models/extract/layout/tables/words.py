"""Words of a region on their baselines, from which columns and cells are built."""

from dataclasses import dataclass
from operator import attrgetter

from quire.models.cdom.geometry import Bbox
from quire.models.extract.layout.lines.marks import Line, PageMarks

_base, _left = attrgetter("base"), attrgetter("x0")
SEGMENT_GAP = 0.5
"""Words closer than this (in ems) belong to one segment."""


# Pages have hundreds of each. In compiled code an explicit constructor takes a fifth of a dataclass's time.
@dataclass(slots=True, init=False)
class TableWord:
    """A word with its place; `middle` is the middle of its width."""

    x0: float
    x1: float
    y0: float
    y1: float
    base: float
    size: float
    text: str
    bold: bool
    upright: bool
    middle: float

    def __init__(
        self,
        x0: float,
        x1: float,
        y0: float,
        y1: float,
        base: float,
        size: float,
        text: str,
        bold: bool,
        upright: bool = True,
    ) -> None:
        self.x0, self.x1, self.y0, self.y1 = x0, x1, y0, y1
        self.base, self.size, self.text = base, size, text
        self.bold, self.upright = bold, upright
        self.middle = (x0 + x1) / 2


@dataclass(slots=True, init=False)
class Segment:
    """Words on one baseline without a wide gap, from the left of the first to the right of the last."""

    words: list[TableWord]
    x0: float
    x1: float

    def __init__(self, words: list[TableWord], x0: float, x1: float) -> None:
        self.words, self.x0, self.x1 = words, x0, x1


@dataclass(slots=True, init=False)
class TextRow:
    """All words on one baseline of a region, left to right, between `top` and `bottom`."""

    base: float
    size: float
    words: list[TableWord]
    segments: list[Segment]
    top: float
    bottom: float

    def __init__(self, base: float, size: float, words: list[TableWord]) -> None:
        self.base, self.size, self.words = base, size, words
        self.segments: list[Segment] = []
        self.top = self.bottom = 0.0


def make_words(line: Line, marks: PageMarks) -> list[TableWord]:
    """Return the words of a line with their places."""
    if not line.upright:
        return [_stand_upright(line)]
    return [
        TableWord(piece.x0, piece.x1, line.y0, line.y1, line.base, line.size, piece.text, line.bold)
        for piece in marks.words_of(line)
    ]


def gather_rows(words: list[TableWord]) -> list[TextRow]:
    """Group words by baseline (within a third of a line), top to bottom."""
    words.sort(key=_base)
    rows: list[TextRow] = []
    for word in words:
        if rows and word.base - rows[-1].base <= 0.35 * max(word.size, rows[-1].size):
            rows[-1].words.append(word)
        else:
            rows.append(TextRow(word.base, word.size, [word]))
    for row in rows:
        row.words.sort(key=_left)
        row.segments = _cut_segments(row.words)
        row.top = min([word.y0 for word in row.words])
        row.bottom = max([word.y1 for word in row.words])
    return rows


def _stand_upright(line: Line) -> TableWord:
    """Return a slanted or upended line as one word at the place where it begins.

    Slanted headers lean over other columns.
    """
    x1 = min(line.x1, line.x0 + line.size)
    return TableWord(line.x0, x1, line.y0, line.y1, line.y1, line.size, line.text, line.bold, upright=False)


def _cut_segments(words: list[TableWord]) -> list[Segment]:
    last = words[0]
    segments = [Segment([last], last.x0, last.x1)]
    for word in words[1:]:
        if word.upright and last.upright and word.x0 - last.x1 < SEGMENT_GAP * max(word.size, last.size):
            segments[-1].words.append(word)
            segments[-1].x1 = word.x1
        else:
            segments.append(Segment([word], word.x0, word.x1))
        last = word
    return segments


def lines_within(lines: list[Line], box: Bbox) -> list[Line]:
    """Return lines whose middle is in the box (with a tolerance of 3 points sideways, 2 vertically)."""
    x0, y0, x1, y1 = box
    return [
        line
        for line in lines
        if x0 - 3 <= (line.x0 + line.x1) / 2 <= x1 + 3 and y0 - 2 <= (line.y0 + line.y1) / 2 <= y1 + 2
    ]
