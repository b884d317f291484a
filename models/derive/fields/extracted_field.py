"""A field found in a document, with the place that shows it. Frozen data, the body of `GET …/fields`."""

from dataclasses import dataclass

from models.cdom.geometry import Bbox
from models.cdom.tree import BlockId
from models.derive.fields.fragments import Fragment
from models.derive.fields.values import ValueType, normalise


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldEvidence:
    """The block that shows the value, its page (1-based) and box; `cell` is an index into the block's `table.cells`."""

    block_id: BlockId
    page: int
    bbox: Bbox | None
    cell: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedField:
    """`key` and `value` as written; `canonical_key` snake_case; `normalized` null when the value is not of its type."""

    key: str
    canonical_key: str
    value: str
    value_type: ValueType
    normalized: str | None
    confidence: float
    evidence: FieldEvidence


def make_field(
    fragment: Fragment,
    key: str,
    canonical_key: str,
    kind: ValueType,
    value: str,
    confidence: float,
    normal: str | None = None,
) -> ExtractedField:
    """Return a field whose value is in that fragment; `normal` is derived from the value by default."""
    return ExtractedField(
        key=key,
        canonical_key=str(canonical_key),
        value=value,
        value_type=kind,
        normalized=normal if normal is not None else normalise(value, kind),
        confidence=round(confidence, 3),
        evidence=FieldEvidence(
            block_id=fragment.block_id, page=fragment.page, bbox=fragment.block_bbox, cell=fragment.cell
        ),
    )
