"""Listings: code that blank lines part is one block, with its blank lines and indents."""

from dataclasses import dataclass
from itertools import pairwise

from models.cdom.tree import BlockType
from models.extract.layout.lines.marks import Line


@dataclass(frozen=True, slots=True)
class ListingLimits:
    """When two blocks of code are one. In sizes of their type."""

    gap: float = 3.4
    """Most distance of the baselines: one blank line of loosely set code."""
    leading: float = 1.9
    """A larger step has a blank line in it."""
    size: float = 0.3
    """Points by which sizes may differ."""


LIMITS = ListingLimits()


def join_listings(kinds: list[BlockType], groups: list[list[Line]]) -> tuple[list[BlockType], list[list[Line]]]:
    """Types and groups with the parts of a listing joined."""
    out_kinds: list[BlockType] = []
    out_groups: list[list[Line]] = []
    for kind, group in zip(kinds, groups, strict=True):
        if kind is BlockType.CODE and out_kinds and out_kinds[-1] is kind and _goes_on(out_groups[-1], group):
            out_groups[-1] = out_groups[-1] + group
        else:
            out_kinds.append(kind)
            out_groups.append(group)
    return out_kinds, out_groups


def _goes_on(upper: list[Line], lower: list[Line]) -> bool:
    last, first = upper[-1], lower[0]
    if last.font != first.font or abs(last.size - first.size) > LIMITS.size:
        return False
    left, right = min(line.x0 for line in upper), max(line.x1 for line in upper)
    return left - 1 <= first.x0 < right and 0 < first.base - last.base <= LIMITS.gap * first.size


def join_code(lines: list[Line]) -> str:
    """Lines of code with their breaks and blank lines, indented by as many characters as they are set in."""
    left = min(line.x0 for line in lines)
    step = max((line.x1 - line.x0) / max(1, len(line.text)) for line in lines) or 1.0
    parts = [" " * round((lines[0].x0 - left) / step) + lines[0].text]
    for above, line in pairwise(lines):
        blank = "\n" if line.base - above.base > LIMITS.leading * line.size else ""
        parts.append(blank + " " * round((line.x0 - left) / step) + line.text)
    return "\n".join(parts)
