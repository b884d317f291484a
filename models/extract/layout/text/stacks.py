"""Lines of title type below each other that are several titles: stacked centred lines, and parts of a law."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

from quire.models.extract.layout.lines.marks import Line


@dataclass(frozen=True, slots=True)
class StackLimits:
    """Limits for two centred lines to be separate titles. Distances are relative to the type size."""

    middle: float = 0.6
    """Maximum distance of the middles of two centred lines."""
    ragged: float = 0.06
    """Maximum distance of their middle to that of the text, as a share of its width; lines of text end unevenly."""
    edge: float = 0.6
    """Minimum distance of the left edges of two lines that are centred anywhere."""
    indent: float = 3.0
    """Minimum distance of their edges to those of the text if they are centred in it."""
    narrow: float = 0.6
    """Share of the width of the text that the upper line and the first word of the lower one do not fill."""
    full: float = 0.85
    """Share of the width of the text above which a line ends because it is full."""
    least_words: int = 2
    """Words of each line; a single word is more often the rest of a title."""
    most_lines: int = 500
    """Lines of a page by which the edges of its text are found."""
    labels: int = 4
    """Letters of a line whose capitals say something."""


LIMITS: Final = StackLimits()
Sides = tuple[float, float]
"""Left and right edge of the text of a page."""
PARTS: Final = (
    frozenset({"book", "livre", "libro", "buch", "boek"}),
    frozenset({"part", "partie", "parte", "teil", "deel", "del", "annex", "schedule", "appendix", "anhang", "annexe"}),
    frozenset({"title", "titre", "título", "titolo", "titel"}),
    frozenset({"chapter", "chapitre", "capítulo", "capitolo", "kapitel", "hoofdstuk"}),
    frozenset({"section", "sección", "sezione", "abschnitt", "afdeling", "division"}),
    frozenset({"article", "art", "artículo", "articolo", "artigo", "artikel", "clause", "rule", "regulation", "§"}),
)
"""Words before the numbers of the parts of a law, from the whole to its smallest part."""
_PART: Final = re.compile(
    rf"(?:({'|'.join(sorted(set().union(*PARTS) - {'§'}))})\.? |§ ?)(?:[0-9]|[ivxlc]+\b|[a-z]\b)", re.IGNORECASE
)
_SMALL_WORDS: Final = (
    "a an and as at by for from in into of on or the to with without über und der die das des von zu im am für mit "
    "de la le les du et en pour à el los las del y para con por da do e di il per van het een voor"
)
_JOINS: Final = frozenset(_SMALL_WORDS.split())
"""Words that no title begins or ends with; a line that does goes on."""
_OPEN: Final = (",", "-", "–", "—", "‐", "&", "/", ":", "(")
_TITLE_START: Final = re.compile(r"[(“\"'‘]?[^\W_a-zà-ÿ]")


def find_part(text: str) -> int | None:
    """Return how deep the word of a law or contract before a heading's number is ("PART II" 1, "Article 4" 5)."""
    match = _PART.match(text)
    if match is None:
        return None
    word = match.group(1).lower().rstrip(".") if match.group(1) else "§"
    return next(depth for depth, words in enumerate(PARTS) if word in words)


def _find_sides(line: Line, lines: Iterable[Line]) -> Sides:
    """Return the left and the right edge of the text above and below a line: of its column, or of all columns."""
    near = [other for other in islice(lines, LIMITS.most_lines) if other.text and _overlap(other, line)]
    return min([line.x0, *(other.x0 for other in near)]), max([line.x1, *(other.x1 for other in near)])


def _overlap(a: Line, b: Line) -> bool:
    return a.x0 < b.x1 and b.x0 < a.x1


def is_stacked(upper: Line, lower: Line, lines: Iterable[Line]) -> bool:
    """Return whether two lines of title type are two titles.

    Args:
        upper: A line larger than the text, or bold.
        lower: The line right below it.
        lines: All lines of the page.
    """
    if find_part(lower.text) is not None and not lower.text[0].islower() and find_part(upper.text) is not None:
        return True
    if abs(upper.x0 + upper.x1 - lower.x0 - lower.x1) > 2 * LIMITS.middle * max(upper.size, lower.size):
        return False
    sides = _find_sides(upper, lines)
    if not _are_centred(upper, lower, sides) or upper.text.endswith(_OPEN) or _TITLE_START.match(lower.text) is None:
        return False
    words, following = upper.text.split(), lower.text.split()
    if words[-1].lower() in _JOINS or following[0].lower() in _JOINS:
        return False
    width = sides[1] - sides[0]
    if _looks_otherwise(upper, lower) and upper.x1 - upper.x0 < LIMITS.full * width:
        return True
    if len(words) < LIMITS.least_words or len(following) < LIMITS.least_words:
        return False
    first = (len(following[0]) + 1) * (lower.x1 - lower.x0) / len(lower.text)
    return upper.x1 - upper.x0 + first < LIMITS.narrow * width and lower.x1 - lower.x0 < LIMITS.narrow * width


def _are_centred(upper: Line, lower: Line, sides: Sides) -> bool:
    size = max(upper.size, lower.size)
    is_indented = min(upper.x0, lower.x0) - sides[0] > LIMITS.indent * size
    in_middle = is_indented and abs(upper.x0 + upper.x1 - sum(sides)) <= 2 * LIMITS.ragged * (sides[1] - sides[0])
    return in_middle or abs(upper.x0 - lower.x0) > LIMITS.edge * size


def _looks_otherwise(upper: Line, lower: Line) -> bool:
    """Return whether two lines differ in font, colour or capitals."""
    if (upper.font, upper.color, upper.bold, upper.italic) != (lower.font, lower.color, lower.bold, lower.italic):
        return True
    letters = [sum(char.isalpha() for char in line.text) for line in (upper, lower)]
    return min(letters) >= LIMITS.labels and upper.text.isupper() != lower.text.isupper()
