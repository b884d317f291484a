"""Accounts, their tenants and signed-in sessions. Passwords arrive hashed, cookies as digests; no secret is kept."""

import base64
import os

import psycopg

from storage.console.errors import EmailTaken
from storage.console.rows import Account, Tenant
from storage.database import Database, Row

SESSION_S = 14 * 86_400
MAX_FAILURES, LOCK_S = 8, 300
TENANT = "t.id as tenant_id, t.plan, p.monthly_pages, p.concurrent_documents, p.retention_days"
"""The columns of a tenant with its plan, from `console_tenants t join console_plans p`."""


def new_id(kind: str) -> str:
    """A short lower-case id, fit for an organisation's name."""
    return kind + base64.b32encode(os.urandom(16)).decode().rstrip("=").lower()


def create_account(db: Database, email: str, password_hash: str, *, plan: str = "free") -> Account:
    """An account with a tenant of its own. Raises EmailTaken."""
    tenant_id, account_id = new_id("t"), new_id("acc_")
    try:
        with db.transaction() as conn:
            conn.execute("insert into console_tenants (id, plan) values (%s, %s)", (tenant_id, plan))
            conn.execute(
                "insert into console_accounts (id, email, password, tenant_id) values (%s, %s, %s, %s)",
                (account_id, email, password_hash, tenant_id),
            )
            row = conn.execute(
                f"select {TENANT} from console_tenants t join console_plans p on p.name = t.plan where t.id = %s",
                (tenant_id,),
            ).fetchall()[0]
    except psycopg.errors.UniqueViolation:
        raise EmailTaken("there is an account with this address; sign in instead") from None
    return Account(id=account_id, email=email, tenant=tenant_of(row))


def find_password(db: Database, email: str) -> tuple[str, str] | None:
    """Account id and password hash of an address; None where there is none or it was tried too often."""
    row = db.fetch_one(
        """select id, password from console_accounts
           where email = %(email)s and (locked_until is null or locked_until < clock_timestamp())""",
        {"email": email},
    )
    return (row["id"], row["password"]) if row else None


def note_failure(db: Database, account_id: str) -> None:
    """One more wrong password; after several in a row the account rests for some minutes."""
    with db.transaction() as conn:
        conn.execute(
            f"""update console_accounts set failures = failures + 1, locked_until = case
                  when (failures + 1) %% {MAX_FAILURES} = 0 then clock_timestamp() + {LOCK_S} * interval '1 second' end
                where id = %s""",
            (account_id,),
        )


def open_session(db: Database, account_id: str, digest: bytes) -> None:
    """Keeps a new cookie's digest and drops sessions that have run out."""
    with db.transaction() as conn:
        conn.execute("update console_accounts set failures = 0, locked_until = null where id = %s", (account_id,))
        conn.execute("delete from console_sessions where expires_at < clock_timestamp()")
        conn.execute(
            f"""insert into console_sessions (digest, account_id, expires_at)
                values (%s, %s, clock_timestamp() + {SESSION_S} * interval '1 second')""",
            (digest, account_id),
        )


def find_session(db: Database, digest: bytes) -> Account | None:
    """Whose session this is, while it lasts."""
    row = db.fetch_one(
        f"""select a.id, a.email, {TENANT} from console_sessions s join console_accounts a on a.id = s.account_id
              join console_tenants t on t.id = a.tenant_id join console_plans p on p.name = t.plan
            where s.digest = %(digest)s and s.expires_at > clock_timestamp()""",
        {"digest": digest},
    )
    return Account(id=row["id"], email=row["email"], tenant=tenant_of(row)) if row else None


def close_session(db: Database, digest: bytes) -> None:
    with db.transaction() as conn:
        conn.execute("delete from console_sessions where digest = %s", (digest,))


def change_plan(db: Database, email: str, plan: str) -> bool:
    """Puts an account's tenant on another plan; False where account or plan is unknown."""
    with db.transaction() as conn:
        return bool(
            conn.execute(
                """update console_tenants set plan = %(plan)s
                   where id = (select tenant_id from console_accounts where email = %(email)s)
                     and exists (select from console_plans where name = %(plan)s)""",
                {"email": email, "plan": plan},
            ).rowcount
        )


def tenant_of(row: Row) -> Tenant:
    """From the columns of `TENANT`."""
    names = ("plan", "monthly_pages", "concurrent_documents", "retention_days")
    return Tenant(id=row["tenant_id"], **{name: row[name] for name in names})
