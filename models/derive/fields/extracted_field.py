"""A field found in a document, with the places that show it. Frozen data, the body of `GET …/fields`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.tree import BlockId
from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.fields.values import ValueType, normalise

_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldEvidence:
    """The block that shows the value, its page (1-based) and box; `cell` is an index into the block's `table.cells`.

    `start` and `end` are offsets of the value in the block's or cell's text, end exclusive.
    """

    block_id: BlockId
    page: int
    bbox: Bbox | None
    cell: int | None = None
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedField:
    """`key` and `value` as written; `canonical_key` snake_case; `normalized` null when the value is not of its type.

    The value is the text of `evidence` and, where it goes on in other lines or cells, of `further_evidence`, in this
    order, joined and with single blanks. Forms that the page does not print are in `normalized` only.
    """

    key: str
    canonical_key: str
    value: str
    value_type: ValueType
    normalized: str | None
    confidence: float
    evidence: FieldEvidence
    further_evidence: tuple[FieldEvidence, ...] = ()


def locate_value(fragment: Fragment, value: str, label: str = "") -> FieldEvidence | None:
    """Return the place of a value in a fragment, behind the label if it holds that too; None if it does not hold it."""
    raw = fragment.raw
    behind = raw.find(label) + len(label) if label and label in raw else 0
    span = _find(raw, value, behind) or (_find(raw, value, 0) if behind else None)
    if span is None:
        return None
    return FieldEvidence(
        block_id=fragment.block_id, page=fragment.page, bbox=fragment.block_bbox, cell=fragment.cell,
        start=fragment.start + span[0], end=fragment.start + span[1],
    )  # fmt: skip


def _find(raw: str, value: str, start: int) -> tuple[int, int] | None:
    """Return the range of a value in a text whose blanks may be wider; None for an empty value."""
    words = value.split()
    if not words:
        return None
    stated = " ".join(words)
    first = raw.find(stated, start)
    if first >= 0 and _is_whole(raw, first, first + len(stated)):
        return first, first + len(stated)
    spaced = r"\s+".join(map(re.escape, words))
    whole = re.compile(rf"(?<!\w){spaced}(?!\w)").search(raw, start)
    match = whole or re.compile(spaced).search(raw, start)
    return match.span() if match else None


def _is_whole(raw: str, start: int, end: int) -> bool:
    """Return whether no word continues before or behind the range."""
    return not (_WORD.match(raw, start - 1) if start else None) and not _WORD.match(raw, end)


def make_field(
    fragment: Fragment | Sequence[tuple[Fragment, str]],
    key: str,
    canonical_key: str,
    kind: ValueType,
    value: str,
    confidence: float,
    normal: str | None = None,
) -> ExtractedField | None:
    """Return a field whose value is in that fragment, or whose parts are in those; None if it does not stand there.

    `normal` is derived from the value by default.
    """
    parts = [(fragment, value)] if isinstance(fragment, Fragment) else fragment
    places = [locate_value(part, text, key) for part, text in parts]
    known = tuple(place for place in places if place is not None)
    if not known or len(known) < len(places):
        return None
    return ExtractedField(
        key=key,
        canonical_key=str(canonical_key),
        value=" ".join(value.split()),
        value_type=kind,
        normalized=normal if normal is not None else normalise(value, kind),
        confidence=round(confidence, 3),
        evidence=known[0],
        further_evidence=known[1:],
    )
