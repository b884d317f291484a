"""Bodies of the two events, frozen as bytes in the transaction that ends a document or a job.

Receivers check a signature over exactly these bytes, so they are written once and never serialised again.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from quire.storage.postgres.database import Row
from quire.storage.values.states import DocumentStatus, EventKind


def document_body(
    document: Row, status: DocumentStatus, pages: int | None, chunks: int | None, notice: str | None
) -> str:
    """Return the body of `document.finished`: the six fields of the interface, and `detail` where there is a notice.

    Counts that were never made are 0.
    """
    facts = _facts(document, status, pages, chunks, notice)
    return _dump({"document_id": document["id"], "job_id": document["job_id"], **facts})


def job_body(job: Row, documents: Sequence[Row]) -> str:
    """Return the body of `job.finished`: the job's status and one line per document, in order of submission."""
    lines = [
        {"document_id": row["id"], **_facts(row, row["status"], row["pages"], row["chunks"], row["notice"])}
        for row in documents
    ]
    finished: datetime = job["finished_at"]
    return _dump(
        {
            "event": EventKind.JOB_FINISHED,
            "job_id": job["id"],
            "status": job["status"],
            "documents": lines,
            "finished_at": finished.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
    )


def _facts(document: Row, status: str, pages: int | None, chunks: int | None, notice: str | None) -> dict[str, Any]:
    counts = {"pages": pages or 0, "chunks": chunks or 0}
    detail = {"detail": notice} if notice else {}
    return {"filename": document["source_file"], "status": str(status), **counts, **detail}


def _dump(body: dict[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
