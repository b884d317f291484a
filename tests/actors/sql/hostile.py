"""Hostile SQL: statements that reach for files, the network, other programs, settings, memory or time."""

from collections.abc import Iterator

PATHS = ("/etc/passwd", "/proc/self/environ", "../../../etc/hosts", "/tmp", "s3://bucket/key", "http://127.0.0.1:8000/")
READERS = ("read_text", "read_blob", "read_csv", "read_csv_auto", "read_json", "read_json_auto", "read_parquet", "glob",
           "sniff_csv", "parquet_metadata", "parquet_schema", "read_ndjson", "read_json_objects")  # fmt: skip
REACHES = (
    "select * from {0}('{1}')",
    "select * from {0}(['{1}'])",
    "with f as (select * from {0}('{1}')) select count(*) from f",
    "select (select count(*) from {0}('{1}'))",
    "select * from query('select * from {0}(''{1}'')')",
)
WRITES = (
    "copy cells to '{0}'", "copy (select 1) to '{0}' (format csv)", "export database '{0}'", "import database '{0}'",
    "attach '{0}' as other", "attach '{0}' (type sqlite)", "copy cells from '{0}'", "load '{0}'", "install '{0}'",
    "create secret (type s3, key_id '{0}')", "create table x as select * from '{0}'", "select * from '{0}'",
)  # fmt: skip
STATEMENTS = (
    "install httpfs", "load httpfs", "install postgres", "force install spatial", "set threads = 8", "reset threads",
    "set enable_external_access = true", "set lock_configuration = false", "pragma enable_external_access",
    "set memory_limit = '100GB'", "set global home_directory = '/root'", "pragma database_list", "pragma version",
    "pragma import_database('/tmp')", "call pragma_version()", "checkpoint", "begin", "vacuum", "analyze",
    "detach memory",
    "drop table cells", "delete from cells", "update cells set text = 'x'", "insert into cells select * from cells",
    "create table t (a int)", "create view v as select 1", "create macro m() as 1",
    "alter table cells add column x int",
    "truncate cells", "use memory", "prepare p as select 1", "execute p", "deallocate p", "explain analyze select 1",
    "select 1; select 2", "select 1; drop table cells", "", ";", "select", "select * from", "select getenv('PATH')",
    "select * from arrow_cells", "select * from sys", "select * from os", "select * from cells_json",
    "select * from duckdb_secrets()", "select * from which_secret('s3://x', 's3')",
    "with x as (insert into cells select * from cells returning 1) select * from x",
    "merge into cells using cells c on true when matched then delete", "comment on table cells is 'x'",
    "select * from postgres_scan('host=127.0.0.1', 'public', 'documents')", "select * from sqlite_scan('/x', 't')",
    "select * from iceberg_scan('/x')", "select * from delta_scan('/x')", "select \ud800", "select '\ud800'",
)  # fmt: skip
"""Each is answered with a refusal, or reads nothing from outside."""
ENDLESS = (
    "select count(*) from range(100000000000)",
    "with recursive t as (select 1 as n union all select n + 1 from t) select count(*) from t",
    "select count(*) from range(1000000) a, range(1000000) b where a.range % 7 = b.range % 11",
)
GREEDY = (
    "select repeat('x', 1000000000) || label from cells",
    "select list(range) from range(100000000)",
    "select string_agg(repeat('y', 100000), '') from range(1000000)",
)


def outside() -> Iterator[str]:
    """Yield more than 500 statements that try to leave the tables."""
    for path in PATHS:
        yield from (reach.format(reader, path) for reach in REACHES for reader in READERS)
        yield from (write.format(path) for write in WRITES)
    yield from STATEMENTS
