"""The role that the service works as: no superuser, no owner; it adds acts to the audit trail and changes none.

In come the owner's DSN and a password, out comes the service's DSN. Every start grants anew, so that tables of a newer
schema are covered. For a database of our own; the role of an external one is its operator's business.
"""

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from storage.postgres.database import session_dsn
from storage.postgres.schema import MIGRATING

ROLE = "quire_service"
_GRANTS = """
revoke all on all tables in schema public from {role};
grant usage on schema public to {role};
grant select, insert, update, delete, maintain on all tables in schema public to {role};
grant usage on all sequences in schema public to {role};
revoke update, delete on audit from {role};
grant update (seq, prev_hash, hash) on audit to {role};
revoke insert, update, delete on alembic_version from {role};
grant pg_checkpoint to {role};
grant execute on function pg_switch_wal() to {role}
"""
"""`maintain`, checkpoints and the switch of the log are what erasing for good needs."""


def let_service_in(owner_dsn: str, password: str) -> str:
    """The DSN of the service's role, made where it is missing. The schema is there already."""
    with psycopg.connect(session_dsn(owner_dsn)) as connection:
        connection.execute("select pg_advisory_xact_lock(%s)", (MIGRATING,))  # starts may race
        if not connection.execute("select 1 from pg_roles where rolname = %s", (ROLE,)).fetchone():
            connection.execute(sql.SQL("create role {}").format(sql.Identifier(ROLE)))
        rights = "alter role {} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password {}"
        connection.execute(sql.SQL(rights).format(sql.Identifier(ROLE), sql.Literal(password)))
        for grant in _GRANTS.split(";"):
            connection.execute(sql.SQL(grant).format(role=sql.Identifier(ROLE)))
    return make_conninfo(owner_dsn, user=ROLE, password=password)
