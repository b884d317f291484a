"""Sessions of signed-in browsers. Cookies arrive as digests; owners see a session's id and browser."""

from quire.serve_apps.console.store.accounts import TENANT, new_id, tenant_of
from quire.serve_apps.console.store.ports import ConsoleTables
from quire.serve_apps.console.store.rows import Account, SessionRow

SESSION_S = 14 * 86_400  # seconds of a session: two weeks
_LONGEST_AGENT = 200  # characters of a browser's name kept


def open_session(db: ConsoleTables, account_id: str, digest: bytes, agent: str = "") -> None:
    """Store a new cookie's digest and delete expired sessions. `agent` is the browser's User-Agent."""
    with db.transaction() as conn:
        conn.execute("delete from console_sessions where expires_at < clock_timestamp()")
        conn.execute(
            f"""insert into console_sessions (id, digest, account_id, agent, expires_at)
                values (%s, %s, %s, %s, clock_timestamp() + {SESSION_S} * interval '1 second')""",
            (new_id("ses_"), digest, account_id, agent[:_LONGEST_AGENT]),
        )


def find_session(db: ConsoleTables, digest: bytes) -> Account | None:
    """Return the account of a session, or None if the session has ended."""
    row = db.fetch_one(
        f"""select a.id, a.email, {TENANT} from console_sessions s join console_accounts a on a.id = s.account_id
              join console_tenants t on t.id = a.tenant_id join console_plans p on p.name = t.plan
            where s.digest = %(digest)s and s.expires_at > clock_timestamp() and a.approved_at is not null""",
        {"digest": digest},
    )
    return Account(id=row["id"], email=row["email"], tenant=tenant_of(row)) if row else None


def list_sessions(db: ConsoleTables, account_id: str, digest: bytes) -> list[SessionRow]:
    """List the account's active sessions, newest first; `current` is the one with that digest."""
    rows = db.fetch_all(
        """select id, agent, created_at, expires_at, digest = %(digest)s as current from console_sessions
           where account_id = %(account)s and expires_at > clock_timestamp() order by created_at desc, id""",
        {"account": account_id, "digest": digest},
    )
    return [SessionRow(**row) for row in rows]


def close_session(db: ConsoleTables, digest: bytes) -> None:
    """End the session, if it exists."""
    with db.transaction() as conn:
        conn.execute("delete from console_sessions where digest = %s", (digest,))


def close_one(db: ConsoleTables, account_id: str, session_id: str) -> None:
    """End one session of this account; sessions of other accounts are not affected."""
    with db.transaction() as conn:
        conn.execute("delete from console_sessions where id = %s and account_id = %s", (session_id, account_id))


def close_others(db: ConsoleTables, account_id: str, digest: bytes) -> int:
    """End every session of the account except the one with that digest, and return their number."""
    with db.transaction() as conn:
        return conn.execute(
            "delete from console_sessions where account_id = %s and digest <> %s", (account_id, digest)
        ).rowcount
