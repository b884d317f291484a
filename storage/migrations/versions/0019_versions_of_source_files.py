"""Adds the document that replaces a retired one, so that the new version is compared with the earlier one."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column and its index."""
    op.add_column("source_retired", sa.Column("successor", sa.Text(), nullable=True))
    op.create_index(
        "source_retired_by_successor",
        "source_retired",
        ["successor"],
        postgresql_where=sa.text("successor is not null"),
    )


def downgrade() -> None:
    """Remove the column and its index."""
    op.drop_index("source_retired_by_successor", "source_retired")
    op.drop_column("source_retired", "successor")
