"""Finds roles and definitions in running text: `X, as Borrower`, `X (the "Agent")`, `"Term" means …`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from quire.models.derive.schema.nodes import Leaf
from quire.models.derive.schema.phrases import PhraseIndex, plain_words, split_name

_MEASURE = re.compile(
    r"(?<![\w.,])(?P<number>\d{1,4})\s(?:\w{1,40}\s)?(?P<unit>days?|weeks?|months?|years?)\b", re.IGNORECASE
)
_BREAK = re.compile(r"[.;\n]")
MAX_BEFORE, MAX_BEHIND = 100, 80
"""Characters of a sentence before and behind a measure that tell what it measures."""
_VALUE = re.compile(r"\s(?:of|is|are|was|amounts to|equals|:|shall be)\s(?P<value>[^.;\n]{1,60}(?:\.\d[^.;\n]{0,20})?)")
MAX_TEXT = 20_000  # characters of a paragraph that is searched
_OPEN, _CLOSE = '["“„«]', '["”“»]'
_CAPITAL = r"[A-Z][\w&.'’-]{0,40}"
_NAME = (
    rf"(?<![\w&.'’-])(?P<name>{_CAPITAL}(?:[ \t](?:{_CAPITAL}|of|and|de|du|der|von|van|&)){{0,7}}"
    r"(?:, (?:Inc|Ltd|LLC|L\.P|N\.A|S\.A|GmbH)\.?)?)"
)
_ROLE = re.compile(_NAME + r",? as (?:the |an? )?(?P<role>[A-Z][\w-]{0,40}(?: [A-Z][\w-]{0,40}){0,3})")
_NAMED = re.compile(
    _NAME
    + r"(?:(?! and | or | between )[^()\n]){0,80}\((?:the |an? |together, )?"
    + rf"{_OPEN}(?:the )?(?P<role>[^\"”“»()]{{2,40}}){_CLOSE}"
)
_TERM = re.compile(
    rf"{_OPEN}(?P<role>[^\"”“»()]{{2,60}}){_CLOSE}[, ]{{1,2}}(?:means|shall mean|refers to|is)[ :,]{{1,2}}"
    r"(?P<name>[^;\n]{2,300}?)(?:[.;](?=\s|$)|$)"
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A role or term and the range of the text that it names."""

    label: str
    start: int
    end: int


def find_stated(text: str) -> Iterator[Stated]:
    """Yield the roles and definitions of a text in order of the patterns."""
    if len(text) > MAX_TEXT:
        return
    patterns = [_ROLE] if " as " in text else []
    patterns += [_NAMED] if "(" in text else []
    patterns += [_TERM] if any(mark in text for mark in '"“„«') else []
    for pattern in patterns:
        for match in pattern.finditer(text):
            yield Stated(match["role"].strip(), match.start("name"), match.end("name"))


def find_measures(text: str, leaves: PhraseIndex[Leaf]) -> Iterator[Stated]:
    """Yield numbers of days, months or years in sentences about a leaf, and values behind its name.

    `continues for 36 months` states `term_months`: the leaf's name has the unit, and no other of its words is foreign
    to the sentence, or the sentence is the only one with the unit.
    """
    if not MIN_SENTENCE <= len(text) <= MAX_TEXT or " " not in text.strip():
        return
    for match in _MEASURE.finditer(text):
        unit = plain_words(match["unit"])[0]
        wanted = [
            (leaf, words)
            for leaf, words in leaves.named
            if unit in words and leaf.kinds[:1] in (("integer",), ("number",))
        ]
        if not wanted:
            continue
        around = _BREAK.split(text[max(0, match.start() - MAX_BEFORE) : match.start()])[-1]
        behind = _BREAK.split(text[match.end() : match.end() + MAX_BEHIND])[0]
        stems = {word[:5] for word in (*plain_words(around), *plain_words(behind))}
        for leaf, words in wanted:
            rest = [word for word in words if word != unit]
            named = sum(word[:5] in stems or any(stem[:4] == word[:4] for stem in _ALIKE.get(word, ())) or
                        any(other[:5] in stems for other in _ALIKE.get(word, ())) for word in rest)  # fmt: skip
            if not rest or named:
                yield Stated(split_name(leaf.name), match.start("number"), match.end("number"))
    lowered = text.casefold()
    for leaf, words in leaves.named if len(lowered) == len(text) else ():
        phrase = _phrase_of(leaf.name)
        at = lowered.find(phrase) if len(words) > 1 else -1
        value = _VALUE.match(text, at + len(phrase)) if at >= 0 else None
        if value is not None:
            yield Stated(phrase, value.start("value"), value.end("value"))


@lru_cache(maxsize=2_000)
def _phrase_of(name: str) -> str:
    return split_name(name).casefold()


_ALIKE = {
    "term": ("force", "continue", "duration", "remain", "period"), "duration": ("term", "continue", "force"),
    "notice": ("terminate", "written"), "payment": ("pay", "payable", "due"), "warranty": ("guarantee",),
}  # fmt: skip
"""Words of sentences that speak of a leaf without its name."""
MIN_SENTENCE = 20  # characters of a sentence
