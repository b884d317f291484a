"""Joins the lines of a paragraph that the reading order separated, where cells and pictures beside it end."""

from dataclasses import dataclass

from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.text.paragraphs import is_item
from quire.models.extract.layout.text.wide import find_first_word


@dataclass(frozen=True, slots=True)
class RejoinLimits:
    """Thresholds for a line to go on from one further up in the order of reading."""

    reach: int = 16
    """Lines between the two parts, at most."""
    leading: float = 1.5
    """Maximum distance of their baselines, in ems."""
    same_edge: float = 1.0
    """Maximum difference of their left edges, in points."""
    hanging: float = 3.0
    """Maximum indent of the lines of a list item below its first, in ems."""
    small_letter: int = 3
    """Minimum characters of a line that goes on from a line with room for its first word: a unit is shorter."""


LIMITS = RejoinLimits()


def rejoin_lines(ordered: list[Line]) -> list[Line]:
    """Return the lines with each right after the line that it continues, if only lines beside both are between."""
    out: list[Line] = []
    for line in ordered:
        place = len(out)
        if line.text and out and not _is_near(out[-1], line):
            place = _find_place(out, line)
        out.insert(place, line)
    return out


def _is_near(last: Line, line: Line) -> bool:
    """Return True where the line is below the last one, as nearly all are."""
    return bool(last.text) and last.base < line.base and last.x0 < line.x1 and line.x0 < last.x1


def _find_place(out: list[Line], line: Line) -> int:
    """Return the index behind the line that this one continues, else the end."""
    left, right, most = line.x0, line.x1, LIMITS.leading * line.size
    for index in range(len(out) - 1, max(-1, len(out) - 2 - LIMITS.reach), -1):
        other = out[index]
        if other.x1 <= left or other.x0 >= right:
            continue
        if not other.text or not 0 < line.base - other.base <= most or not _goes_on(other, line, out, index):
            break
        between = out[index + 1 :]
        is_free = all(one.x1 <= other.x0 or one.x0 >= other.x1 for one in between)
        return index + 1 if is_free else len(out)
    return len(out)


def _goes_on(above: Line, line: Line, out: list[Line], index: int) -> bool:
    """Return True for two lines of one type and edge of which the upper one had no room for the lower one's word."""
    if (above.font, above.color, above.bold) != (line.font, line.color, line.bold) or not above.upright:
        return False
    if abs(above.size - line.size) > LIMITS.same_edge / 4 or is_item(line.text) or line.bulleted or above.code:
        return False
    is_marked = above.bulleted or is_item(above.text)
    indent = line.x0 - above.x0
    is_centred = abs(above.x0 + above.x1 - line.x0 - line.x1) < 2 * LIMITS.same_edge
    is_hanging = is_marked and 0 < indent < LIMITS.hanging * line.size
    if abs(indent) > LIMITS.same_edge and not is_centred and not is_hanging:
        return False
    if line.text[:1].islower() and len(line.text) > LIMITS.small_letter:
        return True
    right = max(above.x1, line.x1, *(one.x1 for one in _stack_above(out, index)))
    word = len(find_first_word(line.text)) * (line.x1 - line.x0) / max(1, len(line.text))
    return right - above.x1 < word and not above.text.endswith((".", ":", "!", "?"))


def _stack_above(out: list[Line], index: int) -> list[Line]:
    """Return the lines right above in the order that begin at the same edge."""
    line = out[index]
    return [one for one in out[max(0, index - 2) : index] if one.text and abs(one.x0 - line.x0) < LIMITS.same_edge]
