"""GET …/archive: outputs of a job's documents, or of chosen ones, as one zip, streamed in constant memory."""

import asyncio
import json
from collections.abc import Iterator
from functools import partial
from pathlib import PurePath
from typing import Annotated, Any

from fastapi import Query
from pydantic_core import to_json
from starlette.responses import StreamingResponse

from quire.models.cdom.errors import ExtractError
from quire.models.cdom.ports import PortUnavailable, RedactionRefused
from quire.models.cdom.tree import dump_tree, serve_tree
from quire.models.derive.chunks.chunking import settings_of
from quire.models.export import OUTPUTS
from quire.models.pii.redact import PiiIncomplete, require_scan
from quire.serve_apps.access.operations import OTHERS, Operations
from quire.serve_apps.access.scopes import READ, KeyScope
from quire.serve_apps.api.context.deps import Call, CallDep, JobIdDep, check_document_id
from quire.serve_apps.api.documents.published import Redacted, rendered
from quire.serve_apps.api.documents.redacting import redact_for, scan_chosen
from quire.serve_apps.api.documents.trees import HIDDEN_NAME
from quire.serve_apps.api.documents.zip_stream import EntryNames, ZipStream
from quire.serve_apps.api.http.refusals import InvalidField, NoOriginal, Refusal
from quire.serve_apps.api.lanes.fair_places import Overloaded
from quire.serve_apps.api.routes.results.originals import note_download, redact_file
from quire.storage.jobs.document_list import ChosenDocument, find_chosen
from quire.storage.jobs.documents import PublishedTree, locate_original
from quire.storage.values.errors import NotFound

router = Operations("exports")
MOST_CHOSEN = 200
"""Maximum ids in one address: 200 of 30 characters stay below the 8 KiB limit of proxies."""

ORIGINAL = "original"
PARTS = (*(name for name, output in OUTPUTS.items() if output.path not in ("fields", "semantics")), ORIGINAL)
"""Files that an archive can contain for each document. Fields and entities of an ingest are not made from its tree."""
DEFAULT = ("markdown", "tree", "chunks")
Include = Annotated[str, Query(max_length=100, description=f"Comma-separated: {', '.join(PARTS)}.")]
DocumentIds = Annotated[list[str], Query(min_length=1, max_length=MOST_CHOSEN, description="Repeated.")]
_ANSWER: dict[int | str, dict[str, Any]] = {200: {"content": {"application/zip": {}}}}


@router.operation(
    "GET /v1/jobs/{job_id}/archive", "download_job", READ, response_class=StreamingResponse, responses=_ANSWER
)
async def download_job(
    job_id: JobIdDep, call: CallDep, redacted: Redacted, include: Include = ",".join(DEFAULT)
) -> StreamingResponse:
    """Download a job's documents as a zip file; `original` needs the write scope unless it is redacted.

    `contents.json` names the documents of which no redacted file could be made (`refused`).
    """
    parts = _read_parts(call, include, redacted)
    chosen = await call.running.sql.run(partial(find_chosen, call.store.db, call.scope, job_id=job_id))
    return await _answer(call, chosen, parts, redacted, job_id)


@router.operation(
    "GET /v1/archive",
    "download_documents",
    READ,
    refusals={404: OTHERS},
    response_class=StreamingResponse,
    responses=_ANSWER,
)
async def download_documents(
    document_id: DocumentIds, call: CallDep, redacted: Redacted, include: Include = ",".join(DEFAULT)
) -> StreamingResponse:
    """Download chosen documents of any jobs as a zip file in the form of a job's archive."""
    parts, ids = _read_parts(call, include, redacted), [check_document_id(text) for text in document_id]
    chosen = await call.running.sql.run(partial(find_chosen, call.store.db, call.scope, document_ids=ids))
    return await _answer(call, chosen, parts, redacted, "documents")


def _read_parts(call: Call, include: str, redacted: bool) -> frozenset[str]:
    """Parse and check the requested parts.

    Raises:
        InvalidField: A part is unknown.
        ScopeMissing: Originals as sent need the write scope.
    """
    parts = frozenset(name.strip() for name in include.split(","))
    if not parts <= set(PARTS):
        raise InvalidField("include", f"include is a list of {', '.join(PARTS)}", "query")
    if ORIGINAL in parts and not redacted:
        call.caller.require(KeyScope.WRITE)
    return parts


async def _answer(
    call: Call, chosen: list[ChosenDocument], parts: frozenset[str], redacted: bool, name: str
) -> StreamingResponse:
    if redacted:
        chosen = await scan_chosen(call, chosen)
        if parts != {ORIGINAL}:  # refused originals are listed in the archive
            await call.running.disk.run(_require_scans, call, chosen)
    ending = "-redacted" if redacted else ""
    headers = {"Content-Disposition": f'attachment; filename="{name}{ending}.zip"', "X-Accel-Buffering": "no"}
    pieces = _Archive(call, parts, redacted).pieces(chosen)
    return StreamingResponse(call.running.streams.iterate(pieces), 200, headers, "application/zip")


