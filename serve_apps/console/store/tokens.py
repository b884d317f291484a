"""Access tokens: shown once, stored as SHA-256, revoked with immediate effect."""

import hashlib
import secrets

from quire.serve_apps.console.store.accounts import TENANT, new_id, tenant_of
from quire.serve_apps.console.store.ports import AuditedDatabase, ConsoleTables, Row
from quire.serve_apps.console.store.rows import Account, Tenant, TokenRow
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import Actor

PREFIX = "qc_"


def digest_of(secret: str) -> bytes:
    """Return the SHA-256 digest under which a token is stored."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()


def create_token(db: AuditedDatabase, account: Account, name: str) -> tuple[TokenRow, str]:
    """Create a token and return its row and its secret, which cannot be retrieved later."""
    secret = PREFIX + secrets.token_hex(32)
    with db.transaction() as conn:
        row = conn.execute(
            "insert into console_tokens (id, tenant_id, name, digest) values (%s, %s, %s, %s) returning *",
            (new_id("tok_"), account.tenant.id, name, digest_of(secret)),
        ).fetchall()[0]
        db.record(conn, account.tenant.hooks, Actor(key_name=account.id), "token.created", row["id"])
    return _token(row), secret


def list_tokens(db: ConsoleTables, tenant_id: str) -> list[TokenRow]:
    """List tokens, newest first, including revoked ones."""
    rows = db.fetch_all(
        "select * from console_tokens where tenant_id = %(tenant)s order by created_at desc, id", {"tenant": tenant_id}
    )
    return [_token(row) for row in rows]


def revoke_token(db: AuditedDatabase, account: Account, token_id: str) -> None:
    """Revoke a token. Repeating it changes nothing. Raises NotFound."""
    with db.transaction() as conn:
        updated = conn.execute(
            """update console_tokens set revoked_at = coalesce(revoked_at, clock_timestamp())
               where id = %s and tenant_id = %s""",
            (token_id, account.tenant.id),
        )
        if not updated.rowcount:
            raise NotFound("no such token")
        db.record(conn, account.tenant.hooks, Actor(key_name=account.id), "token.revoked", token_id)


def find_tenant(db: ConsoleTables, secret: str) -> Tenant | None:
    """Return the tenant of a token; None if the token is unknown or revoked."""
    row = db.fetch_one(
        f"""select {TENANT} from console_tokens k join console_tenants t on t.id = k.tenant_id
              join console_plans p on p.name = t.plan where k.digest = %(digest)s and k.revoked_at is null""",
        {"digest": digest_of(secret)},
    )
    return tenant_of(row) if row else None


def _token(row: Row) -> TokenRow:
    return TokenRow(**{name: row[name] for name in ("id", "name", "created_at", "revoked_at")})
