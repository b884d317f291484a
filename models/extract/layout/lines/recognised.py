"""Recognised words as lines of a page, of even type sizes: a text detector draws unequal boxes around equal type."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import median_low

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import TickBox, Word
from quire.models.extract.core.marks import Rule
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.lines.strokes import find_pitch, has_pitch, mark_bold


@dataclass(frozen=True, slots=True)
class RecognisedLineLimits:
    """Thresholds for lines made of words and for lines in type of one size. Heights are those of the line's box."""

    wide_gap: float = 1.2
    """Heights of a gap that parts columns: blanks of justified text are narrower."""
    slack: float = 0.3
    """Heights by which a word's box may overlap a neighbouring drawn line."""
    most_posts: int = 300
    """Verticals that words are compared with; a page with more is a drawing."""
    ascent: float = 0.78
    """Baseline as a share of the height."""
    size: float = 0.95
    """Type size as a share of the height."""
    alike: float = 1.3
    """Most ratio of the heights of two boxes around type of one size: a heading in larger type keeps its own."""
    reach: float = 3.2
    """Heights within which lines of the same column are compared with a line."""
    larger: float = 1.1
    """Least ratio of height and of width per letter to those of its peers for a line to keep its own size."""
    least_peers: int = 2
    """Lines that a median needs more of."""


LIMITS = RecognisedLineLimits()


def make_marks(
    words: Sequence[Word], rules: Sequence[Bbox], width: float, height: float, boxes: Sequence[TickBox] = ()
) -> PageMarks:
    """Return the marks of a page with these words and drawn lines; boxes to tick part words.

    Words get their positions from their line, because boxes of single words leave gaps.
    """
    posts = [box for box in rules if box[2] - box[0] < box[3] - box[1]]
    posts = posts if len(posts) <= LIMITS.most_posts else []
    parting = [*posts, *(box.bbox for box in boxes)]
    groups = [
        part
        for _, group in groupby(words, key=lambda word: word.line)
        for part in _split_at_gaps(list(group), parting)
        if any(word.text.strip() for word in part)
    ]
    lines = even_sizes(list(map(make_line, groups)))
    mark_bold(lines, groups)
    return PageMarks(
        width=width,
        height=height,
        lines=lines,
        horizontals=[Rule(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2) for x0, y0, x1, y1 in rules if x1 - x0 >= y1 - y0],
        verticals=[Rule((x0 + x1) / 2, y0, (x0 + x1) / 2, y1) for x0, y0, x1, y1 in posts],
    )


def _split_at_gaps(words: list[Word], posts: Sequence[Bbox]) -> list[list[Word]]:
    """Split the words of a recognised line where a gap or a drawn line separates columns."""
    words = sorted(words, key=lambda word: word.bbox[0])
    parts = [words[:1]]
    for before, word in pairwise(words):
        height = min(before.bbox[3] - before.bbox[1], word.bbox[3] - word.bbox[1])
        is_apart = word.bbox[0] - before.bbox[2] > LIMITS.wide_gap * height
        if is_apart or any(_is_between(post, before.bbox, word.bbox) for post in posts):
            parts.append([])
        parts[-1].append(word)
    return parts


def _is_between(post: Bbox, left: Bbox, right: Bbox) -> bool:
    """Return whether a vertical separates two words at their height."""
    middle, y = (post[0] + post[2]) / 2, (left[1] + left[3] + right[1] + right[3]) / 4
    slack = LIMITS.slack * (right[3] - right[1])
    return post[1] <= y <= post[3] and left[2] - slack <= middle <= right[0] + slack


def make_line(words: list[Word]) -> Line:
    """Return one recognised text line; its confidence is the mean over its words, weighted by length."""
    words = sorted(words, key=lambda word: word.bbox[0])
    text = " ".join(word.text.strip() for word in words if word.text.strip())
    x0, y0 = min(word.bbox[0] for word in words), min(word.bbox[1] for word in words)
    x1, y1 = max(word.bbox[2] for word in words), max(word.bbox[3] for word in words)
    chars = sum(len(word.text) for word in words) or 1
    score = sum(word.confidence * len(word.text) for word in words) / chars
    base = y0 + LIMITS.ascent * (y1 - y0)
    return Line(
        x0, y0, x1, y1, base, round(LIMITS.size * (y1 - y0), 1), text, confidence=round(score, 3), recognised=True
    )


def even_sizes(lines: Sequence[Line]) -> list[Line]:
    """Return the lines with the median height of the lines in equal type around them, in the same column.

    The middle of a box varies less than its edges, so the box grows or shrinks on both sides.
    """
    order = sorted(range(len(lines)), key=lambda index: _middle(lines[index]))
    middles = [_middle(lines[index]) for index in order]
    evened = list(lines)
    pitch = find_pitch(lines)
    for index, line in enumerate(lines):
        reach = LIMITS.reach * (line.y1 - line.y0)
        first = bisect_left(middles, _middle(line) - reach)
        last = bisect_left(middles, _middle(line) + reach)
        heights = [other.y1 - other.y0 for other in (lines[i] for i in order[first:last]) if _is_peer(line, other)]
        if len(heights) > LIMITS.least_peers and not _is_larger(line, median_low(heights), pitch):
            evened[index] = _resize(line, median_low(heights))
    return evened


def _is_larger(line: Line, height: float, pitch: float) -> bool:
    """Return whether a line is set in larger type than its peers, by its height and by the width of its letters."""
    if not pitch or not has_pitch(line) or line.y1 - line.y0 < LIMITS.larger * height:
        return False
    return (line.x1 - line.x0) / len(line.text) >= LIMITS.larger * pitch


def _middle(line: Line) -> float:
    return (line.y0 + line.y1) / 2


def _is_peer(line: Line, other: Line) -> bool:
    """Return whether two lines (or one line itself) are in one column and in type of about the same size."""
    heights = sorted((line.y1 - line.y0, other.y1 - other.y0))
    shared = min(line.x1, other.x1) - max(line.x0, other.x0)
    return heights[1] <= LIMITS.alike * heights[0] and shared > 0.5 * min(line.x1 - line.x0, other.x1 - other.x0)


def _resize(line: Line, height: float) -> Line:
    top = _middle(line) - height / 2
    return replace(line, base=top + LIMITS.ascent * height, size=round(LIMITS.size * height, 1))
