"""Deliveries tell of their tries; those of before are not known."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("deliveries", sa.Column("attempts", JSONB(), server_default="[]", nullable=False))


def downgrade() -> None:
    op.drop_column("deliveries", "attempts")
