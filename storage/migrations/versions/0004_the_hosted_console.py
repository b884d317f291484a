"""Adds the hosted console: plans, tenants, accounts, sessions, tokens, submissions, documents, usage."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_NOW = sa.text("clock_timestamp()")
_ACTIVE = sa.text("state in ('sending', 'open')")
_TABLES = ("plans", "tenants", "accounts", "sessions", "tokens", "submissions", "documents", "usage")


def upgrade() -> None:
    """Create the console's tables."""
    create_plans()
    create_people()
    create_submissions()
    create_documents()


def downgrade() -> None:
    """Drop the console's tables."""
    for table in reversed(_TABLES):
        op.drop_table(f"console_{table}")


def _text(name: str, *, nullable: bool = False, **more: object) -> "sa.Column[str]":
    return sa.Column(name, sa.Text(), nullable=nullable, **more)  # type: ignore[arg-type]


def _time(name: str, *, nullable: bool = True, now: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable, server_default=_NOW if now else None)


def _created() -> "sa.Column[object]":
    return _time("created_at", nullable=False, now=True)


def _count(name: str, default: int = 0) -> "sa.Column[int]":
    return sa.Column(name, sa.BigInteger(), server_default=sa.text(str(default)), nullable=False)


def _limit(name: str) -> "sa.Column[int]":
    return sa.Column(name, sa.BigInteger(), nullable=True)


def create_plans() -> None:
    """Create the plans with two rows, and the tenants."""
    plans = op.create_table(
        "console_plans",
        _text("name", primary_key=True),
        _limit("monthly_pages"),
        _count("concurrent_documents", 20),
        _limit("retention_days"),
    )
    op.bulk_insert(
        plans,
        [
            {"name": "free", "monthly_pages": 200, "concurrent_documents": 20, "retention_days": 7},
            {"name": "standard", "monthly_pages": None, "concurrent_documents": 20, "retention_days": None},
        ],
    )
    op.create_table("console_tenants", _text("id", primary_key=True), _text("plan", server_default="free"), _created())


def create_people() -> None:
    """Create the accounts, sessions and tokens."""
    op.create_table(
        "console_accounts",
        _text("id", primary_key=True),
        _text("email", unique=True),
        _text("password"),
        _text("tenant_id"),
        _count("failures"),
        _time("locked_until"),
        _created(),
    )
    op.create_table(
        "console_sessions",
        sa.Column("digest", sa.LargeBinary(), primary_key=True),
        _text("account_id"),
        _created(),
        _time("expires_at", nullable=False),
    )
    op.create_table(
        "console_tokens",
        _text("id", primary_key=True),
        _text("tenant_id"),
        _text("name"),
        sa.Column("digest", sa.LargeBinary(), nullable=False, unique=True),
        _created(),
        _time("revoked_at"),
    )
    op.create_index("console_tokens_by_tenant", "console_tokens", ["tenant_id", "created_at"])


def create_submissions() -> None:
    """Create the submissions."""
    op.create_table(
        "console_submissions",
        _text("id", primary_key=True),
        *(_text(name) for name in ("tenant_id", "org", "route", "engine_key", "digest")),
        _text("state", server_default="sending"),
        _count("n_total"),
        _count("n_open"),
        _text("job_id", nullable=True, unique=True),
        _created(),
        _time("look_at", nullable=False, now=True),
        _time("ended_at"),
        sa.UniqueConstraint("tenant_id", "org", "route", "engine_key"),
    )
    op.create_index("console_submissions_open", "console_submissions", ["tenant_id"], postgresql_where=_ACTIVE)
    op.create_index("console_submissions_due", "console_submissions", ["look_at"], postgresql_where=_ACTIVE)
    op.create_index(
        "console_submissions_ended", "console_submissions", ["ended_at"], postgresql_where=sa.text("state = 'ended'")
    )


def create_documents() -> None:
    """Create the documents and their usage."""
    op.create_table(
        "console_documents",
        _text("document_id", primary_key=True),
        *(_text(name) for name in ("submission_id", "job_id", "tenant_id", "org")),
        _text("alias", unique=True),
        _text("source_file"),
        _text("status", server_default="queued"),
        _count("pages"),
        _count("chunks"),
        _text("event_id", nullable=True, unique=True),
        _created(),
        _time("ended_at"),
    )
    op.create_index("console_documents_by_tenant", "console_documents", ["tenant_id", "created_at", "document_id"])
    op.create_index("console_documents_by_submission", "console_documents", ["submission_id"])
    op.create_table(
        "console_usage",
        _text("tenant_id", primary_key=True),
        sa.Column("month", sa.Date(), primary_key=True),
        _count("documents"),
        _count("pages"),
    )
