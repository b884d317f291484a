"""Adds PII flags that await review, and the decisions on them."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables of flags and decisions."""
    op.create_table(
        "flags",
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("block_id", sa.Text(), nullable=False),
        sa.Column("flag", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("page", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("block_order", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("document_id", "attempt", "block_id", "flag"),
    )
    op.create_table(
        "decisions",
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("flag", sa.Text(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column(
            "decided_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("document_id", "place", "flag"),
    )


def downgrade() -> None:
    """Drop the tables of flags and decisions."""
    op.drop_table("decisions")
    op.drop_table("flags")
