"""Judges a value: its text stands at its places in the tree and yields the value, and how likely it is right."""

from itertools import pairwise
from typing import Any

from models.derive.fields.values import find_dates
from models.derive.schema.answer import How
from models.derive.schema.assign import Choice
from models.derive.schema.nodes import Leaf
from models.derive.schema.sources import TreeTexts
from models.derive.schema.typed import read_typed


def is_verified(choice: Choice, leaf: Leaf, texts: TreeTexts) -> bool:
    """Return whether the text at the choice's places is its text and is read as its value."""
    if texts.verbatim(choice.places) != choice.verbatim:
        return False
    return _yields(choice.verbatim, choice.value, leaf) or _is_part_of_range(choice, texts)


def _yields(text: str, value: Any, leaf: Leaf) -> bool:
    if isinstance(value, str) and value == " ".join(text.split()):
        return leaf.accepts(value)
    reading = read_typed(text, leaf)
    return reading is not None and reading.value == value and type(reading.value) is type(value)


def _is_part_of_range(choice: Choice, texts: TreeTexts) -> bool:
    """Return True for a date whose year stands at the end of its range."""
    place = choice.places[0]
    text = texts.whole(place)
    return any(
        day.start == place.start and day.end == place.end and day.normal == choice.value for day in find_dates(text)
    )


_SCORES = ((0.0, 0.2), (0.5, 0.5), (0.7, 0.75), (0.85, 0.9), (1.0, 0.97))
"""Score and assumed share of right values; between them the line. Chosen by hand, not measured."""
_FACTORS = {How.HEADING: 0.8, How.PROSE: 0.8, How.LETTERHEAD: 0.9, How.LINE: 0.95, How.LIST: 0.9}


def calibrate(score: float, how: How) -> float:
    """Return the confidence (0..1) of a value."""
    for (low, least), (high, most) in pairwise(_SCORES):
        if score <= high:
            share = least + (most - least) * (score - low) / (high - low)
            return round(share * _FACTORS.get(how, 1.0), 3)
    return _SCORES[-1][1]
