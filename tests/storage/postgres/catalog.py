"""Reads a schema from the catalogs of PostgreSQL, without the order of columns."""

import psycopg

_CATALOG = """
select 'column', c.relname, attname, format_type(atttypid, atttypmod), attnotnull::text,
       pg_get_expr(adbin, adrelid), attidentity::text || attgenerated::text
from pg_attribute join pg_class c on c.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
union all select 'index', tablename, indexdef, null, null, null, null from pg_indexes where schemaname = 'public'
union all select 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid), null, null, null
  from pg_constraint where connamespace = 'public'::regnamespace
union all select 'class', relname, relkind::text, relpersistence::text, reloptions::text, relrowsecurity::text,
                 relacl::text
  from pg_class where relnamespace = 'public'::regnamespace
union all select 'grant', attrelid::regclass::text, attname, attacl::text, null, null, null
  from pg_attribute where attrelid >= 16384 and attacl is not null
union all select 'policy', tablename, policyname, cmd, qual, with_check, roles::text from pg_policies
union all select 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid), null, null, null
  from pg_trigger where not tgisinternal
union all select 'function', proname, prosrc, proacl::text, null, null, null
  from pg_proc where pronamespace = 'public'::regnamespace
"""


def read_catalog(dsn: str) -> set[tuple[str | None, ...]]:
    """Return a row for each column, index, constraint, table, grant, policy, trigger and function."""
    with psycopg.connect(dsn) as connection:
        return set(connection.execute(_CATALOG))
