"""The PP-OCRv6 networks over one picture: lines with characters, the turn that made it upright, its skew.

In: an RGB picture. Out: lines in order of rows, boxes in pixels of the upright picture. Knows neither points nor pages.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from quire.models.cdom.coverage import ScanCoverage
from quire.models.cdom.geometry import Bbox, PageBend
from quire.models.cdom.ports import TickBox
from quire.models.neural.bend import add_bends, flatten, measure_bend
from quire.models.neural.ink import measure_ink
from quire.models.neural.ocr.crops import ROWS, batch_lines, box_size, cut_line
from quire.models.neural.ocr.decode import DecodedGlyph, decode_line
from quire.models.neural.ocr.detect import DetectorSettings, LineKernels, Picture, find_kernels, find_lines
from quire.models.neural.ocr.order import row_order
from quire.models.neural.ocr.rules import find_ruling
from quire.models.neural.ocr.runtime import Floats, Network
from quire.models.neural.ocr.spaces import add_spaces
from quire.models.neural.ocr.text import LevelPage, ReadLine, find_words, take_boxes
from quire.models.neural.ocr.upright import (
    TALL,
    choose_probes,
    is_sideways,
    measure_skew,
    turn_boxes_over,
    turn_picture,
)
from quire.models.neural.strokes import measure_strokes

SURE = 0.93
"""Lines that read this well on average stand upright; below it the page is also tried upside down, and any page that
lay on its side: figures read well either way."""

HALF_TURN = 180
"""Degrees of a page that stands on its head, however it lay."""
_LEAST_EXTENT = 15.0
"""Heights of text below which a page is too short to identify its script."""
_LEAST_LETTERS = 0.8  # letters for each height of a line
_LEAST_SURE = 0.76  # mean confidence of the characters
_DOUBTFUL_SHARE = 0.5
"""Share of the text without figures from which lines that read badly make a page foreign. Receipts of seven scripts
have .7 to 1, Latin ones up to .22."""
_LEAST_JUDGED = 8.0
"""Heights of text without figures that are judged."""
_CAPITALS, _SMALL = ("\u0391", "\u03a9"), ("\u03b1", "\u03c9")
_LEAST_MIXED, _MIXED_CHARS, _MIXED_SHARE = 2, 4, 0.1
"""Words of this length with Latin letters and Greek capitals, or several small ones: Greek is read so. In Latin text
such words (a symbol with an index) are rare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPicture:
    """`turn` is clockwise; `width` and `height` are pixels after it; `skew` in degrees, clockwise positive.

    `ruling`: boxes of drawn lines in points of the upright, level page; `boxes`: boxes to tick. `bend`: how the
    picture's lines bent; boxes are those of the flat one.

    `extent`: how many times as long as high all lines are together, also those that were not read. `judged`: the same
    of the lines that are not figures, and of those that read badly.
    """

    lines: tuple[ReadLine, ...]
    turn: int
    skew: float
    width: int
    height: int
    extent: float = 0.0
    judged: tuple[float, float] = (0.0, 0.0)
    ruling: tuple[Bbox, ...] = ()
    boxes: tuple[TickBox, ...] = ()
    bend: PageBend | None = None
    ink: ScanCoverage | None = None

    @property
    def is_foreign(self) -> bool:
        """True when so little was read that the page is in letters that the network does not know.

        Latin text has 1.8 to 2.2 letters for each height of a line; Cyrillic, Greek, Arabic, Devanagari and Hangul give
        0 to .5, Hebrew 2.1 with a confidence of .72.
        """
        total, bad = self.judged
        if total >= _LEAST_JUDGED and bad >= _DOUBTFUL_SHARE * total:
            return True
        words = [
            word for line in self.lines for word in line.text.split() if sum(map(str.isalpha, word)) >= _MIXED_CHARS
        ]
        if sum(map(_is_mixed, words)) >= max(_LEAST_MIXED, _MIXED_SHARE * len(words)):
            return True
        if self.extent < _LEAST_EXTENT:
            return False
        chars = sum(len(line.text) for line in self.lines)
        letters = sum(char.isalnum() for line in self.lines for char in line.text)
        sure = sum(line.confidence * len(line.text) for line in self.lines) / max(1, chars)
        return letters < _LEAST_LETTERS * self.extent or sure < _LEAST_SURE


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureReader:
    """Both networks and the recogniser's characters. Lines whose mean confidence is below `worst` are dropped."""

    detector: Network
    recogniser: Network
    characters: tuple[str, ...]
    settings: DetectorSettings
    worst: float = 0.5

    def read(self, picture: Picture, points: tuple[float, float]) -> ReadPicture:
        """Read the picture of a page of `points` size; deterministic on one kind of processor."""
        picture, kernels, turn = self._find_upright(picture)
        boxes = kernels.boxes(self.settings)
        bend = self._find_bend(picture, kernels)
        if bend is not None:
            picture = flatten(picture, bend)
            boxes = find_lines(picture, self.detector, self.settings)
        height, width = picture.shape[:2]
        lines = self._read_lines(picture, boxes)
        if self._is_upside_down(picture, boxes, lines, turn):
            turn, picture, boxes = turn + 180, turn_picture(picture, 180), turn_boxes_over(boxes, width, height)
            lines = self._read_lines(picture, boxes)
        skew = measure_skew(boxes)
        upright = points[::-1] if turn in {90, 270} else points
        ruling, ticks, skew = find_ruling(picture, upright, skew, measure_height(boxes))
        level = LevelPage(width, height, (width / upright[0], height / upright[1]), skew)
        ticks, lines = take_boxes(ticks, lines, level)
        judged = judge_lines(lines)
        ordered = (lines[index] for index in row_order(boxes, skew))
        kept = tuple(line for line in ordered if line.text and line.confidence >= self.worst)
        return ReadPicture(
            lines=kept, turn=turn, skew=skew, width=width, height=height, extent=measure_extent(boxes),
            judged=judged, ruling=ruling, boxes=ticks, ink=measure_ink(picture, [line.box for line in kept]),
            bend=bend and replace(bend, over=turn >= HALF_TURN),
        )  # fmt: skip

    def find_upright_lines(self, picture: Picture) -> tuple[Picture, list[Floats]]:
        """Return the picture with its lines level, and their boxes; they may be upside down."""
        picture, kernels, _ = self._find_upright(picture)
        return picture, kernels.boxes(self.settings)

    def _find_upright(self, picture: Picture) -> tuple[Picture, LineKernels, int]:
        """Return the picture with its lines level, their kernels, and the turn (degrees) that made them level."""
        kernels = find_kernels(picture, self.detector, self.settings)
        if not is_sideways(kernels.boxes(self.settings)):
            return picture, kernels, 0
        turned = turn_picture(picture, 90)
        return turned, find_kernels(turned, self.detector, self.settings), 90

    def _find_bend(self, picture: Picture, kernels: LineKernels) -> PageBend | None:
        """Measure the page's bend, and again on the flattened picture because bent lines are detected in pieces."""
        bend = _measure(kernels)
        if bend is None:
            return None
        again = find_kernels(flatten(picture, bend), self.detector, self.settings)
        more = _measure(again)
        return bend if more is None else add_bends(bend, more)

    def _is_upside_down(self, picture: Picture, boxes: Sequence[Floats], lines: Sequence[ReadLine], turn: int) -> bool:
        """Whether a few long lines read better upside down; tried only when that may be."""
        probes = choose_probes(boxes)
        upright = _mean_confidence([lines[index] for index in probes])
        if not probes or (upright >= SURE and not turn):
            return False
        over = turn_boxes_over([boxes[index] for index in probes], picture.shape[1], picture.shape[0])
        return _mean_confidence(self._read_lines(turn_picture(picture, 180), over)) > upright

    def _read_lines(self, picture: Picture, boxes: Sequence[Floats]) -> list[ReadLine]:
        """Each box as it stands; a tall one also lying on either side, and the best reading is taken."""
        tries = [(index, way) for index, box in enumerate(boxes) for way in _ways(box)]
        lines: list[ReadLine | None] = [None] * len(boxes)
        for (index, _), line in zip(tries, self._recognise(picture, [way for _, way in tries]), strict=True):
            best = lines[index]
            if best is None or line.confidence > best.confidence:
                lines[index] = line
        return [line for line in lines if line is not None]

    def _recognise(self, picture: Picture, boxes: Sequence[Floats]) -> list[ReadLine]:
        lines: list[ReadLine | None] = [None] * len(boxes)
        cuts = [cut_line(picture, box) for box in boxes]
        for batch in batch_lines(cuts):
            probabilities = self.recogniser(batch.pictures)
            for place, index in enumerate(batch.indices):
                share = batch.columns[place] / batch.pictures.shape[3]
                glyphs = add_spaces(cuts[index], decode_line(probabilities[place], self.characters, share))
                strokes = _measure_words(cuts[index], boxes[index], glyphs)
                lines[index] = ReadLine(box=boxes[index], glyphs=glyphs, strokes=strokes)
        return [line for line in lines if line is not None]


