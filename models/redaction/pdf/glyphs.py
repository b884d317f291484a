"""Locates characters of masked values on a page: rectangles in points of the unrotated page."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pymupdf

from quire.models.cdom.geometry import Bbox
from quire.models.pii.letters import letters
from quire.models.redaction.planning.folded import FoldedText, ValueFinder, fold_text
from quire.models.redaction.planning.plan import MaskedPlace

SLACK = 2.0
"""Points by which a block's box may be too small."""
INSET = 0.2
"""Share of a glyph's box on each side that may be a neighbour's."""


@dataclass(frozen=True, slots=True)
class GlyphLine:
    """A line of the engine's: its characters are `first` to `end` of the text, all of them in `bbox`."""

    first: int
    end: int
    bbox: Bbox
    engine: Any


@dataclass(frozen=True)
class Glyphs:
    """The page's characters in the engine's order; a line end is a character without a box.

    Boxes of single characters are asked of the engine for those lines alone where they are needed: most of a page's
    time would go there.
    """

    spelled: FoldedText
    lines: tuple[GlyphLine, ...]
    text_page: Any
    """Must outlive its lines, which only point into it."""
    _known: dict[int, list[Bbox]] = field(default_factory=dict)

    @cached_property
    def owners(self) -> npt.NDArray[np.int64]:
        """The character of each letter."""
        return np.array(self.spelled.owner, dtype=np.int64)

    @cached_property
    def line_of(self) -> npt.NDArray[np.int64]:
        """The line of each character; -1 for line ends."""
        line_numbers = np.full(len(self.text), -1, dtype=np.int64)
        for number, line in enumerate(self.lines):
            line_numbers[line.first : line.end] = number
        return line_numbers

    @property
    def text(self) -> str:
        """The characters of all lines."""
        return self.spelled.text

    def box(self, number: int) -> Bbox:
        """Return the box of a character that is not a line end."""
        line = int(self.line_of[number])
        return self.boxes(line)[number - self.lines[line].first]

    def boxes(self, number: int) -> list[Bbox]:
        """Of the characters of a line; the whole line's for each where the engine counts them in another way."""
        if number not in self._known:
            line = self.lines[number]
            spans: dict[str, Any] = {}
            nowhere = pymupdf.mupdf.FzRect(pymupdf.mupdf.FzRect.Fixed_INFINITE)
            pymupdf.JM_make_spanlist(spans, line.engine, True, pymupdf.mupdf.fz_new_buffer(128), nowhere)
            boxes = [char["bbox"] for span in spans["spans"] for char in span["chars"]]
            self._known[number] = (
                boxes if len(boxes) == line.end - line.first else [line.bbox] * (line.end - line.first)
            )
        return self._known[number]


def read_glyphs(page: Any, flags: int) -> Glyphs:
    """Return all characters that the page's text operators show, also outside the page."""
    text: list[str] = []
    lines: list[GlyphLine] = []
    index = 0
    text_page = page.get_textpage(flags=flags, clip=pymupdf.INFINITE_RECT())
    blocks = [block for block in text_page.this if block.m_internal.type == pymupdf.mupdf.FZ_STEXT_BLOCK_TEXT]
    dict_blocks = [block for block in text_page.extractDICT()["blocks"] if block["type"] == 0]
    for block, stated in zip(blocks, dict_blocks, strict=True):
        for engine, line in zip(block, stated["lines"], strict=True):
            shown = "".join([span["text"] for span in line["spans"]])
            lines.append(GlyphLine(index, index + len(shown), line["bbox"], engine))
            text += (shown, "\n")
            index += len(shown) + 1
    return Glyphs(fold_text("".join(text)), tuple(lines), text_page)


def find_masked(glyphs: Glyphs, places: Iterable[MaskedPlace], finder: ValueFinder) -> set[int]:
    """Return the numbers of masked characters; all of a place if the masked ones cannot be identified."""
    masked = finder.find(glyphs.spelled)
    for place in places:
        masked |= _of_place(glyphs, place)
    return {number for number in masked if glyphs.line_of[number] >= 0}


