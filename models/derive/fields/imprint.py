"""Finds the issuer as the holder of the account that a bill is paid to. In: fragments. Out: a name with its text."""

import re
from collections.abc import Sequence

from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.fields.letterhead import strip_labels

PAYEE = re.compile(
    r"\b(?:titulaire(?:\sdu\scompte)?|b[ée]n[ée]ficiaire|kontoinhaber|zahlungsempf[äa]nger|account\s(?:name|holder)|"
    r"beneficiary(?:\sname)?|payee|titular(?:\sde\sla\scuenta)?|intestatario|rekeninghouder)\s?:\s?"
    r"(?P<name>[^\W\d_][^:;|]{1,48}?)(?=\s{0,3}(?:$|[;|]|\s[-–—]\s|,?\s(?:iban|bic|swift|konto|account|compte|bank)\b))",
    re.IGNORECASE,
)
"""The holder of the account to pay to."""
MAX_NAME_WORDS = 7  # words of a company's name; longer is a sentence
_PAID_TO = 0.6
"""Confidence (0..1) that the holder of the account is the issuer."""


def find_payee(fragments: Sequence[Fragment]) -> tuple[Fragment, str, float] | None:
    """Return the holder of the account that a bill is paid to, with its text and the confidence, or None."""
    for fragment in fragments:
        match = PAYEE.search(fragment.text)
        if match and match["name"][:1].isupper() and len(match["name"].split()) <= MAX_NAME_WORDS:
            return fragment, strip_labels(match["name"]), _PAID_TO
    return None
