"""Rankings made one: reciprocal-rank fusion, and feedback from the best hits of a first round.

Pseudo-relevance feedback: the best chunks of a first answer lend the query their telling words (RM3, Abdul-Jaleel 2004)
and pull its vector towards them (Rocchio 1971). Pure arithmetic over rankings, words and vectors.
"""

from collections import Counter
from collections.abc import Sequence
from math import log

import numpy as np

from storage.index.chunk_rows import Vectors

RRF_K = 60
"""Cormack, Clarke, Büttcher 2009."""
FEEDBACK_WORDS = 30
FEEDBACK_SHARE = 0.5
"""Weight of all borrowed words together, beside the query's own."""
FEEDBACK_PULL = 0.7

Ranking = Sequence[tuple[str, float]]


def fuse(rankings: Sequence[Ranking], limit: int) -> list[tuple[str, float]]:
    """Sum of 1 / (60 + rank) over the rankings, best first; ties by key."""
    scores: Counter[str] = Counter()
    for ranking in rankings:
        for rank, (key, _) in enumerate(ranking, start=1):
            scores[key] += 1 / (RRF_K + rank)  # type: ignore[assignment]
    return sorted(((key, float(score)) for key, score in scores.items()), key=lambda p: (-p[1], p[0]))[:limit]


def borrowed_words(
    query_words: Sequence[str], texts: Sequence[Sequence[str]], document_frequency: dict[str, int], total: int
) -> dict[str, float]:
    """Words of the best texts with weights; a query word weighs 1, all borrowed ones together FEEDBACK_SHARE."""
    model: Counter[str] = Counter()
    for rank, words in enumerate(texts):
        for word, count in Counter(words).items():
            rarity = log(1 + total / max(1, document_frequency.get(word, 1)))
            model[word] += count / max(1, len(words)) * rarity / (rank + 2)  # type: ignore[assignment]
    best = dict(model.most_common(FEEDBACK_WORDS))
    scale = len(query_words) * FEEDBACK_SHARE / (1 - FEEDBACK_SHARE) / (sum(best.values()) or 1)
    return {word: weight * scale for word, weight in best.items()}


def pulled(query: Vectors, best: Vectors) -> Vectors:
    """The query's vector moved towards the mean of the best hits', again of length one."""
    if not len(best):
        return query
    moved = query + FEEDBACK_PULL * best.mean(axis=0)
    return np.asarray(moved / max(float(np.linalg.norm(moved)), 1e-12), dtype=np.float32)
