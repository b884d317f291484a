"""Original files: as sent, for callers with the write scope; redacted, for sharing."""

import os
from collections.abc import AsyncIterator, Mapping
from typing import BinaryIO

from fastapi import Request
from starlette.responses import Response, StreamingResponse

from quire.models.cdom.original import Format
from quire.models.cdom.ports import PortUnavailable
from quire.models.cdom.tree import Tree, dump_tree
from quire.models.pii.redact import require_scan
from quire.models.redaction.redact import REDACTABLE
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import DOCUMENT, READ, KeyScope
from quire.serve_apps.api.context.deps import Call, CallDep, DocumentIdDep, JobIdDep
from quire.serve_apps.api.documents.byte_ranges import find_range
from quire.serve_apps.api.documents.published import Redacted
from quire.serve_apps.api.documents.redacting import locate_scanned, read_block_decisions
from quire.serve_apps.api.http.pieces import PIECE_BYTES
from quire.serve_apps.api.http.refusals import FormatNotRedactable, NoOriginal
from quire.serve_apps.api.shapes.rendering import attachment
from quire.storage.access.audit import record
from quire.storage.jobs.documents import Original, find_document, locate_original
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import DocumentId, JobId

router = Operations("documents")
OTHER = "application/octet-stream"
MEDIA_TYPES: Mapping[str, str] = {
    Format.PDF: "application/pdf",
    Format.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    Format.PPTX: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    Format.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    Format.ODT: "application/vnd.oasis.opendocument.text",
    Format.ODS: "application/vnd.oasis.opendocument.spreadsheet",
    Format.ODP: "application/vnd.oasis.opendocument.presentation",
    Format.TXT: "text/plain",
    Format.MARKDOWN: "text/markdown",
    Format.CSV: "text/csv",
    Format.PNG: "image/png",
    Format.JPEG: "image/jpeg",
    Format.WEBP: "image/webp",
    Format.BMP: "image/bmp",
    Format.GIF: "image/gif",
    Format.TIFF: "image/tiff",
}
_CONTENT = {"content": {OTHER: {"schema": {"type": "string", "format": "binary"}}}}
_FILE = {200: _CONTENT, 206: {"description": "The requested part.", **_CONTENT}}


@router.operation(
    f"GET {DOCUMENT}/original",
    "get_original",
    READ,
    refusals={416: "The original has none of these bytes."},
    response_class=Response,
    responses=_FILE,
)
async def read_original(
    request: Request, job_id: JobIdDep, document_id: DocumentIdDep, call: CallDep, redacted: Redacted
) -> Response:
    """Return the original file as sent, also of a failed document (write scope). `Range` requests a part of it.

    redacted=true: return a new, verified redacted file of the same kind, or 409. The scope read suffices.
    """
    if redacted:
        where = await locate_scanned(call, job_id, document_id)
        original = await _find_original(call, job_id, document_id)
        tree = await call.running.disk.run(call.running.trees.get, call.store, document_id, where.attempt)
        answer = Response(await redact_file(call, document_id, original, tree), media_type=_media_type(original))
    else:
        call.require_scope(KeyScope.WRITE)
        await call.running.sql.run(_require_document, call, job_id, document_id)
        original = await _find_original(call, job_id, document_id)
        answer = await _answer_stored(call, original, request.headers)
    await call.running.sql.run(note_download, call, document_id, redacted)
    answer.headers.update(_as_attachment(original, document_id, redacted))
    return answer


async def _answer_stored(call: Call, original: Original, headers: Mapping[str, str]) -> Response:
    """Return the requested part of an original. A large one is read while it is sent."""
    part, size, file = await call.running.disk.run(_open, call, original, headers)
    known = {"Accept-Ranges": "bytes", "ETag": f'"{original.sha256}"'}
    status, length = 200, size
    if part is not None:
        status, length = 206, len(part)
        known["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{size}"
    if length > PIECE_BYTES:
        known["Content-Length"] = str(length)
        return StreamingResponse(_read_pieces(call, file, length), status, known, _media_type(original))
    with file:
        return Response(await call.running.disk.run(file.read, length), status, known, _media_type(original))


def _media_type(original: Original) -> str:
    return MEDIA_TYPES.get(original.format or "", OTHER)


def _open(call: Call, original: Original, headers: Mapping[str, str]) -> tuple[range | None, int, BinaryIO]:
    """Return the requested positions (None: all), the size of the original, and the file at the first position."""
    try:
        file = call.store.blobs.open(original.sha256)
    except NotFound:
        raise NoOriginal("the original is no longer stored") from None
    try:
        size = file.seek(0, os.SEEK_END)
        part = find_range(headers, size, f'"{original.sha256}"')
        file.seek(part.start if part is not None else 0)
    except BaseException:
        file.close()
        raise
    return part, size, file


async def _read_pieces(call: Call, file: BinaryIO, length: int) -> AsyncIterator[bytes]:
    with file:
        for start in range(0, length, PIECE_BYTES):
            yield await call.running.streams.run(file.read, min(PIECE_BYTES, length - start))


def _require_document(call: Call, job_id: JobId, document_id: DocumentId) -> None:
    """Check that the document exists in this job.

    Raises:
        NotFound: The document is unknown, foreign, deleted or belongs to another job.
    """
    document = find_document(call.store.db, call.scope, document_id)
    if document.job_id != job_id or document.deleted_at is not None:
        raise NotFound("no such document")


async def _find_original(call: Call, job_id: JobId, document_id: DocumentId) -> Original:
    try:
        return await call.running.sql.run(locate_original, call.store, call.scope, job_id, document_id)
    except NotFound:
        raise NoOriginal("the original is no longer stored") from None


async def redact_file(call: Call, document_id: DocumentId, original: Original, tree: Tree) -> bytes:
    """Return a redacted file of the original.

    Raises:
        PiiIncomplete: The tree has no finished scan.
        FormatNotRedactable: Files of this format cannot be redacted.
        RedactionRefused: The redacted file could not be proven clean.
        NoOriginal: The store does not have the original any longer.
    """
    require_scan(tree)
    if tree.source.format not in REDACTABLE:
        raise FormatNotRedactable("redacted files are not available for this format; use its redacted exports")
    decisions = await call.running.disk.run(read_block_decisions, call.store, document_id, tree)
    port = call.running.resources.ports.redact_original
    if port is None:
        raise PortUnavailable("redact_original", "not part of this deployment")
    try:
        async with call.running.redacting.entered():
            return await port.redact_original(original.sha256, dump_tree(tree), decisions, original.options.password)
    except NotFound:
        raise NoOriginal("the original is no longer stored") from None


def note_download(call: Call, document_id: DocumentId, redacted: bool) -> None:
    """Record the download in the audit trail."""
    with call.store.db.transaction() as conn:
        record(conn, call.scope, call.actor, "original.redacted" if redacted else "original.read", document_id)


def _as_attachment(original: Original, document_id: DocumentId, redacted: bool) -> dict[str, str]:
    """Return download headers. A redacted file gets a neutral name, because its name may contain masked values."""
    ending = f".{original.format}" if original.format else ""
    name = f"{document_id}-redacted{ending}" if redacted else original.source_file or f"{document_id}{ending}"
    return {
        "Content-Disposition": attachment(name),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
