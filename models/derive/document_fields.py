"""Finds the fields of a document: labelled values of any kind, and values of bills by a fixed schema.

Values of a bill that no label or place names alone are found as in extraction by a schema, by the same candidates.
"""

from dataclasses import replace
from functools import lru_cache

from quire.models.cdom.tree import BlockId, Tree
from quire.models.derive.fields.bills import BILL_KEYS
from quire.models.derive.fields.extracted_field import ExtractedField, FieldEvidence
from quire.models.derive.fields.fields import TYPES, read_fields, read_texts
from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.values import ValueType, normalise
from quire.models.derive.schema.answer import LeafEvidence, ValuePlace, pointer
from quire.models.derive.schema.extract import ReadSchema, extract_data, read_schema, whole_fragments

WANTED = (
    Key.INVOICE_NUMBER, Key.INVOICE_DATE, Key.DUE_DATE, Key.SUPPLIER, Key.CUSTOMER, Key.SUBTOTAL, Key.TAX, Key.TOTAL,
    Key.CURRENCY, Key.CUSTOMER_NUMBER, Key.ORDER_NUMBER, Key.VAT_ID, Key.IBAN, Key.BIC,
)  # fmt: skip
"""Keys of a bill."""
_KEYS = frozenset(map(str, Key))
LEAST, SURE = 0.81, 0.9
"""Minimum confidence (0..1) of a value that is added where its key has none, and where it has another."""
MAX_PAGES = 20  # pages of a bill; a longer document is a report that names one
_KINDS = {ValueType.DATE: {"type": "string", "format": "date"}, ValueType.AMOUNT: {"type": "number"}}


def find_fields(tree: Tree) -> list[ExtractedField]:
    """Return the fields in reading order of their evidence.

    A value of a bill by the fixed schema is added where no field has its key, or where the schema is sure of another.
    """
    texts = read_texts(tree, whole_fragments(tree))
    fields = read_fields(texts)
    if len(tree.pages) > MAX_PAGES or not {field.canonical_key for field in fields} & BILL_KEYS:
        return fields
    found = extract_data(tree, _read_wanted(), texts=texts)
    order = {block.id: number for number, block in enumerate(tree.blocks)}
    cited = {_range_of(field.evidence): number for number, field in enumerate(fields)}
    for key in WANTED:
        evidence = found.evidence.get(pointer(key))
        if evidence is None:
            continue
        added, number = _make_field(key, evidence, str(found.data[key])), cited.get(_range_of(evidence.places[0]))
        is_stated = any(field.canonical_key == key and field.normalized is not None for field in fields)
        if added.confidence < (SURE if is_stated or number is not None else LEAST):
            continue
        if number is not None:
            if not is_stated and fields[number].canonical_key not in _KEYS:
                fields[number] = replace(added, key=fields[number].key)
        elif all(field.canonical_key != key or not _agree(field, added) for field in fields):
            _insert(fields, added, order)
            cited = {_range_of(field.evidence): place for place, field in enumerate(fields)}
    return fields


def _agree(one: ExtractedField, other: ExtractedField) -> bool:
    return (one.normalized or one.value).casefold() == (other.normalized or other.value).casefold()


def _range_of(place: FieldEvidence | ValuePlace) -> tuple[str, int | None, int, int]:
    return place.block_id, place.cell, place.start, place.end


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


def _insert(fields: list[ExtractedField], added: ExtractedField, order: dict[BlockId, int]) -> None:
    """Insert a field before the first whose evidence is behind its own."""

    def place(field: ExtractedField) -> tuple[int, int, int]:
        own = field.evidence
        return order[own.block_id], -1 if own.cell is None else own.cell, own.start

    index = next((index for index, field in enumerate(fields) if place(field) > place(added)), len(fields))
    fields.insert(index, added)
