"""Checksums of everything a store holds: each table by its rows, each original and derived file by its bytes."""

import hashlib
from pathlib import Path

import psycopg
from psycopg import sql

FOLDERS = ("blobs", "artifacts")
_TABLES = "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1"
_ROWS = "select md5(t::text) from {} t order by 1"


def rows_of(dsn: str, table: str) -> list[str]:
    """A checksum for each row, in order."""
    with psycopg.connect(dsn) as connection:
        found = connection.execute(sql.SQL(_ROWS).format(sql.Identifier(table))).fetchall()
    return [row[0] for row in found]


def tables_of(dsn: str) -> dict[str, str]:
    """A checksum of all rows by table."""
    with psycopg.connect(dsn) as connection:
        names = [row[0] for row in connection.execute(_TABLES).fetchall()]
    return {name: hashlib.sha256("\n".join(rows_of(dsn, name)).encode()).hexdigest() for name in names}


def files_of(workdir: Path) -> dict[str, str]:
    """A checksum of each original's and each derived file's bytes by its place."""
    found = (path for name in FOLDERS for path in sorted((workdir / name).rglob("*")) if path.is_file())
    return {str(path.relative_to(workdir)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}
