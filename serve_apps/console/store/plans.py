"""Plans and their tenants, as operators see them. Every change has an audit row."""

from quire.serve_apps.console.store.accounts import OPERATOR
from quire.serve_apps.console.store.ports import AuditedDatabase, ConsoleTables
from quire.serve_apps.console.store.rows import WEBHOOK_TENANT, TenantPlan, TenantRow, hooks_of
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import Scope

PLANS = Scope(tenant=WEBHOOK_TENANT)
"""The audit trail of the plans themselves."""


def list_plans(db: ConsoleTables) -> list[TenantPlan]:
    """List all plans by name."""
    rows = db.fetch_all(
        "select name, monthly_pages, concurrent_documents, retention_days from console_plans order by name"
    )
    return [TenantPlan(**row) for row in rows]


def define_plan(db: AuditedDatabase, plan: TenantPlan) -> None:
    """Create a plan, or change it for all its tenants from the next request on."""
    with db.transaction() as conn:
        conn.execute(
            """insert into console_plans (name, monthly_pages, concurrent_documents, retention_days)
               values (%s, %s, %s, %s) on conflict (name) do update set monthly_pages = excluded.monthly_pages,
                 concurrent_documents = excluded.concurrent_documents, retention_days = excluded.retention_days""",
            (plan.name, plan.monthly_pages, plan.concurrent_documents, plan.retention_days),
        )
        db.record(conn, PLANS, OPERATOR, "plan.defined", plan.name)


def change_plan(db: AuditedDatabase, who: str, plan: str) -> str:
    """Put a tenant, named by its id or an account's address, on another plan; return its id. Raises NotFound."""
    with db.transaction() as conn:
        if conn.execute("select from console_plans where name = %s", (plan,)).fetchone() is None:
            raise NotFound(f"there is no plan {plan}")
        row = conn.execute(
            """update console_tenants set plan = %(plan)s where closed_at is null
               and id = coalesce((select tenant_id from console_accounts where email = %(who)s), %(who)s)
               returning id""",
            {"plan": plan, "who": who},
        ).fetchone()
        if row is None:
            raise NotFound(f"there is no tenant {who}")
        db.record(conn, hooks_of(row["id"]), OPERATOR, "plan.changed", plan)
        return str(row["id"])


def list_tenants(db: ConsoleTables) -> list[TenantRow]:
    """List all tenants, oldest first, with this month's use; closed ones have only their id."""
    rows = db.fetch_all(
        """select t.id as tenant_id, a.email, t.plan, t.created_at, a.approved_at, t.closed_at,
             coalesce(u.documents, 0) as documents, coalesce(u.pages, 0) as pages
           from console_tenants t left join console_accounts a on a.tenant_id = t.id
             left join console_usage u on u.tenant_id = t.id
               and u.month = date_trunc('month', statement_timestamp())::date
           order by t.created_at, t.id"""
    )
    return [TenantRow(**row) for row in rows]
