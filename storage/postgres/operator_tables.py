"""Tables of the operating features: webhooks and their deliveries, keys, rate limits, sources, targets, counters.

The same rules as in `tables.py`, in a separate file so that both stay readable.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import ARRAY, BigInteger, Boolean, Column, Identity, Index, LargeBinary, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

from quire.storage.postgres.tables import _count, _json, _text, _time


def _texts() -> Any:
    return Column(ARRAY(Text), nullable=False)


def _counted() -> Any:
    return Column(BigInteger, nullable=False, server_default="0")  # a text, as in stores of 0.10.0


class CounterTable(SQLModel, table=True):
    """Totals of ended documents and jobs by kind and label; `storage/queue/counters.py` maintains them."""

    __tablename__ = "counters"
    name: str = Field(sa_column=Column(Text, primary_key=True))
    label: str = Field(sa_column=Column(Text, primary_key=True))
    value: int = Field(sa_column=_counted())


class CounterDeltaTable(SQLModel, table=True):
    """Increments of the counters, one per transaction; insert-only, folded by the janitor."""

    __tablename__ = "counter_deltas"
    seq: int = Field(sa_column=Column(BigInteger, Identity(always=True), primary_key=True))
    name: str = Field(sa_column=_text())
    label: str = Field(sa_column=_text())
    value: int = Field(sa_column=_counted())


class WebhookTable(SQLModel, table=True):
    """A receiver of events. Secrets are sealed with a key derived from the deployment's signing key.

    During a rotation `old_secret` signs in addition to `secret` until `old_secret_until`.
    """

    __tablename__ = "webhooks"
    __table_args__ = (Index("webhooks_by_tenant", "tenant", "org"),)
    id: str = Field(sa_column=Column(Text, primary_key=True))
    tenant: str = Field(sa_column=_text())
    org: str = Field(sa_column=_text())
    url: str = Field(sa_column=_text())
    events: list[str] = Field(sa_column=_texts())
    secret: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    disabled_at: datetime | None = Field(sa_column=_time())
    old_secret: bytes | None = Field(sa_column=Column(LargeBinary, nullable=True))
    old_secret_until: datetime | None = Field(sa_column=_time())


class DeliveryTable(SQLModel, table=True):
    """One event on its way to one webhook. `fence` rises with every claim; `attempt` counts tries that ended.

    `attempts`: the last tries, `{at, response_status, error}`; they outlive a redelivery.
    `body` is null where the event's own frozen body is sent.
    """

    __tablename__ = "deliveries"
    __table_args__ = (
        UniqueConstraint("webhook_id", "event_id"),
        Index("deliveries_by_tenant", "tenant", "org", "seq"),
        Index("deliveries_due", "webhook_id", "next_attempt_at", postgresql_where=text("state = 'pending'")),
    )
    seq: int = Field(sa_column=Column(BigInteger, Identity(always=True), primary_key=True))
    id: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    webhook_id: str = Field(sa_column=_text())
    tenant: str = Field(sa_column=_text())
    org: str = Field(sa_column=_text())
    event: str = Field(sa_column=_text())
    event_id: str = Field(sa_column=_text())
    body: bytes | None = Field(sa_column=Column(LargeBinary, nullable=True))
    state: str = Field(sa_column=_text(default="pending"))
    attempt: int = Field(sa_column=_count())
    attempts: list[dict[str, Any]] = Field(sa_column=Column(JSONB, nullable=False, server_default="[]"))
    fence: int = Field(sa_column=_count())
    worker: str | None = Field(sa_column=_text(nullable=True))
    response_status: int | None = Field(sa_column=Column(BigInteger, nullable=True))
    error: str | None = Field(sa_column=_text(nullable=True))
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    delivered_at: datetime | None = Field(sa_column=_time())
    next_attempt_at: datetime = Field(sa_column=_time(nullable=False, now=True))


class ApiKeyTable(SQLModel, table=True):
    """A key added while the service runs, or the end of a key of SVC_API_KEYS. Only the digest is kept.

    `configured`: the row only ends a key of SVC_API_KEYS and grants no access once that key has left the setting.
    """

    __tablename__ = "api_keys"
    digest: bytes = Field(sa_column=Column(LargeBinary, primary_key=True))
    name: str = Field(sa_column=_text())
    scope: str = Field(sa_column=_text())
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    revoked_at: datetime | None = Field(sa_column=_time())
    ends_at: datetime | None = Field(sa_column=_time())
    configured: bool = Field(sa_column=Column(Boolean, nullable=False, server_default=text("false")))


class KeyUseTable(SQLModel, table=True):
    """When a key was last used, to the minute."""

    __tablename__ = "key_uses"
    digest: bytes = Field(sa_column=Column(LargeBinary, primary_key=True))
    used_at: datetime = Field(sa_column=_time(nullable=False))


class RateLimitTable(SQLModel, table=True):
    """GCRA: when the bucket is empty again. UNLOGGED: lost in a crash, harmless."""

    __tablename__ = "rate_limits"
    __table_args__ = ({"prefixes": ["UNLOGGED"]},)
    bucket: str = Field(sa_column=Column(Text, primary_key=True))
    empty_at: datetime = Field(sa_column=_time(nullable=False))


class SourceTable(SQLModel, table=True):
    """A registered place to pull from. `fence` + `lease_until`: one sync at a time.

    `wanted_at`: a caller asked for a sync that has not ended well yet. `sync_error`: code of the last one that failed.
    `access`: rules `{match, principals}`, of which the first that matches a path sets its document's principals.
    """

    __tablename__ = "sources"
    __table_args__ = (Index("sources_by_tenant", "tenant", "org"),)
    id: str = Field(sa_column=Column(Text, primary_key=True))
    tenant: str = Field(sa_column=_text())
    org: str = Field(sa_column=_text())
    key_name: str = Field(sa_column=_text())
    name: str = Field(sa_column=_text())
    kind: str = Field(sa_column=_text())
    location: str = Field(sa_column=_text())
    include: list[str] = Field(sa_column=_texts())
    exclude: list[str] = Field(sa_column=_texts())
    every_minutes: int | None = Field(sa_column=Column(BigInteger, nullable=True))
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    last_sync: dict[str, Any] | None = Field(sa_column=Column(JSONB, nullable=True))
    synced_at: datetime | None = Field(sa_column=_time())
    fence: int = Field(sa_column=_count())
    lease_until: datetime | None = Field(sa_column=_time())
    wanted_at: datetime | None = Field(sa_column=_time())
    sync_error: str | None = Field(sa_column=_text(nullable=True))
    access: list[dict[str, Any]] = Field(sa_column=Column(JSONB, nullable=False, server_default="[]"))


class SourceFileTable(SQLModel, table=True):
    """Files of a source at its last sync: `mark` changes with the file, `sha256` with its content."""

    __tablename__ = "source_files"
    source_id: str = Field(sa_column=Column(Text, primary_key=True))
    path: str = Field(sa_column=Column(Text, primary_key=True))
    mark: str = Field(sa_column=_text())
    sha256: str = Field(sa_column=_text())
    document_id: str = Field(sa_column=_text())


class SourceRetiredTable(SQLModel, table=True):
    """A document whose file is gone or has new content: deleted as soon as it is finished.

    `successor` is the document of the new content. The retired one stays until that is finished too.
    """

    __tablename__ = "source_retired"
    __table_args__ = (
        Index("source_retired_by_successor", "successor", postgresql_where=text("successor is not null")),
    )
    document_id: str = Field(sa_column=Column(Text, primary_key=True))
    source_id: str = Field(sa_column=_text())
    tenant: str = Field(sa_column=_text())
    org: str = Field(sa_column=_text())
    successor: str | None = Field(sa_column=_text(nullable=True))


class IndexRequestTable(SQLModel, table=True):
    """Requests to the index writer to compare its index with SQL at once, because rows changed outside its own work."""

    __tablename__ = "index_requests"
    id: int = Field(sa_column=Column(BigInteger, Identity(always=True), primary_key=True))
    reason: str = Field(sa_column=_text())


class TargetTable(SQLModel, table=True):
    """A place outside that receives chunks. `secret` is sealed; `fence` + `lease_until`: one sender at a time.

    `failures`, `error` and `failing_since` describe an outage in progress.
    """

    __tablename__ = "targets"
    __table_args__ = (Index("targets_by_tenant", "tenant", "org"),)
    id: str = Field(sa_column=Column(Text, primary_key=True))
    tenant: str = Field(sa_column=_text())
    org: str = Field(sa_column=_text())
    name: str = Field(sa_column=_text())
    kind: str = Field(sa_column=_text())
    settings: dict[str, Any] = Field(sa_column=_json())
    secret: bytes | None = Field(sa_column=Column(LargeBinary, nullable=True))
    paused: bool = Field(sa_column=Column(Boolean, nullable=False, server_default=text("false")))
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    fence: int = Field(sa_column=_count())
    lease_until: datetime | None = Field(sa_column=_time())
    claimed_at: datetime | None = Field(sa_column=_time())
    failures: int = Field(sa_column=_count())
    error: str | None = Field(sa_column=_text(nullable=True))
    failing_since: datetime | None = Field(sa_column=_time())
    next_attempt_at: datetime = Field(sa_column=_time(nullable=False, now=True))


class TargetDocumentTable(SQLModel, table=True):
    """State of a document in a target: `wanted` counts marks, `done` is the last one that was sent.

    `claims` counts attempts to send it, so a first one needs no deletion. `refused_at`: it is a dead letter.
    """

    __tablename__ = "target_documents"
    __table_args__ = (
        Index("target_documents_by_document", "document_id"),
        Index(
            "target_documents_pending",
            "target_id",
            "wanted_at",
            postgresql_where=text("wanted > done and refused_at is null"),
        ),
        Index("target_documents_refused", "target_id", "document_id", postgresql_where=text("refused_at is not null")),
    )
    target_id: str = Field(sa_column=Column(Text, primary_key=True))
    document_id: str = Field(sa_column=Column(Text, primary_key=True))
    wanted: int = Field(sa_column=_count(1))
    done: int = Field(sa_column=_count())
    wanted_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    sent_at: datetime | None = Field(sa_column=_time())
    claims: int = Field(sa_column=_count())
    tries: int = Field(sa_column=_count())
    error: str | None = Field(sa_column=_text(nullable=True))
    refused_at: datetime | None = Field(sa_column=_time())
    next_attempt_at: datetime = Field(sa_column=_time(nullable=False, now=True))


class BackupTable(SQLModel, table=True):
    """A backup that was made of this deployment, by its folder; whether it still exists is not known."""

    __tablename__ = "backups"
    path: str = Field(sa_column=Column(Text, primary_key=True))
    made_at: datetime = Field(sa_column=_time(nullable=False, now=True))


class DeploymentTable(SQLModel, table=True):
    """The one row that identifies this deployment; `storage/upkeep/deployment.py` compares it with the stores.

    `stores` holds the places of the marked stores by name. Each start and each hourly comparison raises `tick`.
    """

    __tablename__ = "deployment"
    id: str = Field(sa_column=Column(Text, primary_key=True))
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    tick: int = Field(sa_column=_count())
    stores: dict[str, Any] = Field(sa_column=_json())
