"""The SQL schema as SQLModel tables, from which a database is made. Queries live in the modules of their subject.

`jobs.status` is generated from counters that change in the document's own transaction; `tasks` is the queue and stays
small (a finished document has no task); `events`, `meter`, `audit` rows are written in the act's own transaction.
"""

from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Column,
    Computed,
    DateTime,
    Float,
    Identity,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel


def _time(*, nullable: bool = True, now: bool = False) -> Any:
    default = text("clock_timestamp()") if now else None
    return Column(DateTime(timezone=True), nullable=nullable, server_default=default)


def _text(*, nullable: bool = False, default: str | None = None) -> Any:
    return Column(Text, nullable=nullable, server_default=default)


def _count(default: int = 0) -> Any:
    return Column(BigInteger, nullable=False, server_default=text(str(default)))


def _json(default: str = "{}") -> Any:
    return Column(JSONB, nullable=False, server_default=text(f"'{default}'::jsonb"))


JOB_STATUS = """
case when n_queued = n_total and n_total > 0 then 'queued'
     when n_queued + n_running > 0 then 'running'
     when n_succeeded = n_total then 'succeeded'
     when n_failed = n_total then 'failed'
     when n_canceled = n_total then 'canceled'
     else 'partial' end
"""


class JobTable(SQLModel, table=True):
    """One submission. `epoch` counts its endings; a requeue adds another.

    `extract_schema` is text, because JSONB would lose the order of the properties.
    """

    __tablename__ = "jobs"
    __table_args__ = (
        Index("jobs_by_tenant", "tenant", "org", "seq"),
        Index("jobs_by_status", "tenant", "org", "status", "seq"),
    )
    id: str = Field(sa_column=Column(Text, primary_key=True))
    seq: int = Field(sa_column=Column(BigInteger, Identity(always=True), nullable=False, unique=True))
    tenant: str = Field(sa_column=_text())
    org: str = Field(sa_column=_text())
    key_name: str = Field(sa_column=_text())
    kind: str = Field(sa_column=_text(default="jobs"))
    n_total: int = Field(sa_column=_count())
    n_queued: int = Field(sa_column=_count())
    n_running: int = Field(sa_column=_count())
    n_succeeded: int = Field(sa_column=_count())
    n_failed: int = Field(sa_column=_count())
    n_canceled: int = Field(sa_column=_count())
    status: str = Field(sa_column=Column(Text, Computed(JOB_STATUS, persisted=True), nullable=False))
    epoch: int = Field(sa_column=_count(1))
    meta: dict[str, Any] = Field(sa_column=Column("metadata", JSONB, nullable=True))
    extract_schema: str | None = Field(sa_column=Column(Text, nullable=True))
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    started_at: datetime | None = Field(sa_column=_time())
    finished_at: datetime | None = Field(sa_column=_time())
    deleted_at: datetime | None = Field(sa_column=_time())


KEEP_FROM = 20
"""Pages of the shortest document of which the pages are kept for the next file of the name."""
LONG = f"pages >= {KEEP_FROM} and status = 'succeeded' and deleted_at is null"


