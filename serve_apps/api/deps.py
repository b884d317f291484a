"""What a route asks for by its type: the running app, the caller (judged by the one scope table), checked ids."""

from typing import Annotated

from fastapi import Depends, Path, Request

from serve_apps.access.caller import Caller, identify
from serve_apps.access.scopes import REQUIRED
from serve_apps.api.running import Running
from storage.errors import NotFound
from storage.ids import is_document_id, is_job_id
from storage.rows import DocumentId, JobId


async def running(request: Request) -> Running:
    state: Running = request.app.state.running
    return state


async def caller(request: Request) -> Caller:
    """Who calls, allowed to do this. Raises `Unauthenticated`, `InvalidOrg`, `ScopeMissing`, in this order."""
    scope = request.scope
    found = identify(scope["headers"], request.app.state.running.resources.keys)
    needed = REQUIRED[scope["method"], scope["route"].path]
    if needed is not None:
        found.require(needed)
    scope["caller"] = found
    return found


async def request_id(request: Request) -> str:
    text: str = request.scope.get("request_id", "")
    return text


async def job_id(job_id: Annotated[str, Path(description="Opaque identifier of a job.")]) -> JobId:
    """A malformed id is an unknown one."""
    if not is_job_id(job_id):
        raise NotFound(job_id)
    return JobId(job_id)


async def document_id(document_id: Annotated[str, Path(description="Opaque identifier of a document.")]) -> DocumentId:
    if not is_document_id(document_id):
        raise NotFound(document_id)
    return DocumentId(document_id)


RunningDep = Annotated[Running, Depends(running)]
CallerDep = Annotated[Caller, Depends(caller)]
RequestIdDep = Annotated[str, Depends(request_id)]
JobIdDep = Annotated[JobId, Depends(job_id)]
DocumentIdDep = Annotated[DocumentId, Depends(document_id)]
