"""Frees the text of infographics: drawings around sentences of a few words, large numbers and titles.

A diagram or chart has labels; it stays one picture. Of an infographic only the parts that hold no text are pictures.
"""

from dataclasses import dataclass

from quire.models.cdom.geometry import Bbox, bbox_area, intersection_area
from quire.models.extract.layout.figures.pictures import Picture, is_large, join_touching
from quire.models.extract.layout.lines.marks import Line, PageMarks


@dataclass(frozen=True, slots=True)
class InfographicLimits:
    """Thresholds for lines inside a drawing to be text rather than labels."""

    least_sentences: int = 3
    """Minimum sentences; two are enough if they are most of the text."""
    most_text: float = 0.6
    """Their share of the letters then."""
    least_words: int = 4
    """Minimum words of a sentence."""
    least_letters: int = 18
    """Minimum letters of a sentence."""
    one_line: int = 26
    """The same of a sentence in one line."""
    lower_case: float = 0.4
    """Minimum share of its words that begin with a small letter."""
    same_edge: float = 1.5
    """Maximum difference (points) of the left edges, right edges or middles of its lines."""
    same_size: float = 0.3
    """Maximum difference of their sizes, in points."""
    leading: float = 1.7
    """Maximum distance of their baselines, in ems."""
    most_numbers: int = 2
    """Maximum numbers in small type, as an axis has them, for each sentence."""
    most_lines: int = 400
    """Maximum lines of a drawing that is looked at."""
    inside: float = 0.8
    """Share of a part inside the drawing that makes it one of its parts."""


LIMITS = InfographicLimits()


def free_infographics(
    pictures: list[Picture], lines: list[Line], upright: PageMarks
) -> tuple[list[Picture], list[Line]]:
    """Return the pictures with the large parts of infographics in their place, and the lines with their text."""
    kept: list[Picture] = []
    for picture in pictures:
        if picture.drawn and not picture.is_chart and picture.chart is None and _is_infographic(picture.lines):
            lines = lines + picture.lines
            kept += _find_parts(picture, upright)
        else:
            kept.append(picture)
    return kept, lines


def _is_infographic(lines: list[Line]) -> bool:
    if not 1 < len(lines) <= LIMITS.most_lines:
        return False
    sentences = [unit for unit in _join_lines(lines) if _is_sentence(unit)]
    letters = sum(len(line.text) for line in lines)
    own = sum(len(line.text) for unit in sentences for line in unit)
    if len(sentences) < LIMITS.least_sentences and (len(sentences) < 2 or own < LIMITS.most_text * letters):
        return False
    size = max(line.size for unit in sentences for line in unit)
    numbers = sum(line.size <= size and not any(char.isalpha() for char in line.text) for line in lines)
    return numbers <= LIMITS.most_numbers * len(sentences)


def _join_lines(lines: list[Line]) -> list[list[Line]]:
    """Return the lines of one type that stand below each other, from one edge or around one middle."""
    units: list[list[Line]] = []
    for line in sorted((line for line in lines if line.upright), key=lambda line: (line.base, line.x0)):
        unit = next((unit for unit in units if _is_next(unit[-1], line)), None)
        if unit is None:
            units.append([line])
        else:
            unit.append(line)
    return units


def _is_next(above: Line, line: Line) -> bool:
    if abs(above.size - line.size) > LIMITS.same_size or above.all_bold != line.all_bold:
        return False
    if not 0.5 * line.size < line.base - above.base < LIMITS.leading * line.size:
        return False
    apart = abs(above.x0 - line.x0), abs(above.x1 - line.x1), abs(above.x0 + above.x1 - line.x0 - line.x1) / 2
    return min(apart) <= LIMITS.same_edge


def _is_sentence(unit: list[Line]) -> bool:
    text = " ".join(line.text for line in unit)
    words = [word for word in text.split() if word[0].isalpha()]
    if len(words) < LIMITS.least_words or sum(map(len, words)) < LIMITS.least_letters:
        return False
    if len(unit) == 1 and len(text) < LIMITS.one_line:
        return False
    return sum(not word[0].isupper() for word in words) >= LIMITS.lower_case * len(words)


def _find_parts(picture: Picture, upright: PageMarks) -> list[Picture]:
    """Return the touching parts of the drawing that are large and hold no text; small ones are icons."""
    parts = join_touching([box for box in upright.shapes if _is_part(box, picture.box)])
    return [Picture(box, True) for box in parts if is_large(box) and not _holds_text(box, picture.lines)]


def _is_part(box: Bbox, outer: Bbox) -> bool:
    return intersection_area(box, outer) >= LIMITS.inside * bbox_area(box)


def _holds_text(box: Bbox, lines: list[Line]) -> bool:
    return any(intersection_area(line.bbox, box) > 0.5 * bbox_area(line.bbox) for line in lines)
