"""Adds targets, and what each of them must receive."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_PENDING = sa.text("wanted > done and refused_at is null")


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _number(name: str, default: int = 0) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), server_default=sa.text(str(default)), nullable=False)


def _time(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=True)


def _now(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False)


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "targets", *map(_text, ("id", "tenant", "org", "name", "kind")),
        sa.Column("settings", postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=True),
        sa.Column("paused", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        _now("created_at"), _number("fence"), _time("lease_until"), _time("claimed_at"), _number("failures"),
        _text("error", nullable=True), _time("failing_since"), _now("next_attempt_at"),
        sa.PrimaryKeyConstraint("id"),
    )  # fmt: skip
    op.create_index("targets_by_tenant", "targets", ["tenant", "org"])
    op.create_table(
        "target_documents", _text("target_id"), _text("document_id"), _number("wanted", 1), _number("done"),
        _now("wanted_at"), _time("sent_at"), _number("claims"), _number("tries"), _text("error", nullable=True),
        _time("refused_at"), _now("next_attempt_at"), sa.PrimaryKeyConstraint("target_id", "document_id"),
    )  # fmt: skip
    op.create_index("target_documents_by_document", "target_documents", ["document_id"])
    op.create_index(
        "target_documents_pending", "target_documents", ["target_id", "wanted_at"], postgresql_where=_PENDING
    )
    op.create_index(
        "target_documents_refused", "target_documents", ["target_id", "document_id"],
        postgresql_where=sa.text("refused_at is not null"),
    )  # fmt: skip


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("target_documents")
    op.drop_table("targets")
