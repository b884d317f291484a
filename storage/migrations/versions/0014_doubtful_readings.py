"""Adds the lowest block confidence of a document, and the review of its reading."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_SHOWN = sa.text("deleted_at is null and lowest_confidence < 1")


def upgrade() -> None:
    """Add the columns and their index."""
    op.add_column("documents", sa.Column("lowest_confidence", sa.Float(), nullable=True))
    op.add_column("documents", sa.Column("reading_state", sa.Text(), nullable=True))
    op.add_column("documents", sa.Column("reading_decided_by", sa.Text(), nullable=True))
    op.add_column("documents", sa.Column("reading_decided_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(
        "documents_by_doubt", "documents", ["tenant", "org", "lowest_confidence", "id"], postgresql_where=_SHOWN
    )


def downgrade() -> None:
    """Remove the columns and their index."""
    op.drop_index("documents_by_doubt", "documents")
    for name in ("reading_decided_at", "reading_decided_by", "reading_state", "lowest_confidence"):
        op.drop_column("documents", name)
