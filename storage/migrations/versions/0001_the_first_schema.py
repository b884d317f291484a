"""Creates the first schema."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

JOB_STATUS = """
case when n_queued = n_total and n_total > 0 then 'queued'
     when n_queued + n_running > 0 then 'running'
     when n_succeeded = n_total then 'succeeded'
     when n_failed = n_total then 'failed'
     when n_canceled = n_total then 'canceled'
     else 'partial' end
"""


def upgrade() -> None:
    """Create the tables."""
    create_audit()
    create_audit_heads()
    create_documents()
    create_events()
    create_idempotency_keys()
    create_jobs()
    create_meter()
    create_page_progress()
    create_purges()
    create_quota()
    create_quota_deltas()
    create_role_leases()
    create_tasks()
    create_watermarks()


def downgrade() -> None:
    """Drop the tables."""
    for table in (
        "watermarks",
        "tasks",
        "role_leases",
        "quota_deltas",
        "quota",
        "purges",
        "page_progress",
        "meter",
        "jobs",
        "idempotency_keys",
        "events",
        "documents",
        "audit_heads",
        "audit",
    ):
        op.drop_table(table)


def create_audit() -> None:
    """Create the audit trail."""
    op.create_table(
        "audit",
        sa.Column("entry", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("object", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("prev_hash", sa.LargeBinary(), nullable=True),
        sa.Column("hash", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("entry"),
        sa.UniqueConstraint("tenant", "org", "seq"),
    )
    op.create_index("audit_unsealed", "audit", ["entry"], unique=False, postgresql_where=sa.text("hash is null"))


def create_audit_heads() -> None:
    """Create the heads of the audit chains."""
    op.create_table(
        "audit_heads",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "org"),
    )


def create_documents() -> None:
    """Create the documents and their indexes."""
    op.create_table(
        "documents",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("key_name", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("source_file", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=True),
        sa.Column("bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("format", sa.Text(), nullable=True),
        sa.Column(
            "options", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
        sa.Column("status", sa.Text(), server_default="queued", nullable=False),
        sa.Column("run", sa.BigInteger(), server_default=sa.text("1"), nullable=False),
        sa.Column("attempt", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("attempts", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("published_attempt", sa.BigInteger(), nullable=True),
        sa.Column("manifest", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("error_detail", sa.Text(), nullable=True),
        sa.Column("pages", sa.BigInteger(), nullable=True),
        sa.Column("chunks", sa.BigInteger(), nullable=True),
        sa.Column(
            "route_counts",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("reserved_pages", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("reserved_month", sa.Date(), nullable=True),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("documents_by_blob", "documents", ["sha256"], unique=False)
    op.create_index("documents_by_job", "documents", ["job_id", "position"], unique=False)
    op.create_index(
        "documents_dead",
        "documents",
        ["tenant", "org", "finished_at", "id"],
        unique=False,
        postgresql_where=sa.text("status = 'failed'"),
    )


def create_events() -> None:
    """Create the events, which webhooks deliver."""
    op.create_table(
        "events",
        sa.Column("seq", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=True),
        sa.Column("run", sa.BigInteger(), server_default=sa.text("1"), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("seq"),
        sa.UniqueConstraint("id"),
    )
    op.create_index("events_by_job", "events", ["job_id"], unique=False)
    op.create_index(
        "events_once_document",
        "events",
        ["document_id", "run"],
        unique=True,
        postgresql_where=sa.text("document_id is not null"),
    )
    op.create_index(
        "events_once_job", "events", ["job_id", "run"], unique=True, postgresql_where=sa.text("document_id is null")
    )


def create_idempotency_keys() -> None:
    """Create the idempotency keys of requests."""
    op.create_table(
        "idempotency_keys",
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("route", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("tenant", "org", "route", "key"),
    )


def create_jobs() -> None:
    """Create the jobs with their document counts."""
    op.create_table(
        "jobs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("key_name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), server_default="jobs", nullable=False),
        sa.Column("n_total", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("n_queued", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("n_running", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("n_succeeded", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("n_failed", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("n_canceled", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "status",
            sa.Text(),
            sa.Computed(JOB_STATUS, persisted=True),
            nullable=False,
        ),
        sa.Column("epoch", sa.BigInteger(), server_default=sa.text("1"), nullable=False),
        sa.Column("metadata", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("seq"),
    )
    op.create_index("jobs_by_status", "jobs", ["tenant", "org", "status", "seq"], unique=False)
    op.create_index("jobs_by_tenant", "jobs", ["tenant", "org", "seq"], unique=False)


def create_meter() -> None:
    """Create the metered pages and bytes of each reading."""
    op.create_table(
        "meter",
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("key_name", sa.Text(), nullable=False),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("pages", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.PrimaryKeyConstraint("document_id", "run"),
    )
    op.create_index("meter_by_month", "meter", ["month", "tenant"], unique=False)


def create_page_progress() -> None:
    """Create the reading progress, unlogged because a crash may lose it."""
    op.create_table(
        "page_progress",
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("pages_done", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("pages_total", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("document_id"),
        prefixes=["UNLOGGED"],
    )


def create_purges() -> None:
    """Create the requested deletions."""
    op.create_table(
        "purges",
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=True),
        sa.Column(
            "requested_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("tries", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "not_before", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("document_id"),
    )


def create_quota() -> None:
    """Create the monthly page quota."""
    op.create_table(
        "quota",
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("used", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("reserved", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("month"),
    )


def create_quota_deltas() -> None:
    """Create the quota changes that are not yet summed."""
    op.create_table(
        "quota_deltas",
        sa.Column("seq", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("used", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("reserved", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("seq"),
    )


def create_role_leases() -> None:
    """Create the leases of the singleton roles."""
    op.create_table(
        "role_leases",
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("fence", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("role"),
    )


def create_tasks() -> None:
    """Create the task queue."""
    op.create_table(
        "tasks",
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("priority", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("vtime", sa.Float(), nullable=False),
        sa.Column("state", sa.Text(), server_default="queued", nullable=False),
        sa.Column("phase", sa.Text(), nullable=True),
        sa.Column("attempt", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("starts", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("lapses", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "available_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column(
            "enqueued_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("document_id"),
        postgresql_with={"fillfactor": 70, "autovacuum_vacuum_scale_factor": 0.01},
    )
    op.create_index("tasks_by_tenant", "tasks", ["tenant", "priority", "vtime"], unique=False)
    op.create_index(
        "tasks_leased", "tasks", ["lease_until"], unique=False, postgresql_where=sa.text("state = 'running'")
    )
    op.create_index(
        "tasks_ready", "tasks", ["priority", "vtime"], unique=False, postgresql_where=sa.text("state = 'queued'")
    )


def create_watermarks() -> None:
    """Create the time watermarks."""
    op.create_table(
        "watermarks",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
