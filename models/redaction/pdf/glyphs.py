"""Where on a page the characters of masked values stand: rectangles in points of the page as it lies in the file."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pymupdf

from models.cdom.geometry import Bbox
from models.pii.kinds import Detector
from models.pii.letters import letters
from models.redaction.planning.folded import FoldedText, find_values, fold_text
from models.redaction.planning.plan import MaskedPlace, RedactionPlan

SLACK = 2.0
"""Points by which a block's box may be too small."""
_NOWHERE = (math.nan,) * 4
INSET = 0.2
"""Share of a glyph's box on each side that may be a neighbour's."""


@dataclass(frozen=True)
class Glyphs:
    """The page's characters in the engine's order; line ends are characters without a box."""

    spelled: FoldedText
    boxes: tuple[Bbox | None, ...]

    @cached_property
    def corners(self) -> npt.NDArray[np.float64]:
        """x0, y0, x1, y1 of each character, a row each; not a number where there is no box."""
        return np.array([box or _NOWHERE for box in self.boxes], dtype=np.float64).reshape(-1, 4)

    @cached_property
    def owners(self) -> npt.NDArray[np.int64]:
        """The character of each letter."""
        return np.array(self.spelled.owner, dtype=np.int64)

    @property
    def text(self) -> str:
        return self.spelled.text


def read_glyphs(page: Any, flags: int) -> Glyphs:
    """Everything the page's text operators show, on the page or beside it."""
    text: list[str] = []
    boxes: list[Bbox | None] = []
    text_page = page.get_textpage(flags=flags, clip=pymupdf.INFINITE_RECT())
    for block in text_page.extractRAWDICT()["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                chars = span["chars"]
                text += [char["c"] for char in chars]
                boxes += [char["bbox"] for char in chars]
            text.append("\n")
            boxes.append(None)
    return Glyphs(fold_text("".join(text)), tuple(boxes))


def find_masked(glyphs: Glyphs, plan: RedactionPlan, places: Iterable[MaskedPlace], detector: Detector) -> set[int]:
    """Numbers of the characters that go; all of a place when it cannot be told which they are."""
    masked = find_values(glyphs.spelled, plan, detector)
    for place in places:
        masked |= _of_place(glyphs, place)
    return {one for one in masked if glyphs.boxes[one] is not None}


def _of_place(glyphs: Glyphs, place: MaskedPlace) -> set[int]:
    stands = _stand_in(glyphs, place.bbox)
    here = np.flatnonzero(stands[glyphs.owners])
    owner = glyphs.owners[here].tolist()
    seen = "".join(map(glyphs.spelled.folded.__getitem__, here.tolist()))
    whole = letters(place.text)
    at = seen.find(whole) if whole else -1
    masked: set[int] = set()
    for start, end in place.spans:
        value = letters(place.text[start:end])
        if not value:
            continue
        begin = at + len(letters(place.text[:start])) if at >= 0 else -1
        if begin >= 0 and seen[begin : begin + len(value)] == value:
            found = [begin]
        else:
            found = [i for i in range(len(seen)) if seen.startswith(value, i)]
        if not found and place.whole:
            continue
        if not found:
            return set(np.flatnonzero(stands).tolist())
        for first in found:
            masked |= set(range(owner[first], owner[first + len(value) - 1] + 1))
    return {number for number in masked if stands[number]}


def _stand_in(glyphs: Glyphs, place: Bbox | None) -> Any:
    """Which characters have their middle in the place; all that have a box without one."""
    x0, y0, x1, y1 = glyphs.corners.T
    if place is None:
        return np.logical_not(np.isnan(x0))
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    across = np.logical_and(place[0] - SLACK <= x, x <= place[2] + SLACK)
    return np.logical_and(across, np.logical_and(place[1] - SLACK <= y, y <= place[3] + SLACK))


def find_outside(glyphs: Glyphs, area: Bbox) -> set[int]:
    """Characters of which nothing stands in the area."""
    x0, y0, x1, y1 = glyphs.corners.T
    touching = (x0 < area[2]) & (x1 > area[0]) & (y0 < area[3]) & (y1 > area[1])
    return set(np.flatnonzero(~touching & ~np.isnan(x0)).tolist())


def as_rectangles(glyphs: Glyphs, masked: set[int]) -> list[Bbox]:
    """One rectangle per run of masked characters of a line."""
    found: list[Bbox] = []
    last = -2
    for number in sorted(masked):
        box = glyphs.boxes[number]
        if box is None:
            continue
        joined = found and number == last + 1 and _same_line(found[-1], box)
        if joined:
            old = found[-1]
            found[-1] = (min(old[0], box[0]), min(old[1], box[1]), max(old[2], box[2]), max(old[3], box[3]))
        else:
            found.append(box)
        last = number
    return found


def _same_line(first: Bbox, second: Bbox) -> bool:
    """Middles of like height; a line below is a box of its own."""
    apart = abs((first[1] + first[3]) - (second[1] + second[3])) / 2
    return apart < (first[3] - first[1] + second[3] - second[1]) / 8
