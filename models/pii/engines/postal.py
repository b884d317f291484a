"""Builds addresses and places from the parts that a tagger found.

Within a sentence street, town and postcode are one address. In a letterhead with one part per line, the town and the
country are separate places. Units (`Suite 282`), military post (`PSC 0413, Box 8144, APO AA 42323`) and codes behind a
country are recognised by their form.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from quire.models.pii.engines.countries import COUNTRIES, STATES
from quire.models.pii.kinds import Hit, Kind

LONGEST_LINE = 40
"""Characters of a line between two parts of an address that nothing was said of: a town no tagger knows."""
LEAST_CODE = 4
"""Figures of the shortest postcode that says nothing else of itself."""

_COUNTRY = re.compile(rf"(?<![\w-])(?:{COUNTRIES}|{STATES})(?![\w-])")
_COUNTRY_SMALL = re.compile(_COUNTRY.pattern, re.IGNORECASE)
_CODE = re.compile(r" (\d{4,6})(?!\w)")
_UNIT = re.compile(
    r"(?i)(?<!\w)(?:suite|ste|apt|apartment|unit|flat|room|floor|postbox|box|psc|cmr)\b\.? ?#?\d{1,5}[a-z]?(?!\w)"
)
_MILITARY = re.compile(
    r"(?i)(?<!\w)(?:(?:psc|unit|cmr) \d{1,5},? box \d{1,5}|us(?:s|ns|nv|cgc) [^\W\d_]{2,30})[\s,]{1,3}"
    r"[adf]po,? a[aep] \d{5}(?!\d)"
)
_CODE_SAID = re.compile(
    r"(?i)(?<!\w)(?:zip|post(?:al)?)(?:[ -]?codes?)?(?: is|:) (?P<code>[a-z0-9]{2,4}[ -]?[a-z0-9]{2,4})(?!\w)"
)
_CAPITAL = r"[^\W\d_a-zß-öø-ÿ][\w'’-]*"
_TOWN_SAID = re.compile(
    r"(?<!\w)(?i:(?:(?:home|native|birth) )?(?:city|town|village)(?: of)?|(?:originally|comes?|came) from"
    r"|moved (?:here )?(?:from|to)|(?:flew|flies|fly|travel(?:l?ed|s)?) to"
    r"|(?:born|based|lives?|living|lived|resid(?:es|ing)) in) "
    rf"(?P<town>{_CAPITAL}(?:[ -](?:(?:de|del|di|do|da|sur|nad|am|an der|u|of) )?{_CAPITAL}){{0,3}})"
)
"""A word that says that a place follows."""
_GLUE = r"(?:[ \t,.>?-]|[A-Z]{2}\b){0,12}"
"""Blanks, commas, marks of a quotation, the letters of a region."""
_NEXT = re.compile(rf"{_GLUE}(?:\n{_GLUE}){{0,2}}|{_GLUE}\n{_GLUE}{_CAPITAL}[^\n\d]{{0,{LONGEST_LINE}}}\n{_GLUE}")
"""Between two parts of one address: line ends, or one line that begins with a capital and has no figures."""
_ITEM = re.compile(r"(?:[^\W\d_]+-)?[^\W\d_]+\d+[-_][\w-]*(?!\w)")
_FIGURES = re.compile(r"\d")


def as_places(text: str, street: Iterable[tuple[int, int]], towns: Iterable[tuple[int, int]]) -> Iterator[Hit]:
    """Addresses and locations; `street` and `towns` are the spans a tagger found of each."""
    military = [Hit(Kind.ADDRESS, *match.span()) for match in _MILITARY.finditer(text)]
    yield from military
    yield from (
        Hit(Kind.ADDRESS, *match.span("code")) for match in _CODE_SAID.finditer(text) if _FIGURES.search(match["code"])
    )
    hits = [Hit(Kind.ADDRESS, *span) for span in street if not _is_number_of_item(text, *span)]
    hits += [Hit(Kind.ADDRESS, *match.span()) for match in _UNIT.finditer(text)]
    hits += [Hit(Kind.LOCATION, *span) for span in towns]
    hits += [Hit(Kind.LOCATION, *match.span("town")) for match in _TOWN_SAID.finditer(text)]
    parts = [
        hit
        for hit in _parts(text, hits)
        if not any(hit.start < address.end and hit.end > address.start for address in military)
    ]
    for chain in _chains(text, parts):
        yield from (hit for hit in _settled(text, chain) if not _is_count(text, hit))


def _is_count(text: str, hit: Hit) -> bool:
    """Return True for a number apart from any address and too short for a code; table cells hold many of these."""
    value = text[hit.start : hit.end]
    return hit.kind is Kind.ADDRESS and len(value) < LEAST_CODE and value.isdecimal()


def _is_number_of_item(text: str, start: int, end: int) -> bool:
    """Return True for numbers of rules and parts, such as `tbr14-044`, which a tagger takes for house numbers."""
    first = max(text.rfind(space, 0, start) for space in " \n\t") + 1
    return _ITEM.match(text, first) is not None


def find_countries(text: str) -> list[tuple[int, int]]:
    """Countries and states by their English names; where nothing has a capital, in small letters."""
    regex = _COUNTRY if any(char.isupper() for char in text) else _COUNTRY_SMALL
    return [match.span() for match in regex.finditer(text)]


def _parts(text: str, hits: Iterable[Hit]) -> list[Hit]:
    """In order and without overlaps: countries first, with the code behind them apart, then streets, then towns."""
    kept: list[Hit] = []
    for start, end in find_countries(text):
        kept.append(Hit(Kind.LOCATION, start, end))
        code = _CODE.match(text, end)
        if code is not None:
            kept.append(Hit(Kind.ADDRESS, *code.span(1)))
    taken = bytearray(len(text))
    for hit in kept:
        _take(taken, hit.start, hit.end)
    for hit in sorted(hits, key=lambda hit: (hit.kind is not Kind.ADDRESS, hit.start)):
        for start, end in _free(taken, hit.start, hit.end):
            if any(char.isalnum() for char in text[start:end]):
                kept.append(_trimmed(text, Hit(hit.kind, start, end)))
            _take(taken, start, end)
    return sorted(kept, key=lambda hit: hit.start)


def _take(taken: bytearray, start: int, end: int) -> None:
    taken[start:end] = b"\1" * (end - start)


def _free(taken: bytearray, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        start = taken.find(0, start, end)
        if start < 0:
            return
        stop = taken.find(1, start, end)
        stop = end if stop < 0 else stop
        yield start, stop
        start = stop


def _trimmed(text: str, hit: Hit) -> Hit:
    start, end = hit.start, hit.end
    while not text[start].isalnum():
        start += 1
    while not text[end - 1].isalnum():
        end -= 1
    return Hit(hit.kind, start, end)


def _chains(text: str, parts: Sequence[Hit]) -> Iterator[list[Hit]]:
    """Parts that follow each other so closely that they may be one address."""
    chain: list[Hit] = []
    for part in parts:
        if chain and _NEXT.fullmatch(text, chain[-1].end, part.start) is None:
            yield chain
            chain = []
        chain.append(part)
    if chain:
        yield chain


def _settled(text: str, chain: list[Hit]) -> Iterator[Hit]:
    chain = chain if _says_more(text, chain) else []
    first = next((index for index, part in enumerate(chain) if part.kind is Kind.ADDRESS), len(chain))
    yield from chain[:first]
    parts = chain[first:]
    if len(parts) > 1 and _is_single_address(text, parts):
        yield Hit(Kind.ADDRESS, parts[0].start, parts[-1].end)
    else:
        yield from _lines(text, parts)


def _says_more(text: str, chain: list[Hit]) -> bool:
    """Return True when the parts hold more than figures or lower-case words, which occur in every text."""
    values = [text[part.start : part.end] for part in chain]
    named = any(part.kind is Kind.LOCATION for part in chain) or any(
        char.isalpha() for value in values for char in value
    )
    plain = not any(char.isupper() or char.isdigit() for value in values for char in value)
    return named and not (plain and any(char.isupper() for char in text))


def _is_single_address(text: str, chain: list[Hit]) -> bool:
    if not _FIGURES.search(text, chain[0].start, chain[0].end):
        return False
    whole = text[chain[0].start : chain[-1].end]
    if "\n" in whole:
        return not _begins_line(text, chain[0].start) or "\n," in whole
    towns = [part for part in chain if part.kind is Kind.LOCATION]
    last = chain[-1].kind is Kind.ADDRESS
    commas = any(
        "," in text[part.end : following.start]
        for part, following in pairwise(chain)
        if following.kind is Kind.LOCATION
    )
    return last or len(towns) > 1 or not commas


def _begins_line(text: str, index: int) -> bool:
    """Nothing stands before it in its line, and what stands above it announces nothing."""
    line = text.rfind("\n", 0, index) + 1
    if any(char.isalnum() for char in text[line:index]):
        return False
    return line > 0 and not text[:line].rstrip().endswith(":")


def _lines(text: str, chain: list[Hit]) -> Iterator[Hit]:
    """Parts that stay apart; below a street a line without figures is a town."""
    for before, part in zip([None, *chain], chain, strict=False):
        town = before is not None and part.kind is Kind.ADDRESS and "\n" in text[before.end : part.start]
        plain = not _FIGURES.search(text, part.start, part.end)
        yield Hit(Kind.LOCATION, part.start, part.end) if town and plain else part
