"""Surprise of the letters of each line in the languages of their script.

The table was counted from word frequencies of 32 languages by `tests/lab/training/letters.py`: for each three
neighbouring letters of a word the surprise of the third after the first two, in twentieths of a nat.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from quire.models.extract import HOME

EDGE: Final = 0
"""Blanks, punctuation and signs, at which a word begins or ends."""
LATIN: Final = "abcdefghijklmnopqrstuvwxyz"
CYRILLIC: Final = "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґјљњћђџѓќѕў"
GREEK: Final = "αβγδεζηθικλμνξοπρστυφχψω"
FIRSTS: Final = {"latin": 1, "cyrillic": 32, "greek": 80}
"""The code of the first letter of each judged script; the others follow."""
ALPHABETS: Final = {"latin": LATIN, "cyrillic": CYRILLIC, "greek": GREEK}
DIGIT: Final = 108  # a code beyond those of all letters
OTHER: Final = 110
"""Letters of scripts without statistics."""
BAD: Final = 112
"""Non-characters: replacement, private-use and control characters."""

_FOLDED: Final = {
    "ß": "s", "æ": "a", "ø": "o", "đ": "d", "ł": "l", "þ": "t", "ð": "d", "ı": "i", "œ": "o", "ŋ": "n", "ə": "e",
    "ς": "σ", "ё": "е",
}  # fmt: skip
_MOST_REMEMBERED: Final = 4096
"""Characters whose code is cached: more than any page uses, and bounded for a file with all of Unicode."""


def _code_of(char: str) -> int:
    for variant in (char, char.lower()):
        low = _FOLDED.get(variant, variant)
        for script, alphabet in ALPHABETS.items():
            if low in alphabet:
                return FIRSTS[script] + alphabet.index(low)
    category = unicodedata.category(char)
    if char.isspace():
        return EDGE
    if category in {"Cn", "Co", "Cs", "Cc"} or char == "\ufffd":
        return BAD
    if category[0] == "L":
        base = unicodedata.normalize("NFKD", char.lower())[0]
        return OTHER if base == char or not base.isalpha() else _code_of(base)
    return DIGIT if category[0] == "N" else EDGE


class _Codes(dict[int, str]):
    """A map for `str.translate` from code points to characters whose numbers are the codes."""

    def __missing__(self, point: int) -> str:
        code = chr(_code_of(chr(point)))
        if len(self) < _MOST_REMEMBERED:
            self[point] = code
        return code


_CODES: Final = _Codes()


def encode_letters(text: str) -> bytes:
    """Return the codes of the text's characters, one byte each."""
    return text.translate(_CODES).encode("latin-1")


_STEPS_A_NAT = 20.0  # steps of the stored bytes in one nat
_TABLES = HOME / "text_quality" / "letter_triples.npz"
_ACRONYM = 5  # letters of the longest usual abbreviation in capitals
_WORD = re.compile(r"(?<!\S)(?!(?!www\.)[A-Z]?[a-z]+[.,;:)]?(?!\S))\S+")
"""A word. Plain ones, which are no codes, are skipped by the pattern: most of a page."""
_IDENTIFIER = re.compile(r"[^\W\d_][\d_]{0,20}[._/\\:@=<][^\W\d]|[a-z]{2}\d{0,20}[A-Z][a-z]{2}|\d[\w+/]{20}")
"""Names in programs (`a.b.c`, `snake_case`, `camelCase`), names of files, paths and long keys."""
Costs = npt.NDArray[np.float32]
Codes = npt.NDArray[np.int32]
Sums = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LineLetters:
    """Statistics with one row per line.

    Columns: judged triples of letters, the sum of their surprise in nats, letters of judged scripts, all letters,
    non-characters, non-characters after another one, digits next to letters.
    """

    triples: Sums
    nats: Sums
    judged: Sums
    letters: Sums
    bad: Sums
    bad_runs: Sums
    digit_joins: Sums

    def columns(self) -> tuple[Sums, ...]:
        """Return the columns in the order of the constructor."""
        return (self.triples, self.nats, self.judged, self.letters, self.bad, self.bad_runs, self.digit_joins)


