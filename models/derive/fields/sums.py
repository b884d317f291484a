"""Finds net, tax and total of a bill by arithmetic: of all amounts, the three of which two add up to the third.

Labels are not needed, so the language does not matter: a tax has one of the rates that are in use.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.fields.labels import match_label
from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.values import DIGIT, FoundValue, find_amounts

_PERCENT = (
    2.1, 2.5, 2.6, 3, 3.8, 4, 5, 5.5, 6, 7, 7.7, 8, 8.1, 8.5, 9, 10, 12, 13, 13.5, 14, 15, 16, 17, 18, 19, 20, 21, 22,
    23, 24, 25, 25.5, 26, 27,
)  # fmt: skip
RATES = tuple(Decimal(str(rate)) / 100 for rate in _PERCENT)
"""Rates of value-added and sales tax in use."""
CENT = Decimal("0.011")  # tolerance of a sum
ROUNDED = Decimal("0.021")  # tolerance of a tax, which may be the sum of the taxes of lines
OTHERS = frozenset({Key.PAID, Key.CHANGE, Key.ROUNDING, Key.DISCOUNT})
"""Keys whose amounts are no part of the sum."""
NEAR = 9  # amounts in reading order within which the three stand
MAX_AMOUNTS = 2_000  # amounts of a document; more are a report
MAX_TEXT = 200  # characters of a text; longer is prose


@dataclass(frozen=True, slots=True)
class Summed:
    """An amount of a sum with its fragment and what it is."""

    key: Key
    amount: FoundValue
    fragment: Fragment


def find_sums(fragments: Sequence[Fragment]) -> list[Summed]:
    """Return net, tax and total; of several such sums the one that labels support, then the largest, then the last."""
    amounts = [
        (Decimal(amount.normal), amount, fragment)
        for fragment in fragments
        if len(fragment.text) <= MAX_TEXT and DIGIT.search(fragment.text)
        for amount in find_amounts(fragment.text)
    ]
    if len(amounts) > MAX_AMOUNTS:
        return []
    best: tuple[tuple[int, Decimal, int], list[Summed]] | None = None
    for start in range(len(amounts)):
        first = amounts[start]
        for others in combinations(amounts[start + 1 : start + NEAR], 2):
            parts = sorted((first, *others), key=lambda part: part[0])
            tax, net, total = parts
            if not 0 < tax[0] < net[0] or abs(net[0] + tax[0] - total[0]) > CENT or not _is_tax(tax[0], net[0]):
                continue
            if any(_names(fragment.text) in OTHERS for _, _, fragment in parts):
                continue
            found = [Summed(key, amount, fragment) for key, (_, amount, fragment) in
                     zip((Key.TAX, Key.SUBTOTAL, Key.TOTAL), parts, strict=True)]  # fmt: skip
            rank = (_count_labels(found), total[0], start)
            if best is None or rank > best[0]:
                best = rank, found
    return best[1] if best is not None else []


def _is_tax(tax: Decimal, net: Decimal) -> bool:
    return any(abs(net * rate - tax) <= ROUNDED for rate in RATES)


def _count_labels(found: Sequence[Summed]) -> int:
    """Return the number of amounts behind their own label, minus those behind another label."""
    labels = [_names(part.fragment.text) for part in found]
    return sum(
        1 if label is part.key else -1 if label in (Key.TAX, Key.SUBTOTAL, Key.TOTAL) else 0
        for part, label in zip(found, labels, strict=True)
    )


def _names(text: str) -> Key | None:
    label = match_label(text)
    return label[0] if label is not None else None
