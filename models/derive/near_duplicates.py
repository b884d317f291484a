"""Detects near-duplicates in a stream of texts, in bounded memory.

MinHash (Broder 1997) over word triples with locality-sensitive hashing in bands. datasketch makes the signatures. Its
index would take gigabytes for a million texts, so bands are flat arrays here.
"""

import re
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Signature: TypeAlias = NDArray[np.uint16]
BANDS, ROWS = 16, 6
"""A pair at Jaccard .8 shares a band with probability 1 - (1 - .8**6)**16 = .992."""
PERMUTATIONS = BANDS * ROWS
THRESHOLD = 0.71
"""Estimated Jaccard: .8 less twice the estimate's deviation with 96 permutations (.041)."""
GENERATION = 500_000  # texts stored before the older half is evicted: 510 MB for a million
SHINGLE_WORDS = 3  # words a shingle: the usual choice for passages
WORD = re.compile(r"\w+")


def shingles(text: str) -> set[str]:
    """Return the word triples of the text without case and punctuation; all words as one if there are fewer."""
    words = WORD.findall(text.casefold())
    last = max(1, len(words) - SHINGLE_WORDS + 1)
    return {" ".join(words[start : start + SHINGLE_WORDS]) for start in range(last)}


def _hash(shingle: bytes) -> int:
    return zlib.crc32(shingle)


class _Generation:
    """Up to `size` signatures; an open-addressed table per band from the band's hash to the signature's number + 1."""

    def __init__(self, size: int) -> None:
        self.size, self.count = size, 0
        self._mask = (1 << (2 * size - 1).bit_length()) - 1
        self._signatures: NDArray[np.uint16] = np.zeros((min(size, 1024), PERMUTATIONS), dtype=np.uint16)
        self._tables: NDArray[np.uint32] = np.zeros((BANDS, self._mask + 1), dtype=np.uint32)

    def find(self, signature: Signature, places: list[int]) -> bool:
        candidates: set[int] = set()
        for table, place in zip(self._tables, places, strict=True):
            place &= self._mask
            while entry := int(table[place]):
                candidates.add(entry - 1)
                place = (place + 1) & self._mask
        if not candidates:
            return False
        same = self._signatures[sorted(candidates)] == signature
        return bool((same.mean(axis=1) >= THRESHOLD).any())

    def add(self, signature: Signature, places: list[int]) -> None:
        if self.count == len(self._signatures):
            self._signatures = np.resize(self._signatures, (min(self.size, 2 * self.count), PERMUTATIONS))
        self._signatures[self.count] = signature
        self.count += 1
        for table, place in zip(self._tables, places, strict=True):
            place &= self._mask
            while table[place]:
                place = (place + 1) & self._mask
            table[place] = self.count


class TextSigner:
    """Makes signatures of texts, and the hash of each band of a signature."""

    def __init__(self) -> None:
        from datasketch import MinHash

        self._minhash: Any = MinHash
        self._permutations = MinHash(num_perm=PERMUTATIONS, seed=1, scheme="affine32").permutations

    def sign(self, text: str) -> tuple[Signature, list[int]]:
        """Return the signature of a text and its BANDS hashes."""
        sketch = self._minhash(
            num_perm=PERMUTATIONS, seed=1, hashfunc=_hash, permutations=self._permutations, scheme="affine32"
        )
        sketch.update_batch([shingle.encode(errors="surrogatepass") for shingle in shingles(text)])
        values = np.asarray(sketch.hashvalues, dtype=np.uint32)
        places = [zlib.crc32(band.tobytes()) for band in values.reshape(BANDS, ROWS)]
        return (values & 0xFFFF).astype(np.uint16), places


class NearDuplicates:
    """Signatures of the last 500,000 to 1,000,000 texts (`2 * generation`), in about 360 MB at most."""

    def __init__(self, generation: int = GENERATION) -> None:
        self._signer, self._size = TextSigner(), generation
        self._young, self._old = _Generation(generation), _Generation(1)

    def seen(self, text: str) -> bool:
        """Return True for a text equal or nearly equal to an earlier one; otherwise record the text."""
        signature, places = self._signer.sign(text)
        if self._young.find(signature, places) or self._old.find(signature, places):
            return True
        if self._young.count == self._size:
            self._old, self._young = self._young, _Generation(self._size)
        self._young.add(signature, places)
        return False


EQUAL = -1
"""Stands for the earlier text in a pair of equal signatures: the later one is dropped in any case."""


def find_pairs(numbers: Sequence[int], signatures: Sequence[Signature]) -> list[tuple[int, int]]:
    """Return (later, earlier) of near-duplicates among texts that share a band, by their numbers in the corpus.

    Only the first text of each signature is compared with others; each further one gets the pair (later, EQUAL).
    """
    order = sorted(range(len(numbers)), key=lambda index: numbers[index])
    seen: set[bytes] = set()
    pairs: list[tuple[int, int]] = []
    distinct: list[int] = []
    for index in order:
        content = signatures[index].tobytes()
        if content in seen:
            pairs.append((numbers[index], EQUAL))
        else:
            seen.add(content)
            distinct.append(index)
    matrix = np.array([signatures[index] for index in distinct], dtype=np.uint16).reshape(-1, PERMUTATIONS)
    for row in range(1, len(distinct)):
        near = np.flatnonzero((matrix[:row] == matrix[row]).mean(axis=1) >= THRESHOLD)
        pairs += [(numbers[distinct[row]], numbers[distinct[int(other)]]) for other in near]
    return pairs


def find_dropped(pairs: Iterable[tuple[int, int]]) -> set[int]:
    """Return the numbers of texts to drop: those nearly equal to an earlier text that stays. Pairs have no order."""
    earlier: dict[int, set[int]] = {}
    for later, other in pairs:
        earlier.setdefault(later, set()).add(other)
    dropped: set[int] = set()
    for number in sorted(earlier):
        if earlier[number] - dropped:
            dropped.add(number)
    return dropped
