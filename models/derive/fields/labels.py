"""Maps labels to field keys: the beginning of a text to a canonical key and the end of its label.

A label is matched by its words, without case, accents and punctuation; the longest phrase at the beginning wins.
"""

import re
import unicodedata
from functools import lru_cache

from quire.models.derive.fields.lexicon import LABELS, QUALIFIERS, Key

MAX_CHARS = 80  # characters of a text in which its label is searched
MAX_LABEL_WORDS = 6  # words of the longest label in the lexicon
WORD = re.compile(r"[^\W_]+|[°#%]")


_NUMBER_WORDS = frozenset({"no", "nr", "number", "num", "n°"})
"""Last words of labels that a number sign may replace."""
_OTHER_SIGNS = str.maketrans({"º": "°", "№": "#"})
_STROKES = str.maketrans("łøđ", "lod")
"""Letters with a stroke, which Unicode does not take apart."""


def label_words(text: str) -> list[tuple[str, int]]:
    """Return (word without case and accents, end offset in `text`) for each word."""
    return [(_plain(match.group()), match.end()) for match in WORD.finditer(text.translate(_OTHER_SIGNS))]


def _plain(word: str) -> str:
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKD", word.casefold().translate(_STROKES))
    return "".join(char for char in folded if not unicodedata.combining(char))


def _lexicon() -> dict[tuple[str, ...], Key]:
    words: dict[tuple[str, ...], Key] = {}
    for key, labels in LABELS.items():
        for label in labels.split(";"):
            words.setdefault(tuple(word for word, _ in label_words(label)), key)
    for phrase, key in list(words.items()):
        if phrase[-1] in _NUMBER_WORDS and len(phrase) > 1:
            words.setdefault((*phrase[:-1], "#"), key)
    return words


LEXICON = _lexicon()
FIRST_WORDS = frozenset(words[0] for words in LEXICON)


def match_label(text: str) -> tuple[Key, int] | None:
    """Return the key that the beginning of `text` names and the offset behind its words, or None."""
    return _match_label(text[:MAX_CHARS])


@lru_cache(maxsize=20_000)  # the lines of a page are compared with the labels by several rules
def _match_label(text: str) -> tuple[Key, int] | None:
    first = WORD.search(text.translate(_OTHER_SIGNS) if not text.isascii() else text, 0, 40)
    if first is None or _plain(first.group()) not in FIRST_WORDS:
        return None
    words = label_words(text)[:MAX_LABEL_WORDS]
    for count in range(len(words), 0, -1):
        key = LEXICON.get(tuple(word for word, _ in words[:count]))
        if key is not None:
            return key, words[count - 1][1]
    return None


def begins_label(word: str) -> bool:
    """Return whether any known label begins with that word."""
    return any(plain in FIRST_WORDS for plain, _ in label_words(word)[:1])


def name_key(label: str) -> Key | None:
    """Return the key of a whole label, when words behind the known ones only qualify them."""
    match = match_label(label)
    if match is None:
        return None
    following = [word for word, _ in label_words(label[match[1] :])]
    return match[0] if len(following) <= 5 and all(word in QUALIFIERS for word in following) else None


EXCLUSIVE = re.compile(
    r"\b(excl|exclu\w*|before|ht|hors|netto|ohne|w/?o|without|sub|taxable|base|zonder|sin|senza|sem)\b", re.I
)
INCLUSIVE = re.compile(r"\b(incl\w*|ttc|after|brutto|payable|due|with|mit|con|con iva|c/iva)\b", re.I)
NOT_MONEY = re.compile(
    r"\b(qty|quantity|items?|pcs|disc\w*|sav\w*|points?|tax|gst|sst|vat|tva|mwst|iva|btw|cash|change|pax)\b", re.I
)
CONTAINED = re.compile(r"\bincludes\b|\bdont\b|\bdarin\b|\bdavon\b|\benthalten", re.I)
FINAL = re.compile(
    r"\b(grand|rounded|round|after|due|payable|net\w*|pay|payer|pagar|pagare|betalen|zahlen|ttc|incl\w*|invoice|facture|factura|general)\b",
    re.I,
)


def rank_total(label: str) -> int:
    """Rank a label that begins like a total: 0 not a total, 1 a plain total, 2 the final total by its words."""
    if CONTAINED.search(label):
        return 0
    if EXCLUSIVE.search(label) and not INCLUSIVE.search(label):
        return 0
    if NOT_MONEY.search(label) and not INCLUSIVE.search(label):
        return 0
    return 2 if FINAL.search(label) else 1
