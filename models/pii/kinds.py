"""The kinds of personal data, what a detector reports, and how overlapping reports are settled."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Kind(StrEnum):
    """In order of precedence: where two kinds claim the same characters the earlier one names them."""

    SECRET = "secret"  # noqa: S105 - a kind of data, not a secret
    EMAIL = "email"
    URL = "url"
    IBAN = "iban"
    CREDIT_CARD = "credit_card"
    CRYPTO_WALLET = "crypto_wallet"
    SSN = "ssn"
    NATIONAL_ID = "national_id"
    VAT_ID = "vat_id"
    BANK_ACCOUNT = "bank_account"
    PASSPORT = "passport"
    IP = "ip"
    DATE_OF_BIRTH = "date_of_birth"
    PHONE = "phone"
    PLATE = "plate"
    ADDRESS = "address"
    PERSON = "person"
    ORGANIZATION = "organization"
    LOCATION = "location"


TORN = frozenset(
    {
        Kind.EMAIL,
        Kind.URL,
        Kind.IBAN,
        Kind.CREDIT_CARD,
        Kind.SECRET,
        Kind.CRYPTO_WALLET,
        Kind.SSN,
        Kind.PHONE,
        Kind.NATIONAL_ID,
        Kind.VAT_ID,
        Kind.IP,
    }
)
"""Kinds without spaces inside: only these are looked for across a seam without a break."""

SCRAP = 4
"""Characters that must stick out of a stronger hit to count."""
_RANK = {kind: rank for rank, kind in enumerate(Kind)}


@dataclass(frozen=True, slots=True)
class Hit:
    """Personal data of one kind at `text[start:end]`."""

    kind: Kind
    start: int
    end: int


Detect = Callable[[str], list[Hit]]
"""From a normalised text to what is in it."""


class Detector(Protocol):
    """Finds personal data in a text. A detector that raises makes the scan incomplete, and redaction refuses.

    One that has `detect_torn` too is asked that way, for the kinds of `TORN` only, where texts meet.
    """

    name: str
    version: str

    def detect(self, text: str) -> list[Hit]:
        """Return the findings in a text."""


def settle(hits: Iterable[Hit]) -> list[Hit]:
    """Return hits without overlaps, in text order; the kind of higher precedence wins, then the longer hit.

    The rest of a weaker hit outside a stronger one stays a hit, so that every character a detector named is covered.
    """
    kept: list[Hit] = []
    waiting = sorted(hits, key=lambda h: (_RANK[h.kind], h.start - h.end, h.start))
    for hit in waiting:
        for start, end in _uncovered(hit, kept):
            insort(kept, Hit(hit.kind, start, end), key=lambda other: other.start)
    return kept


def _uncovered(hit: Hit, kept: list[Hit]) -> list[tuple[int, int]]:
    """Return the parts of `hit` that no kept hit covers, without scraps next to a stronger hit."""
    parts, start = [], hit.start
    index = bisect_left(kept, hit.start, key=lambda other: other.end - 1)
    while index < len(kept) and kept[index].start < hit.end:
        parts.append((start, kept[index].start))
        start, index = kept[index].end, index + 1
    whole = start == hit.start and not parts
    parts.append((start, hit.end))
    return parts if whole else [(first, last) for first, last in parts if last - first >= SCRAP]
