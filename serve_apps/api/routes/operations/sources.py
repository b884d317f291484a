"""/v1/sources: places from which documents are pulled, and their delta sync."""

import asyncio
import re
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from quire.serve_apps.access.operations import UNPAID, Operations
from quire.serve_apps.access.scopes import ADMIN
from quire.serve_apps.api.context.deps import Call, CallDep
from quire.serve_apps.api.intake.submitting import quota_of
from quire.serve_apps.api.lanes.fair_places import Overloaded
from quire.serve_apps.api.shapes.operator_bodies import SourceBody, SyncReportBody
from quire.serve_apps.api.shapes.principals import Principals
from quire.serve_apps.api.shapes.rendering import json_response
from quire.storage.sources.connectors.contract import SourceRefused
from quire.storage.sources.gate import SourceKind
from quire.storage.sources.sources import (
    AccessRule,
    NewSource,
    RegisteredSource,
    check_place,
    delete_source,
    get_source,
    list_sources,
    register_source,
    request_sync,
)
from quire.storage.sources.sync import Reading, SyncReport, SyncStopped, sync_source
from quire.storage.values.errors import Conflict, NotFound
from quire.storage.values.ids import is_id

router = Operations("sources")
_GOES_ON: dict[str, Any] = {"description": "The sync continues."}
_DELETED: dict[int | str, Any] = {
    202: {"description": "The source is gone; its documents are being deleted.", "content": {}},
    204: {"description": "Gone."},
}
_SCHEME = re.compile(r"[a-z0-9+.-]+://")
Glob = Annotated[str, Field(min_length=1, max_length=1000, pattern=r"^[^\x00]+$")]


class AccessRequest(BaseModel):
    """Principals of the documents of files whose path matches; the first matching rule decides."""

    match: Glob
    principals: Principals


class SourceRequest(BaseModel):
    """A place to sync: `path` (a directory of the server) or `uri` (s3://bucket/prefix).

    In globs `*` also matches `/`. Unknown members of the body are ignored.
    """

    model_config = ConfigDict(extra="ignore")
    name: str | None = Field(None, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]+$")
    path: str | None = Field(None, min_length=1, max_length=4096, pattern=r"^[^\x00]+$")
    uri: str | None = Field(None, min_length=1, max_length=2048, pattern=r"^[^\x00]+$")
    include: list[Glob] = Field(default=[], max_length=100)
    exclude: list[Glob] = Field(default=[], max_length=100)
    every_minutes: int | None = Field(None, ge=1, le=525_600)
    access: list[AccessRequest] = Field(
        default=[], max_length=100, description="Rules that set who may find a document. The first match decides."
    )

    def place(self) -> tuple[SourceKind, str]:
        """Return the kind and the address of the source.

        Raises:
            SourceRefused: The request does not name exactly one place.
        """
        if self.path is not None and self.uri is None and not _SCHEME.match(self.path):
            return SourceKind.DIRECTORY, self.path
        if self.uri is not None and self.path is None:
            return SourceKind.S3, self.uri
        raise SourceRefused("name one place: path (a directory) or uri (s3://bucket/prefix)")


SourceId = Annotated[str, Path(description="Opaque identifier of a source.")]


@router.operation(
    "POST /v1/sources",
    "create_source",
    ADMIN,
    SourceBody,
    status=201,
    refusals={409: "The source exists, or the organisation has its limit of sources."},
)
async def register(body: SourceRequest, call: CallDep) -> Response:
    """Register a source. 422 `source-refused` if the place is outside the allowed directories or cannot be read."""
    source = await call.running.disk.run(_register, call, body)
    return json_response(_render(source), 201)


@router.operation(
    "POST /v1/sources/check",
    "check_source",
    ADMIN,
    status=204,
    responses={204: {"description": "The place can be read."}},
    repeatable=True,
)
async def check(body: SourceRequest, call: CallDep) -> Response:
    """Check that a place may be a source and can be read, without registering it. 422 `source-refused` says why not."""
    kind, location = body.place()
    running = call.running
    await running.disk.run(check_place, call.store.db, running.source_gate, call.scope, kind, location)
    return Response(status_code=204)


