"""The database role of the service: not a superuser, not an owner. It adds audit entries and cannot change any.

Takes the owner's DSN and a password, and returns the service's DSN. Every start repeats the grants, so that tables of a
newer schema are covered. For an external database `print_role` writes the same as SQL for the owner to run.
"""

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from quire.storage.postgres.database import MIGRATING, session_dsn

ROLE = "quire_service"
_TABLES = """
revoke all on all tables in schema public from {role};
grant usage on schema public to {role};
grant select, insert, update, delete on all tables in schema public to {role};
grant usage on all sequences in schema public to {role};
revoke update, delete on audit from {role};
grant update (seq, prev_hash, hash) on audit to {role};
revoke insert, update, delete on alembic_version from {role}
"""
"""The seal of an act (its number and links) is written once, after it: a policy of the table lets no second one in."""
_ERASING = """
grant maintain on all tables in schema public to {role};
grant pg_checkpoint to {role};
grant execute on function pg_switch_wal() to {role}
"""
"""Rights to vacuum, checkpoint and switch the log, which permanent erasure needs in the embedded database."""
_OUTSIDE = """\
-- The role that Quire works as: it reads and writes its tables, adds to the audit trail, and can change, remove or
-- truncate no act of it. Run as the owner of the tables after every `quire migrate`; running it again does no harm.
begin;
do $$ begin
  if not exists (select from pg_roles where rolname = {name}) then
    create role {role} login;
  end if;
  if exists (select from pg_roles where rolname = {name} and (rolsuper or rolbypassrls or rolcreaterole)) then
    raise exception 'a role with rights over other roles or policies protects no audit trail: %', {name};
  end if;
  if exists (
    select from pg_class where oid = to_regclass('public.audit') and pg_has_role({name}, relowner, 'member')
  ) then
    raise exception 'the owner of the tables protects no audit trail: %', {name};
  end if;
end $$;{grants};
commit;
-- Then give it a password (\\password {role} in psql) and name it in SVC_DATABASE_URL.
"""


def let_service_in(owner_dsn: str, password: str) -> str:
    """Create the role if it is missing, grant its rights, and return its DSN. The schema must exist."""
    with psycopg.connect(session_dsn(owner_dsn)) as connection:
        connection.execute("select pg_advisory_xact_lock(%s)", (MIGRATING,))  # starts may race
        if not connection.execute("select 1 from pg_roles where rolname = %s", (ROLE,)).fetchone():
            connection.execute(sql.SQL("create role {}").format(sql.Identifier(ROLE)))
        rights = "alter role {} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password {}"
        connection.execute(sql.SQL(rights).format(sql.Identifier(ROLE), sql.Literal(password)))
        for grant in f"{_TABLES};{_ERASING}".split(";"):
            connection.execute(sql.SQL(grant).format(role=sql.Identifier(ROLE)))
    return make_conninfo(owner_dsn, user=ROLE, password=password)


def print_role(role: str = ROLE) -> str:
    """Return the SQL that creates the role in an external database; it holds no password."""
    identifier = sql.Identifier(role)
    grants = sql.SQL(_TABLES).format(role=identifier)
    return sql.SQL(_OUTSIDE).format(role=identifier, name=sql.Literal(role), grants=grants).as_string(None)
