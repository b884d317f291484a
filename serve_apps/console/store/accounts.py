"""Accounts and their tenants: sign-up, approval, passwords, links for a new password, closing.

Passwords arrive hashed and links as digests; secrets are never stored. Important changes have audit rows under the
tenant.
"""

import base64
import os

import psycopg

from quire.serve_apps.console.store.errors import EmailTaken
from quire.serve_apps.console.store.ports import AuditedDatabase, Connection, ConsoleTables, Row
from quire.serve_apps.console.store.rows import Account, Credentials, Tenant, hooks_of
from quire.storage.values.rows import Actor, Scope

LINK_S = 3600  # seconds for which a link for a new password is valid
OPERATOR = Actor(key_name="operator")
TENANT = "t.id as tenant_id, t.plan, p.monthly_pages, p.concurrent_documents, p.retention_days"
"""The columns of a tenant with its plan, from `console_tenants t join console_plans p`."""


def new_id(kind: str) -> str:
    """Return a short lower-case id that is valid as an organisation's name."""
    return kind + base64.b32encode(os.urandom(16)).decode().rstrip("=").lower()


def create_account(
    db: AuditedDatabase, email: str, password_hash: str, *, plan: str = "free", approved: bool = True
) -> Account:
    """Create an account with a new tenant. Without `approved`, an operator must approve it. Raises EmailTaken."""
    tenant_id, account_id = new_id("t"), new_id("acc_")
    try:
        with db.transaction() as conn:
            conn.execute("insert into console_tenants (id, plan) values (%s, %s)", (tenant_id, plan))
            conn.execute(
                """insert into console_accounts (id, email, password, tenant_id, approved_at)
                   values (%s, %s, %s, %s, case when %s then clock_timestamp() end)""",
                (account_id, email, password_hash, tenant_id, approved),
            )
            db.record(conn, hooks_of(tenant_id), Actor(key_name=account_id), "account.created", account_id)
            row = conn.execute(
                f"select {TENANT} from console_tenants t join console_plans p on p.name = t.plan where t.id = %s",
                (tenant_id,),
            ).fetchall()[0]
    except psycopg.errors.UniqueViolation:
        raise EmailTaken("an account with this address exists; sign in instead") from None
    return Account(id=account_id, email=email, tenant=tenant_of(row))


def find_password(db: ConsoleTables, email: str) -> Credentials | None:
    """Return the credentials of an address, or None if it has no account."""
    row = db.fetch_one(
        "select id, password, approved_at is not null as approved from console_accounts where email = %(email)s",
        {"email": email},
    )
    return Credentials(account_id=row["id"], password=row["password"], approved=row["approved"]) if row else None


def password_of(db: ConsoleTables, account_id: str) -> str | None:
    """Return the password hash of a signed-in account."""
    row = db.fetch_one("select password from console_accounts where id = %(id)s", {"id": account_id})
    return str(row["password"]) if row else None


def change_password(db: AuditedDatabase, account_id: str, password_hash: str, keep: bytes) -> None:
    """Set a new password and end all links and all sessions except the one with the digest `keep`."""
    with db.transaction() as conn:
        _set_password(db, conn, account_id, password_hash)
        conn.execute("delete from console_sessions where account_id = %s and digest <> %s", (account_id, keep))


def make_link(db: AuditedDatabase, email: str, digest: bytes) -> bool:
    """Store a link that sets a new password once within an hour. Return False for an unknown address."""
    with db.transaction() as conn:
        conn.execute("delete from console_links where expires_at < clock_timestamp()")
        link = conn.execute(
            f"""insert into console_links (digest, account_id, expires_at)
                select %(digest)s, id, clock_timestamp() + {LINK_S} * interval '1 second'
                from console_accounts where email = %(email)s returning account_id""",
            {"digest": digest, "email": email},
        ).fetchone()
        if link is not None:
            db.record(conn, _hooks_of_account(conn, link["account_id"]), OPERATOR, "password.link", link["account_id"])
        return link is not None


def use_link(db: AuditedDatabase, digest: bytes, password_hash: str) -> bool:
    """Set the password and end every session. Return False if the link is unknown, used or expired."""
    with db.transaction() as conn:
        used = conn.execute(
            "delete from console_links where digest = %s and expires_at > clock_timestamp() returning account_id",
            (digest,),
        ).fetchone()
        if used is None:
            return False
        _set_password(db, conn, used["account_id"], password_hash)
        conn.execute("delete from console_sessions where account_id = %s", (used["account_id"],))
        return True


def approve(db: AuditedDatabase, email: str) -> bool:
    """Approve an account; False if it does not exist. A repeated approval changes nothing."""
    with db.transaction() as conn:
        row = conn.execute(
            """update console_accounts set approved_at = coalesce(approved_at, clock_timestamp())
               where email = %s returning id, tenant_id""",
            (email,),
        ).fetchone()
        if row is not None:
            db.record(conn, hooks_of(row["tenant_id"]), OPERATOR, "account.approved", row["id"])
        return row is not None


def close_account(db: AuditedDatabase, account_id: str, actor: Actor | None = None) -> bool:
    """Delete the account with its sessions, links and tokens now; the watcher deletes its documents later.

    The tenant's id, its monthly usage and its audit trail stay. Return False if the account does not exist.
    """
    with db.transaction() as conn:
        row = conn.execute("delete from console_accounts where id = %s returning tenant_id", (account_id,)).fetchone()
        if row is None:
            return False
        tenant_id, hooks = row["tenant_id"], hooks_of(row["tenant_id"])
        for table in ("console_sessions", "console_links"):
            conn.execute(f"delete from {table} where account_id = %s", (account_id,))
        conn.execute("update console_tenants set closed_at = clock_timestamp() where id = %s", (tenant_id,))
        conn.execute("delete from console_tokens where tenant_id = %s", (tenant_id,))
        for table in ("deliveries", "webhooks"):
            conn.execute(f"delete from {table} where tenant = %s and org = %s", (hooks.tenant, hooks.org))
        db.record(conn, hooks, actor or Actor(key_name=account_id), "account.closed", account_id)
        return True


def find_account(db: ConsoleTables, email: str) -> str | None:
    """Return the id of the account with this address, or None."""
    row = db.fetch_one("select id from console_accounts where email = %(email)s", {"email": email})
    return str(row["id"]) if row else None


def _set_password(db: AuditedDatabase, conn: Connection, account_id: str, password_hash: str) -> None:
    conn.execute("update console_accounts set password = %s where id = %s", (password_hash, account_id))
    conn.execute("delete from console_links where account_id = %s", (account_id,))
    hooks = _hooks_of_account(conn, account_id)
    db.record(conn, hooks, Actor(key_name=account_id), "password.changed", account_id)


def _hooks_of_account(conn: Connection, account_id: str) -> Scope:
    rows = conn.execute("select tenant_id from console_accounts where id = %s", (account_id,)).fetchall()
    return hooks_of(rows[0]["tenant_id"])


def tenant_of(row: Row) -> Tenant:
    """Build a tenant from the columns of `TENANT`."""
    names = ("plan", "monthly_pages", "concurrent_documents", "retention_days")
    return Tenant(id=row["tenant_id"], **{name: row[name] for name in names})