def _register(call: Call, body: SourceRequest) -> RegisteredSource:
    kind, location = body.place()
    source = NewSource(
        name=body.name or location,
        kind=kind,
        location=location,
        include=body.include,
        exclude=body.exclude,
        every_minutes=body.every_minutes,
        access=[AccessRule(rule.match, tuple(rule.principals)) for rule in body.access],
    )
    return register_source(call.store.db, call.running.source_gate, call.scope, call.actor, source)


@router.operation("GET /v1/sources", "list_sources", ADMIN, list[SourceBody])
async def read_sources(call: CallDep) -> Response:
    """List the organisation's sources, newest first."""
    rows = await call.running.sql.run(list_sources, call.store.db, call.scope)
    return json_response([_render(row) for row in rows])


@router.operation("GET /v1/sources/{source_id}", "get_source", ADMIN, SourceBody)
async def read_source(source_id: SourceId, call: CallDep) -> Response:
    """Return a source with the state of its sync."""
    row = await call.running.sql.run(get_source, call.store.db, call.scope, _known(source_id))
    return json_response(_render(row))


@router.operation("DELETE /v1/sources/{source_id}", "delete_source", ADMIN, status=204, responses=_DELETED)
async def remove(
    source_id: SourceId,
    call: CallDep,
    documents: Annotated[bool, Query(description="Also delete all documents of the source.")] = False,
) -> Response:
    """Remove the source. Its documents stay unless `documents` is true.

    202 if some of its documents are still found: they are deleted in the background, unfinished ones when they finish.
    """
    is_done = await call.running.disk.run(
        delete_source, call.store.db, call.scope, call.actor, _known(source_id), documents=documents
    )
    return Response(status_code=204 if is_done else 202)


@router.operation(
    "POST /v1/sources/{source_id}/sync",
    "sync_source",
    ADMIN,
    refusals={402: UNPAID, 409: "The source is being synced."},
    repeatable=True,
    responses={200: {"model": SyncReportBody}, 202: {"model": SourceBody, **_GOES_ON}},
)
async def sync(
    source_id: SourceId,
    call: CallDep,
    wait: Annotated[int | None, Query(ge=0, le=600, description="Seconds to wait for the report.")] = None,
) -> Response:
    """Sync the source: process new and changed files, delete removed ones. 409 while another sync of it runs.

    202 if the sync takes longer than `wait`: it continues, and the source shows its state and its report.
    """
    resources = call.running.resources
    resources.license.require_intake()
    await call.running.disk.run(request_sync, call.store.db, call.scope, _known(source_id))
    wait_s = resources.limits.sync_wait_s if wait is None else wait
    with call.running.waiters.watching(source_id):
        task = call.running.syncs.begin(partial(_sync, call, source_id))
        done, _ = await asyncio.wait({task}, timeout=wait_s)
    with suppress(Conflict, Overloaded, SyncStopped):  # another process runs the sync, or will run it
        if done:
            return json_response(_render_report(await task))
    source = await call.running.sql.run(get_source, call.store.db, call.scope, source_id)
    return json_response(_render(source), 202, headers={"Location": f"/v1/sources/{source_id}"})


def _sync(call: Call, source_id: str) -> SyncReport:
    reading = Reading(
        options=call.running.resources.options,
        quota=quota_of(call),
        cap_bytes=call.running.resources.limits.org_disk_bytes,
        stopped=call.running.syncs.stopped,
    )
    return sync_source(call.store, call.running.source_gate, call.scope, call.actor, source_id, reading)


def _known(text: str) -> str:
    if not is_id("src", text):
        raise NotFound("no such source")
    return text


def _render(source: RegisteredSource) -> dict[str, Any]:
    names = (
        "id",
        "name",
        "kind",
        "include",
        "exclude",
        "every_minutes",
        "created_at",
        "last_sync",
        "state",
        "sync_error",
    )
    return {name: getattr(source, name) for name in names} | {
        "path": source.location if source.kind is SourceKind.DIRECTORY else None,
        "uri": source.location if source.kind is SourceKind.S3 else None,
        "access": [asdict(rule) for rule in source.access],
    }


def _render_report(report: SyncReport) -> dict[str, Any]:
    return asdict(report)
