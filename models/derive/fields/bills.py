"""Finds fields of bills without a label, or whose labels only together determine the amount.

Issuer, address, total, date, currency, account. In: fragments and the keys already found. Out: fields with their
fragments.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from quire.models.derive.fields.extracted_field import ExtractedField, make_field
from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.fields.labels import match_label
from quire.models.derive.fields.letterhead import find_letterhead
from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.parties import PARTED, Party, find_parties
from quire.models.derive.fields.sums import Summed, find_sums
from quire.models.derive.fields.totals import MAX_ROUNDING, Total, choose_total
from quire.models.derive.fields.values import (
    CURRENCIES,
    CURRENCY,
    EMAIL,
    ValueType,
    find_amounts,
    find_currency,
    find_dates,
    find_ibans,
)

BILL_KEYS = frozenset(
    {Key.INVOICE_NUMBER, Key.INVOICE_DATE, Key.RECEIPT_NUMBER, Key.DUE_DATE, Key.VAT_ID, Key.CHANGE, Key.SUBTOTAL}
)
"""A document that names one of these has an issuer."""
SUMMED = 0.95
"""Confidence (0..1) in amounts that add up."""

STATED_CURRENCY = re.compile(r"(?:\bin |\(|\btotal )(?P<code>[A-Z]{3})\b", re.IGNORECASE)
"""A currency in `All amounts in GBP`, `Amount (EUR)`."""

TAX_NUMBER = re.compile(
    r"\b(?:VAT|TVA|USt|MwSt|IVA|BTW|UID)[^\d\n]{0,40}?[\s:-]"
    r"(?P<number>(?:ATU|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK)"
    r"\s?[\dA-Z]{1,3}(?:\s?\d{2,9}){1,4})(?!\w)",
)
"""A tax number of a European country behind words for it, inside a text."""

Placed = tuple[Fragment, ExtractedField]
Candidate = tuple[Fragment, ExtractedField | None]
"""A field, or None where its value does not stand in the fragment as written."""


def find_unlabelled(fragments: Sequence[Fragment], named: frozenset[str], *, is_bill: bool = False) -> Iterator[Placed]:
    """Yield fields for keys without a label; always the total, because a bill names several."""
    for fragment, field in _find_candidates(fragments, named, is_bill=is_bill):
        if field is not None:
            yield fragment, field


def _find_candidates(fragments: Sequence[Fragment], named: frozenset[str], *, is_bill: bool) -> Iterator[Candidate]:
    total = choose_total(fragments)
    sums = {summed.key: summed for summed in find_sums(fragments)}
    if total is not None and not (sums and _keeps_total(sums, total, fragments)):
        sums.pop(Key.TOTAL, None)
        raw, normal = total.amount.raw, total.amount.normal
        yield (
            total.fragment,
            make_field(total.fragment, total.label, Key.TOTAL, ValueType.AMOUNT, raw, total.confidence, normal),
        )
    for key, summed in sums.items():
        label, raw = str(key), summed.amount.raw
        yield (
            summed.fragment,
            make_field(summed.fragment, label, key, ValueType.AMOUNT, raw, SUMMED, summed.amount.normal),
        )
    accounts = list(_accounts(fragments, named))
    known = named | {field.canonical_key for _, field in accounts if field is not None}
    if is_bill or total is not None or sums or known & BILL_KEYS:
        parties = {party.key: party for party in find_parties(fragments)}
        for name, party in parties.items():
            if name is not None and str(name) not in named:
                yield (
                    party.fragment,
                    make_field(party.fragment, str(name), name, ValueType.TEXT, party.name, party.confidence),
                )
        yield from _issuer(fragments, named, parties)
        if Key.CURRENCY not in named:
            yield from find_stated_currency(fragments)
    if Key.DATE not in named:
        yield from _date(fragments)
    yield from accounts


def _keeps_total(sums: Mapping[Key, Summed], chosen: Total, fragments: Sequence[Fragment]) -> bool:
    """Return whether the total of a sum stays instead of the one chosen by its label.

    It does where that is another part of the sum, negative, a step before the net amount, or what a payment leaves.
    """
    amount, net = Decimal(chosen.amount.normal), sums[Key.SUBTOTAL]
    paid = Decimal(sums[Key.TOTAL].amount.normal) - amount
    parts = {Decimal(part.amount.normal) for key, part in sums.items() if key is not Key.TOTAL}
    if amount in parts or amount <= 0:
        return True
    if abs(paid) <= MAX_ROUNDING:
        return False
    printed = (found for fragment in fragments for found in find_amounts(fragment.text))
    return chosen.fragment.order < net.fragment.order or any(abs(Decimal(found.normal)) == paid for found in printed)


def _issuer(
    fragments: Sequence[Fragment], named: frozenset[str], parties: Mapping[Key | None, Party]
) -> Iterator[Candidate]:
    """Yield the issuer and its address, unless the issuer's own address names it."""
    head, seller, customer = find_letterhead(fragments), parties.get(Key.SUPPLIER), parties.get(Key.CUSTOMER)
    if head is not None and customer is not None and head.name_parts[0][0] is customer.fragment:
        head = None
    address = None
    if (
        seller is not None and len(PARTED.split(seller.fragment.text)) > 2 and ":" not in seller.address
    ):  # a sender's line
        line, confidence = seller.fragment, seller.confidence
        address = make_field(line, "address", Key.ADDRESS, ValueType.TEXT, seller.address, confidence)
        yield line, address
    if head is None:
        return
    if Key.SUPPLIER not in named and seller is None:
        fragment = head.name_parts[0][0]
        yield (
            fragment,
            make_field(head.name_parts, "supplier", Key.SUPPLIER, ValueType.TEXT, head.name, head.confidence),
        )
    if head.address_fragments and address is None:
        fragment = head.address_fragments[0]
        parts = [(line, line.text) for line in head.address_fragments]
        yield fragment, make_field(parts, "address", Key.ADDRESS, ValueType.TEXT, head.address, head.confidence)


