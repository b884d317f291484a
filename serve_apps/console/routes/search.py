"""GET /v1/search: the engine's hits. A file of a batch is named by its alias, so its pair of ids resolves."""

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from quire.serve_apps.api.shapes.rendering import JSON, json_response
from quire.serve_apps.console.callers.callers import CallerDep, ConsoleCaller
from quire.serve_apps.console.sending.paths import is_alias, resolve_job
from quire.serve_apps.console.store.sent import aliases_of

router = APIRouter(tags=["search"])


@router.get("/v1/search")
async def search(request: Request, caller: CallerDep) -> Response:
    """Search the tenant's documents and return passages, best first."""
    running = caller.running
    answer = await running.engine.get(f"/v1/search?{await _query(request, caller)}", caller.org)
    if answer.status_code != 200:
        return Response(answer.content, answer.status_code, media_type=answer.headers.get("content-type", JSON))
    hits: list[dict[str, Any]] = answer.json()
    ids = [hit["document_id"] for hit in hits]
    aliases = await running.sql.run(aliases_of, running.db, caller.tenant.id, ids)
    return json_response([hit | {"job_id": aliases.get(hit["document_id"], hit["job_id"])} for hit in hits])


async def _query(request: Request, caller: ConsoleCaller) -> str:
    """Return the query unchanged, except that a file's alias as job id is replaced by its batch."""
    pairs = request.query_params.multi_items()
    if not any(name == "job_id" and is_alias(value) for name, value in pairs):
        return request.url.query
    return urlencode([(n, await resolve_job(caller, v) if n == "job_id" else v) for n, v in pairs])