class DocumentTable(SQLModel, table=True):
    """One original in one job. `published_attempt` names the artifacts that may be seen; `attempt` is never reused.

    A file that was inside another document names it, and where in it; `depth` counts how many lie around it.
    `reader_version` is that of the published tree, null for trees that Quire did not read.
    `lowest_confidence`: of its blocks, 0 where text was lost; `reading_state` null: not reviewed.
    `principals`: callers that may find it in searches; null for all.
    `searched_attempt`: whose chunks searches show while those of a republished tree are not indexed; null: published.
    """

    __tablename__ = "documents"
    __table_args__ = (
        Index("documents_by_job", "job_id", "position"),
        Index("documents_by_blob", "sha256"),
        Index("documents_by_time", "tenant", "org", "created_at", "id", postgresql_where=text("deleted_at is null")),
        Index("documents_inside", "parent_document_id", postgresql_where=text("parent_document_id is not null")),
        Index(
            "documents_by_doubt",
            "tenant",
            "org",
            "lowest_confidence",
            "id",
            postgresql_where=text("deleted_at is null and lowest_confidence < 1"),
        ),
        Index(
            "documents_by_reader",
            "reader_version",
            "id",
            postgresql_where=text("deleted_at is null and reader_version is not null"),
        ),
        Index(
            "documents_restricted",
            "tenant",
            "org",
            postgresql_where=text("deleted_at is null and principals is not null"),
        ),
        Index("documents_long", "tenant", "org", "source_file", "id", postgresql_where=text(LONG)),
        Index("documents_dead", "tenant", "org", "finished_at", "id", postgresql_where=text("status = 'failed'")),
    )
    id: str = Field(sa_column=Column(Text, primary_key=True))
    job_id: str = Field(sa_column=_text())
    tenant: str = Field(sa_column=_text())
    org: str = Field(sa_column=_text())
    key_name: str = Field(sa_column=_text())
    position: int = Field(sa_column=_count())
    source_file: str = Field(sa_column=_text())
    sha256: str | None = Field(sa_column=_text(nullable=True))
    bytes: int = Field(sa_column=_count())
    format: str | None = Field(sa_column=_text(nullable=True))
    options: dict[str, Any] = Field(sa_column=_json())
    status: str = Field(sa_column=_text(default="queued"))
    run: int = Field(sa_column=_count(1))
    attempt: int = Field(sa_column=_count())
    attempts: int = Field(sa_column=_count())
    published_attempt: int | None = Field(sa_column=Column(BigInteger, nullable=True))
    manifest: dict[str, Any] | None = Field(sa_column=Column(JSONB, nullable=True))
    error: str | None = Field(sa_column=_text(nullable=True))
    error_detail: str | None = Field(sa_column=_text(nullable=True))
    pages: int | None = Field(sa_column=Column(BigInteger, nullable=True))
    chunks: int | None = Field(sa_column=Column(BigInteger, nullable=True))
    chunker: str | None = Field(sa_column=_text(nullable=True))
    reader_version: int | None = Field(sa_column=Column(BigInteger, nullable=True))
    route_counts: dict[str, Any] = Field(sa_column=_json())
    confidence: float | None = None
    lowest_confidence: float | None = None
    reading_state: str | None = Field(sa_column=_text(nullable=True))
    reading_decided_by: str | None = Field(sa_column=_text(nullable=True))
    reading_decided_at: datetime | None = Field(sa_column=_time())
    reserved_pages: int = Field(sa_column=_count())
    reserved_month: date | None = None
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    started_at: datetime | None = Field(sa_column=_time())
    finished_at: datetime | None = Field(sa_column=_time())
    deleted_at: datetime | None = Field(sa_column=_time())
    parent_document_id: str | None = Field(sa_column=_text(nullable=True))
    path: str | None = Field(sa_column=_text(nullable=True))
    depth: int = Field(sa_column=_count())
    principals: list[str] | None = Field(sa_column=Column(ARRAY(Text), nullable=True))
    searched_attempt: int | None = Field(sa_column=Column(BigInteger, nullable=True))


class TaskTable(SQLModel, table=True):
    """The queue. `vtime` is a start-time-fair virtual time per tenant; `attempt` + `worker` fence every write.

    `traceparent` (W3C) is the request that asked for it, where traces are on.
    """

    __tablename__ = "tasks"
    __table_args__ = (
        Index("tasks_ready", "priority", "vtime", postgresql_where=text("state = 'queued'")),
        Index("tasks_leased", "lease_until", postgresql_where=text("state = 'running'")),
        Index("tasks_running", "tenant", postgresql_where=text("state = 'running'")),
        Index("tasks_by_tenant", "tenant", "priority", "vtime"),
        {"postgresql_with": {"fillfactor": 70, "autovacuum_vacuum_scale_factor": 0.01}},
    )
    document_id: str = Field(sa_column=Column(Text, primary_key=True))
    job_id: str = Field(sa_column=_text())
    tenant: str = Field(sa_column=_text())
    priority: int = Field(sa_column=_count())
    vtime: float = 0.0
    state: str = Field(sa_column=_text(default="queued"))
    phase: str | None = Field(sa_column=_text(nullable=True))
    attempt: int = Field(sa_column=_count())
    starts: int = Field(sa_column=_count())
    lapses: int = Field(sa_column=_count())
    worker: str | None = Field(sa_column=_text(nullable=True))
    lease_until: datetime | None = Field(sa_column=_time())
    available_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    enqueued_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    traceparent: str | None = Field(sa_column=_text(nullable=True))


