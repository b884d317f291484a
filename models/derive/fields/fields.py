"""Finds labelled fields in a tree: any `Label: value` pair, with canonical key, normalised value and evidence.

The result is deterministic. Fields that bills leave unlabelled (issuer, address, date) are read from the layout, with
less confidence.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from quire.models.cdom.tree import BlockType, Tree
from quire.models.derive.fields.bills import Placed, find_unlabelled
from quire.models.derive.fields.extracted_field import ExtractedField, make_field
from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.fields.labels import rank_total
from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.pairs import Pair, find_pairs, read_inline
from quire.models.derive.fields.table_pairs import table_pairs
from quire.models.derive.fields.values import EMAIL, RANGE, ValueType, find_amounts, find_dates, trim_value

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
"""Value types by key; all other keys hold text."""
PARTIES = frozenset({str(Key.SUPPLIER), str(Key.CUSTOMER)})
"""Keys whose values are searched by their place even if a label names them."""
_TICKS = {"☑": "true", "☒": "true", "☐": "false"}
_SURE_TICK = 0.95
"""Confidence (0..1) of what a form field itself states."""


def select_fields(fields: Iterable[ExtractedField], keys: str | None) -> list[ExtractedField]:
    """Return the fields whose key or canonical key is in the comma-separated `keys`, ignoring case; all for None."""
    if keys is None:
        return list(fields)
    names = {canonical_name(key) for key in keys.split(",")}
    return [field for field in fields if field.canonical_key in names or canonical_name(field.key) in names]


def canonical_name(label: str) -> str:
    """Return the canonical key of a label that the lexicon does not have: `invoice_no` for `Invoice No.:`."""
    return re.sub(r"\W+", "_", label.casefold()).strip("_")


@dataclass(frozen=True, slots=True)
class DocumentTexts:
    """The statements of a document: labels with their values, ticked boxes, and values without a label.

    Fields and extraction by a schema choose from the same.
    """

    fragments: Sequence[Fragment]
    pairs: Sequence[Pair]
    ticked: Sequence[Placed]
    unlabelled: Sequence[Placed]


def read_texts(tree: Tree, fragments: Sequence[Fragment], *, is_bill: bool = False) -> DocumentTexts:
    """Return what fragments of a tree state.

    A name at its place is found even where a label names one too, which may name a whole address. With `is_bill`,
    names are also searched where no word says that the document is a bill.
    """
    in_tables = table_pairs(tree, fragments)
    cells = {pair.fragment.order for pair in in_tables}
    labels = {
        label.order
        for label, value in pairwise(fragments)
        if value.order in cells and label.cell is not None and not read_inline(label.text)
    }
    plain = [fragment for fragment in fragments if not _is_tick(fragment) and fragment.order not in labels]
    pairs = [pair for pair in find_pairs(plain) if pair.fragment.order not in cells] + in_tables
    named = frozenset(str(pair.known) for pair in pairs if pair.known is not None and _is_of_type(pair))
    unlabelled = find_unlabelled(fragments, named - PARTIES, is_bill=is_bill)
    return DocumentTexts(fragments, pairs, list(_find_ticked(fragments)), list(unlabelled))


def _is_of_type(pair: Pair) -> bool:
    """Return False for a label of a date without one."""
    return pair.known is not Key.DATE or next(find_dates(pair.value), None) is not None


def read_fields(texts: DocumentTexts) -> list[ExtractedField]:
    """Return the fields in reading order of their evidence: the most confident per key, value and place."""
    placed = [
        (pair.fragment.order, field) for pair in texts.pairs if not _is_title_of_money(pair) for field in _of_pair(pair)
    ]
    named = PARTIES.intersection(field.canonical_key for _, field in placed)
    placed += [(fragment.order, field) for fragment, field in texts.ticked]
    placed += [(fragment.order, field) for fragment, field in texts.unlabelled if field.canonical_key not in named]
    surest: dict[tuple[object, ...], tuple[int, ExtractedField]] = {}
    for order, field in sorted(placed, key=lambda entry: entry[1].confidence):
        surest[field.canonical_key, field.value, field.evidence.block_id, field.evidence.cell] = (order, field)
    return [field for _, field in sorted(surest.values(), key=lambda entry: entry[0])]


def _find_ticked(fragments: Iterable[Fragment]) -> Iterator[tuple[Fragment, ExtractedField]]:
    for fragment in fragments:
        label = fragment.text[1:].strip()
        if _is_tick(fragment) and label:
            key = canonical_name(label) or "field"
            tick = fragment.text[0]
            field = make_field(fragment, label, key, ValueType.TEXT, tick, _SURE_TICK, _TICKS[tick])
            if field is not None:
                yield fragment, field


def _is_tick(fragment: Fragment) -> bool:
    return fragment.type is BlockType.CHECKBOX and fragment.text[:1] in _TICKS


def _is_title_of_money(pair: Pair) -> bool:
    """Return True for a money label above or next to words, which is the head of a column."""
    money = pair.known is not None and TYPES.get(pair.known) is ValueType.AMOUNT
    return money and not any(map(str.isdigit, pair.value))


def _of_pair(pair: Pair) -> Iterator[ExtractedField]:
    """Yield the pair's field, or one field per date of a range.

    A total gets a lower confidence, because the whole bill decides between several.
    """
    key = _canonical(pair)
    kind = TYPES.get(key, ValueType.TEXT) if isinstance(key, Key) else _guess_type(pair.value)
    for value, normal in _values(pair.value, kind):
        field = make_field(pair.fragment, pair.key.strip(" :："), key, kind, value, pair.confidence, normal)
        if field is None:
            continue
        doubtful = pair.known is None or field.normalized is None or key is Key.TOTAL
        yield replace(field, confidence=round(0.8 * pair.confidence, 3)) if doubtful else field


def _values(text: str, kind: ValueType) -> list[tuple[str, str | None]]:
    """Return the two dates of a range with their normal forms, or the one value of any other text."""
    if kind is ValueType.DATE and RANGE.search(text):
        dates: list[tuple[str, str | None]] = [(day.raw, day.normal) for day in find_dates(text)]
        if len(dates) == 2:
            return dates
    return [(trim_value(text, kind), None)]


def _canonical(pair: Pair) -> str:
    """Return the pair's key; a total with contrary words (excluding tax, quantity) is not the total."""
    if pair.known is Key.TOTAL and not rank_total(pair.key):
        return canonical_name(pair.key)
    return pair.known or canonical_name(pair.key) or "field"


def _guess_type(value: str) -> ValueType:
    """Return the type of a value whose label does not imply one."""
    whole = value.strip()
    for kind, matches in ((ValueType.DATE, find_dates(whole)), (ValueType.AMOUNT, find_amounts(whole))):
        first = next(matches, None)
        if first is not None and len(first.raw) >= 0.8 * len(whole):
            return kind
    if RANGE.fullmatch(whole):
        return ValueType.DATE
    return ValueType.EMAIL if EMAIL.fullmatch(whole) else ValueType.TEXT
