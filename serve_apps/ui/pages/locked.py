"""Check whether a password opens a file before the file becomes a document."""

from dataclasses import replace

from starlette.responses import JSONResponse, Response

from quire.models.cdom.errors import ErrorCode
from quire.serve_apps.api.context.ephemeral_slots import TIME_LIMIT_S
from quire.serve_apps.api.http.multipart import PartRules, PartsReader
from quire.serve_apps.api.http.uploads import body_chunks
from quire.serve_apps.api.intake.read_fields import read_options
from quire.serve_apps.ui.browser.gateway import ApiRefused
from quire.serve_apps.ui.browser.lookups import app_state_of
from quire.serve_apps.ui.browser.origin import require_same_site, require_token
from quire.serve_apps.ui.browser.visit import Visit


async def check_upload(visit: Visit) -> Response:
    """Return whether a sent file opens with the sent password, or without one. The file is not stored."""
    require_same_site(visit.request.headers)
    require_token(visit.request.headers.get("x-csrf-token"), visit.session.csrf)
    if not visit.may_write:
        raise ApiRefused(403, "scope-missing", "Your key cannot upload. Sign in with a key that has the scope write.")
    limits = visit.resources.limits
    rules = PartRules(names=frozenset({"file"}), max_files=1, max_file_bytes=limits.max_upload_bytes)
    async with app_state_of(visit).ephemeral.enter():
        reader = PartsReader(visit.request.headers.get("content-type", ""), rules)
        async for data in body_chunks(visit.request, limits.upload_idle_s):
            reader.feed(data)
        reader.finish()
        opens = await _opens(visit, b"".join(reader.files[0].pending), reader.fields.get("password", ""))
    return JSONResponse({"opens": opens}, headers={"Cache-Control": "no-store"})


async def opens_original(visit: Visit, path: str, password: str) -> bool:
    """Return whether the password opens the stored original of the document at an API path."""
    async with app_state_of(visit).ephemeral.enter():
        return await _opens(visit, await visit.api.content(f"{path}/original"), password)


async def _opens(visit: Visit, data: bytes, password: str) -> bool:
    """Read the first page only. A deployment that cannot read here leaves the answer to the job."""
    port = visit.resources.ports.read_once
    if port is None:
        return True
    options = replace(read_options({"password": password}, visit.resources.options), pages=((1, 1),))
    outcome = await port.read_once(data, options, TIME_LIMIT_S)
    return outcome.error is not ErrorCode.ENCRYPTED
