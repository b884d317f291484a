"""Plain frozen values that cross storage's border: what callers hand in and get back. No SQL, no sessions."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NewType

from quire.models.cdom.flags import FlaggedPlace
from quire.models.cdom.original import ReadOptions
from quire.storage.values.states import DocumentStatus, JobStatus, Phase, Priority

JobId = NewType("JobId", str)
DocumentId = NewType("DocumentId", str)
WorkerId = NewType("WorkerId", str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Owner of data, part of every query. A tenant is a key name; an org narrows inside it."""

    tenant: str
    org: str = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """The caller, for audit and metering: key name with its scope suffix, request id, and trace if there is one."""

    key_name: str
    request_id: str | None = None
    traceparent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBlob:
    """An original on disk: `key` finds it, `sha256` (hex) is its content."""

    key: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """One uploaded file about to be queued; `name` is already cleaned (NFC, no controls, ≤ 255 bytes).

    `principals`: callers that may find it; None for all.
    """

    name: str
    blob: StoredBlob
    options: ReadOptions
    principals: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberFile:
    """A file that was inside a document, stored; `path` says where in it."""

    name: str
    path: str
    blob: StoredBlob


@dataclass(frozen=True, slots=True, kw_only=True)
class PageQuota:
    """Pages this deployment may meter in a UTC month; None = unlimited."""

    max_pages_per_month: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """A document as listed: results for finished ones, page progress for the others."""

    id: DocumentId
    job_id: JobId
    source_file: str
    status: DocumentStatus
    error: str | None
    error_detail: str | None
    format: str | None
    pages: int | None
    bytes: int
    sha256: str | None
    attempts: int
    run: int
    started_at: datetime | None
    finished_at: datetime | None
    chunks: int | None
    route_counts: dict[str, int]
    confidence: float | None
    deleted_at: datetime | None
    reader_version: int | None = None
    pages_done: int = 0
    pages_total: int = 0
    phase: str | None = None
    chunks_done: int = 0
    chunks_total: int = 0
    parent_document_id: str | None = None
    path: str | None = None
    principals: list[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """A job with its counters; `documents` is empty in listings."""

    id: JobId
    status: JobStatus
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    counts: dict[str, int]
    metadata: dict[str, Any] | None = None
    documents: tuple[DocumentRow, ...] = ()
    seq: int = 0
    replayed: bool = False
    """True if a repeated submission returned an existing job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A task held under a lease. `attempt` and `worker` together fence every later write about it.

    `exhausted` = this start would be one too many: fail it with `worker-killed` instead of reading.
    `grouped` = claimed together with other tasks: its phase is `claimed` until its reader reports another one.
    `waited_s`: seconds for which it was ready. `traceparent`: trace of the request that submitted it.
    """

    document_id: DocumentId
    job_id: JobId
    scope: Scope
    key_name: str
    run: int
    attempt: int
    worker: WorkerId
    starts: int
    priority: Priority
    blob_sha256: str | None
    options: ReadOptions
    reserved_pages: int
    exhausted: bool = False
    grouped: bool = False
    traceparent: str | None = None
    waited_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """One held task and what its holder is doing with it now."""

    document_id: DocumentId
    attempt: int
    phase: Phase
    pages_done: int = 0
    pages_total: int = 0
    chunks_done: int = 0
    chunks_total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFacts:
    """Results of a reading that a document's row stores, one column each except for `flags`, `metered` and `warnings`.

    `notice` is what people must know about the result, as that the file is damaged (column `error_detail`). `warnings`
    are codes of the tree's warnings; they are counted and not stored.

    `metered`: pages that are charged where they are not `pages`. `reader_version` is null for an ingested tree.
    `manifest` maps artifact name → {"sha256", "bytes"}; `chunker` names the version of the
    chunker (`quire.models.derive.chunks.chunking`).
    """

    format: str | None = None
    pages: int | None = None
    manifest: dict[str, dict[str, Any]] | None = None
    chunks: int | None = None
    chunker: str | None = None
    reader_version: int | None = None
    route_counts: dict[str, int] = field(default_factory=dict)
    confidence: float | None = None
    lowest_confidence: float | None = None
    flags: tuple[FlaggedPlace, ...] = ()
    metered: int | None = None
    notice: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Succeeded(ReadFacts):
    """A read document ready to be published, with the files inside it that become documents of its job."""

    claim: Claim
    manifest: dict[str, dict[str, Any]]
    format: str
    pages: int
    members: tuple[MemberFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A document that ends without a tree. `error` is a stable code, `detail` safe text, `pages` what was counted."""

    claim: Claim
    error: str
    detail: str = ""
    format: str | None = None
    pages: int | None = None


Finished = Succeeded | Failed
