"""What bills show without a label, or under labels that only together say which amount counts: issuer, address, total,
date, currency, account. Fragments and the keys already named come in, fields with the fragment that shows them go out.
"""

from collections.abc import Iterator, Sequence

from models.derive.fields.extracted_field import ExtractedField, make_field
from models.derive.fields.fragments import Fragment
from models.derive.fields.imprint import find_imprint
from models.derive.fields.labels import match_label
from models.derive.fields.letterhead import find_letterhead
from models.derive.fields.lexicon import Key
from models.derive.fields.totals import choose_total
from models.derive.fields.values import EMAIL, ValueType, find_amounts, find_currency, find_dates, find_ibans

CLEAR_DATE = 0.9  # confidence from which a labelled date needs no second look
BILL_KEYS = frozenset(
    {Key.INVOICE_NUMBER, Key.INVOICE_DATE, Key.RECEIPT_NUMBER, Key.DUE_DATE, Key.VAT_ID, Key.CHANGE, Key.SUBTOTAL}
)
"""A document that names one of these has an issuer."""

Placed = tuple[Fragment, ExtractedField]


def find_unlabelled(fragments: Sequence[Fragment], named: frozenset[str]) -> Iterator[Placed]:
    """Fields for keys that no label gave; the total always, because a bill names several."""
    total = choose_total(fragments)
    if total is not None:
        raw, normal = total.amount.raw, total.amount.normal
        yield total.at, make_field(total.at, total.label, Key.TOTAL, ValueType.AMOUNT, raw, total.sure, normal)
    if total is not None or named & BILL_KEYS:
        yield from _issuer(fragments, named)
        yield from _currency(fragments, named)
    if Key.DATE not in named:
        yield from _date(fragments)
    yield from _accounts(fragments, named)


def _issuer(fragments: Sequence[Fragment], named: frozenset[str]) -> Iterator[Placed]:
    stated = find_imprint(fragments)
    if stated is not None:
        if Key.SUPPLIER not in named:
            yield stated.at, make_field(stated.at, "supplier", Key.SUPPLIER, ValueType.TEXT, stated.name, stated.sure)
        if stated.address:
            yield stated.at, make_field(stated.at, "address", Key.ADDRESS, ValueType.TEXT, stated.address, stated.sure)
        return
    head = find_letterhead(fragments)
    if head is None:
        return
    at = head.name_at
    if Key.SUPPLIER not in named:
        yield at, make_field(at, "supplier", Key.SUPPLIER, ValueType.TEXT, head.name, head.sure)
    if head.address_at:
        at = head.address_at[0]
        yield at, make_field(at, "address", Key.ADDRESS, ValueType.TEXT, head.address, head.sure)


def _currency(fragments: Sequence[Fragment], named: frozenset[str]) -> Iterator[Placed]:
    """The first currency that an amount carries."""
    if Key.CURRENCY in named:
        return
    for at in fragments:
        for amount in find_amounts(at.text):
            code = find_currency(amount.raw)
            if code is not None:
                yield at, make_field(at, "currency", Key.CURRENCY, ValueType.CURRENCY, code, 0.7, code)
                return


def _date(fragments: Sequence[Fragment]) -> Iterator[Placed]:
    """The document's own date: behind an invoice date's label, else the first. It is given in ISO form where there is
    no doubt which number is the month."""
    dates = [(at, day, match_label(at.text)) for at in fragments for day in find_dates(at.text)]
    labelled = [
        found for found in dates if found[2] is not None and found[2][0] in (Key.INVOICE_DATE, Key.INVOICE_NUMBER)
    ]
    for at, day, _ in (labelled or dates)[:1]:
        value = day.normal if day.sure >= CLEAR_DATE else day.raw
        yield at, make_field(at, "date", Key.DATE, ValueType.DATE, value, 0.6 * day.sure, day.normal)


def _accounts(fragments: Sequence[Fragment], named: frozenset[str]) -> Iterator[Placed]:
    for at in fragments:
        for iban in find_ibans(at.text) if Key.IBAN not in named else ():
            yield at, make_field(at, "iban", Key.IBAN, ValueType.IDENTIFIER, iban.raw, 0.9, iban.normal)
        email = EMAIL.search(at.text) if "@" in at.text and Key.EMAIL not in named else None
        if email:
            yield at, make_field(at, "email", Key.EMAIL, ValueType.EMAIL, email.group(), 0.8)
