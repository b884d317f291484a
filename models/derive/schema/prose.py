"""Finds roles and definitions in running text: `X, as Borrower`, `X (the "Agent")`, `"Term" means …`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from quire.models.derive.schema.nodes import Leaf
from quire.models.derive.schema.phrases import PhraseIndex, plain_words, split_name

_MEASURE = re.compile(
    r"(?P<before>[^.;\n]{0,160}?)(?P<number>(?<![\w.,])\d{1,4})\s(?:\w+\s)?(?P<unit>days?|weeks?|months?|years?)\b"
    r"(?P<after>[^.;\n]{0,80})",
    re.IGNORECASE,
)
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
        around = set(plain_words(match["before"][-100:])) | set(plain_words(match["after"]))
        stems = {word[:5] for word in around}
        for leaf, words in leaves.named:
            if unit in words and leaf.kinds[:1] in (("integer",), ("number",)):
                rest = [word for word in words if word != unit]
                named = sum(word[:5] in stems or any(stem[:4] == word[:4] for stem in _ALIKE.get(word, ())) or
                            any(other[:5] in stems for other in _ALIKE.get(word, ())) for word in rest)  # fmt: skip
                if not rest or named:
                    yield Stated(split_name(leaf.name), match.start("number"), match.end("number"))
    lowered = text.casefold()
    for leaf, words in leaves.named:
        phrase = split_name(leaf.name).casefold()
        at = lowered.find(phrase) if len(words) > 1 and len(lowered) == len(text) else -1
        behind = _VALUE.match(text, at + len(phrase)) if at >= 0 else None
        if behind is not None:
            yield Stated(phrase, behind.start("value"), behind.end("value"))


_ALIKE = {
    "term": ("force", "continue", "duration", "remain", "period"), "duration": ("term", "continue", "force"),
    "notice": ("terminate", "written"), "payment": ("pay", "payable", "due"), "warranty": ("guarantee",),
}  # fmt: skip
"""Words of sentences that speak of a leaf without its name."""
MIN_SENTENCE = 20  # characters of a sentence