class PageProgressTable(SQLModel, table=True):
    """Pages read, chunks embedded and phase of a running document. UNLOGGED: lost in a crash, harmless."""

    __tablename__ = "page_progress"
    __table_args__ = ({"prefixes": ["UNLOGGED"]},)
    document_id: str = Field(sa_column=Column(Text, primary_key=True))
    pages_done: int = Field(sa_column=_count())
    pages_total: int = Field(sa_column=_count())
    phase: str | None = Field(sa_column=_text(nullable=True))
    chunks_done: int = Field(sa_column=_count())
    chunks_total: int = Field(sa_column=_count())


class FlagTable(SQLModel, table=True):
    """A flagged value of a published tree, so that pending reviews are listed without opening trees.

    `place` (hash) names the same value in the same place in any attempt, `value` (hash) the same value anywhere; empty
    in rows written before each value had its place. `block_order` and `number` are the reading order.
    """

    __tablename__ = "flags"
    document_id: str = Field(sa_column=Column(Text, primary_key=True))
    attempt: int = Field(sa_column=Column(BigInteger, primary_key=True))
    block_id: str = Field(sa_column=Column(Text, primary_key=True))
    flag: str = Field(sa_column=Column(Text, primary_key=True))
    place: str = Field(sa_column=Column(Text, primary_key=True))
    page: int = Field(sa_column=_count())
    block_order: int = Field(sa_column=_count())
    value: str = Field(sa_column=_text(default=""))
    confidence: float = Field(sa_column=Column(Float, nullable=False, server_default=text("1")))
    number: int = Field(sa_column=_count())


class DecisionTable(SQLModel, table=True):
    """The decision about a flag in a place: approved (mask) or rejected (a false positive, keep)."""

    __tablename__ = "decisions"
    document_id: str = Field(sa_column=Column(Text, primary_key=True))
    place: str = Field(sa_column=Column(Text, primary_key=True))
    flag: str = Field(sa_column=Column(Text, primary_key=True))
    decision: str = Field(sa_column=_text())
    decided_by: str = Field(sa_column=_text())
    decided_at: datetime = Field(sa_column=_time(nullable=False, now=True))


class DecisionLogTable(SQLModel, table=True):
    """Every decision of every reviewer in order; `act` is the call that made it."""

    __tablename__ = "decision_log"
    __table_args__ = (
        Index("decision_log_by_place", "document_id", "place", "flag"),
        Index("decision_log_by_act", "act", postgresql_where=text("act <> ''")),
    )
    seq: int = Field(sa_column=Column(BigInteger, Identity(always=True), primary_key=True))
    act: str = Field(sa_column=_text())
    document_id: str = Field(sa_column=_text())
    place: str = Field(sa_column=_text())
    flag: str = Field(sa_column=_text())
    decision: str = Field(sa_column=_text())
    decided_by: str = Field(sa_column=_text())
    decided_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    undone: bool = Field(sa_column=Column(Boolean, nullable=False, server_default=text("false")))


