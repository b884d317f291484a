"""Rates the reading of a set of documents: one row per document and their sum, the body of evaluate.

Nothing is stored and no chunks are made.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.tree import Route, Tree
from quire.models.derive.document_fields import find_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentQuality:
    """Row of a document: `confidence` is the mean of its blocks by text length, `flags` counts blocks by flag."""

    source_file: str
    format: str | None
    status: str
    error: str | None = None
    pages: int = 0
    tables: int = 0
    fields: int = 0
    ocr_pages: int = 0
    confidence: float | None = None
    flags: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class QualitySummary:
    """Sum of all rows: `confidence` is the mean over pages, `formats` and `errors` count documents."""

    documents: int
    succeeded: int
    failed: int
    pages: int
    tables: int
    fields: int
    ocr_pages: int
    confidence: float | None
    flags: dict[str, int]
    formats: dict[str, int]
    errors: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityReport:
    """Rows of all documents, with their sum."""

    documents: tuple[DocumentQuality, ...]
    aggregate: QualitySummary


def rate_document(source_file: str, tree: Tree) -> DocumentQuality:
    """Return the row of a document that was read."""
    return DocumentQuality(
        source_file=source_file,
        format=tree.source.format,
        status="succeeded",
        pages=len(tree.pages),
        tables=sum(block.table is not None for block in tree.blocks),
        fields=len(find_fields(tree)),
        ocr_pages=sum(page.route in (Route.OCR, Route.VLM) for page in tree.pages),
        confidence=_confidence(tree),
        flags=dict(sorted(Counter(flag for block in tree.blocks for flag in block.flags).items())),
    )


def rate_failure(source_file: str, error: ErrorCode, format: str | None = None) -> DocumentQuality:
    """Return the row of a document that could not be read."""
    return DocumentQuality(source_file=source_file, format=format, status="failed", error=error.value)


def _confidence(tree: Tree) -> float | None:
    weights = [max(1, len(block.text)) for block in tree.blocks]
    total = sum(block.confidence * weight for block, weight in zip(tree.blocks, weights, strict=True))
    return round(total / sum(weights), 4) if weights else None


def summarise(documents: Sequence[DocumentQuality]) -> QualityReport:
    """Return the report over all rows, in the given order."""
    flags: Counter[str] = Counter()
    for document in documents:
        flags.update(document.flags)
    return QualityReport(
        documents=tuple(documents),
        aggregate=QualitySummary(
            documents=len(documents),
            succeeded=sum(document.status == "succeeded" for document in documents),
            failed=sum(document.status == "failed" for document in documents),
            pages=sum(document.pages for document in documents),
            tables=sum(document.tables for document in documents),
            fields=sum(document.fields for document in documents),
            ocr_pages=sum(document.ocr_pages for document in documents),
            confidence=_mean_confidence(documents),
            flags=dict(sorted(flags.items())),
            formats=dict(sorted(Counter(d.format for d in documents if d.format).items())),
            errors=dict(sorted(Counter(d.error for d in documents if d.error).items())),
        ),
    )


def _mean_confidence(documents: Sequence[DocumentQuality]) -> float | None:
    rated = [(d.confidence, max(1, d.pages)) for d in documents if d.confidence is not None]
    pages = sum(weight for _, weight in rated)
    return round(sum(confidence * weight for confidence, weight in rated) / pages, 4) if rated else None