def _require_scans(call: Call, chosen: list[ChosenDocument]) -> None:
    """Check all scans first, because a stream that has begun cannot answer 409 any more."""
    for item in chosen:
        if item.tree is not None:
            require_scan(call.running.trees.get(call.store, item.document.id, item.tree.attempt))


class _Archive:
    """One archive being written; it holds one document at a time."""

    def __init__(self, call: Call, parts: frozenset[str], redacted: bool) -> None:
        self._call, self._parts, self._redacted = call, parts, redacted
        self._zip, self._names = ZipStream(), EntryNames()
        self._loop = asyncio.get_running_loop()

    def pieces(self, chosen: list[ChosenDocument]) -> Iterator[bytes]:
        """Yield the bytes to send. `contents.json` at the end maps files to documents."""
        listed = []
        for number, item in enumerate(chosen, 1):
            entry = self._describe(item)
            stem = f"document-{number:05}" if self._redacted else PurePath(item.document.source_file).stem
            yield from self._add(item, stem, entry)
            listed.append(entry)
        yield from self._zip.add("contents.json", json.dumps(listed, ensure_ascii=False, indent=1).encode())
        yield from self._zip.end()

    def _describe(self, item: ChosenDocument) -> dict[str, Any]:
        document = item.document
        name = HIDDEN_NAME if self._redacted else document.source_file
        facts = {"document_id": document.id, "job_id": document.job_id, "source_file": name}
        return {**facts, "status": document.status, "error": document.error, "files": []}

    def _add(self, item: ChosenDocument, stem: str, entry: dict[str, Any]) -> Iterator[bytes]:
        """Add one document. A document that is deleted during the download is listed without files."""
        try:
            if item.tree is not None and self._parts != {ORIGINAL}:
                yield from self._add_outputs(item, item.tree, stem, entry)
            if ORIGINAL in self._parts and self._redacted:
                yield from self._add_redacted(item, stem, entry)
            elif ORIGINAL in self._parts and item.document.sha256 is not None:
                suffix = PurePath(item.document.source_file).suffix
                with self._call.store.blobs.open(item.document.sha256) as file:
                    yield from self._zip.copy(self._name(entry, "originals/", stem, suffix), file)
        except NotFound:
            entry["error"] = entry["error"] or "not-found"

    def _add_redacted(self, item: ChosenDocument, stem: str, entry: dict[str, Any]) -> Iterator[bytes]:
        """Add the redacted original, or the reason why there is none."""
        call, document = self._call, item.document
        if item.tree is None:
            return
        try:
            try:
                original = locate_original(call.store, call.scope, document.job_id, document.id)
            except NotFound:
                raise NoOriginal("the original is no longer stored") from None
            tree = call.running.trees.get(call.store, document.id, item.tree.attempt)
            redacting = redact_file(call, document.id, original, tree)
            data = asyncio.run_coroutine_threadsafe(redacting, self._loop).result()
        except (Refusal, Overloaded, PiiIncomplete, RedactionRefused, ExtractError, PortUnavailable) as error:
            entry["refused"] = {"code": str(error.code), "detail": str(error)}
            return
        note_download(call, document.id, True)
        yield from self._zip.add(self._name(entry, "originals/", stem, f".{item.tree.format}"), data)

    def _add_outputs(
        self, item: ChosenDocument, where: PublishedTree, stem: str, entry: dict[str, Any]
    ) -> Iterator[bytes]:
        call, id = self._call, item.document.id
        tree = call.running.trees.get(call.store, id, where.attempt)
        tree = redact_for(call.store, id, tree) if self._redacted else tree
        resources = call.running.resources
        settings = settings_of(where.chunker, resources.chunking)
        values = {"title": entry["source_file"], "tokenizer": resources.tokenizer, "settings": settings}
        for name in (name for name in PARTS if name in self._parts - {ORIGINAL}):
            ending = OUTPUTS[name].ending
            if name == "tree":
                ending, made = "tree.json", serve_tree(dump_tree(tree), document_id=id, name=entry["source_file"])
            elif name == "chunks":
                chunks: Any = call.running.work.run(partial(OUTPUTS[name].make, **values), tree)
                ending, made = "chunks.jsonl", b"".join(to_json(chunk) + b"\n" for chunk in chunks)
            else:
                made = call.running.work.run(partial(rendered, partial(OUTPUTS[name].make, **values)), tree)
            yield from self._zip.add(self._name(entry, "", stem, f".{ending}"), made)

    def _name(self, entry: dict[str, Any], folder: str, stem: str, ending: str) -> str:
        name = self._names.unique(folder, stem, ending)
        entry["files"].append(name)
        return name
