"""Groups characters into visual rows, independent of drawing order.

Engines build lines in drawing order. Where such lines share a height and touch or overlap, a reader sees one row. Its
characters are sorted by position and searched again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from quire.models.cdom.geometry import Bbox
from quire.models.redaction.pdf.glyphs import Glyphs
from quire.models.redaction.planning.folded import ValueFinder, fold_text

LEVEL = 0.3
"""Share of a line's height by which middles of one row may differ."""
TOUCHING = 1.0
"""Share of a line's height below which the gap between two lines parts words, not columns."""
BLANK = 0.15
"""Share of a line's height from which a gap between two characters is a blank: less than most fonts' own."""


@dataclass(slots=True)
class RowText:
    """`numbers[i]` is the page's character of `chars[i]`; None for an inserted blank or line end."""

    chars: list[str] = field(default_factory=list)
    numbers: list[int | None] = field(default_factory=list)

    def add(self, char: str, number: int | None = None) -> None:
        """Append a character and its number on the page."""
        self.chars.append(char)
        self.numbers.append(number)


def find_in_rows(glyphs: Glyphs, finder: ValueFinder) -> set[int]:
    """Return the numbers of characters of values in rows that join several of the engine's lines."""
    rows = RowText()
    for lines in _rows(glyphs):
        _spell(glyphs, lines, rows)
    if not rows.chars:
        return set()
    numbers = (rows.numbers[index] for index in finder.find(fold_text("".join(rows.chars))))
    return {number for number in numbers if number is not None}


def _rows(glyphs: Glyphs) -> Iterator[list[int]]:
    """Numbers of lines that make a row together, more than one each."""
    placed = [n for n, line in enumerate(glyphs.lines) if line.end > line.first and _height(line.bbox) > 0]
    level: list[int] = []
    for number in sorted(placed, key=lambda n: (_middle(glyphs.lines[n].bbox), n)):
        if level and not _is_level(glyphs.lines[level[0]].bbox, glyphs.lines[number].bbox):
            yield from _touching(glyphs, level)
            level = []
        level.append(number)
    yield from _touching(glyphs, level)


def _touching(glyphs: Glyphs, level: list[int]) -> Iterator[list[int]]:
    """Lines of one height, parted where nothing stands between them for the width of a letter or two."""
    row: list[int] = []
    end = 0.0
    for number in sorted(level, key=lambda n: (glyphs.lines[n].bbox[0], n)) if len(level) > 1 else ():
        box = glyphs.lines[number].bbox
        if row and box[0] - end > TOUCHING * _height(box):
            if len(row) > 1:
                yield row
            row = []
        end = max(end, box[2]) if row else box[2]
        row.append(number)
    if len(row) > 1:
        yield row


def _spell(glyphs: Glyphs, lines: list[int], rows: RowText) -> None:
    """Append the row's characters from left to right and a line end."""
    placed = [
        (box, number) for line in lines for number, box in enumerate(glyphs.boxes(line), glyphs.lines[line].first)
    ]  # fmt: skip
    end: float | None = None
    for box, number in sorted(placed, key=lambda placed_box: (placed_box[0][0], placed_box[1])):
        if glyphs.text[number].isspace():  # the engine's own blanks stand where others draw letters
            continue
        if end is not None and box[0] - end > BLANK * _height(box):
            rows.add(" ")
        rows.add(glyphs.text[number], number)
        end = box[2]
    rows.add("\n")


def _height(box: Bbox) -> float:
    return box[3] - box[1]


def _middle(box: Bbox) -> float:
    return (box[1] + box[3]) / 2


def _is_level(first: Bbox, other: Bbox) -> bool:
    return abs(_middle(first) - _middle(other)) <= LEVEL * min(_height(first), _height(other))
