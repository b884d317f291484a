"""Median of a few numbers; numpy's median spends most of its time on checks."""

from collections.abc import Sequence


def median(values: Sequence[float]) -> float:
    """Return the middle value, or the mean of the middle two. Raises `IndexError` for an empty sequence."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
