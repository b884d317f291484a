"""From an upload to a queued job: receive the parts, then store them and enqueue in one thread hop, in this order.

A 201 is durable: the originals are on disk before the one transaction that makes them a job.
"""

from typing import Any

from fastapi import Request

from serve_apps.api.deps import Call
from serve_apps.api.multipart import PartRules
from serve_apps.api.uploads import Upload, receive_upload
from storage.intake import submit_job
from storage.rows import JobRow, NewDocument, PageQuota
from storage.states import Priority


def _upload_body(part: str, schema: dict[str, Any]) -> dict[str, Any]:
    form = {"type": "object", "required": [part], "properties": {part: schema}}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": form}}}}


_FILE = {"type": "string", "format": "binary"}
JOBS_UPLOAD = _upload_body("files", {"type": "array", "items": _FILE})
PARSE_UPLOAD = _upload_body("file", _FILE)


async def receive(request: Request, call: Call, parts: frozenset[str], max_files: int) -> Upload:
    """The request's files, refused early when nothing may be taken in now."""
    resources = call.running.resources
    resources.license.require_intake()
    rules = PartRules(names=parts, max_files=max_files, max_file_bytes=resources.limits.max_upload_bytes)
    return await receive_upload(request, rules, call.store.blobs, call.running.disk, resources.limits.upload_idle_s)


async def submit(call: Call, upload: Upload, *, priority: Priority, kind: str) -> JobRow:
    """The queued job. Raises `QuotaExceeded`, `StoreUnavailable`; a caller who goes away does not undo it."""
    return await call.running.disk.run(_store_and_enqueue, call, upload, priority, kind)


def _store_and_enqueue(call: Call, upload: Upload, priority: Priority, kind: str) -> JobRow:
    resources = call.running.resources
    try:
        stored = upload.store()
    except BaseException:
        upload.abort()
        raise
    return submit_job(
        call.store,
        call.scope,
        call.actor,
        [NewDocument(name=file.name, blob=file.blob, options=resources.options) for file in stored],
        priority=priority,
        quota=PageQuota(max_pages_per_month=resources.license.current.max_pages_per_month),
        kind=kind,
    )
