"""Labels with their values: pieces that end with a colon, in rows below each other, each next to a short value.

Otherwise labels and values would be two columns of text, read one after the other.
"""

from dataclasses import dataclass

from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.lines.pieces import join_pieces


@dataclass(frozen=True, slots=True)
class LabelLimits:
    """Limits for pieces to be labels and values."""

    most_chars: int = 40
    """Characters of a label, and of a value."""
    gap: float = 16.0
    """Maximum gap between a label and its value (ems)."""
    same_base: float = 0.35
    """Maximum difference between their baselines (ems)."""
    same_edge: float = 2.0
    """Points: maximum difference between the starts of labels, and between the starts or ends of values."""
    pitch: float = 2.5
    """Maximum distance between two rows (ems)."""
    line: float = 1.6
    """Maximum distance of a further line of a value (ems)."""
    least_rows: int = 2
    """Rows of labels and values."""


LIMITS = LabelLimits()
Pair = tuple[Line, Line]


def join_labels(lines: list[Line]) -> list[Line]:
    """Return the lines with each label and its value as one."""
    if sum(_is_label(line) for line in lines) < LIMITS.least_rows:
        return lines
    upright = [line for line in lines if line.upright and line.text]
    pairs = [pair for line in upright if _is_label(line) and (pair := _find_value(line, upright)) is not None]
    joined: dict[int, Line] = {}
    values: set[int] = set()
    for run in _find_runs(sorted(pairs, key=lambda pair: pair[0].base)):
        own = {id(line) for pair in run for line in pair}
        if len(run) >= LIMITS.least_rows and not any(_goes_on(value, upright, own) for _, value in run):
            joined |= {id(label): join_pieces(label, value) for label, value in run}
            values |= {id(value) for _, value in run}
    return [joined.get(id(line), line) for line in lines if id(line) not in values] if joined else lines


def _is_label(line: Line) -> bool:
    return 1 < len(line.text) <= LIMITS.most_chars and line.text.endswith(":") and line.upright


def _find_value(label: Line, lines: list[Line]) -> Pair | None:
    """Return the label with the short piece next to it on its baseline."""
    beside = [
        line
        for line in lines
        if line.x0 > label.x1 and abs(line.base - label.base) < LIMITS.same_base * max(line.size, label.size)
    ]
    value = min(beside, key=lambda line: line.x0, default=None)
    if value is None or value.text.endswith(":") or len(value.text) > LIMITS.most_chars:
        return None
    return (label, value) if value.x0 - label.x1 <= LIMITS.gap * label.size else None


def _find_runs(pairs: list[Pair]) -> list[list[Pair]]:
    """Return the pairs in stacks: labels that begin below each other, and values that begin or end so."""
    runs: list[list[Pair]] = []
    for pair in pairs:
        for run in runs:
            if _is_below(run[-1], pair):
                run.append(pair)
                break
        else:
            runs.append([pair])
    return runs


def _is_below(above: Pair, below: Pair) -> bool:
    (label, value), (other, following) = above, below
    near = max(abs(label.x0 - other.x0), min(abs(value.x0 - following.x0), abs(value.x1 - following.x1)))
    return near <= LIMITS.same_edge and 0 < other.base - label.base <= LIMITS.pitch * label.size


def _goes_on(value: Line, lines: list[Line], own: set[int]) -> bool:
    """Return True for a further line right below a value: the value is text of several lines."""
    return any(
        id(line) not in own
        and 0 < line.base - value.base <= LIMITS.line * value.size
        and line.x0 < value.x1
        and line.x1 > value.x0
        for line in lines
    )