def _measure_words(cut: Picture, box: Floats, glyphs: Sequence[DecodedGlyph]) -> tuple[float, ...]:
    """Return the thickness of the strokes of each word in pixels of the whole picture."""
    scale = box_size(box)[1] / ROWS
    return tuple(width * scale for width in measure_strokes(cut, find_words(glyphs)))


def _measure(kernels: LineKernels) -> PageBend | None:
    height, width = kernels.inked.shape[:2]
    return measure_bend(kernels.contours, (height, width), float(kernels.scale[1] / kernels.scale[0]))


def measure_extent(boxes: Sequence[Floats]) -> float:
    """Lengths of the lines in their own heights."""
    return float(sum(along / max(across, 1.0) for along, across in map(box_size, boxes)))


def judge_lines(lines: Sequence[ReadLine]) -> tuple[float, float]:
    """Return the extent of the lines that are not figures, and of those among them that read badly.

    Figures look alike in most scripts: a receipt in foreign letters has many lines that read well.
    """
    total = bad = 0.0
    for line in lines:
        along, across = sorted(box_size(line.box), reverse=True)
        extent = along / max(across, 1.0)
        figures, letters = sum(map(str.isdigit, line.text)), sum(map(str.isalpha, line.text))
        is_read = figures + letters >= _LEAST_LETTERS * extent and line.confidence >= _LEAST_SURE
        if figures <= letters or not is_read:
            total += extent
            bad += 0.0 if is_read else extent
    return total, bad


def _is_mixed(word: str) -> bool:
    letters = [char for char in word if char.isalpha()]
    capitals, small = (sum(first <= char <= last for char in letters) for first, last in (_CAPITALS, _SMALL))
    return 0 < capitals + (small if small > 1 else 0) < len(letters)


def measure_height(boxes: Sequence[Floats]) -> float:
    """Return the usual height of the lines in pixels, 0 without lines."""
    return median([box_size(box)[1] for box in boxes] or [0.0])


def _ways(box: Floats) -> list[Floats]:
    along, across = box_size(box)
    return [box] if across < TALL * along else [box, np.roll(box, 1, axis=0), np.roll(box, -1, axis=0)]


def _mean_confidence(lines: Sequence[ReadLine]) -> float:
    return sum(line.confidence for line in lines) / len(lines) if lines else 0.0
