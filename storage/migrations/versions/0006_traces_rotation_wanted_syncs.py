"""Adds the trace of a task, a webhook's second secret, requested syncs, and requests to the index writer."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_COLUMNS = (
    ("tasks", "traceparent", sa.Text()),
    ("webhooks", "old_secret", sa.LargeBinary()),
    ("webhooks", "old_secret_until", sa.DateTime(timezone=True)),
    ("sources", "wanted_at", sa.DateTime(timezone=True)),
    ("sources", "sync_error", sa.Text()),
)


def upgrade() -> None:
    """Add the columns and the index requests."""
    for table, name, kind in _COLUMNS:
        op.add_column(table, sa.Column(name, kind, nullable=True))
    op.create_table(
        "index_requests",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )


def downgrade() -> None:
    """Remove the columns and the index requests."""
    op.drop_table("index_requests")
    for table, name, _ in reversed(_COLUMNS):
        op.drop_column(table, name)
