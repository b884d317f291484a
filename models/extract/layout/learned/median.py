"""The middle of a few numbers: numpy spends most of its median on checks that so few need not."""

from collections.abc import Sequence


def median(values: Sequence[float]) -> float:
    """The middle value, or the mean of the middle two. Raises `IndexError` when there is none."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
