"""Pairs labels with values in one line, side by side or one above the other.

A label ends with a colon, is in the lexicon or, with less confidence, is left of a short value.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from quire.models.cdom.tree import BlockType
from quire.models.derive.fields.fragments import HEADS, Fragment, Neighbours
from quire.models.derive.fields.labels import match_label, name_key
from quire.models.derive.fields.lexicon import NEEDS_COLON, Key

NO_PAIRS = frozenset({BlockType.CAPTION})
"""Blocks whose colons label nothing."""
KNOWN_ONLY = HEADS | {BlockType.CODE}
"""Blocks in which only known labels count; receipts in typewriter letters are read as code."""
MAX_LABEL = 60  # characters of a label; longer is a sentence
MAX_VALUE = 1000  # characters of a value; longer is text
COLON = re.compile(r"(?<!\s)\s*+[:：]\s*+")
INLINE = re.compile(
    r"^[\W_]{0,20}(?P<label>[^:：]{1,59}?)\s{0,9}(?<!\[REDACTED)[:：](?!//)\s*+(?P<value>\S.*)$", re.DOTALL
)
"""A label and its value. The colon of a mask, as in `[REDACTED:person]`, labels nothing."""
CLOCK = re.compile(r"\d\s*[:：]\s*\d")
GOODS_ROW = re.compile(r"\D*\d{10,}\s+\S*\d")
MARK = re.compile(r"[\[(]?\s?[xX✓✔☑☒]{1,2}\s?[\])]?")
"""A ticked box as recognisers write it."""
NEXT_COLON = re.compile(r"(?<=[^\W\d_.)#])(?<!\[REDACTED)[.)]?\s?[:：](?!//|\S?\d\d?\b.*[AaPp][Mm])(?=\s|\S)")
RATE = re.compile(r"\(?\b\d{1,2}(?:[.,]\d{1,3})?\s?%\s?\)?")
"""A percentage in the label of an amount, as in `VAT (20 %)`."""
RATED = frozenset({Key.TAX, Key.SUBTOTAL, Key.TOTAL})
"""Keys whose labels hold a rate, which is not their amount."""
MAX_SPLIT = 300  # characters of a text in which labels are searched at every word
WORD_START = re.compile(r"(?<!\S)(?=[^\W\d_])")
LAST_WORDS = re.compile(r"(?<!\S)(?=[^\W\d_])\S+")
MAX_LAST_WORDS = 4  # last words of a text that may be the beginning of its label


@dataclass(frozen=True, slots=True)
class Pair:
    """A label and its value as written; `fragment` holds the value, `confidence` is 0..1.

    `is_term` is true where the form of the page says that the label has this value.
    """

    key: str
    value: str
    fragment: Fragment
    confidence: float
    known: Key | None
    is_term: bool = False


def find_pairs(fragments: Sequence[Fragment]) -> list[Pair]:
    """Return the labelled pairs in reading order of their values."""
    pairs: list[Pair] = []
    for _, page in groupby(fragments, key=lambda fragment: fragment.page):
        pairs.extend(_Page(list(page)).pairs())
    return sorted(pairs, key=lambda pair: pair.fragment.order)


def read_inline(text: str) -> list[tuple[str, str]]:
    """Return the (label, value) pairs inside one line: `Label: value`, or a known label and its value without a colon.

    A text of more than `MAX_VALUE` characters is prose and has no pairs.
    """
    pairs: list[tuple[str, str]] = []
    remaining = text if len(text) <= MAX_VALUE else ""
    while remaining:
        pair, remaining = _read_first(remaining)
        pairs.extend(pair)
    return pairs


def split_labels(text: str) -> list[str]:
    """Return the parts of a text that begin with a known label, each up to the next one."""
    starts: list[int] = []
    end = 0
    for match in WORD_START.finditer(text) if len(text) <= MAX_SPLIT else ():
        known = match_label(text[match.start() :]) if match.start() >= end else None
        if known is not None:
            end = match.start() + known[1]
            starts.append(match.start())
    return [text[start:stop].strip() for start, stop in pairwise([*starts, len(text)])]


def _read_first(text: str) -> tuple[list[tuple[str, str]], str]:
    """Return the pair that the text begins with, if any, and the text behind it."""
    match = INLINE.match(text)
    if match and is_label(match["label"]) and not CLOCK.match(text[max(0, match.end("label") - 1) :]):
        value, remaining = _split_value(match["value"])
        return [(match["label"].strip(), value)], remaining
    known = match_label(text)
    if known is not None:
        label, value = text[: known[1]], text[known[1] :].lstrip(" .:#°-–)")
        if _fits(known[0], value) and not (known[0] in RATED and RATE.fullmatch(value.rstrip(" .:"))):
            return [(label.strip(), value)], ""
    return [], _next_known(text)


def _next_known(text: str) -> str:
    """Return the text from the next known label on, where rows of a bill were joined into one text; "" without one."""
    _, remaining = _split_value(text) if ":" in text else ("", "")
    while remaining:
        label = NEXT_COLON.search(remaining)
        if label is None or name_key(remaining[: label.start()]) is not None:
            return remaining if label else ""
        _, remaining = _split_value(remaining)
    return ""


def _split_value(value: str) -> tuple[str, str]:
    """Split `5 DATE: 3/4` into the value and the next pair, whose label is the words before its colon."""
    for colon in NEXT_COLON.finditer(value):
        low = max(0, colon.start() - MAX_LABEL)
        start = _label_start(value[low : colon.start()])
        if start:
            return value[: low + start].strip(), value[low + start :]
    return value.strip(), ""


def _label_start(text: str) -> int:
    """Return the start of the label that ends `text`: the longest known one, else last words of one style, else 0."""
    starts = [match.start() for match in LAST_WORDS.finditer(text)][-MAX_LAST_WORDS:]
    known = next((start for start in starts if start and name_key(text[start:]) is not None), 0)
    if known or not starts:
        return known
    last = text[starts[-1] :]
    if not last[:1].isupper() or len(last) < 3:
        return 0
    alike = starts[-1]
    for start in reversed(starts[:-1]):
        word = text[start:alike].strip()
        if not word[:1].isupper() or word.isupper() != last.strip(" .").isupper() or word[-1:] in ",;.":
            break
        alike = start
    return alike


def _fits(key: Key, value: str) -> bool:
    """Return True for a value that cannot be prose, as needed without a colon."""
    return bool(re.match(r"[\w#+(€$£-]{0,6}\s?\d|[A-Z#_-]{1,8}[\d_-]", value)) and len(value) <= 60


def is_label(text: str) -> bool:
    """Return True for a short text with letters that is not a sentence."""
    words = text.split()
    return 0 < len(words) <= 8 and len(text) <= MAX_LABEL and any(map(str.isalpha, text)) and not text.endswith(".,")


class _Page:
    """Fragments of one page, with the labels and values that are already part of a pair."""

    def __init__(self, fragments: list[Fragment]) -> None:
        self._fragments = fragments
        self._neighbours = Neighbours(fragments)
        self._labels = {f.order: label for f in fragments if (label := lone_label(f.text))}
        self._used_values: set[int] = set()
        self._used_labels: set[int] = set()

    def pairs(self) -> Iterator[Pair]:
        yield from self._pair_inline()
        labels = [f for f in self._fragments if f.order in self._labels and f.order not in self._used_values]
        yield from self._pair_right(labels)
        yield from self._pair_below([f for f in labels if f.order not in self._used_labels])
        yield from self._pair_unknown_labels()

    def _pair_inline(self) -> Iterator[Pair]:
        for fragment in self._fragments:
            if fragment.order in self._labels or fragment.type in NO_PAIRS:
                continue
            for label, value in read_inline(fragment.text):
                if fragment.type in KNOWN_ONLY and name_key(label) is None:
                    continue
                self._used_values.add(fragment.order)
                yield Pair(label, value, fragment, 0.95, name_key(label))

    def _pair_right(self, labels: Iterable[Fragment]) -> Iterator[Pair]:
        for label in labels:
            value = self._neighbours.right_of(label)
            if value is not None and re.fullmatch(r"[:：.\s]+", value.text):
                self._used_values.add(value.order)
                value = self._neighbours.right_of(value)
            if value is not None and self._free(value) and not self._is_head_row(label, value):
                yield self._claim(label, value, 0.9)

    def _pair_below(self, labels: Iterable[Fragment]) -> Iterator[Pair]:
        for label in labels:
            value = self._neighbours.below(label)
            if value is not None and self._free(value) and len(value.text) <= MAX_VALUE:
                yield self._claim(label, value, 0.75)

    def _pair_unknown_labels(self) -> Iterator[Pair]:
        """Yield short texts left of a short value with digits, where neither is part of another pair."""
        for label in self._fragments:
            if label.order in self._used_values or label.order in self._used_labels or not is_weak_label(label.text):
                continue
            value = self._neighbours.right_of(label)
            if value is not None and self._free(value) and is_short_value(value.text):
                yield self._claim(label, value, 0.5)

    def _is_head_row(self, label: Fragment, value: Fragment) -> bool:
        """Return True for two column titles side by side, of which neither is the other's value."""
        if label.text[-1:] in ":：" or value.text[:1] in ":：" or any(map(str.isdigit, value.text)):
            return False
        if name_key(label.text) is not None and name_key(value.text) is not None:
            return True
        same_style = label.text.isupper() and value.text.isupper() and len(value.text.split()) <= 4
        return same_style and self._neighbours.below(label) is not None

    def _free(self, value: Fragment) -> bool:
        return value.order not in self._labels and value.order not in self._used_values

    def _claim(self, label: Fragment, value: Fragment, confidence: float) -> Pair:
        self._used_values.add(value.order)
        self._used_labels.add(label.order)
        key = self._labels.get(label.order, label.text)
        text = COLON.sub("", value.text, count=1) if value.text[:1] in ":：" else value.text
        return Pair(key, text, value, confidence, None if is_bare(key) else name_key(RATE.sub("", key)))


def lone_label(text: str) -> str | None:
    """Return the text when it is a label as a whole: it ends with a colon, or the lexicon knows it."""
    if len(text) > MAX_LABEL + 2:
        return None
    if text[-1:] in ":：" and is_label(text[:-1]):
        return text
    words = RATE.sub("", text) if "%" in text else text
    if any(map(str.isdigit, words)) or (words == text and is_bare(text)):
        return None
    return text if name_key(words) is not None else None


def is_bare(text: str) -> bool:
    """Return True for a word that is a title or prose without a colon, as `Invoice`."""
    return text.casefold().strip() in NEEDS_COLON


def is_weak_label(text: str) -> bool:
    """Return True for a short text of mostly letters, which may label a value next to it."""
    letters = sum(map(str.isalpha, text))
    return (
        len(text) <= 40
        and not text[0].isdigit()
        and letters >= 2
        and letters >= 0.5 * len(text)
        and len(text.split()) <= 6
    )


def is_short_value(text: str) -> bool:
    """Return True for digits or a tick, but not for a row of goods: a long number with others behind it."""
    if " " in text and GOODS_ROW.match(text):
        return False
    return len(text) <= 40 and (any(map(str.isdigit, text)) or MARK.fullmatch(text) is not None)
