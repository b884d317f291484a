"""Computes the confidence of a flagged value from its kind, the engine and the recognition quality."""

from quire.models.cdom.flags import PII_PREFIX
from quire.models.pii.kinds import Kind

_BY_KIND = {
    Kind.SECRET: 0.95,
    Kind.EMAIL: 1.0,
    Kind.URL: 1.0,
    Kind.IBAN: 1.0,
    Kind.CREDIT_CARD: 1.0,
    Kind.CRYPTO_WALLET: 0.95,
    Kind.SSN: 0.95,
    Kind.NATIONAL_ID: 0.95,
    Kind.VAT_ID: 0.95,
    Kind.BANK_ACCOUNT: 0.9,
    Kind.PASSPORT: 0.9,
    Kind.IP: 0.9,
    Kind.DATE_OF_BIRTH: 0.9,
    Kind.PHONE: 0.98,
    Kind.PLATE: 0.9,
    Kind.ADDRESS: 0.98,
    Kind.PERSON: 0.9,
    Kind.ORGANIZATION: 0.92,
    Kind.LOCATION: 0.63,
}
"""Share of findings of a kind that are right: counted on the development texts where they have more than ten of the
kind (`email`, `url`, `iban`, `credit_card`, `phone`, `address`, `person`, `organization`, `location`), else .95 for
values proven by a checksum or a fixed beginning and .9 for values proven by a context word."""
_BY_NAMES = {Kind.ADDRESS: 0.93, Kind.PERSON: 0.91, Kind.LOCATION: 0.89}
"""Of those the engine `names` finds, the same count."""
_UNKNOWN = 0.5
"""Confidence of a plugin's kind, which has no measured value."""
_NAMES = "names"


def judge_confidence(engine: str, flag: str, read: float) -> float:
    """0 to 1, rounded to hundredths. `read`: the confidence of the block's text."""
    name = flag.removeprefix(PII_PREFIX)
    if name not in _BY_KIND:
        return round(_UNKNOWN * read, 2)
    kind = Kind(name)
    right = _BY_NAMES.get(kind, _BY_KIND[kind]) if engine == _NAMES else _BY_KIND[kind]
    return round(right * read, 2)
