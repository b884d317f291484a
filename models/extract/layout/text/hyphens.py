"""Hyphens at line ends: those that divide a word, and those that the word has ("in-" above "demand").

The page says which: the word joined or with its hyphen elsewhere on it, how many of its lines are divided, and how
likely the letters around the hyphen are inside one word or at the edges of two (letter triples of 32 languages).
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.text_quality.statistics import find_nats


@dataclass(frozen=True, slots=True)
class HyphenLimits:
    """Thresholds for a hyphen that belongs to its word. Nats by which one word must be likelier than two."""

    dividing_share: float = 0.1
    """Share of lines ending in a hyphen on pages that divide words (0.1 to 0.3 if typeset)."""
    some_share: float = 0.06
    """Share of such lines below which the page seldom divides words."""
    whole_share: float = 0.03
    """Share of such lines below which the page probably divides no words."""
    dividing: float = -3.0
    """Nats on a page that divides words."""
    doubtful: float = -1.0
    """Nats between the two shares."""
    seldom: float = 1.0
    """Nats on a page that divides few words."""
    whole: float = 2.0
    """Nats on a page that probably divides none."""
    known: float = 1.5
    """Nats added if the first part is also a separate word on the page."""
    linked: float = 2.0
    """Nats added if the word has another hyphen ("state-of-" above "the-art")."""
    least_known: int = 3
    """Minimum letters of a first part that counts as a separate word."""
    longest: int = 300
    """Characters of a line's end or start in which a web address is looked for."""


LIMITS = HyphenLimits()
HYPHEN = "-"
SOFT = "‐"
"""The hyphen that typesetters print at a division of a word; it is rare inside words."""

_ADDRESS_SIGNS, _OPEN_SIGNS = "/._-=?&%#~", "_=&%#~"
"""Signs inside web addresses, and those that end none."""
_FILE_NAME = re.compile(r"\.(?:html?|pdf|php|aspx?|jsp|docx?|xlsx?|pptx?|txt|xml|json|zip|csv|jpe?g|png|gif|svg)$")
_WORDS = re.compile(r"[\w’'‐-]+")
_FIRST = re.compile(r"[\w’'‐-]*")
_PARTS = re.compile(r"[-‐]")
_HEADS = frozenset(["self", "non", "well", "ex", "so", "all", "half", "cross", "high", "low", "long", "short", "fine"])
"""English first parts of hyphenated words; a divided word rarely breaks after them."""
_TAILS = frozenset(
    ["based", "level", "oriented", "related", "driven", "specific", "like", "wide", "free", "style", "term", "sized"]
)
"""English second parts of hyphenated words."""
_ENDINGS = frozenset(
    (
        *("ment", "ments", "tion", "tions", "ation", "ations", "sion", "sions", "ing", "ings", "ness", "ity", "ities"),
        *("ly", "ally", "ance", "ence", "ences", "able", "ible", "ture", "tures", "ical", "ics", "ers"),
        *("ung", "ungen", "heit", "heiten", "keit", "keiten", "lich", "liche", "lichen", "schaft", "schaften"),
        *("isch", "ische", "ischen", "mente", "mento", "menti", "ción", "sión", "ções", "dad", "zione", "zioni"),
    )
)
"""Endings that are not words; a hyphen before one divides a word."""
_LINKS = frozenset(["a", "an", "and", "as", "at", "by", "for", "in", "of", "on", "or", "the", "to", "up", "with"])
"""English words inside chains such as "state-of-the-art"; a hyphen after one does not divide a word."""
_CONJUNCTIONS = frozenset(
    ["and", "or", "to", "und", "oder", "bis", "bzw", "sowie", "et", "ou", "y", "o", "e", "en", "i", "и"]
)
"""Conjunctions between two words of which the first shares the second's last part."""


def is_attached(text: str, following: str) -> bool:
    """Return True when the final hyphen of `text` ties its last word to the first of `following` ("pre-" above "1990").

    The hanging hyphen of "short- and long-term" is not attached.
    """
    if len(text) < 2 or text[-1] not in (HYPHEN, SOFT) or not text[-2].isalnum() or not following[:1].isalnum():
        return False
    return _match_first(following).lower() not in _CONJUNCTIONS


