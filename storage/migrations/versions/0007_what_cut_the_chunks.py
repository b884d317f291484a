"""Which chunker, with which settings, cut a published document's chunks. Earlier documents have none: cut as today."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("documents", sa.Column("chunker", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("documents", "chunker")
