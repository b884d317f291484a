"""Recognised words and drawn lines as a page, as layout wants it."""

from collections.abc import Sequence
from itertools import groupby, pairwise

from models.cdom.geometry import Bbox
from models.cdom.ports import Word
from models.extract.layout.lines.marks import Line, PageMarks, Rule

_WIDE_GAP = 1.2
"""Heights of a line: no blank of justified text is as wide."""
_SLACK = 0.3
"""Heights of a line by which the box of a word may reach over a line beside it."""
_MOST_POSTS = 300
"""Verticals that words are held against; a page with more is a drawing."""
_ASCENT, _SIZE = 0.78, 0.95
"""Baseline and font size as shares of the height of a recognised line's box."""


def make_marks(words: Sequence[Word], rules: Sequence[Bbox], width: float, height: float) -> PageMarks:
    """The page of these words and drawn lines. Words are told from their line: boxes of single ones leave gaps."""
    posts = [box for box in rules if box[2] - box[0] < box[3] - box[1]]
    posts = posts if len(posts) <= _MOST_POSTS else []
    groups = (part for _, group in groupby(words, key=lambda word: word.line) for part in _cut(list(group), posts))
    return PageMarks(
        width=width,
        height=height,
        lines=[line for line in map(make_line, groups) if line.text],
        horizontals=[Rule(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2) for x0, y0, x1, y1 in rules if x1 - x0 >= y1 - y0],
        verticals=[Rule((x0 + x1) / 2, y0, (x0 + x1) / 2, y1) for x0, y0, x1, y1 in posts],
    )


def _cut(words: list[Word], posts: Sequence[Bbox]) -> list[list[Word]]:
    """The words of a recognised line, cut where a gap or a drawn line says that they stand in several columns."""
    words = sorted(words, key=lambda word: word.bbox[0])
    parts = [words[:1]]
    for before, word in pairwise(words):
        height = min(before.bbox[3] - before.bbox[1], word.bbox[3] - word.bbox[1])
        is_apart = word.bbox[0] - before.bbox[2] > _WIDE_GAP * height
        if is_apart or any(_stands_between(post, before.bbox, word.bbox) for post in posts):
            parts.append([])
        parts[-1].append(word)
    return parts


def _stands_between(post: Bbox, left: Bbox, right: Bbox) -> bool:
    """True for a vertical between two words, as high as they are."""
    middle, y = (post[0] + post[2]) / 2, (left[1] + left[3] + right[1] + right[3]) / 4
    slack = _SLACK * (right[3] - right[1])
    return post[1] <= y <= post[3] and left[2] - slack <= middle <= right[0] + slack


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
