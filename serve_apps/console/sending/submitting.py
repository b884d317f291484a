"""Turn a tenant's upload into a job of the engine: receive, reserve a place, send, record the job.

The upload carries an Idempotency-Key. If the engine refuses or fails, the place is released. The work continues if the
caller goes away.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import httpx
from fastapi import Request

from quire.serve_apps.api.http.multipart import PartRules
from quire.serve_apps.api.http.uploads import StoredFile, Upload, receive_upload
from quire.serve_apps.console.callers.callers import ConsoleCaller
from quire.serve_apps.console.context.console_state import ConsoleState
from quire.serve_apps.console.context.engine_facts import facts_of
from quire.serve_apps.console.context.refusals import EngineFailed
from quire.serve_apps.console.store.admission import release_place, reserve
from quire.serve_apps.console.store.rows import Place
from quire.serve_apps.console.store.settlement import attach, settle

_TAKEN = frozenset({200, 201, 202})
_TRIES = 2  # sends of one upload under one Idempotency-Key


async def receive(request: Request, running: ConsoleState, parts: frozenset[str], max_files: int) -> Upload:
    """Receive the request's files into the spool.

    Raises:
        UploadTooLarge: A file exceeds its limit.
        BatchTooLarge: The upload has too many files.
        InvalidUpload: The body is malformed.
        UploadStalled: The client sends too slowly.
    """
    limits = running.resources.limits
    rules = PartRules(names=parts, max_files=max_files, max_file_bytes=limits.max_file_bytes)
    return await receive_upload(request, rules, running.spool, running.disk, limits.upload_idle_s)


async def send_jobs(caller: ConsoleCaller, upload: Upload, key: str | None) -> httpx.Response:
    """Return the engine's answer to POST /v1/jobs after recording its job."""
    return await _send(caller, upload, "jobs", "files", "/v1/jobs", key)


async def send_parse(caller: ConsoleCaller, upload: Upload, key: str | None) -> httpx.Response:
    """Return the engine's answer to POST /v1/parse without waiting, so the job is recorded before any wait."""
    return await _send(caller, upload, "parse", "file", "/v1/parse?timeout_s=0", key)


async def send_stored(caller: ConsoleCaller, stored: Sequence[StoredFile], fields: Mapping[str, str]) -> httpx.Response:
    """Send files that are in the spool already, as `send_jobs` does, and delete them from it."""
    return await _send_stored(caller, stored, fields, "jobs", "files", "/v1/jobs", None)


async def _send(
    caller: ConsoleCaller, upload: Upload, route: str, part: str, path: str, key: str | None
) -> httpx.Response:
    return await caller.running.finish(_store_and_send(caller, upload, route, part, path, key))


async def _store_and_send(
    caller: ConsoleCaller, upload: Upload, route: str, part: str, path: str, key: str | None
) -> httpx.Response:
    stored = await caller.running.disk.run(upload.store)
    return await _send_stored(caller, stored, upload.fields, route, part, path, key)


async def _send_stored(
    caller: ConsoleCaller,
    stored: Sequence[StoredFile],
    fields: Mapping[str, str],
    route: str,
    part: str,
    path: str,
    key: str | None,
) -> httpx.Response:
    running = caller.running
    try:
        digest = _digest(stored, fields)
        place = await running.disk.run(
            reserve, running.db, caller.tenant, caller.org, route, documents=len(stored), digest=digest, key=key
        )
        try:
            answer = await _call(running, place, part, path, stored, fields)
        except EngineFailed:
            await running.disk.run(release_place, running.db, place)
            raise
        await _take_over(running, place, answer)
        return answer
    finally:
        await running.disk.run(_remove, running, stored)


async def _call(
    running: ConsoleState, place: Place, part: str, path: str, stored: Sequence[StoredFile], fields: Mapping[str, str]
) -> httpx.Response:
    """Send the files, and again if the engine fails: its key makes both sends the same job. Raises EngineFailed."""
    for tries_left in reversed(range(_TRIES)):
        with ExitStack() as opened:
            files = [
                (part, (file.name, opened.enter_context(running.spool.open(file.blob.key)), "application/octet-stream"))
                for file in stored
            ]
            try:
                answer = await running.engine.post_files(path, place.org, place.engine_key, files=files, fields=fields)
            except EngineFailed:
                if not tries_left:
                    raise
            else:
                if answer.status_code == 404:
                    raise EngineFailed("the engine does not offer this")
                return answer
    raise AssertionError("unreachable")


async def _take_over(running: ConsoleState, place: Place, answer: httpx.Response) -> None:
    """Record the job's documents for the tenant, or release the place after a refusal."""
    if answer.status_code not in _TAKEN:
        await running.disk.run(release_place, running.db, place)
        return
    body: dict[str, Any] = answer.json()
    job = body.get("job", body)
    if "documents" in job:
        await running.disk.run(settle, running.db, place.submission_id, job["id"], facts_of(job))
    else:
        await running.disk.run(attach, running.db, place.submission_id, body["job_id"])


def _digest(stored: Sequence[StoredFile], fields: Mapping[str, str]) -> str:
    facts = [[file.name, file.blob.sha256] for file in stored], sorted(fields.items())
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _remove(running: ConsoleState, stored: Sequence[StoredFile]) -> None:
    for file in stored:
        running.spool.delete(file.blob.key)
