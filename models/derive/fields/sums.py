"""Finds net, tax and total of a bill by arithmetic: of all amounts, the three of which two add up to the third.

Labels are not needed, so the language does not matter: a tax has one of the rates that are in use, or is the sum of two
printed ones whose rates are printed too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, permutations

from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.fields.labels import match_label
from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.pairs import RATE
from quire.models.derive.fields.values import DIGIT, FoundValue, find_amounts

_PERCENT = (
    2.1, 2.5, 2.6, 3, 3.8, 4, 5, 5.5, 6, 7, 7.7, 8, 8.1, 8.5, 9, 10, 12, 13, 13.5, 14, 15, 16, 17, 18, 19, 20, 21, 22,
    23, 24, 25, 25.5, 26, 27,
)  # fmt: skip
RATES = tuple(Decimal(str(rate)) / 100 for rate in _PERCENT)
"""Rates of value-added and sales tax in use."""
CENT = Decimal("0.011")  # tolerance of a sum
ROUNDED = Decimal("0.021")  # tolerance of a tax, which may be the sum of the taxes of lines
_PRINTED_RATE = re.compile(r"(?<![\d.,])(\d{1,2}(?:[.,]\d{1,2})?)\s?%")
OTHERS = frozenset({Key.PAID, Key.CHANGE, Key.ROUNDING, Key.DISCOUNT})
"""Keys whose amounts are no part of the sum."""
NEAR = 9  # amounts in reading order within which the three stand
MAX_AMOUNTS = 2_000  # amounts of a document; more are a report
MAX_TEXT = 200  # characters of a text; longer is prose
MAX_RATES = 4  # rates of one bill


@dataclass(frozen=True, slots=True)
class Summed:
    """An amount of a sum with its fragment and what it is."""

    key: Key
    amount: FoundValue
    fragment: Fragment


def find_sums(fragments: Sequence[Fragment]) -> list[Summed]:
    """Return net, tax and total.

    Of several such sums that over two rates counts, then the one that labels support, then the largest, then the last.
    """
    amounts = [
        (Decimal(amount.normal), amount, fragment)
        for fragment in fragments
        if len(fragment.text) <= MAX_TEXT and DIGIT.search(fragment.text)
        for amount in find_amounts(fragment.text)
    ]
    if len(amounts) > MAX_AMOUNTS:
        return []
    rates = _printed_rates(fragments)
    best: tuple[tuple[bool, int, Decimal, int], list[Summed]] | None = None
    for start in range(len(amounts)):
        for is_of_two, found in _sums_from(amounts, start, rates):
            if any(_label_of(part) in OTHERS for part in found):
                continue
            rank = (is_of_two, _count_labels(found), Decimal(found[-1].amount.normal), start)
            if best is None or rank > best[0]:
                best = rank, found
    return best[1] if best is not None else []


_Placed = tuple[Decimal, FoundValue, Fragment]


def _sums_from(amounts: Sequence[_Placed], start: int, rates: Sequence[Decimal]) -> Iterator[tuple[bool, list[Summed]]]:
    """Yield tax, net and total among an amount and those right behind it; net and total where two taxes are apart.

    True stands for sums over two rates.
    """
    window = amounts[start + 1 : start + NEAR]
    for others in combinations(window, 2):
        tax, net, total = sorted((amounts[start], *others), key=lambda part: part[0])
        if not 0 < tax[0] < net[0] or abs(net[0] + tax[0] - total[0]) > CENT:
            continue
        is_of_two = _is_of_two(tax[0], net[0], amounts[max(0, start - NEAR) : start + 2 * NEAR], rates)
        if is_of_two or _is_tax(tax[0], net[0]):
            yield is_of_two, _label((Key.TAX, Key.SUBTOTAL, Key.TOTAL), (tax, net, total))
    for apart in combinations(window, 3) if len(rates) > 1 else ():
        first, second, net, total = sorted((amounts[start], *apart), key=lambda part: part[0])
        taxes = first[0] + second[0]
        is_sum = first[0] > 0 and taxes < net[0] and abs(net[0] + taxes - total[0]) <= CENT
        if is_sum and _are_taxes(first[0], second[0], net[0], rates):
            yield True, _label((Key.SUBTOTAL, Key.TOTAL), (net, total))


def _label(keys: Sequence[Key], parts: Sequence[_Placed]) -> list[Summed]:
    return [Summed(key, amount, fragment) for key, (_, amount, fragment) in zip(keys, parts, strict=True)]


def _printed_rates(fragments: Sequence[Fragment]) -> list[Decimal]:
    """Return the rates of tax that a bill prints with a percent sign."""
    texts = (fragment.text for fragment in fragments if "%" in fragment.text and len(fragment.text) <= MAX_TEXT)
    printed = {Decimal(match.replace(",", ".")) / 100 for text in texts for match in _PRINTED_RATE.findall(text)}
    return sorted(printed.intersection(RATES))[:MAX_RATES]


def _is_of_two(tax: Decimal, net: Decimal, near: Sequence[_Placed], rates: Sequence[Decimal]) -> bool:
    """Return whether a tax is the sum of two printed ones, at two printed rates, whose bases make the net amount."""
    printed = {value for value, _, _ in near if 0 < value < tax} if len(rates) > 1 else set()
    return any(tax - value in printed and _are_taxes(value, tax - value, net, rates) for value in printed)


def _are_taxes(first: Decimal, second: Decimal, net: Decimal, rates: Sequence[Decimal]) -> bool:
    return any(
        abs(first / one + second / other - net) <= CENT / one + CENT / other for one, other in permutations(rates, 2)
    )


def _is_tax(tax: Decimal, net: Decimal) -> bool:
    return any(abs(net * rate - tax) <= ROUNDED for rate in RATES)


def _count_labels(found: Sequence[Summed]) -> int:
    """Return the number of amounts behind their own label, minus those behind another label."""
    labels = [_label_of(part) for part in found]
    return sum(
        1 if label is part.key else -1 if label in (Key.TAX, Key.SUBTOTAL, Key.TOTAL) else 0
        for part, label in zip(found, labels, strict=True)
    )


def _label_of(part: Summed) -> Key | None:
    """Return what the words between an amount and the one before it in its text name."""
    before = RATE.sub("", part.fragment.text[: part.amount.start])
    label = match_label(DIGIT.split(before)[-1].lstrip(" €$£%.,:-"))
    return label[0] if label is not None else None
