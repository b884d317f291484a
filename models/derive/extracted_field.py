"""A field found in a document, with the place that shows it. Frozen data, the body of `GET …/fields`."""

from dataclasses import dataclass

from models.cdom.geometry import Bbox
from models.cdom.tree import BlockId
from models.derive.values import ValueType


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldEvidence:
    """Where the value stands: `page` 1-based, `bbox` in points, `cell` an index into the block's `table.cells`."""

    block_id: BlockId
    page: int
    bbox: Bbox | None
    cell: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedField:
    """`key` and `value` as written; `canonical_key` snake_case; `normalized` by `value_type`, null when it is not one."""

    key: str
    canonical_key: str
    value: str
    value_type: ValueType
    normalized: str | None
    confidence: float
    evidence: FieldEvidence
