"""Numbers that end where the texts of the next column begin: the blank between them is that between two words.

The numbers of a column share their right edge and not their left one, and the texts behind them share their left edge.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.core.signs import is_figure
from quire.models.extract.core.words import SEGMENT_GAP, TableWord

_PAIR = re.compile(r"\S*[\d%]\s+[^\W\d_]")


@dataclass(frozen=True, slots=True)
class SharedEdgeLimits:
    """Limits for two columns without a wider gap."""

    least_lines: int = 4
    """Lines with a number and a text on the same edges."""
    most_chars: int = 60
    """Characters of such a line."""
    guessed: float = 8.0
    """Points: the same distance for edges that are guessed by the number of characters."""
    same: float = 0.8
    """Points: maximum distance between two edges that are one."""
    spread: float = 2.0
    """Points: minimum distance between the left edges of the widest and the narrowest number."""


LIMITS = SharedEdgeLimits()


def may_touch(text: str) -> bool:
    """Return whether a short line begins with a number and a word."""
    return len(text) <= LIMITS.most_chars and _PAIR.match(text) is not None


def part_columns(lines: list[list[TableWord]], others: list[list[TableWord]]) -> None:
    """Mark the first word of the texts right behind numbers on a shared edge as the beginning of a column.

    Args:
        lines: The words of the lines that have a number followed by a word.
        others: The words of lines that may be headers of these columns.
    """
    pairs = [
        (number.x1, number, word)
        for words in lines
        for index, (number, word) in enumerate(pairwise(words))
        if _is_pair(number, word) and (not index or number.x0 - words[index - 1].x1 > SEGMENT_GAP * number.size)
    ]
    pairs.sort(key=lambda pair: pair[0])
    groups: list[list[tuple[float, TableWord, TableWord]]] = []
    for pair in pairs:
        if groups and pair[0] - groups[-1][0][0] <= LIMITS.same:
            groups[-1].append(pair)
        else:
            groups.append([pair])
    for group in groups:
        if _are_columns(group):
            right, left = group[0][0], group[0][2].x0
            for words in (*lines, *others):
                for word, following in pairwise(words):
                    if abs(word.x1 - right) <= 2 * LIMITS.same and abs(following.x0 - left) <= 2 * LIMITS.same:
                        following.parted = True


def _is_pair(number: TableWord, word: TableWord) -> bool:
    """Return whether a text follows close behind a number outside a list."""
    return (
        word.x0 - number.x1 < SEGMENT_GAP * word.size
        and number.text[-1] not in ".)"
        and is_figure(number.text)
        and word.text[:1].isalpha()
    )


def _are_columns(group: list[tuple[float, TableWord, TableWord]]) -> bool:
    """Return True for numbers of several widths, not counted on, and texts on one left edge."""
    if len(group) < LIMITS.least_lines:
        return False
    lefts = [number.x0 for _, number, _ in group]
    starts = [word.x0 for _, _, word in group]
    ordered = sorted(group, key=lambda pair: pair[1].base)
    numbers = [number.text for _, number, _ in ordered]
    is_counted = all(text.isdecimal() for text in numbers) and all(
        int(below) == int(above) + 1 for above, below in pairwise(numbers)
    )
    is_aligned = max(starts) - min(starts) <= LIMITS.same
    return is_aligned and max(lefts) - min(lefts) >= LIMITS.spread and not is_counted
