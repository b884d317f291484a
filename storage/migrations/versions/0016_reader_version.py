"""Adds the version of the reader that made a document's published tree."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_READ_HERE = sa.text("deleted_at is null and reader_version is not null")


def upgrade() -> None:
    """Add the column and its index; earlier readings get version 0."""
    op.add_column("documents", sa.Column("reader_version", sa.BigInteger(), nullable=True))
    op.execute(
        """update documents d set reader_version = 0 from jobs j
           where j.id = d.job_id and j.kind <> 'ingest' and d.published_attempt is not null"""
    )
    op.create_index("documents_by_reader", "documents", ["reader_version", "id"], postgresql_where=_READ_HERE)


def downgrade() -> None:
    """Remove the column and its index."""
    op.drop_index("documents_by_reader", "documents")
    op.drop_column("documents", "reader_version")
