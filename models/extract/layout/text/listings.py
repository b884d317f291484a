"""Listings: code that blank lines part is one block, with its blank lines and indents."""

from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from quire.models.cdom.tree import BlockType
from quire.models.extract.layout.lines.marks import Line


@dataclass(frozen=True, slots=True)
class ListingLimits:
    """When two blocks of code are one. In sizes of their type."""

    gap: float = 3.4
    """Maximum distance of the baselines: one blank line of loosely set code."""
    leading: float = 1.9
    """Step above which there is a blank line between two lines."""
    size: float = 0.3
    """Maximum difference between sizes, in points."""


LIMITS = ListingLimits()
_SINGLE = frozenset({BlockType.PARAGRAPH, BlockType.HEADING, BlockType.LIST_ITEM})
"""Types that the rules may assign to a single line of code."""


def join_listings(kinds: list[BlockType], groups: list[list[Line]]) -> tuple[list[BlockType], list[list[Line]]]:
    """Types and groups with the parts of a listing joined: also single lines between its blank lines."""
    out_kinds: list[BlockType] = []
    out_groups: list[list[Line]] = []
    for kind, group in zip(kinds, groups, strict=True):
        is_code = kind is BlockType.CODE or (kind in _SINGLE and all(line.code for line in group))
        last = out_kinds[-1] if out_kinds else None
        if is_code and last is not None and _continues_code(out_groups[-1], group) and BlockType.CODE in (kind, last):
            out_groups[-1] = out_groups[-1] + group
            out_kinds[-1] = BlockType.CODE
        else:
            out_kinds.append(kind)
            out_groups.append(group)
    return out_kinds, out_groups


def _continues_code(upper: list[Line], lower: list[Line]) -> bool:
    last, first = upper[-1], lower[0]
    if not all(line.code for line in upper) or abs(last.size - first.size) > LIMITS.size:
        return False
    left, right = min(line.x0 for line in upper), max(line.x1 for line in upper)
    return left - 1 <= first.x0 < right and 0 < first.base - last.base <= LIMITS.gap * first.size


def join_code(lines: list[Line]) -> str:
    """Lines of code with their breaks and blank lines, indented by as many characters as they are set in."""
    left = min(line.x0 for line in lines)
    step = max((line.x1 - line.x0) / max(1, len(line.text)) for line in lines) or 1.0
    leading = _find_leading(lines)
    parts = [" " * round((lines[0].x0 - left) / step) + lines[0].text]
    for above, line in pairwise(lines):
        distance = line.base - above.base
        blanks = max(1, round(distance / leading) - 1) if distance > LIMITS.leading * line.size else 0
        parts.append("\n" * blanks + " " * round((line.x0 - left) / step) + line.text)
    return "\n".join(parts)


def _find_leading(lines: list[Line]) -> float:
    """Return the distance of two lines without a blank one between them."""
    steps = [line.base - above.base for above, line in pairwise(lines) if line.base > above.base]
    close = [step for step in steps if step <= LIMITS.leading * lines[0].size]
    return median(close or steps or [lines[0].size])
