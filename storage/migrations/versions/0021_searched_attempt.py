"""Adds the attempt that searches show while the chunks of a republished tree are not indexed."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. Null: the published attempt."""
    op.add_column("documents", sa.Column("searched_attempt", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Remove the column."""
    op.drop_column("documents", "searched_attempt")
