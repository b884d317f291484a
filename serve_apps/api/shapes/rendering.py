"""Render rows as JSON bytes without building or validating models. Tests compare the result with `bodies.py`."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from pydantic_core import to_json
from starlette.responses import Response

from quire.storage.jobs.document_list import ListedDocument
from quire.storage.values.rows import DocumentRow, JobRow
from quire.storage.values.states import TERMINAL, DocumentStatus

JSON = "application/json"


def json_response(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return `value` (dicts, lists, times, numbers) as a JSON response."""
    return Response(to_json(value), status, headers, JSON)


_PROGRESS = ("pages_done", "pages_total", "chunks_done", "chunks_total")


def attachment(name: str) -> str:
    """Return a Content-Disposition that makes a browser save a file under this name, with any characters."""
    return f"attachment; filename*=UTF-8''{quote(name, safe='')}"


def render_job(job: JobRow) -> dict[str, Any]:
    """Render a job with its finished documents, its waiting ones and their pages."""
    return _render_base(job) | {
        "documents": [render_document(d) for d in job.documents if d.status in TERMINAL],
        "pending": [_render_pending(d) for d in job.documents if d.status not in TERMINAL],
        "pages_done": sum(_pages_done(d) for d in job.documents),
        "pages_total": sum(d.pages or d.pages_total for d in job.documents),
    }


def has_ended(job: JobRow) -> bool:
    """Return whether all documents of the job have ended."""
    return not job.counts["queued"] + job.counts["running"]


def render_listed_job(job: JobRow) -> dict[str, Any]:
    """Render a job with its finished documents, without page detail and without waiting documents."""
    return _render_base(job) | {"documents": [render_document(d) for d in job.documents if d.status in TERMINAL]}


def render_submitted_job(job: JobRow) -> dict[str, Any]:
    """Render the job as in the first answer to its submission, independent of its progress since."""
    unread = {"status": "queued", "phase": None} | dict.fromkeys(_PROGRESS, 0)
    pending = [_render_pending(d) | unread for d in job.documents]
    counts = {name: len(pending) if name == "queued" else 0 for name in job.counts}
    first = {"status": "queued", "started_at": None, "finished_at": None, "counts": counts}
    return _render_base(job) | first | {"documents": [], "pending": pending, "pages_done": 0, "pages_total": 0}


def render_document(d: DocumentRow) -> dict[str, Any]:
    """Render a document with its result."""
    return {
        "document_id": d.id,
        "source_file": d.source_file,
        "status": d.status,
        "error": d.error,
        "error_detail": d.error_detail,
        "format": d.format,
        "pages": d.pages,
        "bytes": d.bytes,
        "sha256": d.sha256,
        "attempts": d.attempts,
        "run": d.run,
        "started_at": d.started_at,
        "finished_at": d.finished_at,
        "chunks": d.chunks,
        "route_counts": d.route_counts,
        "confidence": d.confidence,
        "deleted_at": d.deleted_at,
        "reader_version": d.reader_version,
        "parent_document_id": d.parent_document_id,
        "path": d.path,
    }


def render_document_alone(d: DocumentRow) -> dict[str, Any]:
    """Render a document requested by its id, finished or not."""
    return render_document(d) | {
        "job_id": d.job_id,
        "pages_done": _pages_done(d),
        "pages_total": d.pages or d.pages_total,
        "principals": d.principals,
    }


def render_listed_document(listed: ListedDocument) -> dict[str, Any]:
    """Render a document of a listing."""
    return render_document_alone(listed.document) | {"created_at": listed.created_at, "flags": listed.flags}


def render_dead_letter(d: DocumentRow) -> dict[str, Any]:
    """Render a failed document with its error."""
    return {
        "job_id": d.job_id,
        "document_id": d.id,
        "source_file": d.source_file,
        "error": d.error,
        "error_detail": d.error_detail,
        "attempts": d.attempts,
        "failed_at": d.finished_at,
    }


def _render_base(job: JobRow) -> dict[str, Any]:
    return {
        "id": job.id,
        "status": job.status,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
        "counts": job.counts,
        "metadata": job.metadata,
    }


def _render_pending(d: DocumentRow) -> dict[str, Any]:
    return {
        "document_id": d.id,
        "source_file": d.source_file,
        "status": d.status,
        "pages_done": d.pages_done,
        "pages_total": d.pages_total,
        "phase": d.phase if d.status == DocumentStatus.RUNNING else None,
        "chunks_done": d.chunks_done,
        "chunks_total": d.chunks_total,
    }


def _pages_done(d: DocumentRow) -> int:
    return (d.pages or 0) if d.status in TERMINAL else d.pages_done