def find_stated_currency(fragments: Sequence[Fragment]) -> Iterator[Candidate]:
    """Yield the first currency that an amount carries, else the one that a sentence or a column's head states."""
    for fragment in fragments:
        if CURRENCY.search(fragment.text) is None:  # cheaper than amounts, which tables are full of
            continue
        for amount in find_amounts(fragment.text):
            mark = CURRENCY.search(amount.raw)
            if mark is not None:
                code = find_currency(mark.group())
                yield (
                    fragment,
                    make_field(fragment, "currency", Key.CURRENCY, ValueType.CURRENCY, mark.group(), 0.7, code),
                )
                return
    for fragment in fragments:
        stated = STATED_CURRENCY.search(fragment.text)
        if stated is not None and stated["code"].lower() in CURRENCIES:
            code = CURRENCIES[stated["code"].lower()]
            yield (
                fragment,
                make_field(fragment, "currency", Key.CURRENCY, ValueType.CURRENCY, stated["code"], 0.6, code),
            )
            return


def _date(fragments: Sequence[Fragment]) -> Iterator[Candidate]:
    """Yield the document's date: behind an invoice date's label, else the first one."""
    dates = [(fragment, day, match_label(fragment.text)) for fragment in fragments for day in find_dates(fragment.text)]
    labelled = [
        dated for dated in dates if dated[2] is not None and dated[2][0] in (Key.INVOICE_DATE, Key.INVOICE_NUMBER)
    ]
    for fragment, day, _ in (labelled or dates)[:1]:
        confidence = 0.6 * day.confidence
        yield fragment, make_field(fragment, "date", Key.DATE, ValueType.DATE, day.raw, confidence, day.normal)


def _accounts(fragments: Sequence[Fragment], named: frozenset[str]) -> Iterator[Candidate]:
    for fragment in fragments:
        for iban in find_ibans(fragment.text) if Key.IBAN not in named else ():
            yield fragment, make_field(fragment, "iban", Key.IBAN, ValueType.IDENTIFIER, iban.raw, 0.9, iban.normal)
        number = TAX_NUMBER.search(fragment.text) if Key.VAT_ID not in named else None
        if number is not None:
            raw = number["number"].strip()
            yield fragment, make_field(fragment, "vat id", Key.VAT_ID, ValueType.IDENTIFIER, raw, 0.8)
        email = EMAIL.search(fragment.text) if "@" in fragment.text and Key.EMAIL not in named else None
        if email:
            yield fragment, make_field(fragment, "email", Key.EMAIL, ValueType.EMAIL, email.group(), 0.8)
