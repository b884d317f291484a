"""Guesses the legacy encoding of a text: naive Bayes over the letters outside ASCII of each language.

Windows-1252 has the highest prior. Each pair of a language and an encoding is scored by how well the language
explains the decoded letters.
"""

import math
import re
from collections import Counter
from functools import cache, lru_cache
from typing import Final

from quire.models.extract.formats.sniffing.languages import LANGUAGES, Language

MAX_SAMPLE_BYTES: Final = 2_000
"""Bytes of lines outside ASCII that are scored. More text makes the guess slower, not better."""
MIN_MARGIN: Final = 2.5
"""Difference of log probabilities below which the guess is uncertain."""
_SIGNS: Final = frozenset("\xa0§°©®«»²³€‘’“”„‚–—…•™¡¿ºª´·")
_RARE_SIGNS: Final = frozenset("±µ¶‰£¥¢½¼¾×÷")
_WIDE_SIGNS: Final = frozenset("、。，「」『』（）：；！？・～　〜“”《》【】％")
_INSIDE_WORDS: Final = frozenset("’·´")
_LOG_SIGN: Final = -4.0
"""Log probability of a usual sign, such as a quotation mark, apart from letters."""
_LOG_RARE_SIGN: Final = -6.5
"""Log probability of a rare sign, such as a fraction, apart from letters."""
_LOG_INSIDE: Final = -9.0
"""Log probability of a sign between two letters or signs, as wrong code pages produce."""
_LOG_FOREIGN: Final = -7.5
"""Log probability of a letter outside the language's alphabet."""
_LOG_UNDEFINED: Final = -15.0
"""Log probability of a byte that the encoding does not define."""
_LOG_WORD: Final = 1.2
"""Log likelihood that a frequent word of the language adds."""
_MAX_WORDS: Final = 8
"""Frequent words that count: more of them add no evidence."""
_LOG_RARE_LETTER: Final = -1.5
"""Log likelihood that an ASCII letter adds that the language rarely uses."""
_MAX_RARE_LETTERS: Final = 6
"""Rare letters that count: foreign names have them too."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_TAG: Final = re.compile(rb"<(?:script|style)\b.*?</(?:script|style)\s*>|<[^<>]*>", re.DOTALL | re.IGNORECASE)
_LISTED_SHARE: Final = 0.85
"""Share of the listed characters in a text in Chinese, Japanese or Korean."""
_FIRST_LEVELS: Final = {
    "gb2312": (0xB0, 0xD7), "big5": (0xA4, 0xC6), "euc_kr": (0xB0, 0xC8), "euc_jp": (0xB0, 0xCF)
}  # fmt: skip
"""Lead bytes of the first level of a national standard: common ideographs, usual syllables."""

_Feature = tuple[str, str]
"""A character outside ASCII in lower case, and its context."""


def guess(data: bytes) -> tuple[str, bool]:
    """Return the likeliest encoding of bytes that are neither marked nor UTF-8, and whether it is certain."""
    return _guess_sample(_sample(data))


@lru_cache(maxsize=1)
def _guess_sample(sample: bytes) -> tuple[str, bool]:
    """Guess by a sample; a file is guessed once to find its format and once to read it."""
    scores: dict[str, float] = {}
    texts: dict[str, str] = {}
    features: dict[str, Counter[_Feature]] = {}
    words: dict[str, Counter[str]] = {}
    letters: dict[str, Counter[str]] = {}
    for language in LANGUAGES:
        for encoding, prior in language.encodings.items():
            if encoding not in texts:
                text = texts[encoding] = sample.decode(encoding, "replace")
                features[encoding] = _find_features(text)
                words[encoding] = Counter(_WORD.findall(text.lower())[:200])
                letters[encoding] = Counter("".join(words[encoding].elements()))
            score = _score(features[encoding], language) + prior + language.prior
            score += _score_words(words[encoding], letters[encoding], language)
            scores[encoding] = max(scores.get(encoding, -math.inf), score)
    best = max(scores, key=lambda encoding: scores[encoding])
    others = [score for encoding, score in scores.items() if texts[encoding] != texts[best]]
    return best, not others or scores[best] - max(others) >= MIN_MARGIN


def guess_markup(data: bytes) -> tuple[str, bool]:
    """Guess the encoding of HTML from the text between its tags."""
    return guess(_TAG.sub(b" ", data))


def _sample(data: bytes) -> bytes:
    """Return the first lines that are not ASCII."""
    lines: list[bytes] = []
    size = 0
    for line in data.splitlines():
        if line.isascii():
            continue
        lines.append(line[: MAX_SAMPLE_BYTES - size])
        size += len(line)
        if size >= MAX_SAMPLE_BYTES:
            lines[-1] = _cut_at_ascii(lines[-1])
            break
    return b"\n".join(lines)


def _cut_at_ascii(line: bytes) -> bytes:
    """Return the line up to its last blank or sign, so that no character of several bytes is cut."""
    end = max(line.rfind(sign) for sign in (b" ", b",", b";", b"\t", b"."))
    return line[:end] if end > len(line) // 2 else line


def _find_features(text: str) -> Counter[_Feature]:
    """Count characters outside ASCII by context: in a word, at its start, between capitals or signs."""
    counts: Counter[_Feature] = Counter()
    for (before, char, after), count in Counter(zip(" " + text, text, text[1:] + " ", strict=False)).items():
        if char >= "\x80":
            counts[_describe(before, char, after)] += count
    return counts


def _describe(before: str, char: str, after: str) -> _Feature:
    """Return a character outside ASCII with its context."""
    lower = char.lower()
    if not char.isalpha():
        is_inside = _is_dense(before) and _is_dense(after) and char not in _INSIDE_WORDS
        return char, "inside" if is_inside else "apart"
    if "\u0370" <= char < "\u2000" and (_is_ascii_letter(before) or _is_ascii_letter(after)):
        return char, "mixed"
    if char == lower:
        return char, "between" if before.isupper() and after.isupper() else "word"
    return lower, "after" if before.islower() else "start"


def _is_ascii_letter(char: str) -> bool:
    return char.isascii() and char.isalpha()


def _is_dense(char: str) -> bool:
    """Return whether the character is a letter, or a sign outside ASCII other than quotation marks and blanks."""
    return char.isalpha() or (char >= "\x80" and char not in "\xa0«»‘’“”„‚…–—")


_LOG_PLACE: Final = {"word": 0.0, "between": -1.5, "start": -1.2, "after": -5.0, "mixed": -6.0}
"""Log probability by context: lower case letters in words are frequent, capitals after them rare."""


@cache
def _letter_logs(letters: str, *, is_wide: bool) -> dict[str, float]:
    """Return log probabilities of letters, which are listed by frequency."""
    weights = {letter: 1 / (rank + 3) for rank, letter in enumerate(dict.fromkeys(letters))}
    share = (_LISTED_SHARE if is_wide else 0.95) / sum(weights.values())
    return {letter: math.log(weight * share) for letter, weight in weights.items()}


def _score(features: Counter[_Feature], language: Language) -> float:
    """Return the log likelihood of the characters outside ASCII."""
    logs = _letter_logs(language.letters, is_wide=bool(language.standard))
    if language.standard:
        return sum(count * _score_wide(char, logs, language.standard) for (char, _), count in features.items())
    return sum(count * _score_char(char, place, logs) for (char, place), count in features.items())


def _score_words(words: Counter[str], letters: Counter[str], language: Language) -> float:
    """Return the evidence of frequent words, and of ASCII letters that the language rarely uses."""
    frequent = sum(words[word] for word in language.words)
    rare = sum(letters[letter] for letter in language.rare)
    return _LOG_WORD * min(frequent, _MAX_WORDS) + _LOG_RARE_LETTER * min(rare, _MAX_RARE_LETTERS)


def _score_char(char: str, context: str, logs: dict[str, float]) -> float:
    if char == "\ufffd" or "\x80" <= char < "\xa0":
        return _LOG_UNDEFINED
    if (letter_log := logs.get(char)) is not None:
        return letter_log + _LOG_PLACE.get(context, 0.0)
    if context == "inside":
        return _LOG_INSIDE
    if context == "apart":
        return _LOG_SIGN if char in _SIGNS else _LOG_RARE_SIGN if char in _RARE_SIGNS else _LOG_INSIDE
    return _LOG_FOREIGN


def _score_wide(char: str, logs: dict[str, float], standard: str) -> float:
    """Return the score of a two-byte character, comparable with that of two one-byte letters."""
    if char == "\ufffd" or "\ue000" <= char <= "\uf8ff":
        return 2 * _LOG_UNDEFINED
    if char in logs:
        return logs[char]
    if char in _WIDE_SIGNS:
        return -5.0
    if "\uff61" <= char <= "\uff9f" or ("\u3040" <= char <= "\u30ff" and standard == "euc_jp"):
        return -7.0
    return -9.5 if _is_first_level(char, standard) else -13.0


@cache
def _is_first_level(char: str, standard: str) -> bool:
    """Return whether the national standard lists the character in its first level."""
    try:
        lead = char.encode(standard)[0]
    except UnicodeEncodeError:
        return False
    first, last = _FIRST_LEVELS[standard]
    return first <= lead <= last
