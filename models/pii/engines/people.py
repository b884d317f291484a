"""People and companies out of what a tagger says of a text's tokens."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from quire.models.pii.engines.names import CALENDAR
from quire.models.pii.engines.postal import find_countries
from quire.models.pii.kinds import Hit, Kind

PERSON = frozenset(("GIVEN_NAME", "SURNAME"))
LEAST_SCORE = 0.2
"""Likelihood of any name below which a token is nothing by itself: a mask too many costs less than a name shown."""
WEAK_SCORE, WEAK_ALONE = 0.06, 0.09
"""Likelihood from which two words with capitals side by side are a name, and one word with a capital in a sentence."""
GAP = 2
"""Characters between two parts of one name or address: a blank, or a comma and a blank."""

CAPITAL = r"[^\W\d_a-zß-öø-ÿ]"
_NO_END = r"(?<!\w{5}\.)"
"""A full stop ends a sentence, unless it stands behind an initial or a short form of up to four letters."""
_GOES_ON = r" (?<!\w{5}\. )"
"""A blank within a sentence."""
_COMPANY = re.compile(
    rf"(?<!\w)(?:[a-z]?{CAPITAL}[\w&'’.-]*{_GOES_ON}(?:(?:and|&|und|et|de) )?){{1,4}}"
    r"(?:Inc|Incorporated|Ltd|LLC|LLP|PLC|plc|Corp|Corporation|Company|Limited|Group|Holdings|Investments|Partners|Associates|Technologies|Solutions|GmbH|AG|KG|S\.?A\.?|SARL|SAS|B\.?V\.?|N\.?V\.?|AB|Oy|S\.?p\.?A\.?)(?!\w)"
)
"""Capitalised words before the legal form of a company: the model knows no organisations."""
_EMPLOYER = re.compile(
    rf"(?<!\w)(?:(?i:work(?:s|ed|ing)? (?:for|at)|employed (?:by|at)|(?:CEO|CFO|founder|director|president|head) of) )"
    rf"(?P<name>{CAPITAL}[\w&'’.-]*(?:{_GOES_ON}{CAPITAL}[\w&'’.-]*){{0,3}}{_NO_END})"
)
PARTICLES = r"(?: (?:van|von|vom|zu|zur|de|der|den|del|della|di|da|dos|du|la|le|ten|ter|bin|ibn|ben|al|el))"
_SURNAME = re.compile(
    rf"(?: {CAPITAL}\.?(?= {CAPITAL})){{0,2}}{PARTICLES}{{0,3}} {CAPITAL}[^\W\d_]+(?:[-'’]{CAPITAL}[^\W\d_]+)*(?!\w)"
)
"""Initials and a word with a capital, behind a first name."""
_NO_NAME = CALENDAR | frozenset(
    ("the", "a", "an", "of", "at", "in", "on", "and", "or", "street", "road", "avenue", "suite", "inc", "ltd", "llc")
)


_PREFIXES = "Mc|Mac|Fitz|De|Del|Della|Di|Du|La|Le|Van|Von"
_CAMEL = re.compile(rf"(?!(?:{_PREFIXES})[A-Z])(?:[^\W\d_]*[a-z][A-Z]|[A-Z]{{2,}}[a-z])[^\W\d_]*")
_AGENTS = frozenset(("by", "von", "par", "por", "przez", "door", "av", "da"))
"""Words before someone who did something."""
_BANK_CODE = re.compile(r"[A-Z]{8}XXX")
_BANK_WORDS = frozenset(("SWIFT", "BIC", "IBAN", "SEPA"))
_ACRONYM = re.compile(r"[^\W\d_a-zß-öø-ÿ]{2,6}")
_LONG_UNCASED = re.compile("[\u0e00-\u0e7f\u3040-\u9fff\uac00-\ud7af]{7}")
"""More signs of Thai, Chinese, Japanese or Korean than a name has."""
_SPACES = " \n\t"


@dataclass(frozen=True, slots=True)
class TaggedToken:
    """`label` without its prefix, at `text[start:end]`; `score`: how likely any name stands there."""

    label: str
    start: int
    end: int
    score: float = 1.0


def find_people(text: str, tokens: Sequence[TaggedToken]) -> list[Hit]:
    """Names of people, without the countries that a tagger takes for them."""
    cased = any(char.isupper() for char in text)
    spans = list(join_tokens(text, tokens, PERSON))
    if cased:
        spans = [_with_surname(text, start, end) for start, end in spans]
        spans += _weak(text, [token for token in tokens if token.label in PERSON and token.score < LEAST_SCORE])
    countries = set(find_countries(text))
    spans = [span for span in spans if span not in countries and not is_term(text, *span)]
    return [Hit(Kind.PERSON, _past_former(text, *span), span[1]) for span in spans]


def is_term(text: str, start: int, end: int) -> bool:
    """Return whether the words here are terms of a trade instead of a name: `MaterialSample`, `OP-T14-028`, `FOSS`.

    A word in capitals alone is a term where its line has small letters before it, as in `the RAPTOR server`.
    """
    first = max(text.rfind(space, 0, start) for space in _SPACES) + 1
    before = text[text.rfind("\n", 0, start) + 1 : first].rstrip()
    after = text[end : end + 2]
    words = [word.strip("()[]{}<>,;:.!?\"'“”„‘’«»") for word in (text[first:start] + text[start:end]).split()]
    if after[:1] and (after[0] in "_" or after == "::"):
        return True
    tail = re.match(r"[\w-]*", text[end:])
    words[-1] += tail[0] if tail is not None else ""
    if len(words) == 1 and _ACRONYM.fullmatch(words[0]):
        return before[-1:].islower() and before.rpartition(" ")[2] not in _AGENTS
    if not _BANK_WORDS.isdisjoint(words) or any(_BANK_CODE.fullmatch(word) for word in words):
        return True
    if _LONG_UNCASED.search(text, start, end) or not any(map(str.isalpha, text[start:end])):
        return True
    return all(_CAMEL.fullmatch(word) or any(map(str.isdigit, word)) for word in words)


def _past_former(text: str, start: int, end: int) -> int:
    """Return the start of the name behind a former office, as in `ex-Minister Olsen`."""
    blank = text.find(" ", start, end)
    former = text[max(0, start - 3) : start].casefold() == "ex-" and blank > 0
    return blank + 1 if former else start


def find_companies(text: str, people: Iterable[Hit]) -> Iterator[Hit]:
    """Yield the words before a legal form, and the employers that a text names."""
    yield from (Hit(Kind.ORGANIZATION, *match.span()) for match in _COMPANY.finditer(text))
    yield from (Hit(Kind.ORGANIZATION, *match.span("name")) for match in _EMPLOYER.finditer(text))


def join_tokens(text: str, tokens: Sequence[TaggedToken], labels: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Spans of whole words whose tokens carry one of the labels."""
    group: list[TaggedToken] = []
    for token in tokens:
        if token.label not in labels or token.score < LEAST_SCORE:
            continue
        if group and not _goes_on(text, group[-1], token):
            yield whole_words(text, group[0].start, group[-1].end)
            group = []
        group.append(token)
    if group:
        yield whole_words(text, group[0].start, group[-1].end)


