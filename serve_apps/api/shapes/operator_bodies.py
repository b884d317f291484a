"""Response shapes for operators: webhooks, deliveries, targets, audit, usage, sources. For OpenAPI and tests."""

from datetime import date, datetime
from typing import Any

from pydantic import Field

from quire.models.derive.schema.answer import ValuePlace
from quire.serve_apps.api.shapes.bodies import Body
from quire.storage.sources.sources import SourceState
from quire.storage.webhooks.receivers import DeliveryState


class WebhookBody(Body):
    """A receiver. `disabled_at`: it answered 410 and gets no events until it is enabled.

    `old_secret_until`: end of the period in which the previous secret signs in addition to the current one.
    """

    id: str
    url: str
    events: list[str]
    created_at: datetime
    disabled_at: datetime | None
    old_secret_until: datetime | None


class WebhookCreatedBody(WebhookBody):
    """A receiver with its secret."""

    secret: str = Field(description="Shown only once.")


class TargetLagBody(Body):
    """Documents that a target has not received, and the seconds for which the oldest of them waits."""

    documents: int
    oldest_seconds: float


class TargetBody(Body):
    """A target. `state`: active, paused or failing; `error`, `failing_since` and `next_attempt_at` describe an outage.

    `sent` counts the documents that it has; `dead_letters` those that it refused.
    """

    id: str
    name: str
    kind: str
    settings: dict[str, str | int | bool]
    has_secret: bool
    paused: bool
    state: str
    created_at: datetime
    error: str | None
    failing_since: datetime | None
    next_attempt_at: datetime | None
    sent: int
    lag: TargetLagBody
    dead_letters: int


class RefusedDocumentBody(Body):
    """A document that a target refused; `error` names the reason."""

    document_id: str
    job_id: str
    source_file: str
    error: str
    tries: int
    refused_at: datetime


class CountBody(Body):
    """Number of documents that an act concerns."""

    documents: int


class AttemptBody(Body):
    """A finished attempt of a delivery."""

    at: datetime
    response_status: int | None
    error: str | None


class DeliveryBody(Body):
    """A delivery. `attempt` counts finished attempts of this schedule; `attempts` are the latest of all schedules.

    `event_id` is the same for all attempts.
    """

    id: str
    webhook_id: str
    event: str
    event_id: str
    attempt: int
    attempts: list[AttemptBody]
    state: DeliveryState
    response_status: int | None
    error: str | None
    created_at: datetime
    delivered_at: datetime | None
    next_attempt_at: datetime | None


class AuditBody(Body):
    """One sealed audit entry. `hash` covers every other field and, through `prev_hash`, all earlier entries."""

    seq: int
    at: datetime
    actor: str
    org: str
    action: str
    object: str
    request_id: str | None
    result: str
    prev_hash: str
    hash: str


class KeyUsageBody(Body):
    """Metered use of one key in the month."""

    key: str
    documents: int
    pages: int
    bytes: int


class UsageBody(Body):
    """The organisation's month. `quota` is the position of the whole deployment."""

    month: date
    documents: int
    pages: int
    bytes: int
    keys: list[KeyUsageBody]
    pages_used_this_month: int
    pages_reserved: int
    max_pages_per_month: int


class SourceBody(Body):
    """A synced place. `last_sync` is the last report; `sync_error` explains why the last sync has none."""

    id: str
    name: str
    kind: str
    path: str | None
    uri: str | None
    include: list[str]
    exclude: list[str]
    every_minutes: int | None
    created_at: datetime
    last_sync: dict[str, Any] | None
    state: SourceState = Field(
        description="waiting: a sync was requested and has not started. running: it is in progress."
    )
    sync_error: str | None
    access: list[dict[str, Any]] = Field(description="Rules `{match, principals}` that set who may find a document.")


class SkippedBody(Body):
    """A file that a sync did not process, with the reason."""

    path: str
    reason: str


class SyncReportBody(Body):
    """Result of one sync. `skipped` names at most 100 files."""

    source_id: str
    job_ids: list[str]
    added: int
    changed: int
    removed: int
    unchanged: int
    skipped: list[SkippedBody]
    started_at: datetime
    finished_at: datetime


class SchemaSummaryBody(Body):
    """The newest version of a stored schema."""

    name: str
    version: int
    created_at: datetime
    created_by: str


class SchemaBody(SchemaSummaryBody):
    """A version of a stored schema; `labels` are those that corrections taught, by JSON pointer to the leaf."""

    json_schema: dict[str, Any] = Field(alias="schema")
    labels: dict[str, list[str]]


class CorrectionBody(Body):
    """A corrected value with its place, and the label that other documents name it by; null: none is near."""

    path: str
    value: Any
    place: ValuePlace
    leaf: str
    label: str | None
