"""A tree to labelled fields: any `Label: value` pair, canonical keys and normalised values, each with its evidence.

No model and no chance: the same tree gives the same fields. What bills leave unlabelled (issuer, address, date) is read
from their shape, with less confidence. Knows no dataset and no service.
"""

import re
from collections.abc import Iterable, Sequence

from models.cdom.tree import Tree
from models.derive.extracted_field import ExtractedField, FieldEvidence
from models.derive.fragments import Fragment, tree_fragments
from models.derive.labels import Key, rank_total
from models.derive.letterhead import find_letterhead
from models.derive.pairs import Pair, find_pairs
from models.derive.tables import table_pairs
from models.derive.totals import choose_total
from models.derive.values import EMAIL, ValueType, find_amounts, find_currency, find_dates, find_ibans, normalise

TYPES = {
    Key.INVOICE_NUMBER: ValueType.IDENTIFIER,
    Key.INVOICE_DATE: ValueType.DATE,
    Key.DUE_DATE: ValueType.DATE,
    Key.DATE: ValueType.DATE,
    Key.TOTAL: ValueType.AMOUNT,
    Key.SUBTOTAL: ValueType.AMOUNT,
    Key.TAX: ValueType.AMOUNT,
    Key.DISCOUNT: ValueType.AMOUNT,
    Key.ROUNDING: ValueType.AMOUNT,
    Key.PAID: ValueType.AMOUNT,
    Key.CHANGE: ValueType.AMOUNT,
    Key.QUANTITY: ValueType.NUMBER,
    Key.CURRENCY: ValueType.CURRENCY,
    Key.IBAN: ValueType.IDENTIFIER,
    Key.BIC: ValueType.IDENTIFIER,
    Key.VAT_ID: ValueType.IDENTIFIER,
    Key.REGISTRATION_NUMBER: ValueType.IDENTIFIER,
    Key.PO_NUMBER: ValueType.IDENTIFIER,
    Key.ORDER_NUMBER: ValueType.IDENTIFIER,
    Key.RECEIPT_NUMBER: ValueType.IDENTIFIER,
    Key.CUSTOMER_NUMBER: ValueType.IDENTIFIER,
    Key.PHONE: ValueType.PHONE,
    Key.FAX: ValueType.PHONE,
    Key.EMAIL: ValueType.EMAIL,
    Key.WEBSITE: ValueType.URL,
}
"""Keys that are not here hold text."""


def select_fields(fields: Iterable[ExtractedField], keys: str | None) -> list[ExtractedField]:
    """Those whose key or canonical key is among the comma-separated `keys`, without case; all when it is None."""
    if keys is None:
        return list(fields)
    wanted = {canonical_name(key) for key in keys.split(",")}
    return [field for field in fields if field.canonical_key in wanted or canonical_name(field.key) in wanted]


def canonical_name(label: str) -> str:
    """`Invoice No.:` to `invoice_no`: the canonical key of a label that the lexicon does not know."""
    return re.sub(r"\W+", "_", label.casefold()).strip("_")


def find_fields(tree: Tree) -> list[ExtractedField]:
    """Fields in reading order of their evidence; one per (key, value, place)."""
    fragments = tree_fragments(tree)
    in_tables = table_pairs(tree, fragments)
    cells = {pair.at.order for pair in in_tables}
    pairs = [pair for pair in find_pairs(fragments) if pair.at.order not in cells] + in_tables
    currency = _main_currency(fragments)
    found = [(pair.at.order, _field(pair)) for pair in pairs]
    found += _shaped(fragments, {field.canonical_key for _, field in found})
    if currency is not None and not any(field.canonical_key == Key.CURRENCY for _, field in found):
        found.append((currency[0].order, _make(currency[0], currency[1], "currency", ValueType.CURRENCY, currency[2], 0.7)))
    unique = {(field.canonical_key, field.value, field.evidence.block_id, field.evidence.cell): (order, field)
              for order, field in sorted(found, key=lambda entry: entry[1].confidence)}  # fmt: skip
    return [field for _, field in sorted(unique.values(), key=lambda entry: entry[0])]


