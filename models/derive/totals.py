"""Which amount is what the bill comes to: the surest total label that has an amount beside or under it.

Fragments in, one amount with its label out. Change, cash, tax and rounding lines never win.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby

from models.derive.fragments import Fragment, Neighbours
from models.derive.labels import match_label, rank_total
from models.derive.lexicon import Key
from models.derive.values import Found, find_amounts

MAX_STEPS = 4
MAX_LABEL = 60


@dataclass(frozen=True, slots=True)
class Total:
    """`label` as written, the amount, the fragment that holds it, 0..1."""

    label: str
    amount: Found
    at: Fragment
    sure: float


def choose_total(fragments: Sequence[Fragment]) -> Total | None:
    """The best of all totals: by label first, then by size; none when no amount stands beside a total label."""
    ranked = _ranked(fragments)
    best = max(ranked, key=lambda pair: (pair[0], Decimal(pair[1].amount.normal)), default=None)
    return best[1] if best else None


def _ranked(fragments: Sequence[Fragment]) -> Iterator[tuple[int, Total]]:
    for _, group in groupby(fragments, key=lambda fragment: fragment.page):
        page = list(group)
        near = Neighbours(page)
        for fragment in page:
            label = total_label(fragment.text)
            rank = rank_total(label) if label else 0
            if rank and label:
                for amount, at in _amounts(fragment, label, near):
                    yield rank, Total(label, amount, at, 0.75 + 0.1 * rank)


def total_label(text: str) -> str | None:
    """The words in front of the first amount when they begin like a total."""
    match = match_label(text.lstrip(" *#:.-"))
    if match is None or match[0] is not Key.TOTAL:
        return None
    first = next(find_amounts(text), None)
    label = (text[: first.start] if first else text).strip(" :.*")
    return label if 0 < len(label) <= MAX_LABEL else None


def _amounts(fragment: Fragment, label: str, near: Neighbours) -> Iterator[tuple[Found, Fragment]]:
    """The last amount on the label's line; else the one under it."""
    here = list(find_amounts(fragment.text))
    if here:
        yield here[-1], fragment
        return
    at, step = near.right_of(fragment), 0
    last: tuple[Found, Fragment] | None = None
    while at is not None and step < MAX_STEPS and match_label(at.text) is None:
        found = list(find_amounts(at.text))
        last = (found[-1], at) if found else last
        at, step = near.right_of(at), step + 1
    below = near.below(fragment) if last is None else None
    if below is not None and match_label(below.text) is None:
        found = list(find_amounts(below.text))
        last = (found[-1], below) if found else None
    if last is not None:
        yield last
