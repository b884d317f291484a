"""Finds roles and definitions in running text: `X, as Borrower`, `X (the "Agent")`, `"Term" means …`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
