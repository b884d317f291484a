"""Adds webhooks and deliveries, stored API keys, rate limits and sources."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_NOW = sa.text("clock_timestamp()")
_ZERO = sa.text("0")


def upgrade() -> None:
    """Create the tables and mark events for delivery."""
    op.add_column("events", sa.Column("fanned_out", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.create_index("events_to_fan_out", "events", ["seq"], postgresql_where=sa.text("not fanned_out"))
    create_webhooks()
    create_deliveries()
    create_keys_and_limits()
    create_sources()


def downgrade() -> None:
    """Drop the tables and the events' delivery mark."""
    for table in ("source_retired", "source_files", "sources", "rate_limits", "api_keys", "deliveries", "webhooks"):
        op.drop_table(table)
    op.drop_index("events_to_fan_out", "events")
    op.drop_column("events", "fanned_out")


def _text(name: str, *, nullable: bool = False, **more: object) -> "sa.Column[str]":
    return sa.Column(name, sa.Text(), nullable=nullable, **more)  # type: ignore[arg-type]


def _time(name: str, *, nullable: bool = True, now: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable, server_default=_NOW if now else None)


def _count(name: str) -> "sa.Column[int]":
    return sa.Column(name, sa.BigInteger(), server_default=_ZERO, nullable=False)


def create_webhooks() -> None:
    """Create the webhooks."""
    op.create_table(
        "webhooks",
        _text("id", primary_key=True),
        _text("tenant"),
        _text("org"),
        _text("url"),
        sa.Column("events", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        _time("created_at", nullable=False, now=True),
        _time("disabled_at"),
    )
    op.create_index("webhooks_by_tenant", "webhooks", ["tenant", "org"])


def create_deliveries() -> None:
    """Create the webhook deliveries."""
    op.create_table(
        "deliveries",
        sa.Column("seq", sa.BigInteger(), sa.Identity(always=True), primary_key=True),
        _text("id", unique=True),
        *(_text(name) for name in ("webhook_id", "tenant", "org", "event", "event_id")),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        _text("state", server_default="pending"),
        _count("attempt"),
        _count("fence"),
        _text("worker", nullable=True),
        sa.Column("response_status", sa.BigInteger(), nullable=True),
        _text("error", nullable=True),
        _time("created_at", nullable=False, now=True),
        _time("delivered_at"),
        _time("next_attempt_at", nullable=False, now=True),
        sa.UniqueConstraint("webhook_id", "event_id"),
    )
    op.create_index("deliveries_by_tenant", "deliveries", ["tenant", "org", "seq"])
    op.create_index(
        "deliveries_due", "deliveries", ["webhook_id", "next_attempt_at"], postgresql_where=sa.text("state = 'pending'")
    )


def create_keys_and_limits() -> None:
    """Create the stored API keys and the rate limits."""
    op.create_table(
        "api_keys",
        sa.Column("digest", sa.LargeBinary(), primary_key=True),
        _text("name"),
        _text("scope"),
        _time("created_at", nullable=False, now=True),
        _time("revoked_at"),
    )
    op.create_table(
        "rate_limits", _text("bucket", primary_key=True), _time("empty_at", nullable=False), prefixes=["UNLOGGED"]
    )


def create_sources() -> None:
    """Create the sources and their files."""
    op.create_table(
        "sources",
        _text("id", primary_key=True),
        *(_text(name) for name in ("tenant", "org", "key_name", "name", "kind", "location")),
        sa.Column("include", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("exclude", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("every_minutes", sa.BigInteger(), nullable=True),
        _time("created_at", nullable=False, now=True),
        sa.Column("last_sync", postgresql.JSONB(), nullable=True),
        _time("synced_at"),
        _count("fence"),
        _time("lease_until"),
    )
    op.create_index("sources_by_tenant", "sources", ["tenant", "org"])
    op.create_table(
        "source_files",
        _text("source_id", primary_key=True),
        _text("path", primary_key=True),
        *(_text(name) for name in ("mark", "sha256", "document_id")),
    )
    op.create_table(
        "source_retired",
        _text("document_id", primary_key=True),
        *(_text(name) for name in ("source_id", "tenant", "org")),
    )
