"""Lines to words: splits decoded characters at spaces, and gives each word its part of the line's box.

In: glyphs and the line's corners. Out: words with four corners in pixels. Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

import numpy as np

from quire.models.neural.ocr.decode import DecodedGlyph
from quire.models.neural.ocr.runtime import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLine:
    """A recognised line: its box (4×2 pixels), its glyphs, and the thickness of the strokes of each word in pixels."""

    box: Floats
    glyphs: tuple[DecodedGlyph, ...]
    strokes: tuple[float, ...] = ()

    @property
    def text(self) -> str:
        """Return the text of the line."""
        return "".join(glyph.char for glyph in self.glyphs).strip()

    @property
    def confidence(self) -> float:
        """Mean over its characters, spaces left out; 0 for nothing."""
        return fmean([glyph.confidence for glyph in self.glyphs if glyph.char != " "] or [0.0])


@dataclass(frozen=True, slots=True, kw_only=True)
class LineWord:
    """A word of a line with its confidence, corners (4×2 pixels) and the thickness of its strokes in pixels."""

    text: str
    confidence: float
    corners: Floats
    stroke: float = 0.0


def split_words(line: ReadLine) -> Iterator[LineWord]:
    """Words of the line from left to right."""
    groups = list(_group(line.glyphs))
    bounds = [0.0, *((a[-1].end + b[0].start) / 2 for a, b in pairwise(groups)), 1.0]
    for place, group in enumerate(groups):
        start = group[0].start if place else bounds[0]
        end = group[-1].end if place + 1 < len(groups) else bounds[-1]
        yield LineWord(
            text="".join(glyph.char for glyph in group),
            confidence=fmean(glyph.confidence for glyph in group),
            corners=_part(line.box, start, end),
            stroke=line.strokes[place] if line.strokes else 0.0,
        )


def find_words(glyphs: Sequence[DecodedGlyph]) -> list[tuple[float, float]]:
    """Return where the words of a line start and end, as fractions of its length."""
    return [(group[0].start, group[-1].end) for group in _group(glyphs)]


def _group(glyphs: Sequence[DecodedGlyph]) -> Iterator[list[DecodedGlyph]]:
    group: list[DecodedGlyph] = []
    for glyph in glyphs:
        if group and glyph.char == " ":
            yield group
            group = []
        if glyph.char != " ":
            group.append(glyph)
    if group:
        yield group


def _part(box: Floats, start: float, end: float) -> Floats:
    top, bottom = box[1] - box[0], box[2] - box[3]
    corners = [box[0] + top * start, box[0] + top * end, box[3] + bottom * end, box[3] + bottom * start]
    return np.array(corners, np.float32)