@cache
def load_tables() -> dict[str, Costs]:
    """Load the surprise in nats by script, three letters deep."""
    with np.load(_TABLES, allow_pickle=False) as file:
        return {script: file[script].astype(np.float32) / np.float32(_STEPS_A_NAT) for script in ALPHABETS}


def measure_lines(texts: Sequence[str]) -> LineLetters:
    """Return the statistics of each text. `texts` must not be empty."""
    joined = "\n".join([*texts, ""])
    codes = np.frombuffer(encode_letters(joined), np.uint8).astype(np.int32)
    starts = np.cumsum([0, *[len(text) + 1 for text in texts[:-1]]])
    triples, nats = np.zeros(len(codes)), np.zeros(len(codes))
    judged = (codes > EDGE) & (codes < DIGIT)
    for script, costs in load_tables().items():
        first = FIRSTS[script]
        own = (codes >= first) & (codes < first + len(ALPHABETS[script]))
        if own.any():
            _add_script(codes, own, first, costs, triples, nats)
    for start, end in find_codes(joined):
        triples[start:end] = nats[start:end] = 0
    letter, bad = judged | (codes == OTHER), codes == BAD
    digit = codes == DIGIT
    joins = np.zeros(len(codes))
    joins[1:] = (letter[1:] & digit[:-1]) | (digit[1:] & letter[:-1])
    runs = np.zeros(len(codes))
    runs[1:] = bad[1:] & bad[:-1]
    columns = np.array([triples, nats, judged, letter, bad, runs, joins], np.float64)
    return LineLetters(*np.add.reduceat(columns, starts, axis=1))


def find_codes(text: str) -> list[tuple[int, int]]:
    """Return the ranges of non-words with the following sign: part and form numbers, acronyms, addresses."""
    return [(match.start(), match.end() + 1) for match in _WORD.finditer(text) if _is_code(match[0])]


def _is_code(word: str) -> bool:
    if word.isupper() and (any(map(str.isdigit, word)) or sum(map(str.isalpha, word)) <= _ACRONYM):
        return True
    if word.isalpha() and (word.islower() or word.istitle()):
        return False
    return "://" in word or word.startswith("www.") or _IDENTIFIER.search(word) is not None


def find_nats(text: str) -> float:
    """Return the surprise of one text as `measure_lines` sums it, in a tenth of the time for a word or two."""
    codes = encode_letters(text + "\n")
    total = 0.0
    for script, costs in load_tables().items():
        first = FIRSTS[script]
        last = first + len(ALPHABETS[script])
        if not any(first <= code < last for code in codes):
            continue
        before = middle = EDGE
        was_known = True
        for code in codes:
            local = code - first + 1 if first <= code < last else EDGE
            is_known = local > EDGE or code in (EDGE, DIGIT)
            if is_known and was_known and (middle > EDGE or local > EDGE):
                total += float(costs[before if middle > EDGE else EDGE, middle, local])
            before, middle, was_known = middle, local, is_known
    return total


def _add_script(codes: Codes, own: npt.NDArray[np.bool_], first: int, costs: Costs, triples: Sums, nats: Sums) -> None:
    """Add the triples of one script at the place of their last letter; what parts words counts as an edge."""
    local = np.where(own, codes - first + 1, EDGE)
    known = own | (codes == EDGE) | (codes == DIGIT)
    middle, before = np.zeros_like(local), np.zeros_like(local)
    middle[1:], before[2:] = local[:-1], local[:-2]
    before[middle == EDGE] = EDGE
    used = known & ((middle > EDGE) | (local > EDGE))
    used[1:] &= known[:-1]
    size = costs.shape[0]
    triples += used
    nats += costs.ravel().take((before * size + middle) * size + local) * used
