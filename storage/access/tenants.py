"""Moves all data of one tenant to another name, for `quire tenant move` when keys replace the default token.

One transaction. The audit chains stay, because their hashes cover the tenant; both get an entry about the move. The
index writer gets a request and then indexes the moved documents under their new owner.
"""

from psycopg import sql

from quire.storage.access.audit import record
from quire.storage.index.index_requests import request_comparison
from quire.storage.postgres.database import Connection, Database
from quire.storage.values.errors import Conflict, NotFound
from quire.storage.values.rows import Actor, Scope

OPERATOR = Actor(key_name="operator")
STAYS = ("audit", "audit_heads")

_OWNING = """
select table_name from information_schema.columns
where table_schema = current_schema() and column_name = 'tenant' and table_name <> all(%s) order by table_name
"""


def move_tenant(db: Database, source: str, target: str) -> dict[str, int]:
    """Move all rows and return their number by table.

    Raises:
        NotFound: `source` owns nothing.
        Conflict: `target` has jobs already.
    """
    with db.transaction() as conn:
        if conn.execute("select from jobs where tenant = %s limit 1", (target,)).fetchone() is not None:
            raise Conflict(f"{target} owns jobs already")
        moved = {name: _move(conn, name, source, target) for name in _owning_tables(conn)}
        if not any(moved.values()):
            raise NotFound(f"{source} owns nothing")
        request_comparison(conn, "tenant moved")
        record(conn, Scope(tenant=source), OPERATOR, "tenant.moved", f"{source} to {target}")
        record(conn, Scope(tenant=target), OPERATOR, "tenant.moved", f"{source} to {target}")
    return {name: rows for name, rows in moved.items() if rows}


def _owning_tables(conn: Connection) -> list[str]:
    """Return every table whose rows name a tenant, read from the schema so that new tables are included."""
    return [row["table_name"] for row in conn.execute(_OWNING, (list(STAYS),)).fetchall()]


def _move(conn: Connection, table: str, source: str, target: str) -> int:
    statement = sql.SQL("update {} set tenant = %s where tenant = %s").format(sql.Identifier(table))
    return conn.execute(statement, (target, source)).rowcount