def may_divide(text: str, following: str) -> bool:
    """Return True when `text` ends in a small letter and a hyphen, and `following` begins in a small letter.

    The hyphens of web addresses are their own.
    """
    is_divided = len(text) > 2 and text[-1] in (HYPHEN, SOFT) and text[-2].islower() and following[:1].islower()
    return is_divided and not ends_in_address(text)


def ends_in_address(text: str) -> bool:
    """Return True when the last word of `text` is a web address, or the first part of one."""
    if "://" not in text and "www." not in text:
        return False
    last = text[-LIMITS.longest :].rsplit(maxsplit=1)[-1:]
    return bool(last) and ("://" in last[0] or last[0].lstrip("([<{\"'“").startswith("www."))


def continues_address(following: str, last: str) -> bool:
    """Return True when the first word of `following` is the rest of a web address that ends in the sign `last`."""
    word = following[: LIMITS.longest].split(maxsplit=1)[:1]
    if not word or "://" in word[0] or word[0].startswith("www."):
        return False
    rest = word[0].rstrip(".,;:)]>}\"'”")
    if not rest or not (rest[0].isalnum() or rest[0] in _ADDRESS_SIGNS):
        return False
    signs = sum(map(rest.count, _ADDRESS_SIGNS))
    return signs > 1 or last in _OPEN_SIGNS or rest[0] in _OPEN_SIGNS or _FILE_NAME.search(rest) is not None


class PageHyphens:
    """Statistics of a page's hyphens at line ends, computed at the first query."""

    def __init__(self, lines: Sequence[Line] = ()) -> None:
        self._lines = lines
        self._words: Counter[str] | None = None
        self._share = 0.0

    def divides(self, text: str, following: str) -> bool:
        """Return True when the hyphen at the end of `text` only divides a word that continues in `following`."""
        if not may_divide(text, following) or not is_attached(text, following):
            return False
        first, second = _match_last(text), _match_first(following)
        words = self._count_words()
        if text[-1] == SOFT:
            return not words[SOFT]
        joined, linked = words[(first[:-1] + second).lower()], words[(first + second).lower()]
        if bool(joined) != bool(linked):
            return bool(joined)
        return self._is_likelier_one_word(first[:-1], second, words)

    def _is_likelier_one_word(self, first: str, second: str, words: Counter[str]) -> bool:
        last, start = _PARTS.split(first)[-1].lower(), _PARTS.split(second)[0].lower()
        if last in _LINKS and last != first.lower():
            return False
        if last in _HEADS or start in _TAILS or start in _ENDINGS:
            return start in _ENDINGS
        need = self._find_needed_nats()
        need += LIMITS.linked * (last != first.lower() or start != second.lower())
        need += LIMITS.known * (len(last) >= LIMITS.least_known and words[last] > 0)
        return find_nats(f"{last} {start}") - find_nats(last + start) > need

    def _find_needed_nats(self) -> float:
        if not self._lines:
            return LIMITS.doubtful
        if self._share >= LIMITS.dividing_share:
            return LIMITS.dividing
        if self._share >= LIMITS.some_share:
            return LIMITS.doubtful
        return LIMITS.seldom if self._share >= LIMITS.whole_share else LIMITS.whole

    def _count_words(self) -> Counter[str]:
        """Words of the page, those aside that its line ends cut; whether the soft hyphen stands inside any."""
        if self._words is not None:
            return self._words
        words: Counter[str] = Counter()
        divided = 0
        for line in self._lines:
            own = _WORDS.findall(line.text.lower())
            if own and own[-1][-1] in (HYPHEN, SOFT):
                divided += own[-1][-2:-1].isalpha()
                own.pop()
            words.update(own)
        for word in [word for word in words if HYPHEN in word or SOFT in word]:
            words[SOFT] += SOFT in word
            words.update(_PARTS.split(word))
        self._words, self._share = words, divided / max(1, len(self._lines))
        return words


def _match_last(text: str) -> str:
    """Return the last word with its hyphen, or the last two characters without one. Read from the end, in one pass."""
    return _match_first(text[::-1])[::-1] if text[-1:] in ("-", "‐") else text[-2:]


def _match_first(text: str) -> str:
    match = _FIRST.match(text)
    return match.group() if match else ""
