"""Sentences of a few short lines, as panels, cards and infographics have them."""

from dataclasses import dataclass

from quire.models.extract.layout.lines.marks import Line


@dataclass(frozen=True, slots=True)
class SentenceLimits:
    """Thresholds for lines below each other to be a sentence."""

    least_words: int = 4
    """Minimum words of a sentence."""
    least_letters: int = 18
    """Minimum letters of a sentence."""
    one_line: int = 26
    """The same of a sentence in one line."""
    words_a_line: float = 1.3
    """Minimum mean words of a line; a list of names may have one in each."""
    lower_case: float = 0.4
    """Minimum share of its words that begin with a small letter."""
    same_edge: float = 1.5
    """Maximum difference (points) of the left edges, right edges or middles of its lines."""
    same_size: float = 0.3
    """Maximum difference of their sizes, in points."""
    leading: float = 1.7
    """Maximum distance of their baselines, in ems."""


LIMITS = SentenceLimits()


def holds_sentence(lines: list[Line]) -> bool:
    """Return whether some of the lines are a sentence."""
    return any(map(is_sentence, join_lines(lines)))


def join_lines(lines: list[Line]) -> list[list[Line]]:
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


def is_sentence(unit: list[Line]) -> bool:
    """Return whether the lines have some words of which enough begin with a small letter."""
    text = " ".join(line.text for line in unit)
    words = [word for word in text.split() if word[0].isalpha()]
    if len(words) < LIMITS.least_words or sum(map(len, words)) < LIMITS.least_letters:
        return False
    if (len(unit) == 1 and len(text) < LIMITS.one_line) or len(text.split()) < LIMITS.words_a_line * len(unit):
        return False
    return sum(not word[0].isupper() for word in words) >= LIMITS.lower_case * len(words)
