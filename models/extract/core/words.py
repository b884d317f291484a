"""Words of a region on their baselines, from which columns and cells are built."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Final

_base, _left = attrgetter("base"), attrgetter("x0")
SEGMENT_GAP: Final = 0.5
"""Words closer than this (in ems) belong to one segment."""
_SAME_ROW: Final = 0.35
"""Words whose baselines differ by at most this (in ems) are in one row."""


@dataclass(slots=True, init=False)
class TableWord:
    """A word with its place; `middle` is the middle of its width. `parted`: it begins a column without a wide gap."""

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
    parted: bool

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
        self.parted = False


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
        self.segments = []
        self.top = self.bottom = 0.0


def gather_rows(words: list[TableWord]) -> list[TextRow]:
    """Group words by baseline (within a third of a line), top to bottom."""
    _sort_by_base(words)
    rows: list[TextRow] = []
    for word in words:
        if rows and word.base - rows[-1].base <= _SAME_ROW * max(word.size, rows[-1].size):
            rows[-1].words.append(word)
        else:
            rows.append(TextRow(word.base, word.size, [word]))
    for row in rows:
        _sort_by_left(row.words)
        row.segments = _cut_segments(row.words)
        top, bottom = row.words[0].y0, row.words[0].y1
        for word in row.words:
            if word.y0 < top:
                top = word.y0
            if word.y1 > bottom:
                bottom = word.y1
        row.top, row.bottom = top, bottom
    return rows


def _sort_by_base(words: list[TableWord]) -> None:
    """Sort the words by their baseline unless they are in that order, as most are."""
    last = words[0].base if words else 0.0
    for word in words:
        if not word.base >= last:
            words.sort(key=_base)
            return
        last = word.base


def _sort_by_left(words: list[TableWord]) -> None:
    last = words[0].x0
    for word in words:
        if not word.x0 >= last:
            words.sort(key=_left)
            return
        last = word.x0


def _cut_segments(words: list[TableWord]) -> list[Segment]:
    last = words[0]
    segment = Segment([last], last.x0, last.x1)
    segments = [segment]
    for index in range(1, len(words)):
        word = words[index]
        is_near = word.upright and last.upright and not word.parted
        if is_near and word.x0 - last.x1 < SEGMENT_GAP * max(word.size, last.size):
            segment.words.append(word)
            segment.x1 = word.x1
        else:
            segment = Segment([word], word.x0, word.x1)
            segments.append(segment)
        last = word
    return segments
