"""The columns a listing reads, taken from the row it fills: a field of `DocumentRow` is selected by being there."""

from dataclasses import fields

from quire.storage.values.rows import DocumentRow

_PROGRESS = {
    "pages_done": "coalesce(p.pages_done, 0) as pages_done",
    "pages_total": "coalesce(p.pages_total, 0) as pages_total",
    "phase": "p.phase",
    "chunks_done": "coalesce(p.chunks_done, 0) as chunks_done",
    "chunks_total": "coalesce(p.chunks_total, 0) as chunks_total",
}
"""Counted while a document is read, in the table `page_progress` (`p`)."""

DOCUMENT_FIELDS = tuple(field.name for field in fields(DocumentRow))
DOCUMENT_COLUMNS = ", ".join(_PROGRESS.get(name, f"d.{name}") for name in DOCUMENT_FIELDS)
"""For `documents d left join page_progress p`."""
