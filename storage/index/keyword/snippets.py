"""Snippets: the part of a chunk with the most query words, and the positions of those words. Pure functions."""

import re
import unicodedata
from collections.abc import Set

from quire.storage.index.keyword.analysis import words_of

SNIPPET_CHARS = 240  # characters: about three lines of a list of hits
_WORD = re.compile(r"\w+")
Places = tuple[tuple[int, int], ...]


def find_words(text: str, asked: Set[str], field: str) -> list[tuple[int, int, str]]:
    """Return (start, end, stem) of each word of `text` whose stem is in `asked`."""
    starts = {stem[:1] for stem in asked}
    stems: dict[str, str | None] = {}
    matches = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word not in stems:
            stems[word] = _stem(word, field) if _first(word) in starts else None
        stem = stems[word]
        if stem is not None and stem in asked:
            matches.append((match.start(), match.end(), stem))
    return matches


def cut_snippet(text: str, asked: Set[str], field: str, size: int = SNIPPET_CHARS) -> tuple[str, Places]:
    """Return about `size` characters of `text` with the most different words of `asked`, and their offsets in it."""
    matches = find_words(text, asked, field)
    start = _best_start(matches, size) if matches else 0
    start, end = _to_words(text, start, size)
    inside = tuple((a - start, b - start) for a, b, _ in matches if a >= start and b <= end)
    return text[start:end], inside


def _best_start(matches: list[tuple[int, int, str]], size: int) -> int:
    def worth(first: int) -> tuple[int, int]:
        near = [stem for start, end, stem in matches if start >= first and end <= first + size]
        return len(set(near)), len(near)

    best = max((start for start, _, _ in matches[:64]), key=lambda start: (*worth(start), -start))
    return max(0, best - size // 6)


def _to_words(text: str, start: int, size: int) -> tuple[int, int]:
    """Move both ends to word boundaries."""
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
    """Return the first letter as the analysers leave it: lower case, no accent."""
    return unicodedata.normalize("NFKD", word[0]).lower()[:1]
