"""Recounts the surprise of letters: word frequencies in, `models/extract/text_quality/letter_triples.npz` out.

`python -m tests.lab.training.letters --words FOLDER`, with a file `<language>.tsv` (word, tab, frequency) for each
language; those that were shipped come from the word lists of the package wordfreq.
"""

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt

from quire.models.extract.text_quality.statistics import ALPHABETS, BAD, DIGIT, FIRSTS, encode_letters

Counts = npt.NDArray[np.float64]
TARGET = Path(__file__).parents[3] / "models" / "extract" / "text_quality" / "letter_triples.npz"
LANGUAGES = {
    "latin": "en de fr es it pt nl pl cs sk sl sv da nb fi hu ro tr id ms fil ca lt lv is vi sh",
    "cyrillic": "ru uk bg mk",
    "greek": "el",
}
LARGER = {"en": 3.0, "ru": 3.0}
"""Weights of languages that most documents are in; the others weigh 1."""
FLATTENED = 0.75  # power of a frequency: rare words count for more than their share
PAIRS_WEIGHT = 1e-5  # share of a language's triples that stands for what two letters say where three were never seen
LEAST = 1e-5  # chance of what was never seen
STEPS_A_NAT = 20.0


def count_triples(words: dict[str, float], script: str) -> Counts:
    """Shares of all triples of the words written in the script; 0 is a word's edge."""
    first, size = FIRSTS[script], len(ALPHABETS[script]) + 1
    found = np.zeros((size, size, size))
    for word, frequency in words.items():
        codes = np.frombuffer(encode_letters(word), np.uint8).astype(np.int64)
        if len(codes) and ((codes >= first) & (codes < first + size - 1)).all() and max(BAD, DIGIT) not in codes:
            local = [0, 0, *(codes - first + 1), 0]
            for before, middle, after in zip(local, local[1:], local[2:], strict=False):
                found[before, middle, after] += frequency**FLATTENED
    return np.asarray(found / found.sum())


def find_surprise(triples: Counts) -> npt.NDArray[np.uint8]:
    """Steps of surprise of each third letter, smoothed by what the second alone says."""
    pairs = triples.sum(0)
    single = pairs.sum(0)
    after = 0.95 * pairs / np.maximum(pairs.sum(1, keepdims=True), 1e-12) + 0.05 * single[None, :]
    chance = (triples + PAIRS_WEIGHT * after[None]) / (triples.sum(2, keepdims=True) + PAIRS_WEIGHT)
    steps = np.round(-np.log(np.maximum(chance, LEAST)) * STEPS_A_NAT)
    return np.asarray(np.minimum(steps, 255), np.uint8)


def read_words(path: Path) -> dict[str, float]:
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return {word.lower(): float(frequency) for word, frequency in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=Path, required=True)
    folder = parser.parse_args().words
    tables: dict[str, npt.NDArray[np.uint8]] = {}
    for script, languages in LANGUAGES.items():
        counted = [
            LARGER.get(one, 1.0) * count_triples(read_words(folder / f"{one}.tsv"), script) for one in languages.split()
        ]
        total = np.sum(counted, axis=0)
        tables[script] = find_surprise(np.asarray(total / total.sum()))
    np.savez_compressed(TARGET, allow_pickle=False, **tables)


if __name__ == "__main__":
    main()
