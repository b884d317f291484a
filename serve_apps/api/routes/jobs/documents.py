"""/v1/documents and dead letters: single documents, requeue, failed documents."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Query
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from quire.serve_apps.access.caller import MAX_PRINCIPALS
from quire.serve_apps.access.operations import UNPAID, Operations
from quire.serve_apps.access.scopes import DOCUMENT, READ, WRITE
from quire.serve_apps.api.context.deps import Call, CallDep, DocumentIdDep, JobIdDep, check_job_id
from quire.serve_apps.api.intake.submitting import quota_of
from quire.serve_apps.api.shapes.bodies import (
    DeadLetterBody,
    DocumentAloneBody,
    DocumentCountsBody,
    JobBody,
    ListedDocumentBody,
    RequeueBody,
)
from quire.serve_apps.api.shapes.pages import Cursor, Limit, page_response
from quire.serve_apps.api.shapes.principals import Principal, Principals
from quire.serve_apps.api.shapes.rendering import (
    json_response,
    render_dead_letter,
    render_document_alone,
    render_job,
    render_listed_document,
)
from quire.storage.access.principals import set_principals
from quire.storage.jobs.document_list import DocumentFilter, DocumentOrder, count_all_documents, list_all_documents
from quire.storage.jobs.documents import find_document, list_dead_letters
from quire.storage.jobs.lifecycle import delete_document, requeue_document
from quire.storage.values.states import DocumentStatus

router = Operations("documents")
_NO_NUL = "^[^\x00]*$"  # no text of the database holds one
Name = Annotated[
    str | None,
    Query(min_length=1, max_length=255, pattern=_NO_NUL, description="Part of the file name, case-insensitive."),
]
Type = Annotated[
    str | None,
    Query(min_length=1, max_length=40, pattern=_NO_NUL, description="Detected format: pdf, docx, png …"),
]
Flag = Annotated[
    str | None, Query(pattern="^pii(:[a-z_]+)?$", description="A flag such as pii:email. pii matches any flag.")
]
Since = Annotated[datetime | None, Query(description="Uploaded at this time or later. The default time zone is UTC.")]
ReaderBefore = Annotated[
    int | None, Query(ge=0, description="Only documents whose tree was made by a reader older than this version.")
]
Until = Annotated[datetime | None, Query(description="Uploaded before this time. The default time zone is UTC.")]
Content = Annotated[
    str | None, Query(pattern="^[0-9a-f]{64}$", description="SHA-256 of the file: documents with this content.")
]
Jobs = Annotated[list[str] | None, Query(max_length=100, description="Repeated. Only documents of these jobs.")]
Members = Annotated[bool, Query(description="False leaves out files inside other documents, such as attachments.")]
Sort = Annotated[DocumentOrder, Query(description="A minus sorts from the largest or latest to the smallest.")]
ListedPrincipals = Annotated[
    list[Principal] | None,
    Query(
        max_length=MAX_PRINCIPALS,
        description="Repeated. Only documents that these users and groups may find. The default is all documents.",
    ),
]


class PrincipalsRequest(BaseModel):
    """Users and groups that may find the document; null for all callers."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"principals": ["group:sales"]}]})
    principals: Principals | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingQuery:
    """The query parameters that choose documents of a listing."""

    name: Name = None
    status: DocumentStatus | None = None
    type: Type = None
    flag: Flag = None
    job_id: Jobs = None
    sha256: Content = None
    members: Members = True
    reader_before: ReaderBefore = None
    since: Since = None
    until: Until = None
    principals: ListedPrincipals = None

    def filter(self, call: Call) -> DocumentFilter:
        """Return the filter. Raises NotFound for a malformed id."""
        principals = call.limit_principals(self.principals)
        return DocumentFilter(
            name=self.name,
            status=self.status,
            format=self.type,
            flag=self.flag,
            job_ids=tuple(map(check_job_id, self.job_id)) if self.job_id is not None else None,
            sha256=self.sha256,
            members=None if self.members else False,
            reader_before=self.reader_before,
            since=self.since,
            until=self.until,
            principals=tuple(principals) if principals is not None else None,
        )


