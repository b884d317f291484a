"""Plain frozen values of the console: tenants with their plan, submissions, documents, usage."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from storage.values.rows import Scope

WEBHOOK_TENANT = "~console"
"""Under this tenant console receivers are kept beside the engine's: no key can be named so."""


def hooks_of(tenant_id: str) -> Scope:
    """Where a tenant's receivers, deliveries and audit trail are kept."""
    return Scope(tenant=WEBHOOK_TENANT, org=tenant_id)


class SubmissionState(StrEnum):
    """`sending`: the engine has not answered yet; `open`: it has documents to read; `removed`: kept long enough."""

    SENDING = "sending"
    OPEN = "open"
    ENDED = "ended"
    FAILED = "failed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """Whoever has accounts, tokens and a plan. `id` names the tenant's organisation at the engine."""

    id: str
    plan: str
    monthly_pages: int | None
    concurrent_documents: int
    retention_days: int | None

    @property
    def hooks(self) -> Scope:
        """Where this tenant's receivers and deliveries are kept."""
        return hooks_of(self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A person who may sign in."""

    id: str
    email: str
    tenant: Tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """What an address signs in with. Not `approved`: an operator has not let the account in yet."""

    account_id: str
    password: str
    approved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A signed-in browser as its owner sees it."""

    id: str
    agent: str
    created_at: datetime
    expires_at: datetime
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantRow:
    """A tenant as the operator sees it. `email` and `approved_at` are null once its account is gone."""

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
    """What a tenant may use. None = unlimited (pages) and for ever (retention)."""

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
    """A place given to an upload. `fresh`: it was reserved just now and is given back when the engine refuses;
    otherwise it is a replay of one that was accepted before. `engine_key`: its Idempotency-Key at the engine."""

    submission_id: str
    tenant_id: str
    org: str
    engine_key: str
    fresh: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusCheck:
    """A submission whose state is to be asked for. `job_id` None: it is not known whether the engine took it."""

    submission_id: str
    tenant_id: str
    org: str
    job_id: str | None
    n_total: int
    age_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFact:
    """What the engine says of one document."""

    document_id: str
    source_file: str
    status: str
    pages: int
    chunks: int
    ended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SentDocument:
    """A document as the tenant sees it in listings."""

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
    """A tenant's month so far. `open_documents` each hold one page until their own number is known."""

    documents: int
    pages: int
    open_documents: int
    resets_on: date
