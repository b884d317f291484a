"""Finds the fields of a document: labelled values of any kind, and what a bill states besides them.

Values of a bill that no label or place names alone are found as in extraction by a schema, by the same candidates.
"""

from functools import lru_cache

from quire.models.cdom.tree import Tree
from quire.models.derive.fields.bills import BILL_KEYS
from quire.models.derive.fields.extracted_field import ExtractedField, FieldEvidence
from quire.models.derive.fields.fields import TYPES, read_fields
from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.values import ValueType, normalise
from quire.models.derive.schema.answer import LeafEvidence, ValuePlace, pointer
from quire.models.derive.schema.extract import ReadSchema, extract_data, read_schema

WANTED = (
    Key.INVOICE_NUMBER, Key.INVOICE_DATE, Key.DUE_DATE, Key.SUPPLIER, Key.CUSTOMER, Key.SUBTOTAL, Key.TAX, Key.TOTAL,
    Key.CURRENCY, Key.CUSTOMER_NUMBER, Key.ORDER_NUMBER, Key.VAT_ID, Key.IBAN, Key.BIC,
)  # fmt: skip
"""Keys of a bill."""
MONEY = frozenset({Key.TOTAL, Key.SUBTOTAL, Key.TAX})
LEAST = 0.5
"""Minimum confidence (0..1) of a value that is added."""
MAX_PAGES = 20  # pages of a bill; a longer document is a report that names one
_KINDS = {ValueType.DATE: {"type": "string", "format": "date"}, ValueType.AMOUNT: {"type": "number"}}


def find_fields(tree: Tree) -> list[ExtractedField]:
    """Return the fields in reading order of their evidence.

    Those of a bill's keys that no label or place names are added from a fixed schema.
    """
    fields = read_fields(tree)
    known = {field.canonical_key for field in fields}
    stated = {field.canonical_key for field in fields if field.normalized is not None}
    wanted = [key for key in WANTED if key not in stated]
    if not wanted or not known & (BILL_KEYS | MONEY) or len(tree.pages) > MAX_PAGES:
        return fields
    found = extract_data(tree, _read_wanted())
    order = {block.id: number for number, block in enumerate(tree.blocks)}
    cited = {_start_of(field.evidence) for field in fields if field.canonical_key in TYPES}
    for key in wanted:
        evidence = found.evidence.get(pointer(key))
        if evidence is not None and evidence.confidence >= LEAST and _start_of(evidence.places[0]) not in cited:
            _insert(fields, _make_field(key, evidence, str(found.data[key])), order)
    return fields


def _start_of(place: FieldEvidence | ValuePlace) -> tuple[str, int | None, int]:
    return place.block_id, place.cell, place.start


@lru_cache(maxsize=1)
def _read_wanted() -> ReadSchema:
    properties = {str(key): _KINDS.get(TYPES.get(key, ValueType.TEXT), {"type": "string"}) for key in WANTED}
    return read_schema({"type": "object", "properties": properties})


def _make_field(key: Key, evidence: LeafEvidence, value: str) -> ExtractedField:
    kind = TYPES.get(key, ValueType.TEXT)
    places = [
        FieldEvidence(
            block_id=place.block_id, page=place.page, bbox=place.bbox, cell=place.cell, start=place.start, end=place.end
        )
        for place in evidence.places
    ]
    return ExtractedField(
        key=key.replace("_", " "),
        canonical_key=str(key),
        value=" ".join(evidence.verbatim.split()),
        value_type=kind,
        normalized=value if kind is ValueType.DATE else normalise(evidence.verbatim, kind),
        confidence=evidence.confidence,
        evidence=places[0],
        further_evidence=tuple(places[1:]),
    )


def _insert(fields: list[ExtractedField], added: ExtractedField, order: dict[str, int]) -> None:
    """Insert a field before the first whose evidence is behind its own."""

    def place(field: ExtractedField) -> tuple[int, int, int]:
        own = field.evidence
        return order[own.block_id], -1 if own.cell is None else own.cell, own.start

    index = next((index for index, field in enumerate(fields) if place(field) > place(added)), len(fields))
    fields.insert(index, added)
