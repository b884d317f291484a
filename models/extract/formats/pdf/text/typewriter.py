"""Pages typed on a typewriter: prose in a font of fixed width, as transcripts and old letters have, is no code."""

import re
from dataclasses import dataclass

from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.text_quality.statistics import measure_lines


@dataclass(frozen=True, slots=True)
class TypewriterLimits:
    """When a page in fonts of fixed width is prose.

    Attributes:
        share: Least share of the page's characters in such fonts.
        lines: Least lines of prose.
        words: Least words of a line of prose.
        long_share: Least share of characters in lines of so many words.
        plain: Least share of letters, figures, blanks and marks of sentences.
        surprise: Greatest surprise (nats a triple of letters) of prose.
    """

    share: float = 0.8
    lines: int = 6
    words: int = 5
    long_share: float = 0.75
    plain: float = 0.985
    surprise: float = 2.9


LIMITS = TypewriterLimits()
_PLAIN = re.compile(r"[\w\s.,;:?!'\"’“”()\-–—§$%&/]")


def settle_typewriter(lines: list[Line]) -> None:
    """Take the look of code from all lines, in place, where the page is prose in fonts of fixed width."""
    typed = [line for line in lines if line.code]
    chars = sum(len(line.text) for line in typed)
    if len(typed) < LIMITS.lines or chars < LIMITS.share * sum(len(line.text) for line in lines):
        return
    long = [line.text for line in typed if len(line.text.split()) >= LIMITS.words]
    text = "".join(long)
    if len(long) < LIMITS.lines or len(text) < LIMITS.long_share * chars:
        return
    if len(_PLAIN.findall(text)) < LIMITS.plain * len(text):
        return
    measured = measure_lines(long)
    if measured.nats.sum() > LIMITS.surprise * max(1.0, measured.triples.sum()):
        return
    for line in typed:
        line.code, line.runs = False, [run for run in line.runs if not run.code]
