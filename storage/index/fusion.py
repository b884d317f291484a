"""Fusion of rankings: reciprocal-rank fusion, and feedback from the best hits of a first round.

Pseudo-relevance feedback: distinctive words of the first round's best chunks expand the query (RM3, Abdul-Jaleel 2004),
and its vector moves towards them (Rocchio 1971). Pure arithmetic over rankings, words and vectors.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from math import log

import numpy as np

from quire.storage.index.keyword.analysis import Words
from quire.storage.index.table.entries import Vectors

RRF_K = 60
"""Cormack, Clarke, Büttcher 2009."""
FEEDBACK_CHUNKS = 8  # best hits of the first round that words are taken from
FEEDBACK_WORDS = 30  # words added to the question; chosen on judged questions (docs/design/search.md)
FEEDBACK_SHARE = 0.5
"""Share of the added words in the total weight of the query."""
FEEDBACK_PULL = 1.0  # weight of the hits' mean vector; the question's own weighs 1 (docs/design/search.md)
K1, B = 1.2, 0.75
"""BM25's saturation and length norm, as tantivy has them."""

Ranking = Sequence[tuple[str, float]]
Rarity = Callable[[str, str], tuple[int, int]]


def fuse(rankings: Sequence[Ranking], limit: int) -> list[tuple[str, float]]:
    """Return the sum of 1 / (60 + rank) over the rankings, best first; ties by key."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, (key, _) in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + 1 / (RRF_K + rank)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]


def expand_query(asked: Words, best: Sequence[tuple[str, Sequence[str]]], rarity: Rarity) -> Words:
    """Return the query's words plus words of the best chunks, given as (field, words), which weigh FEEDBACK_SHARE.

    A word counts as BM25 would count it in its chunk, less for lower ranks. Words that occur in one chunk only are left
    out.
    """
    mean = sum(len(words) for _, words in best) / max(1, len(best)) or 1.0
    model: dict[tuple[str, str], float] = {}
    for rank, (field, words) in enumerate(best):
        norm = K1 * (1 - B + B * len(words) / mean)
        for word, count in Counter(words).items():
            value = count / (count + norm) / (rank + 2)
            model[field, word] = model.get((field, word), 0.0) + value
    weighed = {pair: value * _idf(*rarity(*pair)) for pair, value in model.items()}
    chosen = sorted(weighed.items(), key=lambda pair: (-pair[1], pair[0]))[:FEEDBACK_WORDS]
    scale = sum(asked.values()) * FEEDBACK_SHARE / (1 - FEEDBACK_SHARE) / (sum(value for _, value in chosen) or 1.0)
    words_with = dict(asked)
    for pair, value in chosen:
        words_with[pair] = words_with.get(pair, 0.0) + value * scale
    return words_with


def _idf(chunks_with: int, chunks: int) -> float:
    return log(1 + (chunks - chunks_with + 0.5) / (chunks_with + 0.5)) if chunks_with > 1 else 0.0


def move_query(query: Vectors, best: Vectors) -> Vectors:
    """Return the query's vector moved towards the mean of the best hits', again of length one."""
    if not len(best):
        return query
    moved = query + FEEDBACK_PULL * best.mean(axis=0)
    return np.asarray(moved / max(float(np.linalg.norm(moved)), 1e-12), dtype=np.float32)
