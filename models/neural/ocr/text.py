"""Lines to words: splits decoded characters at spaces, and gives each word its part of the line's box.

In: glyphs and the line's corners. Out: words with four corners in pixels. Pure.

Boxes to tick are read as letters or signs by the recogniser; `take_boxes` takes those out of the lines.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean

import numpy as np

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import TickBox
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


_IDEOGRAPHS = "\u2e80"
"""First of the characters that are squares of strokes themselves."""
_SQUARE = 1.5  # width of a frame around an ideograph, in heights
_LIKE_BOXES = frozenset("口囗回")
_SURE_IDEOGRAPH = 0.85  # confidence (0..1) of a glyph
_LEAST_SHARE = 0.48
"""Least side of a box as a share of its line's height: small letters of a title, which look like boxes, are lower."""


@dataclass(frozen=True, slots=True)
class LevelPage:
    """Size of a picture in pixels, its pixels per point along both sides, and the degrees by which its lines fall."""

    width: int
    height: int
    scale: tuple[float, float]
    skew: float

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return the place of a pixel in points of the level page."""
        sine, cosine = math.sin(math.radians(self.skew)), math.cos(math.radians(self.skew))
        dx, dy = x - self.width / 2, y - self.height / 2
        level = (self.width / 2 + dx * cosine + dy * sine, self.height / 2 - dx * sine + dy * cosine)
        return level[0] / self.scale[0], level[1] / self.scale[1]


def take_boxes(
    boxes: Sequence[TickBox], lines: Sequence[ReadLine], page: LevelPage
) -> tuple[tuple[TickBox, ...], list[ReadLine]]:
    """Return the boxes without those that are ideographs, and the lines without the glyphs read in them."""
    kept: list[TickBox] = []
    cuts: list[list[tuple[float, float]]] = [[] for _ in lines]
    places = [_place_line(line, page) for line in lines] if boxes else []
    for box in boxes:
        parts = [(row, part) for row, place in enumerate(places) if (part := _find_part(box.bbox, place)) is not None]
        is_small = any(box.bbox[3] - box.bbox[1] < _LEAST_SHARE * (places[row][3] - places[row][1]) for row, _ in parts)
        glyphs = [glyph for row, part in parts for glyph in lines[row].glyphs if _is_inside(glyph, part)]
        if (
            not is_small
            and not any(map(_is_ideograph, glyphs))
            and not any(_is_letter(lines[row], part) for row, part in parts)
        ):
            kept.append(box)
            for row, part in parts:
                cuts[row].append(part)
    return tuple(kept), [_cut_line(line, parts) if parts else line for line, parts in zip(lines, cuts, strict=True)]


def _place_line(line: ReadLine, page: LevelPage) -> tuple[float, float, float, float]:
    """Return the left end, top, right end and bottom of the level line in points."""
    corners = [page.place(float(x), float(y)) for x, y in line.box]
    left, right = (corners[0][0] + corners[3][0]) / 2, (corners[1][0] + corners[2][0]) / 2
    return left, (corners[0][1] + corners[1][1]) / 2, right, (corners[2][1] + corners[3][1]) / 2


def _find_part(box: Bbox, line: tuple[float, float, float, float]) -> tuple[float, float] | None:
    """Return the stretch of a line (as shares of its length) that a box in it takes."""
    left, top, right, bottom = line
    if not top <= (box[1] + box[3]) / 2 <= bottom or right <= left:
        return None
    start, end = (box[0] - left) / (right - left), (box[2] - left) / (right - left)
    return (start, end) if end > 0 and start < 1 else None


def _is_inside(glyph: DecodedGlyph, part: tuple[float, float]) -> bool:
    return part[0] <= (glyph.start + glyph.end) / 2 <= part[1]


def _cut_line(line: ReadLine, parts: Sequence[tuple[float, float]]) -> ReadLine:
    """Return the line without the glyphs in those parts; it begins after a part at its start."""

    def is_cut(glyph: DecodedGlyph) -> bool:
        return any(_is_inside(glyph, part) for part in parts)

    inked = [glyph for glyph in line.glyphs if glyph.char != " " and not is_cut(glyph)]
    if not inked:
        return replace(line, glyphs=(), strokes=())
    glyphs = [
        glyph
        for glyph in line.glyphs
        if inked[0].start <= glyph.start <= inked[-1].start and (glyph.char == " " or not is_cut(glyph))
    ]
    words = zip(line.strokes, _group(line.glyphs), strict=False)  # strokes may not have been measured
    strokes = tuple(stroke for stroke, word in words if not all(map(is_cut, word)))
    first, last = inked[0].start, inked[-1].end
    start = max([part[1] for part in parts if part[1] <= (first + inked[0].end) / 2] or [0.0])
    end = min([part[0] for part in parts if part[0] >= (last + inked[-1].start) / 2] or [1.0])
    moved = (
        replace(glyph, start=max(0.0, (glyph.start - start) / (end - start)), end=(glyph.end - start) / (end - start))
        for glyph in glyphs
    )
    return replace(line, box=_part(line.box, start, end), glyphs=tuple(moved), strokes=strokes)


def _is_letter(line: ReadLine, part: tuple[float, float]) -> bool:
    """Return whether a letter is read in the part, as close to another one as in a word."""
    middles = [(glyph, (glyph.start + glyph.end) / 2) for glyph in line.glyphs]
    return any(
        part[0] <= place <= part[1]
        and glyph.char.isalnum()
        and any(
            other.char != " "
            and not part[0] <= at <= part[1]
            and abs(at - place) <= _reach(glyph.char, other.char) * (part[1] - part[0])
            for other, at in middles
        )
        for glyph, place in middles
    )


def _reach(char: str, other: str) -> float:
    """Return how many widths of a box the middles of two letters of a word are apart; ideographs are square."""
    return _SQUARE if min(char, other) >= _IDEOGRAPHS and char not in _LIKE_BOXES else 1.0


def _is_ideograph(glyph: DecodedGlyph) -> bool:
    return glyph.char >= _IDEOGRAPHS and glyph.char not in _LIKE_BOXES and glyph.confidence >= _SURE_IDEOGRAPH


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
