"""The kinds of personal data, what a detector reports, and how overlapping reports are settled."""

from bisect import bisect_left
from collections.abc import Iterable
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
    PASSPORT = "passport"
    IP = "ip"
    DATE_OF_BIRTH = "date_of_birth"
    PHONE = "phone"
    PLATE = "plate"
    ADDRESS = "address"
    PERSON = "person"
    ORGANIZATION = "organization"
    LOCATION = "location"


_RANK = {kind: rank for rank, kind in enumerate(Kind)}


@dataclass(frozen=True, slots=True)
class Hit:
    """Personal data of one kind at `text[start:end]`."""

    kind: Kind
    start: int
    end: int


class Detector(Protocol):
    """Finds personal data in a text. A detector that raises makes the scan incomplete, and redaction refuses."""

    name: str
    version: str

    def detect(self, text: str) -> list[Hit]: ...


def settle(hits: Iterable[Hit]) -> list[Hit]:
    """Hits without overlaps, in text order: the kind of higher precedence keeps its characters, then the longer hit."""
    kept: list[Hit] = []
    for hit in sorted(hits, key=lambda h: (_RANK[h.kind], h.start - h.end, h.start)):
        at = bisect_left(kept, hit.start, key=lambda other: other.end - 1)
        if at == len(kept) or kept[at].start >= hit.end:
            kept.insert(at, hit)
    return kept