def _field(pair: Pair) -> ExtractedField:
    key = _canonical(pair)
    kind = TYPES.get(key, ValueType.TEXT) if isinstance(key, Key) else _guess_type(pair.value)
    normal = normalise(pair.value, kind)
    sure = pair.sure if pair.known is not None and normal is not None else pair.sure * 0.8
    return _make(pair.at, pair.key.strip(" :："), key, kind, pair.value, sure, normal)


def _canonical(pair: Pair) -> str:
    """A total whose words say otherwise (excluding tax, quantity) is not the total."""
    if pair.known is Key.TOTAL and not rank_total(pair.key):
        return canonical_name(pair.key)
    return pair.known or canonical_name(pair.key) or "field"


def _guess_type(value: str) -> ValueType:
    whole = value.strip()
    for kind, found in ((ValueType.DATE, find_dates(whole)), (ValueType.AMOUNT, find_amounts(whole))):
        first = next(found, None)
        if first is not None and len(first.raw) >= 0.8 * len(whole):
            return kind
    return ValueType.EMAIL if EMAIL.fullmatch(whole) else ValueType.TEXT


def _make(
    at: Fragment, key: str, canonical: str, kind: ValueType, value: str, sure: float, normal: str | None = None
) -> ExtractedField:
    return ExtractedField(
        key=key,
        canonical_key=str(canonical),
        value=value,
        value_type=kind,
        normalized=normal if normal is not None else normalise(value, kind),
        confidence=round(sure, 3),
        evidence=FieldEvidence(block_id=at.block_id, page=at.page, bbox=at.bbox, cell=at.cell),
    )


def _shaped(fragments: Sequence[Fragment], named: set[str]) -> list[tuple[int, ExtractedField]]:
    """What bills show without a label, for keys that no label gave."""
    found: list[tuple[int, ExtractedField]] = []
    total = choose_total(fragments)
    if total is not None:
        field = _make(total.at, total.label, Key.TOTAL, ValueType.AMOUNT, total.amount.raw, total.sure, total.amount.normal)
        found.append((total.at.order, field))
    head = find_letterhead(fragments) if total is not None or named & BILL_KEYS else None
    if head is not None and Key.SUPPLIER not in named:
        found.append((head.name_at.order, _make(head.name_at, "supplier", Key.SUPPLIER, ValueType.TEXT, head.name, head.sure)))
    if head is not None and head.address:
        at = head.address_at[0]
        found.append((at.order, _make(at, "address", Key.ADDRESS, ValueType.TEXT, head.address, head.sure)))
    if not named & {Key.DATE, Key.INVOICE_DATE}:
        found += [(at.order, _make(at, "date", Key.DATE, ValueType.DATE, day.raw, 0.6 * day.sure, day.normal))
                  for at, day in _first_dates(fragments)]  # fmt: skip
    for fragment in fragments:
        for iban in find_ibans(fragment.text) if Key.IBAN not in named else ():
            found.append((fragment.order, _make(fragment, "iban", Key.IBAN, ValueType.IDENTIFIER, iban.raw, 0.9, iban.normal)))
        email = EMAIL.search(fragment.text) if "@" in fragment.text and Key.EMAIL not in named else None
        if email:
            found.append((fragment.order, _make(fragment, "email", Key.EMAIL, ValueType.EMAIL, email.group(), 0.8)))
    return found


BILL_KEYS = frozenset({Key.INVOICE_NUMBER, Key.INVOICE_DATE, Key.RECEIPT_NUMBER, Key.TOTAL, Key.DUE_DATE})


def _first_dates(fragments: Sequence[Fragment]) -> list[tuple[Fragment, "Found"]]:
    return [(fragment, day) for fragment in fragments for day in find_dates(fragment.text)][:1]


def _main_currency(fragments: Sequence[Fragment]) -> tuple[Fragment, str, str] | None:
    """The currency most amounts carry: (fragment, key, mark)."""
    for fragment in fragments:
        for amount in find_amounts(fragment.text):
            if find_currency(amount.raw):
                return fragment, "currency", amount.raw
    return None
