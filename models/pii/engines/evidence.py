"""Decides by the whole text which words name a person, and drops places and companies that the text contradicts.

A tagger looks at a few words. The text says more: lists of first names, titles, labels, mail addresses and signatures
speak for a name; a word that also stands there in small letters, behind articles or as an acronym is a term. The points
for and against are added over all places of the same words. Parts of a name with enough points are names everywhere.
"""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from quire.models.pii.engines.name_lists import ENDINGS, ends_as_family, fold, is_family, is_given, is_given_in_case
from quire.models.pii.engines.names import CALENDAR
from quire.models.pii.engines.people import PARTICLES, PERSON, TaggedToken, find_people, is_term
from quire.models.pii.engines.postal import find_countries
from quire.models.pii.kinds import Hit, Kind
from quire.models.pii.normalise import normalise

Rate = Callable[[str], float]
"""How likely a word by itself is a name, from 0 to 1."""

ENOUGH = 4.0
"""Points of a name."""
_POINTS = {
    "tagged": 4.0, "rated": 1.2, "first name": 1.5, "first name in a case": 1.3, "first and other name": 2.5,
    "family name": 0.5, "end of family names": 0.8, "first and family name": 1.2, "initial": 1.8, "several words": 0.3,
    "own line": 0.4, "title": 3.2, "label": 1.8, "label of names": 0.8, "agent": 0.4, "mail address": 2.0,
    "in a sentence": 0.3, "short text": 1.3,
    "common": -1.0, "all common": -1.0, "acronym": -0.7, "all acronyms": -2.2, "rarely tagged": -1.0,
    "behind article": -1.0, "many words": -0.7, "beside capitals": -0.8, "brand": -1.5, "of a place": -4.0,
}  # fmt: skip
"""What speaks for and against a name. The tagger's likelihood and the share of common words are factors."""

_ROWS = {
    name: frozenset(words.split())
    for name, words in tomllib.loads(Path(__file__).with_name("terms.toml").read_text(encoding="utf-8")).items()
}
TERMS = _ROWS["products"] | _ROWS["units"] | _ROWS["headings"]
"""Products, units and words of headings."""
_INSTITUTIONS, _GEOGRAPHIC = _ROWS["institutions"], _ROWS["geographic"]
_ALL_TERMS = TERMS | _INSTITUTIONS | _GEOGRAPHIC
_NOUNS = frozenset(
    ("Company", "Limited", "Group", "Holdings", "Investments", "Partners", "Associates", "Technologies", "Solutions")
)
"""Legal forms and ends of names that are common nouns as well."""
_SHORT = 400
"""Characters of a text that has no room for evidence."""
_REACH = 40
"""Characters before a name in which its label stands."""
_LEAST_SHARE = 3
"""A term is found in less than one of so many of its places."""
_SURE = 0.9
"""Likelihood of a word that is a name by itself."""
_LEAST_PART = 3
"""Letters of a part of a name that is found again."""
_LEAST_STEM = 4
"""Letters of the shortest stem whose forms are looked for."""
_MOST_WORDS, _MANY_WORDS = 4, 3
"""Words of a name from a list, and above which a name is unlikely."""
_LONGEST_ACRONYM = 6  # letters
_LONG_ADDRESS = 5  # words of a place that has more than a town and its country
_MAIL_PART = 4  # letters of a name in a mail address

