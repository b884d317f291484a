"""Build the engine's paths from ids that tenants send: check them, and replace a file's alias by its batch."""

import re

from quire.serve_apps.console.callers.callers import ConsoleCaller
from quire.serve_apps.console.store.sent import resolve_alias
from quire.storage.values.errors import NotFound
from quire.storage.values.ids import is_document_id, is_job_id

_ALIAS = re.compile(r"file_[a-z2-7]{26}")


def is_alias(job_id: str) -> bool:
    """Return whether the id has the form of a file's alias."""
    return _ALIAS.fullmatch(job_id) is not None


async def resolve_job(caller: ConsoleCaller, job_id: str) -> str:
    """Return the engine's job id. Raises NotFound for a malformed id or an unknown alias."""
    if is_alias(job_id):
        batch_id = await caller.running.sql.run(resolve_alias, caller.running.db, caller.tenant.id, job_id)
        if batch_id is None:
            raise NotFound("no such job")
        return batch_id
    if not is_job_id(job_id):
        raise NotFound("no such job")
    return job_id


async def job_path(caller: ConsoleCaller, job_id: str) -> str:
    """Return `/v1/jobs/…` of the job or batch. Raises NotFound."""
    return f"/v1/jobs/{await resolve_job(caller, job_id)}"


async def document_path(caller: ConsoleCaller, job_id: str, document_id: str) -> str:
    """Return `/v1/jobs/…/documents/…`. Raises NotFound."""
    if not is_document_id(document_id):
        raise NotFound("no such document")
    return f"{await job_path(caller, job_id)}/documents/{document_id}"
