"""Turn an upload into a queued job: receive the parts, then store and enqueue them in one thread hop.

A 201 is durable: the originals are on disk before the single transaction that creates the job.
"""

import json
from collections.abc import Iterator
from typing import Any

from fastapi import Request

from quire.serve_apps.api.context.deps import Call
from quire.serve_apps.api.documents.extracting import check_schema
from quire.serve_apps.api.http.multipart import PartRules
from quire.serve_apps.api.http.uploads import StoredFile, Upload, receive_upload
from quire.serve_apps.api.intake.by_url import MEDIA_TYPE, FetchedUpload, fetch_upload, has_urls
from quire.serve_apps.api.intake.idempotency import identify_submission
from quire.serve_apps.api.intake.read_fields import EXTRACT_SCHEMA, read_extract_schema, read_metadata, read_options
from quire.serve_apps.api.shapes.principals import read_principals
from quire.storage.jobs.intake import Submission, submit_job
from quire.storage.values.rows import JobRow, NewDocument, PageQuota
from quire.storage.values.states import Priority

_FILE = {"type": "string", "format": "binary"}
_FIELDS: dict[str, Any] = {
    "pages": {"type": "string", "description": "Pages to read, such as 1-3,8. The default is all pages."},
    "password": {"type": "string", "description": "Password of an encrypted file."},
    "ocr": {"type": "string", "enum": ["auto", "always", "never"]},
    "table_parts": {
        "type": "string",
        "enum": ["joined", "apart"],
        "description": "Return a table that continues over pages as one table or as one per page.",
    },
    "words": {
        "type": "string",
        "enum": ["true", "false"],
        "description": "Keep words of PDF pages and pictures with their boxes; evidence then has those boxes.",
    },
    "metadata": {"type": "string", "description": "A JSON object that is returned with the job."},
    EXTRACT_SCHEMA: {
        "type": "string",
        "description": "JSON Schema of an object. Its values are extracted from each document by rules.",
    },
    "principals": {
        "type": "string",
        "description": "Users and groups that may find the documents, separated by commas. The default is all callers.",
    },
}


_URL = {"type": "string", "format": "uri", "description": "URL of the file to fetch."}
_UPLOAD_IDS = {"type": "array", "items": {"type": "string"}, "description": "Files sent by POST /v1/uploads."}


def _upload_body(part: str, schema: dict[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    form = {"type": "object", "required": [part], "properties": {part: schema} | _FIELDS}
    by_url = {"type": "object", "properties": named | _FIELDS}
    content = {"multipart/form-data": {"schema": form}, MEDIA_TYPE: {"schema": by_url}}
    return {"requestBody": {"required": True, "content": content}}


JOBS_UPLOAD = _upload_body(
    "files",
    {"type": "array", "items": _FILE},
    {"url": _URL, "urls": {"type": "array", "items": _URL}, "upload_ids": _UPLOAD_IDS},
)
PARSE_UPLOAD = _upload_body("file", _FILE, {"url": _URL, "upload_ids": _UPLOAD_IDS})


async def receive(request: Request, call: Call, parts: frozenset[str], max_files: int) -> Upload | FetchedUpload:
    """Receive the request's files, sent or named by address, or refuse early if the service accepts none now."""
    resources = call.running.resources
    resources.license.require_intake()
    if has_urls(request):
        return await fetch_upload(request, call, max_files)
    rules = PartRules(names=parts, max_files=max_files, max_file_bytes=resources.limits.max_upload_bytes)
    return await receive_upload(request, rules, call.store.blobs, call.running.disk, resources.limits.upload_idle_s)


async def submit(
    call: Call, upload: Upload | FetchedUpload, *, priority: Priority, kind: str, idempotency_key: str | None = None
) -> JobRow:
    """Store the upload and return the queued job. A caller that goes away does not undo it.

    Raises:
        InvalidField: A form field is malformed.
        UnusableSchema: `extract_schema` cannot be used.
        QuotaExceeded: The pages of the month are used up.
        Conflict: The idempotency key was used for another request.
    """
    try:
        schema = read_extract_schema(upload.fields)
        if schema is not None:
            await check_schema(call, json.loads(schema), field=EXTRACT_SCHEMA)
    except BaseException:
        await call.running.disk.run(upload.abort)
        raise
    return await call.running.disk.run(_store_and_enqueue, call, upload, priority, kind, idempotency_key, schema)


def quota_of(call: Call) -> PageQuota:
    """Return the licence's page limit per month."""
    return PageQuota(max_pages_per_month=call.running.resources.license.current.max_pages_per_month)


def _store_and_enqueue(
    call: Call, upload: Upload | FetchedUpload, priority: Priority, kind: str, key: str | None, schema: str | None
) -> JobRow:
    try:
        options = read_options(upload.fields, call.running.resources.options)
        metadata = read_metadata(upload.fields)
        principals = read_principals(upload.fields.get("principals", ""))
        stored = upload.store()
    except BaseException:
        upload.abort()
        raise
    return submit_job(
        call.store,
        call.scope,
        call.actor,
        Submission(
            [NewDocument(name=file.name, blob=file.blob, options=options, principals=principals) for file in stored],
            priority=priority,
            quota=quota_of(call),
            cap_bytes=call.running.resources.limits.org_disk_bytes,
            kind=kind,
            metadata=metadata,
            extract_schema=schema,
            idempotency=identify_submission(kind, key, _facts(upload, stored)),
        ),
    )


def _facts(upload: Upload | FetchedUpload, stored: list[StoredFile]) -> Iterator[str]:
    """Yield everything that was sent: files by content and name, then the fields."""
    for file in stored:
        yield f"{file.blob.sha256} {file.name}"
    for name, value in sorted(upload.fields.items()):
        yield f"{name}={value}"