def _of_place(glyphs: Glyphs, place: MaskedPlace) -> set[int]:
    stands = _find_inside(glyphs, place.bbox)
    if place.everything:
        return set(np.flatnonzero(stands).tolist())
    characters = _find_exactly(glyphs, place, stands)
    return set(np.flatnonzero(stands).tolist()) if characters is None else characters


def find_exactly(glyphs: Glyphs, place: MaskedPlace) -> set[int] | None:
    """Numbers of the characters of the place's stretches; None where one does not stand there as it was read."""
    return _find_exactly(glyphs, place, _find_inside(glyphs, place.bbox))


def _find_exactly(glyphs: Glyphs, place: MaskedPlace, stands: Any) -> set[int] | None:
    here = np.flatnonzero(stands[glyphs.owners])
    owner = glyphs.owners[here].tolist()
    seen = "".join(map(glyphs.spelled.folded.__getitem__, here.tolist()))
    whole = letters(place.text)
    position = seen.find(whole) if whole else -1
    masked: set[int] = set()
    for start, end in place.spans:
        value = letters(place.text[start:end])
        if not value:
            continue
        begin = position + len(letters(place.text[:start])) if position >= 0 else -1
        if begin >= 0 and seen[begin : begin + len(value)] == value:
            starts = [begin]
        else:
            starts = [i for i in range(len(seen)) if seen.startswith(value, i)]
        if not starts and place.whole:
            continue
        if not starts:
            return None
        for first in starts:
            masked |= set(range(owner[first], owner[first + len(value) - 1] + 1))
    return {number for number in masked if stands[number]}


def _find_inside(glyphs: Glyphs, place: Bbox | None) -> Any:
    """Return a mask of the characters whose middle is in the place; without a place, of all but line ends."""
    if place is None:
        return glyphs.line_of >= 0
    area = (place[0] - SLACK, place[1] - SLACK, place[2] + SLACK, place[3] + SLACK)
    stands = np.zeros(len(glyphs.text), dtype=bool)
    for number, line in enumerate(glyphs.lines):
        if _is_inside(line.bbox, area):
            stands[line.first : line.end] = True
        elif _touches(line.bbox, area):
            stands[line.first : line.end] = [_is_inside(_middle(box), area) for box in glyphs.boxes(number)]
    return stands


def find_outside(glyphs: Glyphs, area: Bbox) -> set[int]:
    """Return the numbers of characters entirely outside the area."""
    outside: set[int] = set()
    for number, line in enumerate(glyphs.lines):
        if not _is_inside(line.bbox, area) or line.bbox[0] >= line.bbox[2] or line.bbox[1] >= line.bbox[3]:
            away = [index for index, box in enumerate(glyphs.boxes(number), line.first) if not _overlaps(box, area)]
            outside.update(away)
    return outside


def _middle(box: Bbox) -> Bbox:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return x, y, x, y


def _is_inside(box: Bbox, area: Bbox) -> bool:
    return area[0] <= box[0] and area[1] <= box[1] and box[2] <= area[2] and box[3] <= area[3]


def _touches(box: Bbox, area: Bbox) -> bool:
    return box[0] <= area[2] and area[0] <= box[2] and box[1] <= area[3] and area[1] <= box[3]


def _overlaps(box: Bbox, area: Bbox) -> bool:
    return box[0] < area[2] and area[0] < box[2] and box[1] < area[3] and area[1] < box[3]


def as_rectangles(glyphs: Glyphs, masked: set[int]) -> list[Bbox]:
    """One rectangle per run of masked characters of a line."""
    rectangles: list[Bbox] = []
    last = -2
    for number in sorted(masked):
        if glyphs.line_of[number] < 0:
            continue
        box = glyphs.box(number)
        joined = rectangles and number == last + 1 and _same_line(rectangles[-1], box)
        if joined:
            old = rectangles[-1]
            rectangles[-1] = (min(old[0], box[0]), min(old[1], box[1]), max(old[2], box[2]), max(old[3], box[3]))
        else:
            rectangles.append(box)
        last = number
    return rectangles


def _same_line(first: Bbox, second: Bbox) -> bool:
    """Return True when both boxes have about the same middle height; a lower line gets a separate box."""
    apart = abs((first[1] + first[3]) - (second[1] + second[3])) / 2
    return apart < (first[3] - first[1] + second[3] - second[1]) / 8
