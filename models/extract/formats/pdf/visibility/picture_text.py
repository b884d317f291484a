"""Pictures of text: finds the pictures of a page that look like rows of printed letters, for a recogniser to read.

Pixels decide: most of the picture is one ground, the ink is in rows of letter height, and many short strokes cross
every row. Photographs have no such ground, logos no rows, charts long lines and few strokes in a row.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from quire.models.cdom.geometry import Bbox, bbox_area
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock

Ink = npt.NDArray[np.bool_]
Grey = npt.NDArray[np.uint8]
DrawGrey = Callable[[Bbox, int], Grey | None]
"""Draws a part of the page (points) at so many dots per inch, height × width; None where it cannot be drawn."""
_DPI: Final = 100
"""Dots per inch at which pictures are judged: letters of 7 points are then ten pixels high."""
_SMALL_DPI: Final = 30
"""Dots per inch of the first check."""


@dataclass(frozen=True, slots=True)
class PictureTextLimits:
    """Thresholds, measured on 93 pictures without a text layer and on 298 text and table areas drawn as pictures."""

    least_width: float = 90.0  # points: smaller pictures are icons
    least_height: float = 24.0  # points: three rows of small letters
    most_share: float = 0.65  # of the page: beyond it the page is a scan and has been judged as one
    most_pictures: int = 12  # of a page that are judged, the largest first
    small_ground: float = 0.35  # share of pixels about as light as the ground at the first look
    small_ink: int = 40  # levels of grey from the ground that letters blurred to so few pixels still have
    least_ink: float = 0.06  # share of such pixels: of 516 areas of text none has less
    most_ink: float = 0.6  # nor more
    small_mark: int = 24  # levels of grey from which a stroke begins
    least_marked: float = 0.04  # share of such pixels in a row of pixels that crosses letters
    small_strokes: float = 0.018  # strokes for each pixel of width in such rows: of 99.5 % of text areas more
    ground: float = 0.55  # share of pixels within `near` of the most common grey
    near: int = 16  # levels of grey
    ink: int = 70  # levels of grey from the ground
    rule: int = 40  # pixels in a straight run: no stroke of a letter is so long
    ruled: float = 0.6  # share of ink in such runs: more is a drawing
    strokes: int = 4  # runs of ink in a row of pixels that crosses letters
    lowest: int = 4  # pixels of the height of a row of letters
    highest: int = 32
    rows: int = 3
    pair: int = 2  # rows of a sign: enough where more strokes cross them than cross the letters of a logo
    inside: float = 0.85  # share of ink in rows of letters
    thin: tuple[float, float] = (1.2, 5.0)  # mean run of ink, pixels
    line_height: tuple[float, float] = (5.0, 20.0)  # points of the images of single lines
    line_aspect: float = 2.0  # their least width by height
    line_images: int = 12  # in a picture: fewer are icons and flags
    most_lines: int = 2000  # such images of a page
    crossings: float = 12.0  # mean runs of ink in the rows of pixels of letters
    pair_crossings: float = 16.0  # in a picture of two rows


LIMITS: Final = PictureTextLimits()


def find_text_pictures(
    blocks: Sequence[PageBlock], width: float, height: float, draw: DrawGrey, images: Sequence[Bbox] = ()
) -> list[int]:
    """Return the indexes of picture blocks that look like text or hold the page's `images` of single lines of text.

    The page's size and the boxes are in points.
    """
    lines = [box for box in images if _is_line(box)][: LIMITS.most_lines]
    holding = {index for index, block in enumerate(blocks) if _holds_lines(block, lines)}
    judged = [i for i, block in enumerate(blocks) if i in holding or _is_judged(block)]
    pictures = [(i, box) for i in judged if (box := blocks[i].bbox) is not None]
    page_area = max(1.0, width * height)
    fitting = [(i, box) for i, box in pictures if _fits(box) and bbox_area(box) < LIMITS.most_share * page_area]
    largest = sorted(fitting, key=lambda picture: (-bbox_area(picture[1]), picture[0]))[: LIMITS.most_pictures]
    return sorted(i for i, box in largest if i in holding or _shows_text(box, draw))


def _is_line(box: Bbox) -> bool:
    """Return whether an image has the shape of a few printed words."""
    low, high = LIMITS.line_height
    return low <= box[3] - box[1] <= high and box[2] - box[0] >= LIMITS.line_aspect * (box[3] - box[1])


def _holds_lines(block: PageBlock, lines: Sequence[Bbox]) -> bool:
    """Return whether a picture has images of lines of text inside, as some programs write them."""
    if not (block.type is BlockType.PICTURE and block.table is None and block.bbox is not None):
        return False
    x0, y0, x1, y1 = block.bbox
    return LIMITS.line_images <= sum(
        x0 - 1 <= box[0] and box[2] <= x1 + 1 and y0 - 1 <= box[1] and box[3] <= y1 + 1 for box in lines
    )


def _is_judged(block: PageBlock) -> bool:
    return block.type is BlockType.PICTURE and not block.text and block.table is None


def _fits(box: Bbox) -> bool:
    return box[2] - box[0] >= LIMITS.least_width and box[3] - box[1] >= LIMITS.least_height


def _shows_text(box: Bbox, draw: DrawGrey) -> bool:
    """Check the picture at a small size, which rejects most photographs, then at the size that letters need."""
    small = draw(box, _SMALL_DPI)
    if small is None or not may_be_text(small):
        return False
    large = draw(box, _DPI)
    return large is not None and looks_like_text(large)


def may_be_text(grey: Grey) -> bool:
    """Check (height × width, at the lower resolution) for enough ground, some ink, and strokes along the rows."""
    ground, share = _ground_share(grey)
    if share < LIMITS.small_ground:
        return False
    apart = np.abs(grey.astype(np.int16) - ground)
    ink = float((apart > LIMITS.small_ink).mean())
    if not LIMITS.least_ink < ink < LIMITS.most_ink:
        return False
    marked = apart > LIMITS.small_mark
    rows = marked.mean(axis=1) > LIMITS.least_marked
    strokes = (marked[:, 1:] & ~marked[:, :-1]).sum(axis=1)[rows]
    return bool(strokes.size) and float(strokes.mean()) > LIMITS.small_strokes * grey.shape[1]


def _ground_share(grey: Grey) -> tuple[int, float]:
    """Return the most common grey, and the share of pixels within `near` levels of it."""
    levels = np.bincount(grey.ravel(), minlength=256)
    ground = int(levels.argmax())
    return ground, float(levels[max(0, ground - LIMITS.near) : ground + LIMITS.near + 1].sum()) / max(1, grey.size)


def looks_like_text(grey: Grey) -> bool:
    """Return whether a picture (height × width, at `_DPI`) has rows of printed letters."""
    if min(grey.shape) < LIMITS.lowest:
        return False
    ground, share = _ground_share(grey)
    if share < LIMITS.ground:
        return False
    ink = np.abs(grey.astype(np.int16) - ground) > LIMITS.ink
    rules = _long_runs(ink, 1) | _long_runs(ink, 0)
    return rules.sum() < LIMITS.ruled * ink.sum() and _has_rows(ink & ~rules)


def _long_runs(ink: Ink, axis: int) -> Ink:
    """Return the pixels of straight runs along the axis that are longer than any stroke of a letter."""
    length = ink.shape[axis]
    if length < LIMITS.rule:
        return np.zeros_like(ink)
    lines = np.moveaxis(ink, axis, 0)
    starts, reach = lines, 1
    while reach < LIMITS.rule:  # `starts` marks starts of runs of `reach` pixels; each step doubles it
        step = min(reach, LIMITS.rule - reach)
        starts = starts[:-step] & starts[step:]
        reach += step
    runs = np.zeros_like(lines)
    runs[: length - reach + 1] = starts
    filled = 1
    while filled < reach:
        step = min(filled, reach - filled)
        runs[step:] |= runs[:-step].copy()
        filled += step
    return np.moveaxis(runs, 0, axis)


def _has_rows(ink: Ink) -> bool:
    starts = (np.diff(np.pad(ink, ((0, 0), (1, 0))).astype(np.int8), axis=1) == 1).sum(axis=1)
    area = ink.sum(axis=1)
    turns = np.diff(np.pad(starts >= LIMITS.strokes, (1, 1)).astype(np.int8))
    bands = [
        slice(top, bottom)
        for top, bottom in zip(np.flatnonzero(turns == 1), np.flatnonzero(turns == -1), strict=True)
        if LIMITS.lowest <= bottom - top <= LIMITS.highest
    ]
    if len(bands) < LIMITS.pair:
        return False
    inside = sum(int(area[band].sum()) for band in bands)
    strokes = sum(int(starts[band].sum()) for band in bands)
    lines = sum(band.stop - band.start for band in bands)
    low, high = LIMITS.thin
    crossings = LIMITS.crossings if len(bands) >= LIMITS.rows else LIMITS.pair_crossings
    return bool(inside >= LIMITS.inside * area.sum() and low < inside / strokes < high and strokes / lines > crossings)
