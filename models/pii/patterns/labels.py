"""Finds the words that name a value, such as `passport` or `рождения`, and decides whether they belong to a value.

Words are compared in the form that `normalise` gives a text, because Cyrillic and Greek capitals are folded there.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain, takewhile

from quire.models.pii.normalise import normalise
from quire.models.pii.patterns.clues import NUMBER_ENDING, Clues, find

CONTEXT_REACH = 48
"""Maximum characters between a label and its value."""
FAR_REACH = 110
"""The same, if a colon stands directly before the value."""
LEAST_INFLECTED, MOST_ENDING = 6, 3
"""Letters of the shortest label that may have an ending, and of its longest ending, such as `isikukoodiga`."""
VALUE_REACH = 44
"""Characters before a label in which its value begins, if the label follows the value."""
_FAR = re.compile(r"[^0-9\n]{1,106}[:=] {0,3}")
_NUMBER_WORDS = (
    "no|num|nb|number|nummer|numer|numeru|numerem|numero|nro|núm|número|numéro|číslo|čís|č|szám|száma|sz|br|broj|številka"
    "|št|numărul|numri|numarası|numaralı|numeris|numurs|nomor|номер|ном|број|αριθμός|αριθ|αρ|מספר|رقم|seria|serie|серия"
    "|số|a|b|c|national|nationale|nacional|personal|unique|único|is|ist|lautet|est|es|è|är|er|on|jest|je|is the|code|kod|id|card|karte|de|du|del|der|des|di|da|av|et|contribuinte"
)
_MARKS = r"[\s:=#.°,'\"|()\[\]>_/*-]{0,4}"
_CLOSE = re.compile(
    rf"(?i)(?:{_MARKS}(?:(?:nr|{'|'.join(sorted({normalise(word).text for word in _NUMBER_WORDS.split('|')}))})\b|№|n\.|n\.? ?[°ºo]\b|n[°º]"
    r"|\([^()\n]{1,30}\)|[\u0e00-\u0e7f\u3040-\u9fff\uac00-\ud7af]{1,8})?){0,3}" + _MARKS
)
"""Text between a label and its value that holds nothing else."""
_ANNOUNCED = re.compile(r"[^0-9\n.;:=#]{0,32}[:=#][ '\"(]{0,3}")
"""The same, if a colon stands directly before the value."""
_BEHIND = re.compile(
    r"(?i)[\s(\[,;|=-]{1,3}(?:(?<=[(\[])|(?:(?:is|was|as|ist|est|es|è|é|är|er) ))?"
    r"(?:(?<=[(\[ ])(?<![0-9] )(?:my|his|her|your|the|their|our|a|an|die|der|das|ihre?|seine?|meine?|mon|ma|son|sa|le|la|mi|su|il|el|o|min) )?"
)
"""Text between a value and a label that follows it."""
_NAMES_NEXT = re.compile(r"[ ]?(?:no\.?|nr\.?|number|n[°º])?[ ]?(?:[:=#]|(?<=[ ])[0-9])")
"""Text behind a label that has its value after it."""
_NOT_SPACED = re.compile("[\u0e00-\u0e7f\u2600-\u27bf\u3040-\u9fff\uac00-\ud7af\U0001f300-\U0001faff]")
"""Thai, Chinese, Japanese and Korean letters and signs, which need no blank on either side."""
_SENTENCE_END = re.compile(r"[^\W_]{3}[.!?] [^\W\d_a-zß-öø-ÿ]|[0-9%)]\. [^\W\d_a-z]")
_STARTS = re.compile(r"(?<![A-Za-z0-9])\S")
_LETTERS = re.compile(r"[^\W\d_]+")
_GAP = r"[\s_./'’-]{0,2}"


class Labels:
    """Words that name a value; each is a word or phrase in lower case."""

    def __init__(self, *phrases: str, stems: Iterable[str] = (), is_announced: bool = True) -> None:
        """Create the labels.

        Args:
            *phrases: Whole words. The words of a phrase may be joined or parted by a blank, hyphen, point or underscore.
            stems: Parts of words, such as `geburts`.
            is_announced: Other words may stand between a label and the colon before its value.
        """
        self.is_announced = is_announced
        self.heads: dict[str, list[tuple[frozenset[str], re.Pattern[str]]]] = {}
        self.stems: tuple[str, ...] = tuple(normalise(stem).text.lower() for stem in stems)
        self.unspaced: tuple[str, ...] = ()
        for phrase in chain(phrases, *map(_abbreviated, phrases)):
            if _NOT_SPACED.search(phrase):
                self.unspaced += (normalise(phrase).text.lower(),)
                continue
            for form in _forms(phrase):
                self._add(_LETTERS.findall(form))

    def _add(self, words: list[str]) -> None:
        """Add a phrase; one that begins with initials must be joined or have its points."""
        initials = list(takewhile(lambda word: len(word) == 1, words))
        joined = "".join(words)
        if initials:
            rest = " ".join(words[len(initials) :])
            begin = ".".join(initials) + "." * bool(rest)
            self.stems += tuple({begin + rest, f"{begin} {rest}"} if rest else {begin})
            if not rest and len(joined) > 1:
                self.heads.setdefault(joined, []).append((frozenset(), re.compile(joined + r"(?![^\W\d_])")))
            return
        ending = (
            rf"(?:{NUMBER_ENDING}|(?!ed\b|ing\b)[^\W\d_]{{0,{MOST_ENDING}}})"
            if len(words[-1]) >= LEAST_INFLECTED
            else ""
        )
        regex = re.compile(_GAP.join(map(re.escape, words)) + ending + r"(?![^\W\d_])")
        self.heads.setdefault(words[0], []).append((frozenset(words[1:]), regex))
        for head in {"".join(words[:2]), joined} - {words[0]}:
            self.heads.setdefault(head, []).append((frozenset(), regex))

    def places(self, clues: Clues) -> list[tuple[int, int]]:
        """Return the ranges of the labels in a text, in order."""
        places = clues.labels.get(self)
        if places is None:
            places = clues.labels[self] = sorted(self._find(clues))
        return places

    def _find(self, clues: Clues) -> Iterator[tuple[int, int]]:
        text = clues.lower
        yield from self._find_initials(clues)
        for head in clues.tokens & self.heads.keys():
            regexes = [regex for others, regex in self.heads[head] if others <= clues.tokens]
            for start in find(text, head) if regexes else ():
                if start and text[start - 1].isalpha():
                    continue
                matches = (regex.match(text, start) for regex in regexes)
                ends = [match.end() for match in matches if match is not None]
                if ends:
                    yield start, max(ends)
        for stem in self.stems:
            for start in find(text, stem):
                rest = _LETTERS.match(text, start + len(stem))
                if "." in stem and (rest is not None or text[start - 1 : start].isalpha()):
                    continue
                yield start, rest.end() if rest is not None else start + len(stem)
        if clues.is_unspaced:
            yield from ((start, start + len(word)) for word in self.unspaced for start in find(text, word))

    def _find_initials(self, clues: Clues) -> Iterator[tuple[int, int]]:
        """Yield labels whose letters have full stops, such as `S.I.N.`."""
        for letters in clues.initials.keys() & self.heads.keys():
            for start, end in clues.initials[letters]:
                spelled = letters + clues.lower[end : end + CONTEXT_REACH]
                ends = [match.end() for _, regex in self.heads[letters] if (match := regex.match(spelled))]
                if ends:
                    yield start, end + max(ends) - len(letters)

    def is_named(self, clues: Clues, start: int, end: int) -> bool:
        """Return True if a label before or behind `text[start:end]` belongs to it."""
        places = self.places(clues)
        if not places:
            return False
        before = self._last_before(places, start)
        if before is not None:
            gap = start - before[1]
            near = gap <= CONTEXT_REACH and _SENTENCE_END.search(clues.text, before[1], start) is None
            if near or (gap <= FAR_REACH and _FAR.fullmatch(clues.text, before[1], start)):
                return True
        return self.is_behind(clues, start, end)

    def is_close(self, clues: Clues, start: int, end: int) -> bool:
        """Return True if a label stands next to `text[start:end]`, with nothing but filler words between."""
        places = self.places(clues)
        if not places:
            return False
        before = self._last_before(places, start)
        if before is not None and start - before[1] <= CONTEXT_REACH:
            place = (clues.text, before[1], start)
            if _CLOSE.fullmatch(*place) or (self.is_announced and _ANNOUNCED.fullmatch(*place)):
                return True
        return self.is_behind(clues, start, end)

    def is_behind(self, clues: Clues, start: int, end: int) -> bool:
        """Return True if a label follows `text[start:end]` and names nothing after it."""
        if end - start > VALUE_REACH - 20:
            return False
        places = self.places(clues)
        index = bisect_left(places, (end, 0))
        if index == len(places) or places[index][0] > start + VALUE_REACH:
            return False
        first, last = places[index]
        return _BEHIND.fullmatch(clues.text, end, first) is not None and _NAMES_NEXT.match(clues.text, last) is None

    @staticmethod
    def _last_before(places: list[tuple[int, int]], start: int) -> tuple[int, int] | None:
        index = bisect_right(places, (start, 0)) - 1
        while index >= 0 and places[index][1] > start:
            index -= 1
        return places[index] if index >= 0 else None

    def starts(self, clues: Clues) -> Iterator[int]:
        """Yield the places near the labels at which a value may begin."""
        text, done = clues.text, 0
        for first, last in self.places(clues):
            window = _STARTS.finditer(text, max(done, first - VALUE_REACH), min(len(text), last + FAR_REACH + 1))
            yield from (match.start() for match in window)
            done = max(done, min(len(text), last + FAR_REACH) + 1)


def _abbreviated(phrase: str) -> Iterator[str]:
    """Yield the forms of a compound that ends in `nummer`: `personnr` and `person nr` for `personnummer`."""
    for ending in ("nummer", "nr"):
        first = phrase.removesuffix(ending)
        if first != phrase and first[-1:].isalpha():
            yield from (f"{first}nr", f"{first} nr", f"{first} nummer", f"{first}nummer")


def _forms(phrase: str) -> set[str]:
    """Return how a phrase looks in a normalised text in lower case, however it was capitalised."""
    spellings = (phrase, phrase.upper(), phrase.title(), phrase.capitalize())
    return {normalise(spelling).text.lower() for spelling in spellings}
