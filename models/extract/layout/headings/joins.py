"""Join lines of one heading that the grouping separated: a decision about each group right below a heading."""

import re
from dataclasses import dataclass

from quire.models.cdom.tree import BlockType
from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.text.paragraphs import is_item
from quire.models.extract.layout.text.stacks import is_stacked

_SECTION = re.compile(r"(?:\d+(?:\.\d+)*\.?|[IVXLC]+\.|[A-Z]\.)\s", re.ASCII)
_ENDS = (".", ":", "?", "!", ";")


@dataclass(frozen=True, slots=True)
class HeadingJoinLimits:
    """Limits for two lines of one look to be one heading. Distances are relative to their type size."""

    step: float = 1.7
    """Maximum distance of the baselines."""
    size: float = 0.3
    """Points by which sizes may differ."""
    edge: float = 0.25
    """Maximum difference of left edges or middles."""
    larger: float = 1.1
    """Relative to running text: a continuation not typed as heading is larger than this, or bold."""
    most_lines: int = 4
    """Lines of a heading."""
    most_chars: int = 200
    """Characters of a heading."""
    most_in_a_row: int = 3
    """Groups of one look below each other; more are a list, an address or a title page."""


LIMITS = HeadingJoinLimits()


def join_headings(
    kinds: list[BlockType], groups: list[list[Line]], body: float
) -> tuple[list[BlockType], list[list[Line]]]:
    """Return types and groups with the parts of a heading joined."""
    lines = [line for group in groups for line in group]
    out_kinds: list[BlockType] = []
    out_groups: list[list[Line]] = []
    start = 0
    while start < len(groups):
        end = start + 1
        if kinds[start] is BlockType.HEADING:
            while end < len(groups) and _continues_heading(groups[end - 1], kinds[end], groups[end], body, lines):
                end += 1
        parts = groups[start:end]
        whole = [line for part in parts for line in part]
        if end - start > LIMITS.most_in_a_row or not _may_be_one(whole):
            out_kinds += kinds[start:end]
            out_groups += parts
        else:
            out_kinds.append(kinds[start])
            out_groups.append(whole)
        start = end
    return out_kinds, out_groups


def _may_be_one(lines: list[Line]) -> bool:
    return len(lines) <= LIMITS.most_lines and sum(len(line.text) for line in lines) <= LIMITS.most_chars


def _continues_heading(upper: list[Line], kind: BlockType, lower: list[Line], body: float, lines: list[Line]) -> bool:
    """Return True if `lower` continues the heading `upper`: the same type, right below, aligned, not a new start."""
    last, line = upper[-1], lower[0]
    if kind is BlockType.PARAGRAPH:
        if not (line.all_bold or line.size > LIMITS.larger * body) or len(lower) > 1:
            return False
    elif kind is not BlockType.HEADING:
        return False
    if not last.text or not line.text or last.text.endswith(_ENDS) or is_item(line.text) or _SECTION.match(line.text):
        return False
    return _looks_alike(last, line) and _is_right_below(last, line) and not is_stacked(last, line, lines)


def _looks_alike(a: Line, b: Line) -> bool:
    same = a.font == b.font and a.color == b.color and a.bold == b.bold and a.italic == b.italic
    same = same and a.upright == b.upright and a.text.isupper() == b.text.isupper()
    return same and abs(a.size - b.size) <= LIMITS.size


def _is_right_below(a: Line, b: Line) -> bool:
    slack = LIMITS.edge * b.size
    aligned = abs(a.x0 - b.x0) <= slack or abs(a.x0 + a.x1 - b.x0 - b.x1) <= 2 * slack
    return aligned and 0 < b.base - a.base <= LIMITS.step * b.size
