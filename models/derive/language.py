"""Detects the language of a text (ISO 639-1) with the model of py3langid."""

from functools import cache
from typing import Any

MIN_LETTERS = 20
"""Letters below which a guess is noise."""
MIN_PROBABILITY = 0.5  # probability below which no language is named


@cache
def _identifier() -> Any:
    from py3langid.langid import (  # loads numpy and a 4 MB model: only on demand
        MODEL_FILE,
        LanguageIdentifier,
    )

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def detect_language(text: str) -> str | None:
    """Return the most likely language, or None when the text is too short or the model is unsure."""
    sample = text[:4000]
    if sum(map(str.isalpha, sample)) < MIN_LETTERS:
        return None
    language, probability = _identifier().classify(sample)
    return str(language) if float(probability) >= MIN_PROBABILITY else None
