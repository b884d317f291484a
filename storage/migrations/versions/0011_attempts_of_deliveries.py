"""Adds the attempts of a delivery; earlier deliveries have an empty list."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the attempts column."""
    op.add_column("deliveries", sa.Column("attempts", JSONB(), server_default="[]", nullable=False))


def downgrade() -> None:
    """Remove the attempts column."""
    op.drop_column("deliveries", "attempts")