class EventTable(SQLModel, table=True):
    """The outbox: one row per document end and run, one per job end and epoch; `body` is frozen bytes."""

    __tablename__ = "events"
    __table_args__ = (
        Index("events_by_job", "job_id"),
        Index(
            "events_once_document", "document_id", "run", unique=True, postgresql_where=text("document_id is not null")
        ),
        Index("events_once_job", "job_id", "run", unique=True, postgresql_where=text("document_id is null")),
        Index("events_to_fan_out", "seq", postgresql_where=text("not fanned_out")),
    )
    seq: int = Field(sa_column=Column(BigInteger, Identity(always=True), primary_key=True))
    id: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    kind: str = Field(sa_column=_text())
    tenant: str = Field(sa_column=_text())
    org: str = Field(sa_column=_text())
    job_id: str = Field(sa_column=_text())
    document_id: str | None = Field(sa_column=_text(nullable=True))
    run: int = Field(sa_column=_count(1))
    body: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    fanned_out: bool = Field(sa_column=Column(Boolean, nullable=False, server_default=text("false")))


class MeterTable(SQLModel, table=True):
    """Pages charged, once per document and run, on success; names the key."""

    __tablename__ = "meter"
    __table_args__ = (Index("meter_by_month", "month", "tenant"),)
    document_id: str = Field(sa_column=Column(Text, primary_key=True))
    run: int = Field(sa_column=Column(BigInteger, primary_key=True))
    tenant: str = Field(sa_column=_text())
    org: str = Field(sa_column=_text())
    key_name: str = Field(sa_column=_text())
    month: date
    pages: int = Field(sa_column=_count())
    bytes: int = Field(sa_column=_count())
    at: datetime = Field(sa_column=_time(nullable=False, now=True))


class QuotaTable(SQLModel, table=True):
    """Deployment-wide page quota of one UTC month (database clock); folded from `quota_deltas` under its row lock."""

    __tablename__ = "quota"
    month: date = Field(primary_key=True)
    used: int = Field(sa_column=_count())
    reserved: int = Field(sa_column=_count())


class QuotaDeltaTable(SQLModel, table=True):
    """Quota changes by finished documents; insert-only, so that finishing never waits for another document."""

    __tablename__ = "quota_deltas"
    seq: int = Field(sa_column=Column(BigInteger, Identity(always=True), primary_key=True))
    month: date
    used: int = Field(sa_column=_count())
    reserved: int = Field(sa_column=_count())


class AuditTable(SQLModel, table=True):
    """Security acts, written in the act's transaction; `seq`, `prev_hash`, `hash` are sealed later, per org."""

    __tablename__ = "audit"
    __table_args__ = (
        UniqueConstraint("tenant", "org", "seq"),
        Index("audit_unsealed", "entry", postgresql_where=text("hash is null")),
    )
    entry: int = Field(sa_column=Column(BigInteger, Identity(always=True), primary_key=True))
    tenant: str = Field(sa_column=_text())
    org: str = Field(sa_column=_text())
    seq: int | None = Field(sa_column=Column(BigInteger, nullable=True))
    at: datetime = Field(sa_column=_time(nullable=False, now=True))
    actor: str = Field(sa_column=_text())
    action: str = Field(sa_column=_text())
    object: str = Field(sa_column=_text())
    request_id: str | None = Field(sa_column=_text(nullable=True))
    result: str = Field(sa_column=_text())
    prev_hash: bytes | None = Field(sa_column=Column(LargeBinary, nullable=True))
    hash: bytes | None = Field(sa_column=Column(LargeBinary, nullable=True))


class AuditHeadTable(SQLModel, table=True):
    """The newest sealed entry of each org's chain: a cut-off tail is noticed."""

    __tablename__ = "audit_heads"
    tenant: str = Field(sa_column=Column(Text, primary_key=True))
    org: str = Field(sa_column=Column(Text, primary_key=True))
    seq: int = Field(sa_column=_count())
    hash: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class PurgeTable(SQLModel, table=True):
    """Deletions in progress: one row per tombstoned document, removed when all its data is gone."""

    __tablename__ = "purges"
    document_id: str = Field(sa_column=Column(Text, primary_key=True))
    tenant: str = Field(sa_column=_text())
    org: str = Field(sa_column=_text())
    sha256: str | None = Field(sa_column=_text(nullable=True))
    requested_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    tries: int = Field(sa_column=_count())
    not_before: datetime = Field(sa_column=_time(nullable=False, now=True))


