"""Adds the identity of the deployment; an existing database is as old as its first job."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table and its only row."""
    op.create_table(
        "deployment",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("tick", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("stores", postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.execute(
        "insert into deployment (id, created_at) select 'dep_' || replace(gen_random_uuid()::text, '-', ''), "
        "coalesce((select min(created_at) from jobs), clock_timestamp())"
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("deployment")
