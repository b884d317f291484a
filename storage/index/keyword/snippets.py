"""The piece of a chunk that shows why it was found, with the places of the query's words in it. Pure."""

import re
import unicodedata
from collections.abc import Set

from storage.index.keyword.analysis import words_of

SNIPPET_CHARS = 240  # characters: about three lines of a list of hits
_WORD = re.compile(r"\w+")
Places = tuple[tuple[int, int], ...]


def find_words(text: str, asked: Set[str], field: str) -> list[tuple[int, int, str]]:
    """(start, end, stem) of each word of `text` whose stem was asked for."""
    starts = {stem[:1] for stem in asked}
    stems: dict[str, str | None] = {}
    found = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word not in stems:
            stems[word] = _stem(word, field) if _first(word) in starts else None
        stem = stems[word]
        if stem is not None and stem in asked:
            found.append((match.start(), match.end(), stem))
    return found


def cut_snippet(text: str, asked: Set[str], field: str, size: int = SNIPPET_CHARS) -> tuple[str, Places]:
    """About `size` characters of `text` with the most different words asked for, and where those stand in it."""
    places = find_words(text, asked, field)
    start = _best_start(places, size) if places else 0
    start, end = _to_words(text, start, size)
    inside = tuple((a - start, b - start) for a, b, _ in places if a >= start and b <= end)
    return text[start:end], inside


def _best_start(places: list[tuple[int, int, str]], size: int) -> int:
    def worth(first: int) -> tuple[int, int]:
        near = [stem for start, end, stem in places if start >= first and end <= first + size]
        return len(set(near)), len(near)

    best = max((start for start, _, _ in places[:64]), key=lambda start: (*worth(start), -start))
    return max(0, best - size // 6)


def _to_words(text: str, start: int, size: int) -> tuple[int, int]:
    """Whole words at both ends."""
    if start > 0 and (space := text.find(" ", start, start + 40)) >= 0:
        start = space + 1
    end = min(len(text), start + size)
    if end < len(text) and (space := text.rfind(" ", start, end)) > start:
        end = space
    return start, end


def _stem(word: str, field: str) -> str | None:
    stems = words_of(word, field)
    return stems[0] if stems else None


def _first(word: str) -> str:
    """The first letter as the analysers leave it: lower case, no accent."""
    return unicodedata.normalize("NFKD", word[0]).lower()[:1]
