"""The MiniLM word-piece tokenizer: text in, number and places of its tokens out (`quire.models.cdom.ports.Tokenizer`).

Counts are kept per word: word pieces never cross white space, so the sum over words is the count of the text, and a
100-page document is counted in milliseconds instead of a fifth of a second. It knows no chunk and no budget.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tokenizers import Tokenizer as WordPieces

TOKENIZER_FILE = Path(__file__).with_name("tokenizer.json")
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
MAX_KEPT_WORDS = 10_000
"""Words met lately whose token counts are kept, and as many met before: each as many as a hundred pages hold. A word
takes 200 bytes, so both are full, at 4 MB, after some hundred documents: a process must not grow for hours."""
WINDOW_CHARS = 16_384
"""Characters tokenized at once. The tokenizer takes a kilobyte for each token, and a word may have ten million."""
DROPPED = "\x0b\x0c\x1c\x1d\x1e\x1f\x85"
"""Control characters that the model leaves out, where Python would split a word at them."""

_BORDERS = frozenset(" \t\n!\"#$%&'()*+,-./:;<=>?@\\]^_`{|}~")
"""A token ends after each of these, also inside the model's own tokens, of which only `[` begins one."""
_PART = re.compile(r"[0-9A-Za-z]+|[!-~]")
_DROPPED = re.compile(f"[{DROPPED}]")
_WITHOUT_DROPPED = str.maketrans("", "", DROPPED)


class TokenizerDamaged(Exception):
    """The vendored tokenizer file is not the one this version was built with."""

    code = "tokenizer-damaged"


class MiniLmTokenizer:
    """Counts without the two special tokens the model adds. Thread-safe: the caches only ever gain equal entries."""

    def __init__(self, definition: bytes) -> None:
        self._pieces = WordPieces.from_str(definition.decode())
        self._pieces.no_truncation()
        self._pieces.no_padding()
        self._counts: dict[str, int] = {}
        self._before: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Return the number of tokens in `text`."""
        words = _without_dropped(_encodable(text)).split()
        counts = self._counts
        try:
            return sum([counts[word] for word in words])
        except KeyError:
            learnt = self._learn(words)
            return sum([learnt[word] for word in words])

    def offsets(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield start and end (exclusive) of each token, as character offsets into `text`."""
        begin = 0
        for window in _windows(_encodable(text)):
            for start, end in self._pieces.encode(window, add_special_tokens=False).offsets:
                yield begin + int(start), begin + int(end)
            begin += len(window)

    def _learn(self, words: list[str]) -> dict[str, int]:
        """Count the tokens of new words in one `encode` and return the cache with them in it."""
        counts = self._counts
        if len(counts) >= MAX_KEPT_WORDS:
            self._before, counts = counts, {}
        unknown = self._unknown(words, counts)
        parts = {word: _parts(word) for word in unknown}
        new = sorted(self._unknown((part for each in parts.values() for part in each), counts))
        # `encode_batch` would start threads before a fork.
        pieces = Counter(self._pieces.encode(new, is_pretokenized=True, add_special_tokens=False).word_ids)
        counts.update((part, pieces[number]) for number, part in enumerate(new))
        counts.update((word, sum([counts[part] for part in each])) for word, each in parts.items())
        self._counts = counts
        return counts

    def _unknown(self, words: Iterable[str], counts: dict[str, int]) -> set[str]:
        """Those that are in neither age; what was met before is kept on."""
        missing, before = {word for word in words if word not in counts}, self._before
        known = {word: before[word] for word in missing if word in before}
        counts.update(known)
        return missing - known.keys()


def _parts(word: str) -> list[str]:
    """Split a word into runs of letters and digits and single signs; no word piece crosses these borders.

    Words in other scripts stay whole, and so do words that may hold one of the model's own tokens, such as `[SEP]`, up
    to `WINDOW_CHARS`.
    """
    return _PART.findall(word) if word.isascii() and word.isprintable() and "[" not in word else list(_windows(word))


def _windows(text: str) -> Iterator[str]:
    """Cut a long text where no token crosses; a run of letters as long as half a window is cut anywhere."""
    start = 0
    while len(text) - start > WINDOW_CHARS:
        end = start + WINDOW_CHARS
        least = end - WINDOW_CHARS // 2
        while end > least and text[end - 1] not in _BORDERS and text[end] != "[":
            end -= 1
        end = end if end > least else start + WINDOW_CHARS
        yield text[start:end]
        start = end
    yield text[start:]


def _without_dropped(text: str) -> str:
    return text if _DROPPED.search(text) is None else text.translate(_WITHOUT_DROPPED)


def _encodable(text: str) -> str:
    """Lone surrogates cannot cross into the tokenizer; each becomes one replacement character, so offsets stay."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


@cache
def load_tokenizer() -> MiniLmTokenizer:
    """Load the vendored tokenizer, once per process.

    Raises:
        TokenizerDamaged: The file does not have the expected hash.
    """
    definition = TOKENIZER_FILE.read_bytes()
    if hashlib.sha256(definition).hexdigest() != TOKENIZER_SHA256:
        raise TokenizerDamaged(TOKENIZER_FILE.name)
    return MiniLmTokenizer(definition)