_UPPER = f"[{''.join(filter(str.isupper, map(chr, range(0x41, 0x530))))}]"
_WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?")
_ACCOUNT = re.compile(r"(?<![\w@./-])(?P<begin>[^\W\d_]{2,12}_)[^\W\d_A-Z]{3,20}(?![\w@/-])")
_PART = re.compile(rf"(?<![\w@./-])(?:{_WORD.pattern})(?![\w@/-]|\.\w)")
_RUN = re.compile(
    rf"(?<![\w@./-])(?:{_UPPER}\. ?){{0,3}}(?:{_UPPER}[^\W\d_]*(?:['’-][^\W\d_]+)*)(?:{PARTICLES}{{0,3}}[ ]{_UPPER}(?:\.|[^\W\d_]*(?:['’-][^\W\d_]+)*)(?![\w@]))*"
)
_INVERTED = re.compile(
    rf"(?<![\w@./-])(?P<family>{_UPPER}[^\W\d_]+(?:-[^\W\d_]+)?), (?P<given>{_UPPER}[^\W\d_]+)(?: {_UPPER}\.)?(?![\w@])"
)
_POSSESSIVE = re.compile(r"['’]s?\Z")
_INFLECTED = re.compile(r"(?:s|es|en|e|n|er|ed|ing|ung)\Z")
_FORMS = ("s", "e", "en", "es")
_BEHIND_ARTICLE = re.compile(
    r"(?i)(?<!\w)(?:the|an?|this|that|each|every|any|all|new|our|your|its|der|die|das|den|dem|des|eine?[nmrs]?|keine?"
    r"|zum|zur|im|beim|les|une?|cette|los|las|una|gli|het|een|deze|dit|uma?) \Z"
)
_CAPITAL_AFTER, _CAPITAL_BEFORE = re.compile(rf" {_UPPER}"), re.compile(rf"(?<![\w@./-]){_UPPER}[\w-]* \Z")
_NEXT_WORD, _LAST_WORD = re.compile(r",? ([^\W\d_]+)"), re.compile(r"(?<![^\W\d_])([^\W\d_]++) \Z")
_IN_SENTENCE = re.compile(r"[^\W\d_A-Z],?[ ][\"'“‘(]?\Z")
_OF_CASES = re.compile("[ąęłńśźżěščřžůäöа-я]")
"""Letters of languages whose names take endings."""
_HEADING = re.compile(r"\d{1,3}\. ")
_CODE = re.compile(r"(?=\S*[^\W\d_])(?=\S*\d)(?:[^\W_]{2,6}|[A-Z]+\w*(?:-\w+)+)")
_DECIMAL = re.compile(r"(?<![\d.,])\d{1,2}\.\d{1,2}(?![\d.])|_")
_STREET_END = re.compile(
    r"(?i)(?:street|road|avenue|lane|drive|way|stra(?:ß|ss)e|str|weg|platz|allee|gasse|straat|laan|plein|gatan|vej|veien|utca|rue|via"
    r"|calle|tie|katu|gade|gata|ring|ufer|berg|hof|court|place|square|close|park|hill)s?\Z"
)
_STATE_AND_CODE = re.compile(r"[A-Z]{2},? {1,2}[0-9]{5}\Z")
_ARTICLE = re.compile(r"(?i)(?:the|der|die|das|el|los|las|les|il|gli|het)\Z")
_ADDRESS_BEFORE = re.compile(
    r"(?i)(?:address|adresse|anschrift|street|stra(?:ß|ss)e|zip|post ?code|postal code|plz|domicilio|dirección|indirizzo|adres"
    r"|adresa|osoite|adress|lives? at|to|at)[: \n|]{1,3}\Z"
)
"""Words before an address."""
_INSTITUTION = re.compile(r"(?i)(?:gericht|kasse|bank|university|universität|court|sąd|tribunal|school)\Z")
_INSTITUTION_BEFORE = re.compile(rf"{_INSTITUTION.pattern.removesuffix(chr(92) + 'Z')} \Z")
"""Words before a town that make it a part of the name of an institution, e.g. `Registergericht Hanau`."""
_NEAR = 40
"""Characters between an address and a place that speaks for it."""
_PLACE_BEFORE = re.compile(
    r"(?i)(?:\b(?:in|to|from|at|of|near|city|town|nach|aus|à|en|de|a|w|z|we|ze|do|te|naar|uit|i|til|fra)|,) \Z"
)
_TOWN_BEFORE = re.compile(
    r"(?i)\b(?:liv(?:es?|ed|ing)|born|based|moved?|fl(?:y|ies|ew)|city|town|from|near)(?: in| to| of)? \Z"
)


def _before(words: Iterable[str], end: str) -> re.Pattern[str]:
    plain = (normalise(word.replace("_", " ")).text for word in sorted(words, key=len, reverse=True))
    alternatives = "|".join(map(re.escape, plain))
    return re.compile(rf"(?i)(?<!\w)(?:{alternatives}){end}\Z")


