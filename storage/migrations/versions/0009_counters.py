"""Adds counters of finished work, so that metrics do not count rows; they start from the current rows."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_BEGIN = """
insert into counters (name, label, value)
select 'documents', status, count(*) from documents where finished_at is not null group by status
union all select 'errors', error, count(*) from documents where error is not null group by error
union all select 'pages', '', sum(pages) from meter having sum(pages) > 0
union all select 'routes', r.key, sum(r.value::bigint) from documents d, jsonb_each_text(d.route_counts) as r
  where r.key in ('fast', 'ocr', 'vlm') group by r.key
union all select 'jobs', status, count(*) from jobs where finished_at is not null group by status
union all select 'deliveries', state, count(*) from deliveries where state <> 'pending' group by state
"""


def upgrade() -> None:
    """Create the counters and fill them from the current rows."""
    op.create_table(
        "counters",
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("label", sa.Text(), primary_key=True),
        sa.Column("value", sa.BigInteger(), server_default="0", nullable=False),
    )
    op.create_table(
        "counter_deltas",
        sa.Column("seq", sa.BigInteger(), sa.Identity(always=True), primary_key=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("value", sa.BigInteger(), server_default="0", nullable=False),
    )
    op.execute(_BEGIN)


def downgrade() -> None:
    """Drop the counters."""
    op.drop_table("counter_deltas")
    op.drop_table("counters")
