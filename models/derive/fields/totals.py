"""Chooses the amount of a bill: the best total label with an amount next to it or under it.

In: fragments. Out: one amount with its label. Change, cash, tax and rounding lines never win.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from quire.models.derive.fields.fragments import Fragment, Neighbours
from quire.models.derive.fields.labels import match_label, rank_total
from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.pairs import split_labels
from quire.models.derive.fields.values import FoundValue, find_amounts

MAX_STEPS = 4  # fragments between a total's label and its amount
MAX_LABEL = 60  # characters of a total's label
QUALIFIED = re.compile(r"[^\W\d_]{3,}\s+total\b", re.IGNORECASE)
"""A total with a word in front, as `Takeaway total`."""
MAX_ROUNDING = Decimal("0.99")


@dataclass(frozen=True, slots=True)
class Total:
    """A total: `label` as written, the amount, `fragment` that holds it, and the confidence (0..1)."""

    label: str
    amount: FoundValue
    fragment: Fragment
    confidence: float


def choose_total(fragments: Sequence[Fragment]) -> Total | None:
    """Return the best of all totals, by label and then by size.

    A rounding line that leads to a printed amount is applied. Without a total label the subtotal is the total.
    """
    bill = _Bill(fragments)
    totals = list(bill.totals())
    best = max(totals, key=lambda pair: (pair[0], Decimal(pair[1].amount.normal)), default=None)
    if best is None:
        return bill.subtotal()
    return bill.rounded(best[1])


class _Bill:
    """Fragments of a bill, those that begin with a known label, and neighbours by page."""

    def __init__(self, fragments: Sequence[Fragment]) -> None:
        self._all = fragments
        self._keys = [(fragment, match[0]) for fragment in fragments if (match := match_label(fragment.text))]
        self._near: dict[int, Neighbours] = {}

    def totals(self) -> Iterator[tuple[int, Total]]:
        """Yield each amount at a total label with the label's rank."""
        for fragment in self._all:
            for text, label in _total_texts(fragment.text):
                rank = rank_total(label)
                for amount, place in self._amounts(fragment, text) if rank else ():
                    yield rank, Total(label, amount, place, 0.8 + 0.08 * rank)

    def rounded(self, total: Total) -> Total:
        """Return the payable amount of a bill that rounds: total and rounding together, if that amount is printed."""
        steps = {Decimal(amount.normal) for amount in self._labelled(Key.ROUNDING)}
        steps = {step for step in steps if 0 < abs(step) <= MAX_ROUNDING}
        if "round" in total.label.casefold() or not steps:
            return total
        whole = Decimal(total.amount.normal)
        payable = {whole + step for step in steps} | {whole - abs(step) for step in steps}
        for fragment in self._all:
            for amount in (
                find_amounts(fragment.text)
                if fragment.page == total.fragment.page and fragment.order > total.fragment.order
                else ()
            ):
                if Decimal(amount.normal) in payable:
                    return replace(total, amount=amount, fragment=fragment)
        return total

    def subtotal(self) -> Total | None:
        """Return the subtotal of a bill without a total."""
        for fragment, key in self._keys:
            if key is Key.SUBTOTAL:
                for amount, place in self._amounts(fragment, fragment.text):
                    return Total(fragment.text, amount, place, 0.5)
        return None

    def _labelled(self, label_key: Key) -> Iterator[FoundValue]:
        for fragment, key in self._keys:
            if key is label_key:
                yield from (amount for amount, _ in self._amounts(fragment, fragment.text))

    def _amounts(self, fragment: Fragment, text: str) -> Iterator[tuple[FoundValue, Fragment]]:
        """Yield the last amount behind the label, else the last one next to it, else the one under it."""
        amounts = list(find_amounts(text))
        near = self._neighbours(fragment.page)
        located = (
            (amounts[-1], fragment)
            if amounts
            else _find_amount_right(fragment, near) or _find_amount_below(fragment, near)
        )
        if located is not None:
            yield located

    def _neighbours(self, page: int) -> Neighbours:
        if page not in self._near:
            self._near[page] = Neighbours([fragment for fragment in self._all if fragment.page == page])
        return self._near[page]


def _total_texts(text: str) -> Iterator[tuple[str, str]]:
    """Yield (text from the label on, label) of the totals in a row: at its beginning, or behind another pair."""
    label = total_label(text)
    if label is not None:
        yield text, label
    if next(find_amounts(text), None) is not None:
        for part in split_labels(text):
            behind = total_label(part) if not text.startswith(part) else None
            if behind is not None and next(find_amounts(part), None) is not None:
                yield part, behind


def total_label(text: str) -> str | None:
    """Return the words in front of the first amount when they begin like a total."""
    match = match_label(text.lstrip(" *#:.-"))
    if match is None:
        return total_label(text.split(" ", 1)[1]) if QUALIFIED.match(text) else None
    if match[0] is not Key.TOTAL:
        return None
    first = next(find_amounts(text), None)
    label = (text[: first.start] if first else text).strip(" :.*")
    return label if 0 < len(label) <= MAX_LABEL else None


def _find_amount_right(fragment: Fragment, near: Neighbours) -> tuple[FoundValue, Fragment] | None:
    last: tuple[FoundValue, Fragment] | None = None
    neighbour = near.right_of(fragment)
    for _ in range(MAX_STEPS):
        if neighbour is None or match_label(neighbour.text) is not None:
            break
        for amount in find_amounts(neighbour.text):
            last = (amount, neighbour)
        neighbour = near.right_of(neighbour)
    return last


def _find_amount_below(fragment: Fragment, near: Neighbours) -> tuple[FoundValue, Fragment] | None:
    below = near.below(fragment)
    if below is None or match_label(below.text) is not None:
        return None
    return next(((amount, below) for amount in reversed(list(find_amounts(below.text)))), None)
