"""Stores a flag per value with its confidence, and a log of reviewers' decisions, which can be revoked."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_KEEP_WHAT_WAS_SAID = """
insert into decision_log (act, document_id, place, flag, decision, decided_by, decided_at)
select '', document_id, place, flag, decision, decided_by, decided_at from decisions order by decided_at
"""


def upgrade() -> None:
    """Add the flags' value columns and the decision log."""
    op.add_column("flags", sa.Column("value", sa.Text(), server_default=sa.text("''"), nullable=False))
    op.add_column("flags", sa.Column("confidence", sa.Float(), server_default=sa.text("1"), nullable=False))
    op.add_column("flags", sa.Column("number", sa.BigInteger(), server_default=sa.text("0"), nullable=False))
    op.drop_constraint("flags_pkey", "flags")
    op.create_primary_key("flags_pkey", "flags", ["document_id", "attempt", "block_id", "flag", "place"])
    op.create_table(
        "decision_log",
        sa.Column("seq", sa.BigInteger(), sa.Identity(always=True), primary_key=True),
        sa.Column("act", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("flag", sa.Text(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column(
            "decided_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("undone", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    op.create_index("decision_log_by_place", "decision_log", ["document_id", "place", "flag"])
    op.create_index("decision_log_by_act", "decision_log", ["act"], postgresql_where=sa.text("act <> ''"))
    op.execute(_KEEP_WHAT_WAS_SAID)


def downgrade() -> None:
    """Drop the decision log and merge the flags of a block."""
    op.drop_table("decision_log")
    op.execute("delete from flags f using flags g where f.ctid > g.ctid and f.document_id = g.document_id "
               "and f.attempt = g.attempt and f.block_id = g.block_id and f.flag = g.flag")  # fmt: skip
    op.drop_constraint("flags_pkey", "flags")
    op.create_primary_key("flags_pkey", "flags", ["document_id", "attempt", "block_id", "flag"])
    for name in ("number", "confidence", "value"):
        op.drop_column("flags", name)
