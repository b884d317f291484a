"""From class probabilities to text: greedy CTC decoding (Graves 2006) that keeps where each character stands.

In: one line's probabilities (columns × classes). Out: characters with their stretch of the line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from quire.models.neural.ocr.runtime import Floats

BLANK = 0  # index of CTC's blank


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedGlyph:
    """A character; `start` and `end` are fractions (0..1) of the line's length."""

    char: str
    confidence: float
    start: float
    end: float


def decode_line(probabilities: Floats, characters: Sequence[str], share: float) -> tuple[DecodedGlyph, ...]:
    """Take the best class of every column, collapse runs and drop blanks; `share` of the columns are not padding."""
    best = probabilities.argmax(axis=1)
    edges = [0, *(int(place) for place in np.flatnonzero(np.diff(best)) + 1), len(best)]
    width = max(1.0, len(best) * share)
    return tuple(
        DecodedGlyph(
            char=characters[best[start]],
            confidence=float(probabilities[start:end, best[start]].max()),
            start=min(1.0, start / width),
            end=min(1.0, end / width),
        )
        for start, end in pairwise(edges)
        if best[start] != BLANK
    )
