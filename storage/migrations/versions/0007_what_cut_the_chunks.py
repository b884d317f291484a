"""Adds the chunker, with its settings, of a published document's chunks; null means the chunker of that time."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the chunker column."""
    op.add_column("documents", sa.Column("chunker", sa.Text(), nullable=True))


def downgrade() -> None:
    """Remove the chunker column."""
    op.drop_column("documents", "chunker")
