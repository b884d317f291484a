"""Protects sealed acts of the audit trail from changes by every role except the table's owner.

Acts are added and sealed once (a hash is written where it was null); row-level policies reject every other change.
"""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_POLICIES = ("audit_read for select using (true)", "audit_add for insert with check (hash is null)")
_SEAL = "audit_seal for update using (hash is null) with check (true)"


def upgrade() -> None:
    """Enable the policies."""
    op.execute("alter table audit enable row level security")
    for policy in (*_POLICIES, _SEAL):
        name, _, rule = policy.partition(" ")
        op.execute(f"create policy {name} on audit {rule}")


def downgrade() -> None:
    """Remove the policies."""
    for policy in (*_POLICIES, _SEAL):
        op.execute(f"drop policy {policy.split()[0]} on audit")
    op.execute("alter table audit disable row level security")
