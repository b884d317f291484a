"""Adds the index for listing an organisation's documents, newest first."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the index."""
    op.create_index(
        "documents_by_time",
        "documents",
        ["tenant", "org", "created_at", "id"],
        postgresql_where=sa.text("deleted_at is null"),
    )


def downgrade() -> None:
    """Drop the index."""
    op.drop_index("documents_by_time", "documents")
