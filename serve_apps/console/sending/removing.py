"""Delete a tenant's documents in the engine and here. Pages are counted first, so deleting frees no allowance."""

from quire.serve_apps.console.callers.callers import ConsoleCaller
from quire.serve_apps.console.context.engine_facts import facts_of
from quire.serve_apps.console.sending.paths import job_path
from quire.serve_apps.console.store.sent import has_ended, mark_document_removed, mark_job_removed
from quire.serve_apps.console.store.settlement import settle_job
from quire.storage.values.errors import Conflict, NotFound
from quire.storage.values.ids import is_document_id

_IN_WORK = "the document is still being read; delete it when it has ended"


async def remove_job(caller: ConsoleCaller, job_id: str) -> None:
    """Remove the job, or the whole batch of a file's alias. Raises NotFound, Conflict, EngineFailed."""
    path = await job_path(caller, job_id)
    engine_job_id = await _settle(caller, path)
    await _delete(caller, path)
    await caller.running.disk.run(mark_job_removed, caller.running.db, engine_job_id)


async def remove_document(caller: ConsoleCaller, document_id: str) -> None:
    """Remove one document; its batch keeps the others. Raises NotFound, Conflict, EngineFailed."""
    if not is_document_id(document_id):
        raise NotFound("no such document")
    answer = await caller.running.engine.get(f"/v1/documents/{document_id}", caller.org)
    if answer.status_code != 200:
        raise NotFound("no such document")
    await _settle(caller, f"/v1/jobs/{answer.json()['job_id']}", document_id)
    await _delete(caller, f"/v1/documents/{document_id}")
    await caller.running.disk.run(mark_document_removed, caller.running.db, document_id)


async def _settle(caller: ConsoleCaller, path: str, document_id: str | None = None) -> str:
    """Return the engine's job id after recording the end of the job, or of the one document.

    Raises:
        NotFound: The engine does not have the job.
        Conflict: It has not ended.
    """
    running = caller.running
    answer = await running.engine.get(path, caller.org)
    if answer.status_code != 200:
        raise NotFound("no such job")
    job = answer.json()
    await running.disk.run(settle_job, running.db, job["id"], facts_of(job))
    if not await running.sql.run(has_ended, running.db, caller.tenant.id, job["id"], document_id):
        raise Conflict(_IN_WORK)
    return str(job["id"])


async def _delete(caller: ConsoleCaller, path: str) -> None:
    answer = await caller.running.engine.delete(path, caller.org)
    if answer.status_code == 409:
        raise Conflict(_IN_WORK)
    if answer.status_code not in (204, 404):
        raise NotFound("no such job")