_TITLE = _before(_ROWS["titles"], r"\.? ?")
_LABEL = _before(_ROWS["people"], r"[^\w\n]{0,3}[:;,|\n][^\w\n]{0,3}")
_LABEL_OF_NAMES = _before(_ROWS["names"], r"(?: is|'s)?[^\w\n]{0,2}[:|\n][^\w\n]{0,3}")
_AGENT = _before(_ROWS["agents"], " ")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A candidate: its words at `text[start:end]`."""

    start: int
    end: int
    words: tuple[str, ...]


class Evidence:
    """The words of a text, and how it uses them."""

    def __init__(self, text: str, rate: Rate) -> None:
        self._text, self._rate = text, rate
        self._counts = Counter(_WORD.findall(text))
        words = self._counts.keys()
        self._small = {fold(word) for word in words if word[0].islower()}
        self._mixed = any(word[1:].islower() and word[0].isupper() for word in words)
        self._countries = set(find_countries(text))
        self._has_cases = _OF_CASES.search(text) is not None
        self._mails = " ".join(fold(match[0]) for match in re.finditer(r"[\w.+-]+(?=@\w)", text))

    def find_people(self, tokens: Sequence[TaggedToken]) -> list[Hit]:
        """Return the names of people; `tokens` is what a tagger says of the text."""
        scores = {
            index: token.score for token in tokens if token.label in PERSON for index in range(token.start, token.end)
        }
        groups: dict[tuple[str, ...], list[_Candidate]] = defaultdict(list)
        for place in self._candidates(tokens):
            groups[place.words].append(place)
        second: dict[str, set[str]] = defaultdict(set)
        for words in groups:
            if len(words) > 1:
                second[words[0]].add(words[1])
        self._brands = {word for word, others in second.items() if len(others) > 1}
        judged = {words: self._judge(places, scores) >= ENOUGH for words, places in groups.items()}
        parts = {
            word
            for words, is_name in judged.items()
            if is_name and len(words) > 1
            for word in words
            if len(word) >= _LEAST_PART and word not in _ALL_TERMS and not self.is_common(word)
        }
        kept = [
            Hit(Kind.PERSON, place.start, place.end)
            for words, places in groups.items()
            if judged[words] or (not parts.isdisjoint(words) and not any(map(self.is_common, words)))
            for place in places
        ]
        proven = {
            fold(word) for words in judged if judged[words] for word in words if self._is_part(word, words, parts)
        }
        return sorted({*kept, *self._again(proven), *self._accounts(kept)}, key=lambda hit: (hit.start, hit.end))

    def _is_part(self, word: str, words: tuple[str, ...], parts: set[str]) -> bool:
        """Return whether a part of a name is a name by itself: one of the lists or the tagger, or behind a first name."""
        if word not in parts or (word.isupper() and len(word) <= _LONGEST_ACRONYM and self._mixed):
            return False
        is_behind = self._is_listed(words[0]) and word == words[-1]
        return is_behind or is_given(word) or is_family(word) or ends_as_family(word) or self._rate(word) >= _SURE

    def _accounts(self, people: Iterable[Hit]) -> Iterator[Hit]:
        """Yield the names of accounts that begin as one of the names, as in `ACME_miller`."""
        accounts = list(_ACCOUNT.finditer(self._text))
        known = {hit.start for hit in people}
        begins = {account["begin"] for account in accounts if account.start() in known}
        yield from (Hit(Kind.PERSON, *account.span()) for account in accounts if account["begin"] in begins)

    def _candidates(self, tokens: Sequence[TaggedToken]) -> Iterator[_Candidate]:
        """Yield the places that a tagger, the lists or a label name, without overlaps and without terms at their ends."""
        spans = [(hit.start, hit.end) for hit in find_people(self._text, tokens)]
        if self._mixed:
            spans += [span for span in self._listed() if not is_term(self._text, *span)]
        joined: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if joined and start < joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((start, end))
        for start, end in joined:
            words = list(_WORD.finditer(self._text, start, end))
            while self._mixed and words and _is_apart(words[0][0]) and not (len(words) > 1 and is_given(words[0][0])):
                words.pop(0)
            while (
                self._mixed
                and words
                and _is_apart(words[-1][0])
                and not (is_given(words[0][0]) and is_family(words[-1][0]))
            ):
                words.pop()
            if words:
                last = words[-1].end() if words[-1].end() < end - 1 or len(words[-1][0]) > 1 else end
                yield _Candidate(words[0].start(), last, tuple(_POSSESSIVE.sub("", word[0]) for word in words))

    def _listed(self) -> Iterator[tuple[int, int]]:
        """Yield words with capitals behind a label or a first name of the lists, and a line that ends with one."""
        for run in _RUN.finditer(self._text):
            words = list(_WORD.finditer(self._text, *run.span()))
            before = self._text[max(0, run.start() - _REACH) : run.start()]
            is_said = any(regex.search(before) for regex in (_TITLE, _LABEL, _LABEL_OF_NAMES))
            if len(words) <= _MANY_WORDS and (is_said or self._is_line(*run.span())):
                has_initial = len(words) > 1 and min(len(word[0]) for word in words) == 1
                if is_said or has_initial or any(self._is_listed(word[0]) for word in words):
                    yield run.span()
                continue
            index = 0
            while index < len(words):
                first, index = index, index + 1
                if self._is_listed(words[first][0]):
                    while index < min(len(words), first + _MOST_WORDS) and not _ends_name(words[index][0]):
                        index += 1
                    yield words[first].start(), words[index - 1].end()
        for inverted in _INVERTED.finditer(self._text):
            before = self._text[max(0, inverted.start() - _REACH) : inverted.start()]
            if (
                self._is_listed(inverted["given"])
                and inverted["family"] not in _ALL_TERMS
                and (self._is_line(*inverted.span()) or _LABEL.search(before) or _LABEL_OF_NAMES.search(before))
            ):
                yield inverted.span()

    def _is_listed(self, word: str) -> bool:
        return len(word) >= _LEAST_PART and word not in TERMS and (is_given(word) or self._is_in_case(word))

    def _is_in_case(self, word: str) -> bool:
        return self._has_cases and is_given_in_case(word)

    def _is_line(self, start: int, end: int) -> bool:
        line = self._text[self._text.rfind("\n", 0, start) + 1 : start]
        return not line.strip(" >*") and self._text[end : end + 1] in ("", "\n")

    def _judge(self, places: Sequence[_Candidate], scores: dict[int, float]) -> float:
        """Return the points of the places of the same words."""
        words = [word for word in places[0].words if word[0].isupper() or not self._mixed]
        whole = [word for word in words if len(word) > 1]
        if not whole or (len(whole) == 1 and whole[0] in TERMS):
            return 0.0
        common = [self._mixed and self.is_common(word) for word in whole]
        first = [is_given(word) and not is_common for word, is_common in zip(whole, common, strict=True)]
        in_case = [self._is_in_case(word) and not is_common for word, is_common in zip(whole, common, strict=True)]
        family = [is_family(word) or ends_as_family(word) for word in whole]
        several = len(whole) > 1
        has_first = any(first) or (several and any(in_case))
        is_upper = [self._mixed and word.isupper() for word in whole]
        is_name_in_capitals = all(is_upper) and several and has_first and not any(common) and len(words) <= _MANY_WORDS
        is_acronym = [
            is_caps and not is_name_in_capitals and not (len(word) > _LEAST_PART and is_family(word))
            for word, is_caps in zip(whole, is_upper, strict=True)
        ]
        facts: dict[str, float] = {
            "first name": any(first),
            "first name in a case": not any(first) and any(in_case),
            "first and other name": several and has_first and not all(common),
            "family name": any(map(is_family, whole)),
            "end of family names": any(map(ends_as_family, whole)),
            "first and family name": several and has_first and any(family[1:] if first[0] else family),
            "initial": len(words) > len(whole),
            "several words": several,
            "mail address": any(len(word) >= _MAIL_PART and fold(word) in self._mails for word in whole),
            "short text": len(self._text) < _SHORT,
            "common": sum(common) / len(common),
            "all common": all(common),
            "acronym": any(is_acronym),
            "all acronyms": all(is_acronym),
            "brand": not has_first and whole[0] in self._brands,
            "many words": len(words) > _MANY_WORDS,
        }
        facts |= self._facts_of_places(places, scores, several=several, first=any(first), has_first=has_first)
        points = sum(_POINTS[name] * fact for name, fact in facts.items())
        if points < ENOUGH <= points + _POINTS["rated"]:
            points += _POINTS["rated"] * max(map(self._rate, whole))
        return points

    def _facts_of_places(
        self, places: Sequence[_Candidate], scores: dict[int, float], *, several: bool, first: bool, has_first: bool
    ) -> dict[str, float]:
        """Return the facts that the text around the places of the same words says."""
        befores = [self._text[max(0, place.start - _REACH) : place.start] for place in places]
        tagged = [
            max((scores.get(index, 0.0) for index in range(*word.span())), default=0.0)
            for place in places
            for word in _WORD.finditer(self._text, place.start, place.end)
            if word.end() - word.start() > 1
        ]
        behind_article = sum(map(bool, map(_BEHIND_ARTICLE.search, befores))) * _LEAST_SHARE >= len(places)
        return {
            "tagged": sum(tagged) / len(tagged),
            "own line": any(self._is_line(place.start, place.end) for place in places),
            "title": any(map(_TITLE.search, befores)),
            "label": any(map(_LABEL.search, befores)),
            "label of names": any(
                _LABEL_OF_NAMES.search(before) and (several or first or before[-1] != "\n") for before in befores
            ),
            "agent": any(map(_AGENT.search, befores)),
            "in a sentence": any(map(_IN_SENTENCE.search, befores)),
            "rarely tagged": len(places) * _LEAST_SHARE < self._count(places[0]),
            "behind article": not has_first and (0.5 if several else 1.0) * behind_article,
            "beside capitals": not has_first and all(map(self._is_beside_capitals, places)),
            "of a place": sum(map(self._is_of_place, places)) * 2 >= len(places),
        }

    def _count(self, place: _Candidate) -> int:
        """Return how often the words of a place are in the text; as many times as their rarest word, at the most."""
        return min(self._counts[word[0]] for word in _WORD.finditer(self._text, place.start, place.end))

    def _is_of_place(self, place: _Candidate) -> bool:
        """Return whether the words, or their neighbours, name an institution, a company or a place."""
        before = _LAST_WORD.search(self._text, max(0, place.start - _REACH), place.start)
        after = _NEXT_WORD.match(self._text, place.end)
        return (
            not _INSTITUTIONS.isdisjoint(place.words)
            or place.words[0] in _GEOGRAPHIC
            or (before is not None and before[1] in _GEOGRAPHIC)
            or (after is not None and after[1] in _INSTITUTIONS)
        )

    def _is_beside_capitals(self, place: _Candidate) -> bool:
        before = self._text[max(0, place.start - _REACH) : place.start]
        return _CAPITAL_AFTER.match(self._text, place.end) is not None or (
            _CAPITAL_BEFORE.search(before) is not None and _TITLE.search(before) is None
        )

    def _again(self, proven: set[str]) -> Iterator[Hit]:
        """Yield the words that are a part of a name, also with the ending of a case."""
        for word in _PART.finditer(self._text) if proven else ():
            small = fold(_POSSESSIVE.sub("", word[0]))
            if word[0][0].isupper() and (
                small in proven or (self._has_cases and not proven.isdisjoint(_without_case(small)))
            ):
                end = word.end() - len(word[0]) + len(_POSSESSIVE.sub("", word[0]))
                yield Hit(Kind.PERSON, word.start(), end)

    def is_company(self, hit: Hit) -> bool:
        """Return whether the words before a legal form name a company: not all of them are common words."""
        words = self._words(hit)
        if words[-1] not in _NOUNS:
            return True
        before = self._text[max(0, hit.start - _REACH) : hit.start]
        if len(words) == 1 or words[-2] in TERMS or _BEHIND_ARTICLE.search(before) or len(words[0]) == 1:
            return False
        return not all(map(self.is_common, words[:-1]))

    def keep_places(self, hits: Sequence[Hit]) -> list[Hit]:
        """Return the places and addresses without codes, headings and names of parts.

        A word for a street, a country, a label or another place nearby speaks for an address.
        """
        kept = [hit for hit in hits if self._is_place(hit)]
        return [hit for hit in kept if hit.kind is Kind.LOCATION or not self._mixed or self._is_address(hit, kept)]

    def _is_place(self, hit: Hit) -> bool:
        value, words = self._text[hit.start : hit.end], self._words(hit)
        if not self._mixed or "\n" in value:
            return True
        if len(words) > _LONG_ADDRESS and not any(map(str.isdigit, value)):
            return sum(word[0].isupper() for word in words) * 2 > len(words)
        if hit.kind is Kind.ADDRESS:
            return not (_CODE.fullmatch(value) or _HEADING.match(value) or _DECIMAL.search(value))
        return (hit.start, hit.end) in self._countries or self._is_town(hit, words)

    def _is_town(self, hit: Hit, words: list[str]) -> bool:
        value, before = self._text[hit.start : hit.end], self._text[max(0, hit.start - _REACH) : hit.start]
        if not words or len(value) == 1 or _ARTICLE.match(words[0]) or before.endswith((":", "/")):
            return False
        if not CALENDAR.isdisjoint(map(str.casefold, words)):
            return False
        has_preposition = _PLACE_BEFORE.search(before) is not None
        if is_term(self._text, hit.start, hit.end) and not (words[0].isupper() and has_preposition):
            return False
        if _TOWN_BEFORE.search(before):
            return True
        if _INSTITUTION_BEFORE.search(before) or _INSTITUTION.search(words[-1]) or not TERMS.isdisjoint(words):
            return False
        if len(words) == 1 and self.is_common(words[0]):
            return False
        is_single = len(words) == 1 or not words[-1].isupper()
        is_acronym = is_single and words[0].isupper() and len(words[0]) <= _LONGEST_ACRONYM
        return not is_acronym or has_preposition or self._is_line(hit.start, hit.end)

    def _is_address(self, hit: Hit, places: Sequence[Hit]) -> bool:
        value, words = self._text[hit.start : hit.end], self._words(hit)
        if "\n" in value or any(map(_STREET_END.search, words)):
            return True
        is_named = any(word[0].isupper() for word in words)
        if "://" in value or not TERMS.isdisjoint(words) or (words and not is_named):
            return False
        before = self._text[max(0, hit.start - _REACH) : hit.start]
        if len(words) > _LONG_ADDRESS or _STATE_AND_CODE.search(value):
            return True
        if not any(map(str.isdigit, value)):
            return len(self._text) < _SHORT and len(words) > 1 and not all(map(self.is_common, words))
        if _ADDRESS_BEFORE.search(before):
            return True
        near = _NEAR if words else 3
        return len(self._text) < _SHORT or any(
            other != hit and other.start - near < hit.end and hit.start < other.end + near for other in places
        )

    def is_common(self, word: str) -> bool:
        """Return whether the text also has the word, or its stem, in small letters."""
        small = word.casefold()
        stem = _INFLECTED.sub("", small)
        forms = {small, stem, *(stem + end for end in _FORMS)} if len(stem) >= _LEAST_STEM else {small}
        return not self._small.isdisjoint(map(fold, forms))

    def _words(self, hit: Hit) -> list[str]:
        return _WORD.findall(self._text[hit.start : hit.end])


def _is_apart(word: str) -> bool:
    return word in TERMS or (word.casefold() in _ROWS["titles"] and len(word) > 1)


def _ends_name(word: str) -> bool:
    return (word in TERMS and not is_family(word)) or word.casefold() in CALENDAR


def _without_case(word: str) -> Iterator[str]:
    """Yield the words that have this form with the ending of a case, e.g. `anna` of `annę`."""
    for ending in ENDINGS:
        stem = word.removesuffix(ending)
        if len(stem) >= _LEAST_STEM and stem != word:
            yield from (stem, stem + "a", stem + "o", stem + "i", stem + "y")
