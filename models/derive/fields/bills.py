"""Finds fields of bills without a label, or whose labels only together determine the amount.

Issuer, address, total, date, currency, account. In: fragments and the keys already found. Out: fields with their
fragments.
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

CLEAR_DATE = 0.9  # confidence from which a labelled date is taken as it is
BILL_KEYS = frozenset(
    {Key.INVOICE_NUMBER, Key.INVOICE_DATE, Key.RECEIPT_NUMBER, Key.DUE_DATE, Key.VAT_ID, Key.CHANGE, Key.SUBTOTAL}
)
"""A document that names one of these has an issuer."""

Placed = tuple[Fragment, ExtractedField]


def find_unlabelled(fragments: Sequence[Fragment], named: frozenset[str]) -> Iterator[Placed]:
    """Yield fields for keys without a label; always the total, because a bill names several."""
    total = choose_total(fragments)
    if total is not None:
        raw, normal = total.amount.raw, total.amount.normal
        yield (
            total.fragment,
            make_field(total.fragment, total.label, Key.TOTAL, ValueType.AMOUNT, raw, total.confidence, normal),
        )
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
            yield (
                stated.fragment,
                make_field(stated.fragment, "supplier", Key.SUPPLIER, ValueType.TEXT, stated.name, stated.confidence),
            )
        if stated.address:
            yield (
                stated.fragment,
                make_field(stated.fragment, "address", Key.ADDRESS, ValueType.TEXT, stated.address, stated.confidence),
            )
        return
    head = find_letterhead(fragments)
    if head is None:
        return
    fragment = head.name_fragment
    if Key.SUPPLIER not in named:
        yield fragment, make_field(fragment, "supplier", Key.SUPPLIER, ValueType.TEXT, head.name, head.confidence)
    if head.address_fragments:
        fragment = head.address_fragments[0]
        yield fragment, make_field(fragment, "address", Key.ADDRESS, ValueType.TEXT, head.address, head.confidence)


def _currency(fragments: Sequence[Fragment], named: frozenset[str]) -> Iterator[Placed]:
    """Yield the first currency that an amount carries."""
    if Key.CURRENCY in named:
        return
    for fragment in fragments:
        for amount in find_amounts(fragment.text):
            code = find_currency(amount.raw)
            if code is not None:
                yield fragment, make_field(fragment, "currency", Key.CURRENCY, ValueType.CURRENCY, code, 0.7, code)
                return


def _date(fragments: Sequence[Fragment]) -> Iterator[Placed]:
    """Yield the document's date: behind an invoice date's label, else the first one.

    The value is in ISO form when the month is unambiguous.
    """
    dates = [(fragment, day, match_label(fragment.text)) for fragment in fragments for day in find_dates(fragment.text)]
    labelled = [
        dated for dated in dates if dated[2] is not None and dated[2][0] in (Key.INVOICE_DATE, Key.INVOICE_NUMBER)
    ]
    for fragment, day, _ in (labelled or dates)[:1]:
        value = day.normal if day.confidence >= CLEAR_DATE else day.raw
        yield fragment, make_field(fragment, "date", Key.DATE, ValueType.DATE, value, 0.6 * day.confidence, day.normal)


def _accounts(fragments: Sequence[Fragment], named: frozenset[str]) -> Iterator[Placed]:
    for fragment in fragments:
        for iban in find_ibans(fragment.text) if Key.IBAN not in named else ():
            yield fragment, make_field(fragment, "iban", Key.IBAN, ValueType.IDENTIFIER, iban.raw, 0.9, iban.normal)
        email = EMAIL.search(fragment.text) if "@" in fragment.text and Key.EMAIL not in named else None
        if email:
            yield fragment, make_field(fragment, "email", Key.EMAIL, ValueType.EMAIL, email.group(), 0.8)
