"""The hosted /v1 for documents and jobs: parse, batch submit, job status."""

from typing import Annotated, Any

import httpx
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from quire.serve_apps.api.intake.idempotency import REPLAYED, IdempotencyKeyHeader
from quire.serve_apps.api.shapes.rendering import JSON, json_response
from quire.serve_apps.console.callers.callers import CallerDep, ConsoleCaller
from quire.serve_apps.console.context.engine_facts import facts_of
from quire.serve_apps.console.context.refusals import EngineFailed
from quire.serve_apps.console.sending.paths import job_path
from quire.serve_apps.console.sending.relaying import relay
from quire.serve_apps.console.sending.removing import remove_document, remove_job
from quire.serve_apps.console.sending.submitting import receive, send_jobs, send_parse
from quire.serve_apps.console.store.settlement import settle_job

router = APIRouter(tags=["jobs"])
JOBS_PARTS, PARSE_PARTS = frozenset({"files", "file"}), frozenset({"file"})
Wait = Annotated[float, Query(ge=0, le=600, allow_inf_nan=False)]


@router.post("/v1/jobs", status_code=201)
async def create_job(request: Request, caller: CallerDep, idempotency_key: IdempotencyKeyHeader = None) -> Response:
    """Submit up to ten files of 20 MB as one batch. Each counts towards the concurrent documents of the plan."""
    upload = await receive(request, caller.running, JOBS_PARTS, caller.running.resources.limits.max_batch_files)
    answer = await send_jobs(caller, upload, idempotency_key)
    headers = _location(request, answer.json()["id"]) if answer.status_code == 201 else {}
    headers |= _replayed(answer, idempotency_key)
    return Response(answer.content, answer.status_code, headers, answer.headers.get("content-type", JSON))


@router.get("/v1/jobs")
async def list_jobs(request: Request, caller: CallerDep) -> Response:
    """List the tenant's jobs, most recent first; `status`, `limit` and `cursor` as in the engine."""
    return await relay(request, caller, "/v1/jobs")


@router.delete("/v1/jobs/{job_id}", status_code=204)
async def delete_job(job_id: str, caller: CallerDep) -> Response:
    """Delete the job, or the batch of a file's alias, with everything made from it. 409 while it is being read."""
    await caller.running.finish(remove_job(caller, job_id))
    return Response(status_code=204)


@router.delete("/v1/documents/{document_id}", status_code=204)
async def delete_document(document_id: str, caller: CallerDep) -> Response:
    """Delete a document, its original and its search index entries. 409 while it is being read."""
    await caller.running.finish(remove_document(caller, document_id))
    return Response(status_code=204)


@router.get("/v1/jobs/{job_id}")
async def read_job(request: Request, job_id: str, caller: CallerDep, wait: Wait = 0.0) -> Response:
    """Return the job or, for a file's alias, its batch; `wait` as in the engine."""
    return await relay(request, caller, await job_path(caller, job_id), wait_s=wait)


@router.post("/v1/parse")
async def parse(
    request: Request,
    caller: CallerDep,
    timeout_s: Annotated[float, Query(ge=0, le=600, allow_inf_nan=False)] = 55.0,
    idempotency_key: IdempotencyKeyHeader = None,
) -> Response:
    """Read one file and return its tree in the same answer, or 202 and a job to poll."""
    upload = await receive(request, caller.running, PARSE_PARTS, 1)
    answer = await send_parse(caller, upload, idempotency_key)
    if answer.status_code not in (200, 202):
        return Response(answer.content, answer.status_code, media_type=answer.headers.get("content-type", JSON))
    if answer.status_code == 200:
        return Response(answer.content, 200, media_type=JSON)
    response = await _wait(request, caller, answer.json()["job_id"], timeout_s)
    response.headers.update(_replayed(answer, idempotency_key))
    return response


async def _wait(request: Request, caller: ConsoleCaller, job_id: str, timeout_s: float) -> Response:
    """Wait for the job and return it with its tree, or 202.

    The job was accepted, so a later failure must not look like a refusal: the caller polls.
    """
    running, status = caller.running, "queued"
    try:
        answer = await running.engine.get(f"/v1/jobs/{job_id}?wait={timeout_s}", caller.org, wait_s=timeout_s)
        job: dict[str, Any] = answer.json()
        status = job["status"]
        await running.disk.run(settle_job, running.db, job_id, facts_of(job))
        if not job["pending"]:
            tree = await _tree(caller, job)
            return Response(b'{"job":' + answer.content + b',"tree":' + tree + b"}", media_type=JSON)
    except (EngineFailed, KeyError):
        pass
    return json_response({"job_id": job_id, "status": status}, 202, _location(request, job_id))


def _location(request: Request, job_id: str) -> dict[str, str]:
    """Return the job's address in the console, because the engine's address would refuse the console's token."""
    return {"Location": f"{request.scope.get('root_path', '')}/v1/jobs/{job_id}"}


def _replayed(answer: httpx.Response, key: str | None) -> dict[str, str]:
    """Return the engine's replay header, but only if the caller sent a key. Otherwise it marks the console's retry."""
    marked = key is not None and REPLAYED in answer.headers
    return {REPLAYED: answer.headers[REPLAYED]} if marked else {}


async def _tree(caller: ConsoleCaller, job: dict[str, Any]) -> bytes:
    document = job["documents"][0]
    if document["status"] != "succeeded":
        return b"null"
    path = f"/v1/jobs/{job['id']}/documents/{document['document_id']}/tree"
    answer = await caller.running.engine.get(path, caller.org)
    return answer.content if answer.status_code == 200 else b"null"
