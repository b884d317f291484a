"""A text that can be searched by letters alone, and what of it goes: numbers of its characters."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from quire.models.pii.kinds import Detector
from quire.models.pii.letters import fold, letters
from quire.models.pii.normalise import normalise
from quire.models.redaction.planning.plan import RedactionPlan

WORD_BOUND = 6
"""Letters below which a value is only masked as a separate word."""


@dataclass(frozen=True, slots=True)
class FoldedText:
    """`folded[i]` is a letter of what the text says, of character `owner[i]`."""

    text: str
    folded: str
    owner: tuple[int, ...]

    def find(self, value: str) -> Iterator[tuple[int, int]]:
        """Yield the character ranges whose letters equal `value`."""
        start = self.folded.find(value)
        while start >= 0:
            first, last = self.owner[start], self.owner[start + len(value) - 1]
            if len(value) >= WORD_BOUND or not self._inside_word(first, last):
                yield first, last + 1
            start = self.folded.find(value, start + 1)

    def _inside_word(self, first: int, last: int) -> bool:
        before = self.text[first - 1] if first else " "
        after = self.text[last + 1] if last + 1 < len(self.text) else " "
        return before.isalnum() or after.isalnum()


def fold_text(text: str) -> FoldedText:
    """Return the text with its folded letters."""
    folded = [fold(char) for char in text]
    owner = [number for number, letters_of_char in enumerate(folded) for _ in letters_of_char]
    return FoldedText(text, "".join(folded), tuple(owner))


class ValueFinder:
    """Finds what of a text goes. `seen` keeps what the detector found: the proof looks for it as well."""

    def __init__(self, plan: RedactionPlan, detector: Detector) -> None:
        self.plan, self._detector = plan, detector
        self.seen: dict[str, str] = {}
        """As written, by its letters."""

    def find(self, text: FoldedText) -> set[int]:
        """Return the characters of masked values and of detected values that were not rejected."""
        masked = {
            index for value in self.plan.needles for first, end in text.find(value) for index in range(first, end)
        }
        copy = normalise(text.text)
        for hit in self._detector.detect(copy.text):
            first, end = copy.original_span(hit.start, hit.end)
            value = letters(text.text[first:end])
            if value in self.plan.kept:
                continue
            masked |= set(range(first, end))
            if len(value) >= WORD_BOUND:
                self.seen.setdefault(value, text.text[first:end])
        return masked

    def widened(self) -> "ValueFinder":
        """One that looks for what was seen as well, and notes into the same `seen`."""
        wider = ValueFinder(self.plan.extended(self.seen.values()), self._detector)
        wider.seen = self.seen
        return wider


def find_values(text: FoldedText, plan: RedactionPlan, detector: Detector) -> set[int]:
    """Return the characters to mask, without recording detected values."""
    return ValueFinder(plan, detector).find(text)


def find_blocks(text: FoldedText, plan: RedactionPlan) -> set[int]:
    """Characters of masked stretches where the whole text of their block stands: pieces too short to be looked for."""
    masked: set[int] = set()
    for place in plan.places:
        whole = letters(place.text)
        for first, _ in text.find(whole) if whole else ():
            start = bisect_left(text.owner, first)
            for begin, end in place.spans:
                first_letter = start + len(letters(place.text[:begin]))
                masked |= set(text.owner[first_letter : first_letter + len(letters(place.text[begin:end]))])
    return masked
