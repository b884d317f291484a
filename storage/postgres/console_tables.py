"""Tables of the console. They may share a database with an engine, without foreign keys to the engine's tables.

A submission is one call to the engine; `n_open` of its documents count towards the tenant's limits. A document ends
once: `event_id` is set in that transaction.
"""

from datetime import date, datetime

from sqlalchemy import BigInteger, Column, Index, LargeBinary, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from quire.storage.postgres.tables import _count, _text, _time


def _limit() -> "Column[int]":
    return Column(BigInteger, nullable=True)


class ConsolePlanTable(SQLModel, table=True):
    """Limits of a plan. Null = unlimited pages, or unlimited retention."""

    __tablename__ = "console_plans"
    name: str = Field(sa_column=Column(Text, primary_key=True))
    monthly_pages: int | None = Field(sa_column=_limit())
    concurrent_documents: int = Field(sa_column=_count(20))
    retention_days: int | None = Field(sa_column=_limit())


class ConsoleTenantTable(SQLModel, table=True):
    """A tenant. Its row is the lock for reserving places. `id` is the tenant's organisation in the engine."""

    __tablename__ = "console_tenants"
    id: str = Field(sa_column=Column(Text, primary_key=True))
    plan: str = Field(sa_column=_text(default="free"))
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    closed_at: datetime | None = Field(sa_column=_time())


class ConsoleAccountTable(SQLModel, table=True):
    """A person. `password` is a scrypt hash with its parameters."""

    __tablename__ = "console_accounts"
    id: str = Field(sa_column=Column(Text, primary_key=True))
    email: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    password: str = Field(sa_column=_text())
    tenant_id: str = Field(sa_column=_text())
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    approved_at: datetime | None = Field(sa_column=_time())


class ConsoleSessionTable(SQLModel, table=True):
    """A signed-in browser; only the cookie's digest is stored."""

    __tablename__ = "console_sessions"
    digest: bytes = Field(sa_column=Column(LargeBinary, primary_key=True))
    account_id: str = Field(sa_column=_text())
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    expires_at: datetime = Field(sa_column=_time(nullable=False))
    id: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    agent: str = Field(sa_column=_text(default=""))


class ConsoleLinkTable(SQLModel, table=True):
    """A one-time link for a new password; only its digest is stored."""

    __tablename__ = "console_links"
    digest: bytes = Field(sa_column=Column(LargeBinary, primary_key=True))
    account_id: str = Field(sa_column=_text())
    expires_at: datetime = Field(sa_column=_time(nullable=False))


class ConsoleTokenTable(SQLModel, table=True):
    """An access token; shown once, stored as SHA-256."""

    __tablename__ = "console_tokens"
    __table_args__ = (Index("console_tokens_by_tenant", "tenant_id", "created_at"),)
    id: str = Field(sa_column=Column(Text, primary_key=True))
    tenant_id: str = Field(sa_column=_text())
    name: str = Field(sa_column=_text())
    digest: bytes = Field(sa_column=Column(LargeBinary, nullable=False, unique=True))
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    revoked_at: datetime | None = Field(sa_column=_time())


class ConsoleSubmissionTable(SQLModel, table=True):
    """One upload to the engine. `look_at`: time of the next status check."""

    __tablename__ = "console_submissions"
    __table_args__ = (
        UniqueConstraint("tenant_id", "org", "route", "engine_key"),
        Index("console_submissions_open", "tenant_id", postgresql_where=text("state in ('sending', 'open')")),
        Index("console_submissions_due", "look_at", postgresql_where=text("state in ('sending', 'open')")),
        Index("console_submissions_ended", "ended_at", postgresql_where=text("state = 'ended'")),
    )
    id: str = Field(sa_column=Column(Text, primary_key=True))
    tenant_id: str = Field(sa_column=_text())
    org: str = Field(sa_column=_text())
    route: str = Field(sa_column=_text())
    engine_key: str = Field(sa_column=_text())
    digest: str = Field(sa_column=_text())
    state: str = Field(sa_column=_text(default="sending"))
    n_total: int = Field(sa_column=_count())
    n_open: int = Field(sa_column=_count())
    job_id: str | None = Field(sa_column=Column(Text, nullable=True, unique=True))
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    look_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    ended_at: datetime | None = Field(sa_column=_time())


class ConsoleDocumentTable(SQLModel, table=True):
    """A document that the engine accepted. `alias` is a job id for it alone that resolves to the whole batch."""

    __tablename__ = "console_documents"
    __table_args__ = (
        Index("console_documents_by_tenant", "tenant_id", "created_at", "document_id"),
        Index("console_documents_by_submission", "submission_id"),
    )
    document_id: str = Field(sa_column=Column(Text, primary_key=True))
    submission_id: str = Field(sa_column=_text())
    job_id: str = Field(sa_column=_text())
    tenant_id: str = Field(sa_column=_text())
    org: str = Field(sa_column=_text())
    alias: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    source_file: str = Field(sa_column=_text())
    status: str = Field(sa_column=_text(default="queued"))
    pages: int = Field(sa_column=_count())
    chunks: int = Field(sa_column=_count())
    event_id: str | None = Field(sa_column=Column(Text, nullable=True, unique=True))
    created_at: datetime = Field(sa_column=_time(nullable=False, now=True))
    ended_at: datetime | None = Field(sa_column=_time())


class ConsoleUsageTable(SQLModel, table=True):
    """A tenant's usage in a UTC month; it outlives the documents."""

    __tablename__ = "console_usage"
    tenant_id: str = Field(sa_column=Column(Text, primary_key=True))
    month: date = Field(primary_key=True)
    documents: int = Field(sa_column=_count())
    pages: int = Field(sa_column=_count())
