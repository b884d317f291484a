"""Bold words of recognised lines: their strokes are thicker than those of the page's text of the same size."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quire.models.cdom.ports import Word
from quire.models.extract.layout.lines.marks import Line, Run


@dataclass(frozen=True, slots=True)
class StrokeLimits:
    """Limits for words to be bold, as ratios to the usual thickness of strokes."""

    bold: float = 1.25
    """Least mean of a stretch of bold words."""
    near: float = 1.14
    """Least ratio of each word of the stretch."""
    line: float = 1.18
    """Least mean of a line of several words that is bold as a whole."""
    line_word: float = 1.06
    """Least ratio of each word of such a line."""
    wider: float = 1.2
    """Least width per letter of a line in larger type, as a ratio to the usual one."""
    thicker: float = 1.08
    """Least mean thickness of the strokes of such a line."""
    shortest_line: int = 8
    """Characters of a line whose width per letter says nothing."""
    capitals: float = 1.04
    """How much thicker capitals and figures are than small letters of one face."""
    alike: float = 1.2
    """Most ratio of the sizes of lines that are compared."""
    least_letters: int = 60
    """Letters of lines of one size whose usual thickness is known; others take that of the page."""
    whole: float = 0.8
    """Share of a line's characters above which it is a bold line."""
    shortest: int = 3
    """Letters of a stretch of bold words."""


LIMITS = StrokeLimits()
Floats = npt.NDArray[np.float64]


@dataclass(slots=True)
class _InkWord:
    """A word of a line: its range in the line's text, its letters and the thickness of its strokes for its size."""

    start: int
    end: int
    letters: int
    width: float
    ratio: float = 0.0


def mark_bold(lines: Sequence[Line], words: Sequence[Sequence[Word]]) -> None:
    """Add runs over bold words to lines that consist of these words, in place."""
    found = [_read_words(line, own) for line, own in zip(lines, words, strict=True)]
    known = [(line.size, word) for line, own in zip(lines, found, strict=True) for word in own if word.width > 0]
    if not known:
        return
    sizes = np.array([size for size, _ in known])
    widths = np.array([word.width for _, word in known])
    letters = np.array([float(word.letters) for _, word in known])
    usual = {size: _find_usual(size, sizes, widths, letters) for size in set(sizes.tolist())}
    for size, word in known:
        word.ratio = word.width / usual[size]
    pitch, body = find_pitch(lines), _weighted_median(sizes, letters)
    for line, own in zip(lines, found, strict=True):
        _enlarge(line, own, pitch, body)
        runs = _find_runs(own)
        line.runs += [Run(start, end, bold=True) for start, end in runs]
        line.bold = sum(end - start for start, end in runs) > LIMITS.whole * len(line.text)


def find_pitch(lines: Sequence[Line]) -> float:
    """Return the usual width of a letter, over lines in small letters; 0 without any."""
    widths = sorted((line.x1 - line.x0) / len(line.text) for line in lines if has_pitch(line))
    return widths[len(widths) // 2] if widths else 0.0


def has_pitch(line: Line) -> bool:
    """Return whether the width of a line's letters says how large its type is."""
    return len(line.text) > LIMITS.shortest_line and any(char.islower() for char in line.text)


def _enlarge(line: Line, words: Sequence[_InkWord], pitch: float, body: float) -> None:
    """Give a line with wider letters and thicker strokes than others the size that their width states, in place.

    The boxes of single lines are often as high as those of smaller type.
    """
    if not pitch or not has_pitch(line) or _mean_ratio(words) < LIMITS.thicker:
        return
    ratio = (line.x1 - line.x0) / len(line.text) / pitch
    if ratio >= LIMITS.wider:
        line.size = max(line.size, round(body * ratio, 1))


def _mean_ratio(words: Sequence[_InkWord]) -> float:
    """Return the mean ratio of the measured words, by letters; 0 without any."""
    measured = [word for word in words if word.ratio]
    letters = sum(word.letters for word in measured)
    return sum(word.ratio * word.letters for word in measured) / letters if letters else 0.0


def _read_words(line: Line, words: Sequence[Word]) -> list[_InkWord]:
    read: list[_InkWord] = []
    offset = 0
    for word in sorted(words, key=lambda word: word.bbox[0]):
        text = word.text.strip()
        start = line.text.find(text, offset) if text else -1
        if start < 0:
            continue
        offset = start + len(text)
        letters = sum(char.isalnum() for char in text)
        width = word.stroke / (1.0 if any(char.islower() for char in text) else LIMITS.capitals)
        read.append(_InkWord(start, offset, letters, width if letters else 0.0))
    return read


def _find_usual(size: float, sizes: Floats, widths: Floats, letters: Floats) -> float:
    """Return the usual thickness of strokes of type of a size."""
    near = (sizes <= LIMITS.alike * size) & (sizes * LIMITS.alike >= size)
    if letters[near].sum() >= LIMITS.least_letters:
        return _weighted_median(widths[near], letters[near])
    return size * _weighted_median(widths / sizes, letters)


def _weighted_median(values: Floats, weights: Floats) -> float:
    order = np.argsort(values, kind="stable")
    sums = np.cumsum(weights[order])
    return float(values[order][int(np.searchsorted(sums, sums[-1] / 2))])


def _find_runs(words: Sequence[_InkWord]) -> list[tuple[int, int]]:
    """Return the ranges of bold words; words without a measure belong to their neighbours."""
    measured = [word for word in words if word.ratio]
    is_even = len(measured) > 1 and all(word.ratio >= LIMITS.line_word for word in measured)
    if is_even and _mean_ratio(measured) >= LIMITS.line:
        return [(words[0].start, words[-1].end)]
    runs: list[tuple[int, int]] = []
    stretch: list[_InkWord] = []
    for word in [*words, None]:
        if word is not None and (word.ratio >= LIMITS.near or (stretch and not word.ratio)):
            stretch.append(word)
            continue
        while stretch and not stretch[-1].ratio:
            stretch.pop()
        letters = sum(one.letters for one in stretch if one.ratio)
        if letters >= LIMITS.shortest and _mean_ratio(stretch) >= LIMITS.bold:
            runs.append((stretch[0].start, stretch[-1].end))
        stretch = []
    return runs
