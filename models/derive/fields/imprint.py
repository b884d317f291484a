"""Finds the issuer that a bill states: the sender line over the address window, or the imprint at the foot.

`Name - Street 1 - 12345 Town` and `Name SAS au capital de …`, `Name, registered office …` name the issuer more
reliably than a line at the top, which may name the customer. In: fragments. Out: a name with its fragment.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.fields.letterhead import LEGAL_FORM, strip_labels

SENDER = re.compile(
    r"^(?P<name>[^\W\d_][^|·•]{1,48}?)\s?(?:\s[-–—]\s|[|·•])\s?(?P<address>(?=[^|·•:]{0,60}\d)[^|·•:]{3,80}?"
    r"(?:\s[-–—]\s|[|·•,])\s?(?:[A-Z]{1,3}-)?\d{4,6}\s[^\d]{2,40})$"
)
"""Name, street with a number, postcode and town between dashes, bars or dots (DIN 5008's return address)."""
MARKED = re.compile(
    r"^(?P<name>[^\W\d_][^|·•]{1,48}?)\s?[|·•]\s?(?P<address>(?=[^|·•]{0,60}\d)[^|·•:]{3,60}[|·•](?=[^|·•]{0,40}\d)[^|·•:]{3,40})$"
)
"""The same between dots or bars, with a postcode anywhere in its last part; the name has a legal form."""
IMPRINT = re.compile(
    r"^\W*(?P<name>[^\W\d_][^:;]{1,58}?)[\s,–-]*\b(?:"
    r"(?:(?:sarl|sas|sasu|sa|eurl|sci|société)\s)?au\s+capital|si[èe]ge\s+social|registered\s+(?:office|in|address|company)|"
    r"regd\.?\s+office|sitz\s+der\s+gesellschaft|amtsgericht|registergericht|handelsregister|hrb\s?\d|"
    r"domicilio\s+social|inscrita\s+en|sede\s+legale|capitale\s+sociale|statutaire\s+zetel|sede\s+social|capital\s+social)\b",
    re.IGNORECASE,
)
PAYEE = re.compile(
    r"\b(?:titulaire(?:\sdu\scompte)?|b[ée]n[ée]ficiaire|kontoinhaber|zahlungsempf[äa]nger|account\s(?:name|holder)|"
    r"beneficiary(?:\sname)?|payee|titular(?:\sde\sla\scuenta)?|intestatario|rekeninghouder)\s?:\s?"
    r"(?P<name>[^\W\d_][^:;|]{1,48}?)(?=\s{0,3}(?:$|[;|]|\s[-–—]\s|,?\s(?:iban|bic|swift|konto|account|compte|bank)\b))",
    re.IGNORECASE,
)
"""The holder of the account to pay to."""
MAX_NAME_WORDS = 7  # words of a company's name; longer is a sentence


@dataclass(frozen=True, slots=True)
class Imprint:
    """Name and address of an issuer; `address` is empty when the imprint gives none."""

    name: str
    address: str
    fragment: Fragment
    confidence: float


def find_imprint(fragments: Sequence[Fragment]) -> Imprint | None:
    """Return the sender line, else the imprint, of the first page that has one; None for neither."""
    for fragment in fragments:
        match = SENDER.match(fragment.text) if fragment.page == fragments[0].page else None
        if match and _is_name(match["name"]):
            return Imprint(strip_labels(match["name"]), match["address"].strip(), fragment, 0.85)
    for fragment in fragments:
        match = MARKED.match(fragment.text) if fragment.page == fragments[0].page else None
        if match and _is_name(match["name"]) and LEGAL_FORM.search(match["name"]):
            return Imprint(strip_labels(match["name"]), match["address"].strip(), fragment, 0.8)
    for fragment in fragments:
        match = IMPRINT.match(fragment.text)
        if match and _is_name(match["name"]):
            return Imprint(strip_labels(match["name"]).strip(" ,.-–"), "", fragment, 0.8)
    return None


def find_payee(fragments: Sequence[Fragment]) -> Imprint | None:
    """Return the holder of the account that a bill is paid to, or None."""
    for fragment in fragments:
        match = PAYEE.search(fragment.text)
        if match and _is_name(match["name"]):
            return Imprint(strip_labels(match["name"]), "", fragment, 0.6)
    return None


def _is_name(text: str) -> bool:
    return 0 < len(text.split()) <= MAX_NAME_WORDS and text[:1].isupper()
