"""Sealed acts of the audit trail are changed by nobody but the table's owner, whatever a role was granted.

Acts are added and sealed once (a hash is written where there was none); a policy lets nothing else through.
"""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_POLICIES = ("audit_read for select using (true)", "audit_add for insert with check (hash is null)")
_SEAL = "audit_seal for update using (hash is null) with check (true)"


def upgrade() -> None:
    op.execute("alter table audit enable row level security")
    for policy in (*_POLICIES, _SEAL):
        name, _, rule = policy.partition(" ")
        op.execute(f"create policy {name} on audit {rule}")


def downgrade() -> None:
    for policy in (*_POLICIES, _SEAL):
        op.execute(f"drop policy {policy.split()[0]} on audit")
    op.execute("alter table audit disable row level security")
