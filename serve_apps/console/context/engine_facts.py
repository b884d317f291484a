"""Translate the engine's answers into the console's terms: a job's JSON in, facts of its documents out."""

from typing import Any

from quire.serve_apps.console.store.rows import DocumentFact


def facts_of(job: dict[str, Any]) -> list[DocumentFact]:
    """Return all documents of a job in the engine's order: ended ones, then unfinished ones."""
    return [_fact(entry, ended=True) for entry in job["documents"]] + [
        _fact(entry, ended=False) for entry in job["pending"]
    ]


def _fact(entry: dict[str, Any], *, ended: bool) -> DocumentFact:
    return DocumentFact(
        document_id=entry["document_id"],
        source_file=entry["source_file"],
        status=entry["status"],
        pages=entry.get("pages") or 0,
        chunks=entry.get("chunks") or 0,
        ended=ended,
    )
