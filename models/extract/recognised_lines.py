"""Recognised words as lines of a page, as layout wants them."""

from models.cdom.ports import Word
from models.extract.layout.lines.marks import Line

_ASCENT, _SIZE = 0.78, 0.95
"""Baseline and font size as shares of the height of a recognised line's box."""


def make_line(words: list[Word]) -> Line:
    """One recognised text line; confidence is the mean of its words, weighted by their length."""
    words = sorted(words, key=lambda word: word.bbox[0])
    text = " ".join(word.text.strip() for word in words if word.text.strip())
    x0, y0 = min(word.bbox[0] for word in words), min(word.bbox[1] for word in words)
    x1, y1 = max(word.bbox[2] for word in words), max(word.bbox[3] for word in words)
    chars = sum(len(word.text) for word in words) or 1
    score = sum(word.confidence * len(word.text) for word in words) / chars
    base = y0 + _ASCENT * (y1 - y0)
    return Line(x0, y0, x1, y1, base, round(_SIZE * (y1 - y0), 1), text, confidence=round(score, 3), recognised=True)
