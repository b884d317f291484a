"""Adds the JSON Schema by which the values of a job's documents are extracted."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("jobs", sa.Column("extract_schema", sa.Text(), nullable=True))


def downgrade() -> None:
    """Remove the column."""
    op.drop_column("jobs", "extract_schema")
