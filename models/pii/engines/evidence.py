"""Drops names that the rest of their text contradicts.

A tagger looks at a few words. The whole text says more: a word that also stands there in small letters, behind an
article or in capitals within sentences is no name, nor one that is a name in few of its places. A word that is part of
a kept name of several words is a name wherever it stands.
"""

import re
import tomllib
from bisect import bisect_left
from collections.abc import Callable, Sequence
from pathlib import Path

from quire.models.pii.engines.names import CALENDAR
from quire.models.pii.engines.people import is_term
from quire.models.pii.kinds import Hit, Kind

Rate = Callable[[str], float]
"""How likely a word by itself is a name, from 0 to 1."""

SURE, LIKELY = 0.9, 0.5
"""Likelihoods of a word by itself: a name whatever the text says, and more likely a name than not."""
LEAST_SHARE = 3
"""A word is a name if it is found in at least one of so many of its places."""
_WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?")
_BEHIND_ARTICLE = re.compile(
    r"(?i)(?<!\w)(?:the|an?|this|that|each|every|any|all|new|our|your|its|der|die|das|den|dem|des|eine?[nmrs]?|keine?"
    r"|zum|zur|im|beim|les|une?|cette|el|los|las|una|il|gli|het|een|deze|dit|uma?) \Z"
)
_INFLECTED = re.compile(r"(?:s|es|en|e|n|er|ed|ing|ung)\Z")
_CAPITALS = re.compile(r"[^\W\d_a-zß-öø-ÿ]{2,8}s?")
_TERMS = frozenset(
    word
    for words in tomllib.loads(Path(__file__).with_name("terms.toml").read_text(encoding="utf-8")).values()
    for word in words.split()
)
"""Products, units and words of headings."""
_NOUNS = frozenset(
    ("Company", "Limited", "Group", "Holdings", "Investments", "Partners", "Associates", "Technologies", "Solutions")
)
"""Legal forms and ends of names that are common nouns as well."""
_CODE = re.compile(r"(?=[^\W_]*[^\W\d_])(?=[^\W_]*\d)[^\W_]{2,6}")
_HEADING = re.compile(r"\d{1,3}\. ")
_DECIMAL = re.compile(r"(?<![\d.,])\d{1,2}\.\d{1,2}(?![\d.])|_")
_STREET_END = re.compile(
    r"(?i)(?:street|road|avenue|lane|drive|way|stra(?:ß|ss)e|str|weg|platz|allee|gasse|straat|laan|plein|gatan|vej|veien|utca|rue|via"
    r"|calle|tie|katu|gade|gata|ring|ufer|berg|hof|court|place|square|close|park|hill)s?\Z"
)
_PLACE_BEFORE = re.compile(
    r"(?i)(?:\b(?:in|to|from|at|of|near|city|town|nach|aus|à|en|de|a|w|z|we|ze|do|te|naar|uit|i|til|fra)|,) \Z"
)
_TOWN_BEFORE = re.compile(
    r"(?i)\b(?:liv(?:es?|ed|ing)|born|based|moved?|fl(?:y|ies|ew)|city|town|from|near)(?: in| to| of)? \Z"
)
_LONG_ADDRESS = 5  # words of a place that has more than a town and its country
_LEAST_STEM = 4  # letters of the shortest stem whose inflected forms are looked for
_MANY = 4
"""Capitals of an acronym that is longer than most."""