class IdempotencyKeyTable(SQLModel, table=True):
    """A client's own name for a submission: the same key gives the same job, another content a conflict."""

    __tablename__ = "idempotency_keys"
    tenant: str = Field(sa_column=Column(Text, primary_key=True))
    org: str = Field(sa_column=Column(Text, primary_key=True))
    route: str = Field(sa_column=Column(Text, primary_key=True))
    key: str = Field(sa_column=Column(Text, primary_key=True))
    digest: str = Field(sa_column=_text())
    job_id: str = Field(sa_column=_text())
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))


class SchemaTable(SQLModel, table=True):
    """A version of a stored JSON Schema. `body` is text, because JSONB does not keep the order of properties."""

    __tablename__ = "schemas"
    tenant: str = Field(sa_column=Column(Text, primary_key=True))
    org: str = Field(sa_column=Column(Text, primary_key=True))
    name: str = Field(sa_column=Column(Text, primary_key=True))
    version: int = Field(sa_column=Column(BigInteger, primary_key=True))
    body: str = Field(sa_column=_text())
    created_by: str = Field(sa_column=_text())
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))


class SchemaLabelTable(SQLModel, table=True):
    """A label that a correction taught for a leaf of a stored schema."""

    __tablename__ = "schema_labels"
    tenant: str = Field(sa_column=Column(Text, primary_key=True))
    org: str = Field(sa_column=Column(Text, primary_key=True))
    name: str = Field(sa_column=Column(Text, primary_key=True))
    path: str = Field(sa_column=Column(Text, primary_key=True))
    label: str = Field(sa_column=Column(Text, primary_key=True))
    taught_by: str = Field(sa_column=_text())
    taught_at: datetime = Field(sa_column=_time(nullable=False, now=True))


class SchemaCorrectionTable(SQLModel, table=True):
    """The place of a corrected value in a document, with the text there."""

    __tablename__ = "schema_corrections"
    __table_args__ = (Index("schema_corrections_by_document", "document_id"),)
    tenant: str = Field(sa_column=Column(Text, primary_key=True))
    org: str = Field(sa_column=Column(Text, primary_key=True))
    name: str = Field(sa_column=Column(Text, primary_key=True))
    document_id: str = Field(sa_column=Column(Text, primary_key=True))
    path: str = Field(sa_column=Column(Text, primary_key=True))
    block_id: str = Field(sa_column=_text())
    cell: int | None = Field(sa_column=Column(BigInteger, nullable=True))
    start_at: int = Field(sa_column=Column(BigInteger, nullable=False))
    end_at: int = Field(sa_column=Column(BigInteger, nullable=False))
    verbatim: str = Field(sa_column=_text())
    corrected_by: str = Field(sa_column=_text())


class ModelAnswerTable(SQLModel, table=True):
    """The answer of a language model to one request about a document."""

    __tablename__ = "model_answers"
    document_id: str = Field(sa_column=Column(Text, primary_key=True))
    digest: str = Field(sa_column=Column(Text, primary_key=True))
    answer: str = Field(sa_column=_text())
    answered_at: datetime = Field(sa_column=_time(nullable=False, now=True))


class RoleLeaseTable(SQLModel, table=True):
    """Singletons (janitor, index writer): holder and fence, on the database clock."""

    __tablename__ = "role_leases"
    role: str = Field(sa_column=Column(Text, primary_key=True))
    holder: str | None = Field(sa_column=_text(nullable=True))
    fence: int = Field(sa_column=_count())
    lease_until: datetime | None = Field(sa_column=_time())


class WatermarkTable(SQLModel, table=True):
    """Highest time seen, against a clock set back (licence)."""

    __tablename__ = "watermarks"
    name: str = Field(sa_column=Column(Text, primary_key=True))
    at: datetime = Field(sa_column=_time(nullable=False, now=True))
