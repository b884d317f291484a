"""Adds the principals that may find a document, and the rules by which sources set them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_RESTRICTED = sa.text("deleted_at is null and principals is not null")


def upgrade() -> None:
    """Add the columns and an index of restricted documents."""
    op.add_column("documents", sa.Column("principals", postgresql.ARRAY(sa.Text()), nullable=True))
    op.create_index("documents_restricted", "documents", ["tenant", "org"], postgresql_where=_RESTRICTED)
    op.add_column(
        "sources",
        sa.Column("access", postgresql.JSONB(), server_default=sa.text("'[]'::jsonb"), nullable=False),
    )


def downgrade() -> None:
    """Remove the columns and the index."""
    op.drop_column("sources", "access")
    op.drop_index("documents_restricted", "documents")
    op.drop_column("documents", "principals")
