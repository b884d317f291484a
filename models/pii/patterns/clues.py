"""Finds candidate start positions of patterns without running them: most of a document holds no clue at all.

Two shadows of the text, as long as it is, let one cheap search serve many patterns. `words` is in lower case, with a
blank for each character other than a letter or figure, and one more blank at both ends. `shape` has 0 for figures, A
and a for letters. A function from clues to starts may name too many places but never too few; the pattern decides.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import AnyStr

_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_SPACES = b"\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f"
_KEPT = _LETTERS + b"0123456789"
_WORDS = bytes(char if char in _KEPT else 32 for char in bytes(range(256)).lower())
_SHAPE = bytes.maketrans(
    _LETTERS.upper() + _LETTERS + b"0123456789" + _SPACES, b"A" * 26 + b"a" * 26 + b"0" * 10 + b" " * len(_SPACES)
)
_ALPHA = frozenset(b"Aa")
_PLAIN = re.compile(rb"[a-z0-9 ]+")
_NUMBERS = re.compile(rb"0(?:(?<!00)(?=(?:[ ./-]?0){5})|(?<=[Aa]{6}0))")
_DIALLED = re.compile(rb"0(?<!00)(?=(?:[ .\-/()+]{0,6}0){6})")
_IBANS = re.compile(rb"00(?<=[Aa]{2}00)")
_TOKEN = re.compile(r"[^\W\d_]+")
_INITIALS = re.compile(r"(?<![^\W_])(?:[^\W\d_][./] ?){1,5}[^\W\d_](?![^\W_])\.?")
_NOT_LETTER = re.compile(r"[\W\d_]+")
NUMBER_ENDING = r"s?(?:nummer|nr|number|numero|nummern|száma?|numarası|numeris|numurs)"
"""Words for a number that are joined to the word before them, such as `førerkortnummer`."""
_COMPOUND = re.compile(rf"(?<=[^\W\d_]{{4}}){NUMBER_ENDING}\Z")
_COMPOUND_ENDS = ("nummer", "nr", "number", "numero", "nummern", "szám", "száma", "numarası", "numeris", "numurs")
LEAST_STEM = 6
"""Letters of the shortest word that is also found with an ending."""
_UNSPACED = re.compile("[\u0e00-\u0e7f\u2600-\u27bf\u3040-\u9fff\uac00-\ud7af\U0001f300-\U0001faff]")
_LOCAL_PART = re.compile(r"(?<![\w.%+-])[\w.%+'&=~/-]")
_SAID_AT = re.compile(
    r"[\[({<a](?:(?<=[\[({<]) ?(?:at|a|arroba|chiocciola|@|ät) ?[\])}>]"
    r"|(?<= a)t (?=[\w-]{1,63}(?: dot [\w-]{1,63}){0,3}? dot ))|[*_~|]at[*_~|]|%(?:25)?40"
)
_HOST_BACKWARDS = re.compile(r"[\w.:-]*")
_STREETS = re.compile(
    rb" (?=(?:street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|place|pl|square|sq|terrace|way"
    rb"|highway|hwy|parkway|pkwy|circle|cir|trail|close|crescent|row|mews|gardens|grove|wharf|heights|parade|quay) )"
)
_BEFORE_STREETS = re.compile(
    rb" (?=(?:rue|avenue|av |boulevard|bd|place|chemin|all e|impasse|quai|cours|route|calle|avenida|plaza|paseo|via"
    rb"|viale|piazza|corso|rua|pra a|travessa|ulica|ul |c |avda|avd|pza|ctra|strada|bulevardul|aleea|largo|vicolo|rambla) )"
)
_ENDINGS = (
    b"stra e", b"strasse", b"str ", b"weg", b"platz", b"allee", b"gasse", b"straat", b"laan", b"gatan", b"v gen",
    b"gade", b"vej", b"veien", b"utca", b"gracht", b"plein", b"dijk", b"singel", b"damm", b"chaussee", b"steig", b"stieg",
    b"gata", b"vegen", b"plass", b"v g", b"torg", b"ntie", b"katu", b"kuja", b"plads", b"box", b"postfach", b"bo te postale",
)  # fmt: skip
_LAST_WORDS = tuple(
    b"stra e|strasse|str |weg|platz|allee|gasse|straat|laan|gracht|kade|plein|dijk|singel|damm|ufer|chaussee|utca| t| tja"
    b"|k r t|krt |t r|gatan|v g|v gen|gata|vei|veien|all |cad |caddesi|sok |sokak|soka  |bulvar |t  da|n m st |iela|gatv |t nav".split(
        b"|"
    )
)
_SHORT_WORDS = re.compile(r"(?<![^\W_])[^\W\d_]{1,4}\. ?(?=[0-9]{1,4}[./ -])")
_CODES = re.compile(rb"0[Aa]?[^\n,]{0,12},[ ?](?:A{1,3}-)?(?:0{4,5}|000 00|00-000|0000-000)(?: ?AA)? [A?]")
_CAPITALS = re.compile(r"(?<![\w.])[^\W\d_a-zß-öø-ÿ]")
_CJK_WORDS = re.compile(
    "〒|(?<![\u4e00-\u9fff])[\u4e00-\u9fff]{2,4}[都道府県省市]|(?<![\uac00-\ud7af])[\uac00-\ud7af]{1,8}[시도] "
)
_STANDING_FIGURE = re.compile(rb" (?=[0-9])")
_HOUSE_NUMBER = re.compile(r"[0-9]{1,5}[^\W\d_]?,?\Z")
_NUMBER_BEFORE = re.compile(r"(?<!\w)[0-9]")
EMAIL_REACH = 130
"""Characters before an @ in which an address begins, one blank or line break included."""


class Clues:
    """A text and its shadows; character `i` of the text is `shape[i]` and `words[i + 1]`."""

    def __init__(self, text: str) -> None:
        plain = text.encode("ascii", "replace")
        self.text = text
        self.words = b" " + plain.translate(_WORDS) + b" "
        self.shape = plain.translate(_SHAPE)
        self.labels: dict[object, list[tuple[int, int]]] = {}
        self._starts: dict[Starts, list[int]] = {}

    @cached_property
    def lower(self) -> str:
        """The text in lower case, as long as it is."""
        lower = self.text.lower()
        if len(lower) == len(self.text):
            return lower
        return "".join(char.lower() if len(char.lower()) == 1 else char for char in self.text)

    @cached_property
    def numbers(self) -> list[int]:
        """Return starts of runs of six figures or more (separators do not count), or of a figure behind six letters."""
        return find_places(_NUMBERS, self.shape)

    def starts(self, function: "Starts") -> list[int]:
        """Return the start positions that `function` finds; cached for all patterns that share it."""
        positions = self._starts.get(function)
        if positions is None:
            positions = self._starts[function] = list(function(self))
        return positions

    @cached_property
    def tokens(self) -> frozenset[str]:
        """Return the runs of letters of the text in lower case; long ones also without endings."""
        words = frozenset(_TOKEN.findall(self.lower))
        words |= {_COMPOUND.sub("", word) for word in words if word.endswith(_COMPOUND_ENDS)}
        long = [word for word in words if len(word) > LEAST_STEM]
        return words.union(*([word[:-cut] for word in long if len(word) - cut >= LEAST_STEM] for cut in (1, 2, 3)))

    @cached_property
    def initials(self) -> dict[str, list[tuple[int, int]]]:
        """Return the places of letters with full stops, such as `S.I.N.`, by these letters."""
        found: dict[str, list[tuple[int, int]]] = {}
        for match in _INITIALS.finditer(self.lower):
            found.setdefault(_NOT_LETTER.sub("", match.group()), []).append(match.span())
        return found

    @cached_property
    def is_unspaced(self) -> bool:
        """Return True if the text has letters of scripts that set no blanks between words."""
        return not self.text.isascii() and _UNSPACED.search(self.text) is not None


def find_places(regex: re.Pattern[bytes], shadow: bytes) -> list[int]:
    """Return the starts of matches of `regex` in a shadow."""
    return [match.start() for match in regex.finditer(shadow)]


def find(text: AnyStr, sign: AnyStr) -> Iterator[int]:
    """Yield every place of `sign`."""
    start = text.find(sign)
    while start >= 0:
        yield start
        start = text.find(sign, start + 1)


Starts = Callable[[Clues], Iterable[int]]
"""Places at which a match may begin, ascending; each may come twice."""


def at_words(*words: bytes) -> Starts:
    """Return a search for places where one of `words` begins a word; each is a pattern over `Clues.words`.

    Plain words are searched as bytes, which takes a hundredth of the time of a pattern.
    """
    plain = [b" " + word for word in words if _PLAIN.fullmatch(word)]
    others = [word for word in words if not _PLAIN.fullmatch(word)]
    regex = re.compile(rb" (?=" + b"|".join(others) + rb")")

    def find_words(clues: Clues) -> list[int]:
        places = [place for word in plain for place in find(clues.words, word)]
        if others:
            places += find_places(regex, clues.words)
        return sorted(places)

    return find_words


_SLACK = at_words(b"hooks slack", b"discord")


def at_shape(shape: bytes, *, back: int = 0) -> Starts:
    """Return a search for starts of this pattern over `Clues.shape`, and up to `back` characters before."""
    regex = re.compile(shape)
    return lambda clues: _widened(find_places(regex, clues.shape), back)


def at_text(literal: str, *, back: int = 0) -> Starts:
    """Return a search for `literal`, and up to `back` characters before."""
    return lambda clues: _widened(find(clues.text, literal), back)


def at_numbers(clues: Clues) -> Iterable[int]:
    """Beginnings of long numbers, with the letters right before their first figure."""
    for start in clues.numbers:
        first = start
        while first and start - first < 6 and clues.shape[first - 1] in _ALPHA:
            first -= 1
        yield first


def at_ibans(clues: Clues) -> Iterable[int]:
    """Two letters and two figures."""
    return (place - 2 for place in find_places(_IBANS, clues.shape))


def at_dialled(clues: Clues) -> Iterable[int]:
    """Seven figures with little between them, and the bracket or plus before the first."""
    for start in find_places(_DIALLED, clues.shape):
        yield from (before for before in range(max(0, start - 4), start) if clues.shape[before] in b"+(")
        yield start


def behind_stars(clues: Clues) -> Iterable[int]:
    """Yield the two places behind each star, the sign of a date of birth."""
    for star in find(clues.text, "*"):
        yield from (star + 1, star + 2)


def at_webhooks(clues: Clues) -> Iterable[int]:
    """Yield the beginnings of the names of hosts that take messages."""
    office = _widened((place + 1 for place in find(clues.words, b" webhook office ")), 64)
    return sorted([*_SLACK(clues), *office])


def at_short_words(clues: Clues) -> Iterable[int]:
    """Yield words of one to four letters whose full stop a date follows."""
    return (match.start() for match in _SHORT_WORDS.finditer(clues.text))


def before_codes(clues: Clues) -> Iterable[int]:
    """Yield the words up to 90 characters before a postcode and town that a house number precedes."""
    done = 0
    for match in _CODES.finditer(clues.shape):
        first = max(done, match.start() - 90, clues.text.rfind("\n", 0, match.start()) + 1)
        yield from (word.start() for word in _CAPITALS.finditer(clues.text, first, match.end()))
        done = max(done, match.end())


def at_cjk_addresses(clues: Clues) -> Iterable[int]:
    """Yield Chinese, Japanese and Korean words at which an address may begin."""
    if clues.is_unspaced:
        yield from (match.start() for match in _CJK_WORDS.finditer(clues.text))


def before_at(clues: Clues) -> Iterable[int]:
    """Return places where the local part of an address could begin."""
    return _before(clues, find(clues.text, "@"))


def before_spelled_at(clues: Clues) -> Iterable[int]:
    """Return the same places for an @ written as a word in brackets, or as " at " followed by " dot "."""
    return _before(clues, (match.start() for match in _SAID_AT.finditer(clues.lower)))


def at_quoted(clues: Clues) -> Iterable[int]:
    """Yield the opening mark of each quoted local part."""
    for quote in find(clues.text, '"@'):
        first = clues.text.rfind('"', max(0, quote - 66), quote)
        if first >= 0:
            yield first


def _before(clues: Clues, places: Iterable[int]) -> Iterator[int]:
    done = 0
    for place in places:
        for match in _LOCAL_PART.finditer(clues.text, max(done, place - EMAIL_REACH), place):
            yield match.start()
        done = place


def at_hosts(clues: Clues) -> Iterable[int]:
    """Beginnings of what stands before a slash and has a point in it."""
    done = 0
    for slash in find(clues.text, "/"):
        run = _HOST_BACKWARDS.match(clues.text[done:slash][::-1])
        first = slash - (run.end() if run else 0)
        done = slash
        if "." in clues.text[first:slash]:
            yield first
            yield from (index + 1 for index in range(first, slash) if clues.text[index] == ":")


def at_numbered_streets(clues: Clues) -> Iterable[int]:
    """House numbers up to five words before a word for a street."""
    starts: set[int] = set()
    for match in _STREETS.finditer(clues.words):
        end = match.start() - 1
        for words in range(6):
            begin = clues.text.rfind(" ", 0, max(0, end)) + 1
            if words and (number := _HOUSE_NUMBER.search(clues.text, begin, end)):
                starts.add(number.start())
            if not begin:
                break
            end = begin - 1
    return sorted(starts)


def at_named_streets(clues: Clues) -> Iterable[int]:
    """Words that come before a street's name, and a number just before them."""
    last = -1
    for match in _BEFORE_STREETS.finditer(clues.words):
        start = match.start()
        for number in _NUMBER_BEFORE.finditer(clues.text, max(0, start - 12), start):
            if number.start() > last:
                yield number.start()
        last = start
        yield start


def before_long_street_names(clues: Clues) -> Iterable[int]:
    """Up to 130 characters before a house number behind a word for a street, such as `Mariahilfer Straße 12`."""
    words = clues.words
    places = (start for start in find_places(_STANDING_FIGURE, words) if words.endswith(_LAST_WORDS, 0, start))
    return _widened(places, 130)


def before_house_numbers(clues: Clues) -> Iterable[int]:
    """Up to 40 characters before a figure behind the ending of a street's name or the word for a post-office box."""
    words = clues.words
    return _widened((start for start in find_places(_STANDING_FIGURE, words) if words.endswith(_ENDINGS, 0, start)), 40)


def _widened(places: Iterable[int], back: int) -> Iterator[int]:
    """Each place and the `back` ones before it, every one once; `places` ascend."""
    done = 0
    for place in places:
        yield from range(max(done, place - back), place + 1)
        done = max(done, place + 1)
