"""Makes attachments of mails and members of archives documents: adds parent, path inside it, and depth."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_INSIDE = sa.text("parent_document_id is not null")


def upgrade() -> None:
    """Add the columns and their index."""
    op.add_column("documents", sa.Column("parent_document_id", sa.Text(), nullable=True))
    op.add_column("documents", sa.Column("path", sa.Text(), nullable=True))
    op.add_column("documents", sa.Column("depth", sa.BigInteger(), server_default=sa.text("0"), nullable=False))
    op.create_index("documents_inside", "documents", ["parent_document_id"], postgresql_where=_INSIDE)


def downgrade() -> None:
    """Remove the columns and their index."""
    op.drop_index("documents_inside", "documents")
    for name in ("depth", "path", "parent_document_id"):
        op.drop_column("documents", name)
