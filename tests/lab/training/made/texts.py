"""Words and sentences for made pages, drawn from the texts of other documents."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random

_MARKS = re.compile(r"<[^>]+>|[*_`#<>\[\]{}|\\]")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_WORD = re.compile(r"[A-Za-z]{3,12}")
_SHORTEST, _LONGEST = 12, 260
"""Characters of a sentence."""
_MOST_FILES = 300


@dataclass(frozen=True, slots=True)
class TextPool:
    """Sentences and words to draw from."""

    sentences: tuple[str, ...]
    words: tuple[str, ...]


def make_pool(texts: Iterable[str]) -> TextPool:
    """The sentences of Markdown texts in plain letters, and their words, in a fixed mixed order."""
    sentences: list[str] = []
    for text in texts:
        for paragraph in re.split(r"\n\s*\n", text):
            plain = " ".join(_MARKS.sub(" ", paragraph).split())
            sentences += [one for one in _SENTENCE.split(plain) if _SHORTEST < len(one) < _LONGEST and one.isascii()]
    sentences = sorted(set(sentences))
    Random(5).shuffle(sentences)
    words = [word for sentence in sentences[:4000] for word in _WORD.findall(sentence)]
    return TextPool(tuple(sentences), tuple(words))


def read_pool(folder: Path) -> TextPool:
    """The pool of a folder of Markdown files."""
    return make_pool(path.read_text("utf-8") for path in sorted(folder.glob("*.md"))[:_MOST_FILES])


class Texts:
    """Texts of wanted length, by one random number generator."""

    def __init__(self, pool: TextPool, random: Random) -> None:
        self._pool, self.random = pool, random

    def words(self, least: int, most: int) -> str:
        """So many words, in small letters."""
        count = self.random.randint(least, most)
        return " ".join(self.random.choice(self._pool.words).lower() for _ in range(count))

    def label(self, least: int, most: int) -> str:
        """Words that begin with a capital."""
        text = self.words(least, most)
        return text.title() if self.random.random() < 0.4 else text[:1].upper() + text[1:]

    def sentence(self, least: int, most: int) -> str:
        """A text of about so many characters, of whole words."""
        wanted = self.random.randint(least, max(least, most))
        text = self.random.choice(self._pool.sentences)
        while len(text) < wanted:
            text += " " + self.random.choice(self._pool.sentences)
        if self.random.random() < 0.4 and len(text) < 2 * wanted:
            return text
        return text[: text.rfind(" ", 0, wanted + 1)] if text.rfind(" ", 0, wanted + 1) > 0 else text.split(" ")[0]

    def number(self) -> str:
        """A figure as tables have them."""
        kind = self.random.randrange(6)
        if kind == 0:
            return str(self.random.randint(0, 99))
        if kind == 1:
            return f"{self.random.randint(1000, 9999999):,}"
        if kind == 2:
            return f"{self.random.random() * 100:.1f}"
        if kind == 3:
            return f"{self.random.random() * 100:.1f}%"
        if kind == 4:
            return f"{self.random.random() * 9999:,.2f}"
        return str(self.random.randint(100, 9999))

    def date(self) -> str:
        """A date or a year."""
        random = self.random
        day, month, year = random.randint(1, 28), random.randint(1, 12), random.randint(1995, 2025)
        return random.choice(
            [f"{day}.{month}.{year}", f"{year}-{month:02}-{day:02}", f"{month}/{day}/{year}", str(year)]
        )
