"""Frees the text of infographics: drawings around sentences of a few words, large numbers and titles.

A diagram or chart has labels; it stays one picture. Of an infographic only the parts that hold no text are pictures.
"""

from dataclasses import dataclass

from quire.models.cdom.geometry import Bbox, bbox_area, intersection_area
from quire.models.extract.layout.figures.panels import Row
from quire.models.extract.layout.figures.pictures import Picture, is_large, join_touching
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.lines.sentences import is_sentence, join_lines


@dataclass(frozen=True, slots=True)
class InfographicLimits:
    """Thresholds for lines inside a drawing to be text rather than labels."""

    least_sentences: int = 3
    """Minimum sentences; two are enough if they are most of the text."""
    most_text: float = 0.6
    """Their share of the letters then."""
    most_numbers: int = 2
    """Maximum numbers in small type, as an axis has them, for each sentence."""
    most_lines: int = 400
    """Maximum lines of a drawing that is looked at."""
    of_drawing: float = 0.15
    """Minimum share of a drawing that a card covers."""
    inside: float = 0.8
    """Share of a part inside the drawing that makes it one of its parts."""


LIMITS = InfographicLimits()


def free_infographics(
    pictures: list[Picture], lines: list[Line], upright: PageMarks, cards: list[Row]
) -> tuple[list[Picture], list[Line]]:
    """Return the pictures with the large parts of infographics in their place, and the lines with their text."""
    kept: list[Picture] = []
    for picture in pictures:
        is_drawing = picture.drawn and not picture.is_chart and picture.chart is None
        if is_drawing and (_is_infographic(picture.lines) or any(_is_part_of(picture, row) for row in cards)):
            lines = lines + picture.lines
            kept += _find_parts(picture, lines, upright)
        else:
            kept.append(picture)
    return kept, lines


def _is_part_of(picture: Picture, row: Row) -> bool:
    """Return True for a drawing that has the shades of cards as its parts."""
    least = LIMITS.of_drawing * bbox_area(picture.box)
    return any(_is_part(card, picture.box) and least < bbox_area(card) for card in row)


def _is_infographic(lines: list[Line]) -> bool:
    if not 1 < len(lines) <= LIMITS.most_lines:
        return False
    sentences = [unit for unit in join_lines(lines) if is_sentence(unit)]
    letters = sum(len(line.text) for line in lines)
    own = sum(len(line.text) for unit in sentences for line in unit)
    if len(sentences) < LIMITS.least_sentences and (len(sentences) < 2 or own < LIMITS.most_text * letters):
        return False
    size = max(line.size for unit in sentences for line in unit)
    numbers = sum(line.size <= size and not any(char.isalpha() for char in line.text) for line in lines)
    return numbers <= LIMITS.most_numbers * len(sentences)


def _find_parts(picture: Picture, lines: list[Line], upright: PageMarks) -> list[Picture]:
    """Return the touching parts of the drawing that are large and hold no text; small ones are icons."""
    parts = join_touching([box for box in upright.shapes if _is_part(box, picture.box)])
    return [Picture(box, True) for box in parts if is_large(box) and not _holds_text(box, lines)]


def _is_part(box: Bbox, outer: Bbox) -> bool:
    return intersection_area(box, outer) >= LIMITS.inside * bbox_area(box)


def _holds_text(box: Bbox, lines: list[Line]) -> bool:
    return any(intersection_area(line.bbox, box) > 0.5 * bbox_area(line.bbox) for line in lines)