ConditionsDep = Annotated[ListingQuery, Depends()]


@router.operation(
    "GET /v1/documents",
    "list_all_documents",
    READ,
    list[ListedDocumentBody],
    refusals={404: "A value is not a job id."},
    principals=True,
)
async def read_all_documents(
    call: CallDep,
    conditions: ConditionsDep,
    sort: Sort = DocumentOrder.NEWEST,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """List documents of all jobs, most recently sent first by default, without deleted ones."""
    page = await call.running.sql.run(
        list_all_documents, call.store, call.scope, conditions.filter(call), order=sort, limit=limit, cursor=cursor
    )
    return page_response(page, render_listed_document)


@router.operation(
    "GET /v1/documents/counts",
    "count_documents",
    READ,
    DocumentCountsBody,
    refusals={404: "A value is not a job id."},
    principals=True,
)
async def read_document_counts(call: CallDep, conditions: ConditionsDep) -> Response:
    """Return how many documents match, with their pages and bytes. Counting stops after 100,000 documents."""
    counts = await call.running.sql.run(count_all_documents, call.store, call.scope, conditions.filter(call))
    return json_response(asdict(counts))


@router.operation("GET /v1/documents/{document_id}", "get_document", READ, DocumentAloneBody)
async def read_document(document_id: DocumentIdDep, call: CallDep) -> Response:
    """Return one document by its id. A deleted document is returned with `deleted_at`."""
    document = await call.running.sql.run(find_document, call.store.db, call.scope, document_id)
    return json_response(render_document_alone(document))


@router.operation(
    "PUT /v1/documents/{document_id}/principals",
    "set_principals",
    WRITE,
    DocumentAloneBody,
    repeatable=True,
    principals=False,
)
async def put_principals(document_id: DocumentIdDep, body: PrincipalsRequest, call: CallDep) -> Response:
    """Set who may find the document and the files inside it. Searches and queries use it at once."""
    await call.running.disk.run(set_principals, call.store.db, call.scope, call.actor, document_id, body.principals)
    return await read_document(document_id, call)


@router.operation(
    "DELETE /v1/documents/{document_id}",
    "delete_document",
    WRITE,
    status=204,
    refusals={409: "The document is not finished."},
)
async def remove_document(document_id: DocumentIdDep, call: CallDep) -> Response:
    """Delete a document with its outputs, its original and its search index entries. 409 while it is unfinished."""
    await call.running.disk.run(delete_document, call.store.db, call.scope, call.actor, document_id)
    return Response(status_code=204)


@router.operation(
    f"POST {DOCUMENT}/requeue",
    "requeue_document",
    WRITE,
    JobBody,
    status=201,
    refusals={402: UNPAID, 409: "The document has not failed, or its original is no longer stored."},
)
async def requeue(
    job_id: JobIdDep, document_id: DocumentIdDep, call: CallDep, body: RequeueBody | None = None
) -> Response:
    """Read a failed document again from its stored original: run n+1 in the same job. 409 for any other."""
    call.running.resources.license.require_intake()
    job = await call.running.disk.run(
        requeue_document,
        call.store,
        call.scope,
        call.actor,
        job_id,
        document_id,
        quota=quota_of(call),
        password=body.password if body is not None else None,
    )
    return json_response(render_job(job), 201, {"Location": f"/v1/jobs/{job.id}"})


@router.operation("GET /v1/dead-letters", "list_dead_letters", READ, list[DeadLetterBody])
async def read_dead_letters(call: CallDep, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """List failed documents, newest failure first."""
    page = await call.running.sql.run(list_dead_letters, call.store, call.scope, limit=limit, cursor=cursor)
    return page_response(page, render_dead_letter)
