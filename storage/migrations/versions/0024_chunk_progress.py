"""Adds the phase and the chunks done of a document that is being read and indexed."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_COUNTS = ("chunks_done", "chunks_total")


def upgrade() -> None:
    """Add the columns."""
    op.add_column("page_progress", sa.Column("phase", sa.Text(), nullable=True))
    for name in _COUNTS:
        op.add_column("page_progress", sa.Column(name, sa.BigInteger(), server_default=sa.text("0"), nullable=False))


def downgrade() -> None:
    """Drop the columns."""
    for name in ("phase", *_COUNTS):
        op.drop_column("page_progress", name)
