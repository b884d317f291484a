"""Letter-spaced lines: the engine takes wide spacing of letters for blanks between words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from quire.models.extract.formats.pdf.text.raw_lines import raw_lines
from quire.models.extract.layout.lines.marks import Line, Run


@dataclass(frozen=True, slots=True)
class SpacedLimits:
    """Limits for a line to be letter-spaced. Gaps in ems."""

    least_letters: int = 4
    """Characters of such a line."""
    single_share: float = 0.7
    """Share of the engine's words that are one character."""
    letter_share: float = 0.6
    """Minimum share of letters, so that rows of figures are not letter-spaced lines."""
    widest: float = 0.9
    """Widest usual gap between letters of a word."""
    narrowest: float = 0.08
    """Narrowest usual gap."""
    uneven: float = 0.1
    """By which gaps inside a word may differ from the usual one."""
    word_factor: float = 1.5
    """A gap between words is wider than this many usual gaps and half a blank."""
    half_blank: float = 0.11


LIMITS = SpacedLimits()
_LETTER = re.compile(r"[^\W\d_]")


def join_spaced_letters(lines: list[Line], text_page: Any) -> None:
    """Put the words of letter-spaced lines together, in place; the engine's word list then does not apply.

    The engine also splits such lines between their words, so pieces on one baseline are measured together.
    """
    parted = [line for line in lines if line.upright and _is_parted(line.text)]
    spaced_rows = {_row_of(line) for line in parted if _has_letters(line.text)}
    spaced = {line.key: line for line in parted if _row_of(line) in spaced_rows}
    if not spaced:
        return
    rows: dict[tuple[int, int, int], list[tuple[Line, SpacedLetters]]] = {}
    for line, chars in raw_lines(text_page, spaced):
        letters = SpacedLetters([char for char in chars if not char.get("synthetic")], line.size)
        rows.setdefault(_row_of(line), []).append((line, letters))
    for row in rows.values():
        usual = _find_usual_gap([letters for _, letters in row])
        for line, letters in row if usual is not None else ():
            text = letters.read(usual or 0.0)
            if text is not None and text.replace(" ", "") == line.text.replace(" ", ""):
                line.runs = _move_runs(line.runs, line.text, text)
                line.text = text
                line.key = (-1, -1)


def _row_of(line: Line) -> tuple[int, int, int]:
    """Return the text block, baseline and size of a line; figures count as spaced where letters of their row are."""
    return (line.key[0], round(line.base), round(line.size))


def _is_parted(text: str) -> bool:
    """Return whether most words of a line are one character. Every line is checked, so blanks are counted first."""
    if text.count(" ") * 3 < len(text):
        return False
    words = text.split()
    return sum(len(word) == 1 for word in words) >= LIMITS.single_share * len(words)


def _has_letters(text: str) -> bool:
    return len(_LETTER.findall(text)) >= LIMITS.letter_share * sum(map(len, text.split()))


class SpacedLetters:
    """The characters of a line and the gaps (ems) between them; `after_blank`: a blank of the file is in the gap."""

    def __init__(self, chars: Sequence[dict[str, Any]], size: float) -> None:
        self.letters: list[str] = []
        self.gaps: list[float] = []
        self.after_blank: list[bool] = []
        is_after_blank, right = False, 0.0
        for char in chars:
            if char["c"].isspace():
                is_after_blank = True
                continue
            if self.letters:
                self.gaps.append((char["bbox"][0] - right) / size)
                self.after_blank.append(is_after_blank)
            self.letters.append(char["c"])
            is_after_blank, right = False, char["bbox"][2]

    def read(self, usual: float) -> str | None:
        """Return the text by its gaps, or None if they are uneven inside its words."""
        least = LIMITS.word_factor * usual + LIMITS.half_blank
        pairs = zip(self.gaps, self.after_blank, strict=True)
        ends = [is_after_blank or gap > least for gap, is_after_blank in pairs]
        inside = [gap for gap, is_end in zip(self.gaps, ends, strict=True) if not is_end]
        if not inside or any(abs(gap - usual) > LIMITS.uneven + 0.2 * usual for gap in inside):
            return None
        following = zip(ends, self.letters[1:], strict=True)
        return self.letters[0] + "".join(f" {letter}" if is_end else letter for is_end, letter in following)


def _find_usual_gap(row: list[SpacedLetters]) -> float | None:
    """Return the usual gap between letters of the pieces of a line, or None if it is not letter-spaced."""
    pairs = [pair for letters in row for pair in zip(letters.gaps, letters.after_blank, strict=True)]
    inner = sorted(gap for gap, is_after_blank in pairs if not is_after_blank)
    if len(inner) < LIMITS.least_letters - 1:
        return None
    usual = median(inner[: max(1, 3 * len(inner) // 4)])
    return usual if LIMITS.narrowest <= usual <= LIMITS.widest else None


def _move_runs(runs: list[Run], old: str, new: str) -> list[Run]:
    """Return the runs of a text on the same text with other blanks."""
    positions = [index for index, char in enumerate(new) if char != " "]

    def count_chars(end: int) -> int:
        return len(old[:end].replace(" ", ""))

    moved: list[Run] = []
    for run in runs:
        first, last = count_chars(run.start), count_chars(run.end) - 1
        if first <= last:
            moved.append(replace(run, start=positions[first], end=positions[last] + 1))
    return moved