class Evidence:
    """The words of a text, and how it uses them."""

    def __init__(self, text: str, rate: Rate) -> None:
        self._text, self._rate = text, rate
        words = set(_WORD.findall(text))
        self._small = {word for word in words if word[0].islower()}
        self._mixed = any(word[1:].islower() and word[0].isupper() for word in words)

    def keep_names(self, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits without those that are terms; a text without capitals says nothing of them."""
        if not self._mixed:
            return list(hits)
        starts = sorted(hit.start for hit in hits)
        several = [hit for hit in hits if len(self._words(hit)) > 1 and not self._is_phrase(hit)]
        proven = {word for hit in several for word in self._words(hit)} - _TERMS
        verdicts: dict[str, bool] = {}
        kept = list(several)
        for hit in hits:
            words = self._words(hit)
            if len(words) != 1:
                continue
            word = words[0]
            if word not in verdicts:
                verdicts[word] = word in proven or not self._is_term(word, starts)
            if verdicts[word]:
                kept.append(hit)
        return sorted(kept, key=lambda hit: hit.start)

    def is_company(self, hit: Hit) -> bool:
        """Return whether the words before a legal form name a company: not all of them are common words."""
        words = self._words(hit)
        return words[-1] not in _NOUNS or (len(words) > 1 and not all(map(self.is_common, words[:-1])))

    def is_place(self, hit: Hit) -> bool:
        """Return whether a finding is a place or an address, and not a code, a heading or the name of a part."""
        value = self._text[hit.start : hit.end]
        words = self._words(hit)
        if hit.kind is Kind.LOCATION:
            return len(words) != 1 or not self._mixed or not self._is_no_place(hit, words[0])
        if not self._mixed or "\n" in value or len(words) > _LONG_ADDRESS:
            return True
        if _CODE.fullmatch(value) or _HEADING.match(value) or _DECIMAL.search(value):
            return False
        has_figure = any(map(str.isdigit, value))
        if len(words) == 1 and not has_figure:
            return _STREET_END.search(value) is not None
        if words and not any(word[0].isupper() for word in words) and not any(map(_STREET_END.search, words)):
            return False
        return not words or (not all(map(self.is_common, words)) if not has_figure else words[-1] not in _TERMS)

    def _is_no_place(self, hit: Hit, word: str) -> bool:
        before = self._text[max(0, hit.start - 24) : hit.start]
        if word.casefold() in CALENDAR or (word in _TERMS and not _TOWN_BEFORE.search(before)):
            return True
        return is_term(self._text, hit.start, hit.end) and not (word.isupper() and _PLACE_BEFORE.search(before))

    def is_common(self, word: str) -> bool:
        """Return whether the text also has the word, or its stem, in small letters."""
        small = word.casefold()
        stem = _INFLECTED.sub("", small)
        forms = {small, stem, *(stem + end for end in ("s", "e", "en", "es"))} if len(stem) >= _LEAST_STEM else {small}
        return not self._small.isdisjoint(forms)

    def _words(self, hit: Hit) -> list[str]:
        return _WORD.findall(self._text[hit.start : hit.end])

    def _is_phrase(self, hit: Hit) -> bool:
        """Return whether several words are common words and acronyms, or stand behind articles without a name."""
        words = self._words(hit)
        if all(map(str.isupper, words)) and any(word.capitalize() in _TERMS for word in words):
            return True
        if max(0.0 if word in _TERMS else self._rate(word) for word in words) >= SURE:
            return False
        plain = [word in _TERMS or (self.is_common(word) and self._rate(word) < LIKELY) for word in words]
        if any(plain) and all(
            common or (word.isupper() and len(word) > 1) for common, word in zip(plain, words, strict=True)
        ):
            return True
        places = self._places(self._text[hit.start : hit.end])
        return len(places) > 1 and self._behind_articles(places) * LEAST_SHARE >= len(places)

    def _is_term(self, word: str, starts: list[int]) -> bool:
        if word in _TERMS:
            return True
        rate = self._rate(word)
        places = self._places(word)
        if _CAPITALS.fullmatch(word) and (rate < LIKELY or len(word) < _MANY or any(map(self._is_in_sentence, places))):
            return not self._is_said(word)
        if rate >= SURE:
            return False
        if self.is_common(word):
            return True
        found = sum(_has(starts, place) for place in places)
        return (
            len(places) > (rate >= LIKELY) and self._behind_articles(places) * LEAST_SHARE >= len(places)
        ) or found * LEAST_SHARE < len(places)

    def _places(self, words: str) -> list[int]:
        return [match.start() for match in re.finditer(rf"(?<![\w@./-]){re.escape(words)}(?![\w@/-])", self._text)]

    def _is_in_sentence(self, place: int) -> bool:
        return place > 1 and self._text[place - 1] == " " and self._text[place - 2].islower()

    def _behind_articles(self, places: list[int]) -> int:
        return sum(_BEHIND_ARTICLE.search(self._text, max(0, place - 8), place) is not None for place in places)

    def _is_said(self, word: str) -> bool:
        """Return whether a label or an agent stands before the word in one of its places."""
        return (
            re.search(rf"(?:[:|] ?|(?<!\w)(?:by|von|par|por|przez|door|av|da) ){re.escape(word)}(?!\w)", self._text)
            is not None
        )


def _has(starts: list[int], place: int) -> bool:
    index = bisect_left(starts, place)
    return index < len(starts) and starts[index] == place
