"""Blanks that the engine did not see: in tightly set type it takes the gap between words for none.

Only lines with an impossibly long word are looked at, letter by letter (a page of letters costs 2 ms).
"""

import re
from itertools import pairwise
from typing import Any

from models.extract.formats.pdf.text.raw_lines import raw_lines
from models.extract.layout.lines.marks import Line

_LONG = 23
"""Letters of a word that is none in any language but a compound or several words without their blanks."""
_LONG_WORD = re.compile(rf"[^\W\d_]{{{_LONG},}}")
_GAP = 0.09
"""A gap of this many ems between letters that otherwise touch is a blank."""
_MOST_BLANKS = 0.35
"""Letter-spaced type has gaps everywhere; it is left alone."""


def add_missing_blanks(lines: list[Line], text_page: Any) -> None:
    """Put blanks into lines whose words run together, in place; the engine's words are no longer theirs."""
    torn = {line.key: line for line in lines if line.upright and _has_long_word(line.text)}
    if not torn:
        return
    for line, chars in raw_lines(text_page, torn):
        _mend(line, chars)


def _has_long_word(text: str) -> bool:
    """Asked of every line: the words are measured before they are looked into."""
    return len(text) >= _LONG and max(map(len, text.split())) >= _LONG and _LONG_WORD.search(text) is not None


def _mend(line: Line, chars: list[dict[str, Any]]) -> None:
    start = "".join(char["c"] for char in chars).find(line.text)
    if start < 0:
        return
    own = chars[start : start + len(line.text)]
    places = [
        at + 1
        for at in range(len(own) - 1)
        if own[at + 1]["bbox"][0] - own[at]["bbox"][2] > _GAP * line.size
        and not own[at]["c"].isspace()
        and not own[at + 1]["c"].isspace()
    ]
    if not places or len(places) > _MOST_BLANKS * len(own):
        return
    for run in line.runs:
        run.start += sum(place <= run.start for place in places)
        run.end += sum(place < run.end for place in places)
    cuts = [0, *places, len(line.text)]
    line.text = " ".join(line.text[left:right] for left, right in pairwise(cuts))
    line.key = (-1, -1)
