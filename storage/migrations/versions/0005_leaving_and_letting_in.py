"""Lets console accounts wait for approval, leave, and reset a password by link; gives sessions an id."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and links, and end all sessions."""
    op.add_column("console_tenants", sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("console_accounts", sa.Column("approved_at", sa.DateTime(timezone=True), nullable=True))
    op.execute("update console_accounts set approved_at = created_at")
    op.execute("delete from console_sessions")  # they have no id a person could name; everybody signs in again
    op.add_column("console_sessions", sa.Column("id", sa.Text(), nullable=False))
    op.add_column("console_sessions", sa.Column("agent", sa.Text(), server_default="", nullable=False))
    op.create_unique_constraint("console_sessions_id_key", "console_sessions", ["id"])
    op.create_table(
        "console_links",
        sa.Column("digest", sa.LargeBinary(), primary_key=True),
        sa.Column("account_id", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    """Remove the columns and links."""
    op.drop_table("console_links")
    op.drop_column("console_sessions", "agent")
    op.drop_column("console_sessions", "id")
    op.drop_column("console_accounts", "approved_at")
    op.drop_column("console_tenants", "closed_at")
