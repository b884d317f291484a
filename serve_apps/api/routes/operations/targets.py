"""/v1/targets: places outside that receive the chunks of the organisation's documents, with their lag and refusals."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr
from starlette.responses import Response

from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import ADMIN
from quire.serve_apps.api.context.deps import Call, CallDep
from quire.serve_apps.api.shapes.operator_bodies import CountBody, RefusedDocumentBody, TargetBody
from quire.serve_apps.api.shapes.pages import Cursor, Limit, page_response
from quire.serve_apps.api.shapes.rendering import json_response
from quire.storage.targets.contract import SettingValue, TargetRefused
from quire.storage.targets.registry import (
    TargetChanges,
    backfill_target,
    change_target,
    delete_target,
    get_target,
    list_refused,
    list_targets,
    register_target,
    retry_refused,
    reveal_target,
)
from quire.storage.values.errors import NotFound, StoreUnavailable
from quire.storage.values.ids import is_id

router = Operations("targets")
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]+$")]
SettingName = Annotated[str, Field(max_length=64, pattern=r"^[a-z][a-z0-9_]*$")]
SettingText = Annotated[StrictStr, Field(max_length=4096, pattern=r"^[^\x00-\x1f]*$")]
Settings = Annotated[dict[SettingName, SettingText | StrictInt | StrictBool], Field(max_length=50)]
Secret = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00-\x1f]+$")]


class TargetRequest(BaseModel):
    """A target of one of the installed kinds. The secret is a password or key; no answer contains it."""

    model_config = ConfigDict(extra="forbid")
    name: Name | None = None
    kind: str = Field(min_length=1, max_length=64, description="http, postgres, qdrant, opensearch, kafka, s3 or more.")
    settings: Settings = Field(default={}, description="Settings of the kind, as the guide lists them.")
    secret: Secret | None = None


class TargetChange(BaseModel):
    """Changes of a target. New settings replace all earlier ones."""

    model_config = ConfigDict(extra="forbid")
    name: Name | None = None
    paused: bool | None = None
    settings: Settings | None = None
    secret: Secret | None = None


class RetryRequest(BaseModel):
    """Dead letters to send again; all without a list."""

    model_config = ConfigDict(extra="forbid")
    document_ids: list[Annotated[str, Field(max_length=64)]] | None = Field(None, max_length=1000)


_ALL = RetryRequest()
TargetId = Annotated[str, Path(description="Opaque identifier of a target.")]


@router.operation(
    "POST /v1/targets",
    "create_target",
    ADMIN,
    TargetBody,
    status=201,
    refusals={409: "The organisation has its limit of targets."},
)
async def register(body: TargetRequest, call: CallDep) -> Response:
    """Register a target and check that it answers. It receives documents that finish from now on."""
    await _check(call, body.kind, body.settings, body.secret)
    row = await call.running.disk.run(
        register_target,
        call.store,
        call.scope,
        call.actor,
        name=body.name or body.kind,
        kind=body.kind,
        settings=body.settings,
        secret=body.secret,
    )
    return json_response(asdict(row), 201)


@router.operation(
    "POST /v1/targets/check",
    "check_target",
    ADMIN,
    status=204,
    responses={204: {"description": "The target answers."}},
    repeatable=True,
)
async def check(body: TargetRequest, call: CallDep) -> Response:
    """Check that a target answers with these settings, without registering it. 422 `target-refused` names the fault."""
    await _check(call, body.kind, body.settings, body.secret)
    return Response(status_code=204)


async def _check(call: Call, kind: str, settings: Mapping[str, SettingValue], secret: str | None) -> None:
    """Raise `TargetRefused` unless the target answers in time. A call that hangs keeps the tenant's only thread."""
    try:
        await call.running.checks.run(call.running.resources.targets.check, kind, settings, secret)
    except StoreUnavailable:
        raise TargetRefused("the target does not answer: timeout") from None


@router.operation("GET /v1/targets", "list_targets", ADMIN, list[TargetBody])
async def read_targets(call: CallDep) -> Response:
    """List the organisation's targets with their lag, newest first."""
    rows = await call.running.sql.run(list_targets, call.store.db, call.scope)
    return json_response([asdict(row) for row in rows])


@router.operation("GET /v1/targets/{target_id}", "get_target", ADMIN, TargetBody)
async def read_target(target_id: TargetId, call: CallDep) -> Response:
    """Return a target with its lag, its dead letters and the outage in progress."""
    row = await call.running.sql.run(get_target, call.store.db, call.scope, _known(target_id))
    return json_response(asdict(row))


@router.operation("PATCH /v1/targets/{target_id}", "change_target", ADMIN, TargetBody)
async def change(target_id: TargetId, body: TargetChange, call: CallDep) -> Response:
    """Pause, resume or rename a target, or change its settings or secret, which are then checked."""
    running, known = call.running, _known(target_id)
    if body.settings is not None or body.secret is not None:
        row, secret = await running.disk.run(reveal_target, call.store, call.scope, known)
        await _check(call, row.kind, row.settings if body.settings is None else body.settings, body.secret or secret)
    changed = await running.disk.run(
        change_target,
        call.store,
        call.scope,
        call.actor,
        known,
        TargetChanges(name=body.name, paused=body.paused, settings=body.settings, secret=body.secret),
    )
    return json_response(asdict(changed))


@router.operation("DELETE /v1/targets/{target_id}", "delete_target", ADMIN, status=204)
async def remove(target_id: TargetId, call: CallDep) -> Response:
    """Remove a target. Nothing further is sent to it, and what it has received stays there."""
    await call.running.disk.run(delete_target, call.store.db, call.scope, call.actor, _known(target_id))
    return Response(status_code=204)


@router.operation(
    "POST /v1/targets/{target_id}/backfill", "backfill_target", ADMIN, CountBody, status=202, repeatable=True
)
async def backfill(target_id: TargetId, call: CallDep) -> Response:
    """Send every finished document of the organisation to the target; what it already has is replaced."""
    documents = await call.running.disk.run(backfill_target, call.store.db, call.scope, call.actor, _known(target_id))
    return json_response({"documents": documents}, 202)


@router.operation(
    "GET /v1/targets/{target_id}/dead-letters", "list_target_dead_letters", ADMIN, list[RefusedDocumentBody]
)
async def read_dead_letters(target_id: TargetId, call: CallDep, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """List the documents that the target refused, with the reason."""
    page = await call.running.sql.run(
        list_refused, call.store, call.scope, _known(target_id), limit=limit, cursor=cursor
    )
    return page_response(page, asdict)


@router.operation("POST /v1/targets/{target_id}/retry", "retry_target", ADMIN, CountBody, status=202, repeatable=True)
async def retry(target_id: TargetId, call: CallDep, body: RetryRequest = _ALL) -> Response:
    """Send dead letters again, all or the named documents."""
    documents = await call.running.disk.run(
        retry_refused, call.store.db, call.scope, call.actor, _known(target_id), body.document_ids
    )
    return json_response({"documents": documents}, 202)


def _known(text: str) -> str:
    if not is_id("tgt", text):
        raise NotFound("no such target")
    return text
