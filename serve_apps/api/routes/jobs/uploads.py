"""POST /v1/uploads: a URL at which a client puts one file directly into the bucket."""

from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from quire.serve_apps.access.operations import UNPAID, Operations
from quire.serve_apps.access.scopes import WRITE
from quire.serve_apps.api.context.deps import CallDep
from quire.serve_apps.api.http.refusals import UploadsNotConfigured, UploadTooLarge
from quire.serve_apps.api.intake.direct import declare_file, make_upload_id
from quire.serve_apps.api.shapes.rendering import json_response

router = Operations("jobs")


class UploadRequest(BaseModel):
    """A file that the client will send. Its size and hash are checked when a job takes it."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"name": "report.pdf", "bytes": 48_213_991}]}
    )
    name: str = Field(min_length=1, max_length=1024, pattern="^[^\x00]*$", description="File name.")
    bytes: int = Field(ge=1, description="Exact size of the file.")
    sha256: str | None = Field(None, pattern="^[0-9a-f]{64}$", description="SHA-256 of the file in hex.")


class UploadBody(BaseModel):
    """Address for the file. The id is valid until `expires_at`, for POST /v1/jobs and POST /v1/parse."""

    upload_id: str
    method: Literal["PUT"]
    url: str
    expires_at: datetime


@router.operation(
    "POST /v1/uploads",
    "create_upload",
    WRITE,
    UploadBody,
    status=201,
    refusals={402: UNPAID, 409: "Originals are on a local disk (SVC_BLOBS is unset)."},
    principals=True,
)
async def create_upload(wanted: UploadRequest, call: CallDep) -> Response:
    """Return a URL to which one file can be PUT without passing through the API. Needs SVC_BLOBS.

    Then send its `upload_id` in `upload_ids` to POST /v1/jobs.
    """
    resources = call.running.resources
    resources.license.require_intake()
    limits, uploads = resources.limits, call.store.uploads
    if uploads is None:
        raise UploadsNotConfigured("originals are on a local disk here; send the file itself to POST /v1/jobs")
    if wanted.bytes > limits.max_upload_bytes:
        raise UploadTooLarge(f"a file may have {limits.max_upload_bytes} bytes")
    declared = declare_file(wanted.name, wanted.bytes, wanted.sha256, limits.upload_url_s)
    url = await call.running.disk.run(uploads.sign, declared.object_name, limits.upload_url_s)
    body = {
        "upload_id": make_upload_id(call.store, call.scope, declared),
        "method": "PUT",
        "url": url,
        "expires_at": datetime.fromtimestamp(declared.expires_at, UTC),
    }
    return json_response(body, 201)