def _goes_on(text: str, last: TaggedToken, token: TaggedToken) -> bool:
    between = text[last.end : token.start]
    initial = "." not in between or last.end - last.start <= 2
    return initial and len(between) <= GAP and not between.strip(" ,.-’'") and "\n" not in between


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Extend a range of `text` to whole words."""
    while start and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return start, end


def _with_surname(text: str, start: int, end: int) -> tuple[int, int]:
    """One word takes the initial and the word with a capital behind it along."""
    if " " in text[start:end]:
        return start, end
    more = _SURNAME.match(text, end)
    if more is None or more[0].split()[-1].casefold() in _NO_NAME:
        return start, end
    return start, more.end()


def _weak(text: str, tokens: Sequence[TaggedToken]) -> Iterator[tuple[int, int]]:
    """Words with capitals that may be names: two side by side, or one inside a sentence."""
    words: list[tuple[int, int, float]] = []
    for token in tokens:
        start, end = whole_words(text, token.start, token.end)
        if words and words[-1][:2] == (start, end):
            words[-1] = (start, end, min(words[-1][2], token.score))
        else:
            words.append((start, end, token.score))
    words = [word for word in words if text[word[0]].isupper() and text[word[0] : word[1]].casefold() not in _NO_NAME]
    runs: list[list[tuple[int, int, float]]] = []
    for word in words:
        if runs and text[runs[-1][-1][1] : word[0]] in (" ", ". "):
            runs[-1].append(word)
        else:
            runs.append([word])
    for run in runs:
        least = min(score for _, _, score in run)
        if (len(run) > 1 and least >= WEAK_SCORE) or (least >= WEAK_ALONE and _in_sentence(text, run[0][0])):
            yield run[0][0], run[-1][1]


def _in_sentence(text: str, index: int) -> bool:
    """Return True when a lower-case word precedes this place."""
    before = text[:index].rstrip(" \"'“‘(")
    return bool(before) and (before[-1].isalpha() or before[-1] == ",")
