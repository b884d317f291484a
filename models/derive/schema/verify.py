"""Judges a value: its text stands at its places in the tree and yields the value, and how likely it is right."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from pathlib import Path
from typing import Any

from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.values import find_dates
from quire.models.derive.schema.answer import How
from quire.models.derive.schema.assign import Choice, ValueSignals
from quire.models.derive.schema.columns import ORDERED, is_typed
from quire.models.derive.schema.nodes import Leaf
from quire.models.derive.schema.phrases import leaf_key
from quire.models.derive.schema.sources import TreeTexts
from quire.models.derive.schema.typed import read_typed


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


WEIGHTS = Path(__file__).with_name("confidence.json")
"""By `tests.lab.bench.schema.train_confidence`: the mean, deviation and weight of each feature, and the bias."""
KINDS = ("string", "number", "integer", "date", "party", "address", "identifier", "member")
RULES = (How.PAIR, How.TABLE, How.LINE, How.LETTERHEAD, How.PROSE, How.HEADING, How.LIST)
DOUBTED = 0.6
"""Highest confidence (0..1) of a value whose label, type and place do not agree."""
UNCHECKED = 0.8
"""Highest confidence (0..1) of an unchecked text; of those of receipts and forms, the mean of both is right."""
LONG = 60  # characters from which a verbatim text counts as long
FEATURES = (
    "fit", "exact", "relation", "share", "lead", "alone", "reliable", "parts", "length", "unchecked",
    *(f"how:{how}" for how in RULES), *(f"kind:{kind}" for kind in KINDS),
)  # fmt: skip
"""Features of a value by name; a text without a type from a recognised page is unchecked."""
_FIT, _UNCHECKED = FEATURES.index("fit"), FEATURES.index("unchecked")
_PARTIES = frozenset({Key.SUPPLIER, Key.CUSTOMER, Key.COMPANY, Key.NAME})
_IDENTIFIERS = frozenset(
    {
        Key.INVOICE_NUMBER, Key.PO_NUMBER, Key.ORDER_NUMBER, Key.RECEIPT_NUMBER, Key.CUSTOMER_NUMBER, Key.IBAN,
        Key.VAT_ID, Key.REGISTRATION_NUMBER, Key.BIC, Key.REFERENCE, Key.PHONE, Key.FAX, Key.EMAIL, Key.WEBSITE,
    }
)  # fmt: skip
Rate = Callable[[tuple[float, ...]], float]
"""Returns the confidence (0..1) of a value from its features."""


def read_features(choice: Choice, leaf: Leaf, texts: TreeTexts) -> tuple[float, ...]:
    """Return the features of a value in the order of `FEATURES`."""
    signals = choice.signals or ValueSignals(choice.score)
    return (
        signals.fit, float(signals.fit >= EXACT), signals.relation, signals.share, min(signals.lead, 0.5),
        float(signals.alone), texts.reliability(choice.places[0]), float(len(choice.places) > 1),
        min(1.0, len(choice.verbatim) / LONG), float(not is_typed(leaf) and texts.is_recognised(choice.places[0])),
        *_one_of(RULES, choice.how), *_one_of(KINDS, _kind_of(leaf)),
    )  # fmt: skip


@lru_cache(maxsize=100)
def _one_of(names: tuple[str, ...], name: str) -> tuple[float, ...]:
    return tuple(float(name == other) for other in names)


EXACT = 0.99
"""Fit of a label that is the property's own name."""


def _kind_of(leaf: Leaf) -> str:
    key = leaf_key(leaf)
    if leaf.members:
        return "member"
    if leaf.format in ("date", "date-time"):
        return "date"
    if leaf.kinds[:1] != ("string",):
        return leaf.kinds[0] if leaf.kinds and leaf.kinds[0] in KINDS else "member"
    if key in _PARTIES:
        return "party"
    return "address" if key is Key.ADDRESS else "identifier" if key in _IDENTIFIERS else "string"


@dataclass(frozen=True, slots=True)
class _Weights:
    bias: float
    weights: tuple[float, ...]


@lru_cache(maxsize=1)
def _load_weights() -> _Weights:
    stored = json.loads(WEIGHTS.read_text("utf-8"))
    assert tuple(stored["features"]) == FEATURES
    return _Weights(stored["bias"], tuple(stored["weights"]))


@lru_cache(maxsize=4_096)  # the values of a column share their features
def rate_features(features: tuple[float, ...]) -> float:
    """Return the chance (0..1) that a value is right: a logistic regression, learned from documents with truth."""
    learned = _load_weights()
    total = learned.bias + sum(weight * value for weight, value in zip(learned.weights, features, strict=True))
    return min(limit_of(features), round(1 / (1 + exp(-total)), 3))


def limit_of(features: Sequence[float]) -> float:
    """Return the highest confidence (0..1) that a value with these features may have."""
    if features[_FIT] <= ORDERED:
        return DOUBTED
    return UNCHECKED if features[_UNCHECKED] else 1.0
