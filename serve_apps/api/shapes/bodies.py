"""Response shapes for the OpenAPI document and for tests; `rendering.py` writes them without validation."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from quire.models.cdom.search import SearchMode
from quire.models.derive.schema.answer import ExtractedData
from quire.storage.values.states import DocumentStatus, JobStatus


class Body(BaseModel):
    """A JSON object of this API."""

    model_config = ConfigDict(extra="forbid")


class CountsBody(Body):
    """Number of documents by status."""

    queued: int
    running: int
    succeeded: int
    failed: int
    canceled: int


class DocumentBody(Body):
    """A finished document of a job. `error` is a stable code; `error_detail` never quotes the document."""

    document_id: str
    source_file: str
    status: DocumentStatus
    error: str | None
    error_detail: str | None
    format: str | None
    pages: int | None
    bytes: int
    sha256: str | None
    attempts: int = Field(description="Number of attempts.")
    run: int
    started_at: datetime | None
    finished_at: datetime | None
    chunks: int | None
    route_counts: dict[str, int]
    confidence: float | None
    deleted_at: datetime | None
    reader_version: int | None = Field(
        description="Version of the reader that made the tree; 0 for 0.9.20 and earlier, null for an ingested tree."
    )
    parent_document_id: str | None = Field(description="The document that contains this file.")
    path: str | None = Field(
        description="Place in the parent: `2/report.pdf` in a mail, or the member name in an archive."
    )


class DocumentAloneBody(DocumentBody):
    """A document requested by its id, finished or not."""

    job_id: str
    pages_done: int
    pages_total: int
    principals: list[str] | None = Field(description="Users and groups that may find it; null for all callers.")


class ListedDocumentBody(DocumentAloneBody):
    """A document in a listing of all documents."""

    created_at: datetime = Field(description="Time of the upload.")
    flags: dict[str, int] = Field(description="Number of places of each personal data flag that were not rejected.")


class DocumentCountsBody(Body):
    """Numbers of the documents that match a filter."""

    documents: int
    pages: int = Field(description="Pages of the documents that were read.")
    bytes: int
    complete: bool = Field(description="False if there are more documents than were counted.")


class DeadLetterBody(Body):
    """A failed document."""

    job_id: str
    document_id: str
    source_file: str
    error: str | None
    error_detail: str | None
    attempts: int
    failed_at: datetime | None


class PendingBody(Body):
    """A document that is waiting or being read."""

    document_id: str
    source_file: str
    status: DocumentStatus
    pages_done: int
    pages_total: int
    phase: str | None = Field(
        description="Current step: claimed, reading, recognising, embedding or publishing; null while it waits."
    )
    chunks_done: int = Field(description="Chunks that have a vector, while the document is indexed.")
    chunks_total: int


class JobListItem(Body):
    """A job in a listing: without page detail and without waiting documents."""

    id: str
    status: JobStatus
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    documents: list[DocumentBody] = Field(description="Number of documents that have ended.")
    counts: CountsBody
    metadata: dict[str, Any] | None


class JobBody(JobListItem):
    """One submission. `documents` contains finished ones only, so it is empty right after the submission."""

    pending: list[PendingBody]
    pages_done: int
    pages_total: int


class SearchHitBody(Body):
    """A passage of a published document.

    (job_id, document_id) always resolves. `mode` is the search mode that found it.
    """

    job_id: str
    document_id: str
    chunk_id: str
    score: float = Field(description="cosine (vector), BM25 (fts), sum of reciprocal ranks (hybrid)")
    text: str
    section_path: list[str]
    pages: tuple[int, int]
    block_ids: list[str]
    bboxes: list[dict[str, Any]]
    source_file: str
    mode: SearchMode
    snippet: str
    highlights: list[tuple[int, int]] = Field(description="[start, end) character offsets in the snippet")
    similarity: float | None = Field(description="cosine similarity to the question; null for full-text search")
    has_page_pictures: bool = Field(description="The pages of the document can be requested as pictures.")


class ParsedBody(Body):
    """A finished parse; `tree` is null if the document failed.

    `extracted` is there if the request had `extract_schema`, and null if the document failed.
    """

    job: JobBody
    tree: dict[str, Any] | None
    extracted: ExtractedData | None = None


class AcceptedBody(Body):
    """The job continues after the parse request; poll the job."""

    job_id: str
    status: JobStatus


class CheckBody(Body):
    """Result of one health check."""

    status: Literal["ok", "failed"]
    detail: str


class HealthBody(Body):
    """Health of the service. `checks` and `cluster` are present with deep=true only; `cluster` contains warnings only.

    `components` are versions. `reading_core`: compiled or interpreted, which takes longer.
    """

    status: Literal["ok", "degraded"]
    version: str
    components: dict[str, str]
    reading_core: str | None = None
    checks: dict[str, CheckBody] | None = None
    cluster: dict[str, Any] | None = None
    warnings: list[str] | None = None


class StatsBody(Body):
    """Queue counts: `queue_tasks` of the whole deployment, `my_jobs` of the caller."""

    queue_tasks: int
    my_jobs: dict[JobStatus, int]


class LicenseBody(Body):
    """Licence in force and its use in this month."""

    licensed: bool
    plan: str
    customer: str
    license_id: str
    expires_at: datetime
    days_left: int
    pages_used_this_month: int
    pages_reserved: int
    max_pages_per_month: int
    features: list[str]
    refusal: str | None = Field(
        description="Reason why new documents are not accepted: license-expired or license-clock."
    )
    token_refusal: str | None = Field(
        None, description="Reason why the newest token is not in force, with its code. The earlier licence stays."
    )


class TokenBody(Body):
    """The default token with its name and scopes."""

    name: str
    token: str
    scopes: list[str]


class ProblemBody(Body):
    """Every error except 422."""

    type: str
    title: str
    status: int
    detail: str
    code: str


class RequeueBody(Body):
    """Options that may differ in the new run."""

    password: str | None = Field(None, min_length=1, max_length=1024, pattern="^[^\x00]*$", description="Opens it.")


class IngestBody(BaseModel):
    """A document extracted elsewhere. `tree` needs cdom_version, pages and blocks; see docs/api.md."""

    tree: dict[str, Any]
    semantics: dict[str, Any] | None = None
    assets: dict[str, str] | None = Field(None, description="asset_ref → base64.")
    source_bytes: str | None = Field(None, description="The original, base64.")


class InvalidEntry(Body):
    """One fault of a request; `type` is a stable code."""

    type: str
    loc: list[str | int]
    msg: str


class InvalidBody(Body):
    """Every 422 error."""

    detail: list[InvalidEntry]
