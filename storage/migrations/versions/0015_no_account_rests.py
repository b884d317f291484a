"""Removes the lock of console accounts: wrong passwords count by name and address, as rate limits."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Remove the columns of failed logins."""
    op.drop_column("console_accounts", "failures")
    op.drop_column("console_accounts", "locked_until")


def downgrade() -> None:
    """Restore the columns of failed logins."""
    op.add_column("console_accounts", sa.Column("failures", sa.Integer(), server_default="0", nullable=False))
    op.add_column("console_accounts", sa.Column("locked_until", sa.DateTime(timezone=True)))
