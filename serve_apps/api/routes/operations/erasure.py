"""POST /v1/erasure: list or delete everything stored about a person, with a signed report."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import ADMIN
from quire.serve_apps.api.context.deps import CallDep
from quire.serve_apps.api.documents.erasing import ValueTooShort, erase_person
from quire.serve_apps.api.http.refusals import ValueRefused
from quire.serve_apps.api.shapes.bodies import Body
from quire.serve_apps.api.shapes.rendering import json_response

router = Operations("system")


class ErasureRequest(BaseModel):
    """A value to search for, in any spelling. `erase` deletes matching documents; otherwise they are only listed."""

    model_config = ConfigDict(extra="forbid")
    value: str = Field(min_length=1, max_length=500)
    erase: bool = False


class ErasureLine(Body):
    """A document that contains the value. `result`: found, deleted, unfinished or metadata erased."""

    document_id: str
    job_id: str
    places: int
    in_name: bool
    in_metadata: bool
    result: str


class ErasureCopy(Body):
    """A target, webhook or backup that got documents with the value. `id`: of a backup its folder.

    `result`: found, deletion is sent, kept by the receiver, or kept until you delete it.
    """

    kind: str
    id: str
    documents: int
    result: str


class ErasureReport(Body):
    """Signed report of an erasure.

    `value` is a keyed digest and `signature` an HMAC over all other fields. `unread` lists documents that could not be
    searched.
    """

    tenant: str
    org: str
    by: str
    at: str
    value: str
    erased: bool
    searched: int
    found: list[ErasureLine]
    metadata: list[str]
    copies: list[ErasureCopy]
    unread: list[dict[str, Any]]
    signature: str


@router.operation("POST /v1/erasure", "erase_person", ADMIN, ErasureReport)
async def erase_value(body: ErasureRequest, call: CallDep) -> Response:
    """Find a person's value in every document of the organisation and, if asked, delete those documents."""
    try:
        report = await call.running.disk.run(
            erase_person, call.store, call.scope, call.actor, body.value, really=body.erase
        )
    except ValueTooShort as error:
        raise ValueRefused(str(error)) from None
    return json_response(report)
