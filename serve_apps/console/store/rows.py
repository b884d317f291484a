"""Plain frozen values of the console: tenants with their plan, submissions, documents, usage."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from quire.storage.values.rows import Scope

WEBHOOK_TENANT = "~console"
"""Tenant of the console's receivers in the engine's tables; keys cannot have this name."""


def hooks_of(tenant_id: str) -> Scope:
    """Return the scope under which a tenant's receivers, deliveries and audit trail are stored."""
    return Scope(tenant=WEBHOOK_TENANT, org=tenant_id)


class SubmissionState(StrEnum):
    """States of a submission.

    `sending`: the engine has not answered yet. `open`: documents are being read. `removed`: past its retention.
    """

    SENDING = "sending"
    OPEN = "open"
    ENDED = "ended"
    FAILED = "failed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """Owner of accounts, tokens and a plan. `id` names the tenant's organisation in the engine."""

    id: str
    plan: str
    monthly_pages: int | None
    concurrent_documents: int
    retention_days: int | None

    @property
    def hooks(self) -> Scope:
        """Return the scope of this tenant's receivers and deliveries."""
        return hooks_of(self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A person who may sign in."""

    id: str
    email: str
    tenant: Tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Credentials of an address. Not `approved`: the account still waits for an operator."""

    account_id: str
    password: str
    approved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A signed-in browser as shown to its owner."""

    id: str
    agent: str
    created_at: datetime
    expires_at: datetime
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantRow:
    """A tenant as shown to the operator. `email` and `approved_at` are null after its account was closed."""

    tenant_id: str
    email: str | None
    plan: str
    created_at: datetime
    approved_at: datetime | None
    closed_at: datetime | None
    documents: int
    pages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantPlan:
    """Limits of a plan. None = unlimited pages, or unlimited retention."""

    name: str
    monthly_pages: int | None
    concurrent_documents: int
    retention_days: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRow:
    """An access token without its secret."""

    id: str
    name: str
    created_at: datetime
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place reserved for an upload.

    `fresh`: reserved just now and released if the engine refuses; otherwise a replay of an accepted one. `engine_key`
    is its Idempotency-Key in the engine.
    """

    submission_id: str
    tenant_id: str
    org: str
    engine_key: str
    fresh: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusCheck:
    """A submission whose status is due for a check. `job_id` None: the engine's answer is unknown."""

    submission_id: str
    tenant_id: str
    org: str
    job_id: str | None
    n_total: int
    age_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFact:
    """State of one document as reported by the engine."""

    document_id: str
    source_file: str
    status: str
    pages: int
    chunks: int
    ended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SentDocument:
    """A document as listed for its tenant."""

    document_id: str
    job_id: str
    alias: str
    org: str
    source_file: str
    status: str
    pages: int
    created_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """A tenant's month so far. Each of `open_documents` reserves one page until its page count is known."""

    documents: int
    pages: int
    open_documents: int
    resets_on: date
