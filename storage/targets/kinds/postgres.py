"""PostgreSQL target: one table, with a pgvector column where the service has an embedding model."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from quire.storage.targets.contract import RecordRefused, TargetRecord, TargetSettings, TargetUnavailable

_PORTS = {"postgresql": 5432, "postgres": 5432}
_COLUMNS = {
    "id": "uuid primary key",
    "document_id": "text not null",
    "run": "text not null",
    "chunk_id": "text not null",
    "index": "integer not null",
    "text": "text not null",
    "source_file": "text not null",
    "pages": "integer[] not null",
    "headings": "text[] not null",
    "boxes": "jsonb not null",
    "language": "text",
    "metadata": "jsonb",
    "principals": "text[]",
}

_HAS_VECTORS = "select 1 from pg_attribute where attrelid = to_regclass(%s) and attname = 'embedding'"
MAX_INDEXED = 2000  # dimensions of a vector that pgvector indexes


class PostgresTarget:
    """Settings: `url` (`postgresql://user@host:port/database`), `table` (default `quire_chunks`), `sslmode`.

    The secret is the password.
    """

    def __init__(self, settings: TargetSettings) -> None:
        self._table = sql.Identifier(*settings.text("table", "quire_chunks").split("."))
        self._width: int | None = None
        timeout_ms = int(settings.timeout_s * 1000)
        server = settings.address("url", _PORTS, user_allowed=True)
        address, addresses = server.address, server.addresses
        with _mapped():
            self._connection = psycopg.connect(
                host=",".join([address.host] * len(addresses)),
                hostaddr=",".join(addresses),
                port=address.port,
                user=address.user,
                dbname=address.path.strip("/") or None,
                password=settings.secret,
                passfile="/dev/null",  # passwords of the service's own user are not for targets
                sslmode=settings.text("sslmode", "prefer"),
                connect_timeout=int(settings.timeout_s),
                options=f"-c statement_timeout={timeout_ms} -c lock_timeout={timeout_ms}",
                tcp_user_timeout=timeout_ms,
                application_name="quire-target",
                autocommit=True,
            )
        self._created = False

    def check(self) -> None:
        """Create the table if it is missing, which shows that this user may write it."""
        with _mapped():
            self._create()

    def upsert(self, records: Sequence[TargetRecord]) -> None:
        """Insert or replace the records in one transaction."""
        with _mapped(), self._connection.transaction():
            self._create()
            self._add_vectors(records)
            with self._connection.cursor() as cursor:
                cursor.executemany(self._statement(), [_row(record) for record in records])

    def delete(self, document_id: str, keep_run: str | None) -> None:
        """Delete the document's rows, except those of the run to keep."""
        statement = sql.SQL("delete from {} where document_id = %s and run is distinct from %s").format(self._table)
        with _mapped():
            self._create()
            self._connection.execute(statement, (document_id, keep_run))

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _create(self) -> None:
        if self._created:
            return
        columns = sql.SQL(", ").join(
            sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(kind)) for name, kind in _COLUMNS.items()
        )
        self._connection.execute(sql.SQL("create table if not exists {} ({})").format(self._table, columns))
        index = sql.SQL("create index if not exists {} on {} (document_id)")
        self._connection.execute(index.format(self._index("document"), self._table))
        self._created = True

    def _add_vectors(self, records: Sequence[TargetRecord]) -> None:
        width = next((len(record.vector) for record in records if record.vector is not None), None)
        if width is None or self._width is not None:
            return
        self._connection.execute("create extension if not exists vector")
        if self._connection.execute(_HAS_VECTORS, (self._table.as_string(),)).fetchone() is None:
            column = sql.SQL("alter table {} add column if not exists embedding vector({})")
            self._connection.execute(column.format(self._table, width))
            if width <= MAX_INDEXED:  # as no row has a vector yet, the index is made at once
                index = sql.SQL("create index if not exists {} on {} using hnsw (embedding vector_cosine_ops)")
                self._connection.execute(index.format(self._index("vectors"), self._table))
        self._width = width

    def _index(self, name: str) -> sql.Identifier:
        return sql.Identifier(f"{self._table.as_string().replace(chr(34), '')[:40]}_{name}")

    def _statement(self) -> sql.Composed:
        names = [*_COLUMNS, *(["embedding"] if self._width is not None else [])]
        return sql.SQL("insert into {} ({}) values ({}) on conflict (id) do update set {}").format(
            self._table,
            sql.SQL(", ").join(map(sql.Identifier, names)),
            sql.SQL(", ").join(map(sql.Placeholder, names)),
            sql.SQL(", ").join(
                sql.SQL("{0} = excluded.{0}").format(sql.Identifier(name)) for name in names if name != "id"
            ),
        )


def _row(record: TargetRecord) -> dict[str, object]:
    row = record.payload()
    vector = None if record.vector is None else str([*map(float, record.vector)])
    return row | {"boxes": Jsonb(row["boxes"]), "metadata": Jsonb(row["metadata"]), "embedding": vector}


@contextmanager
def _mapped() -> Iterator[None]:
    try:
        yield
    except (psycopg.DataError, psycopg.IntegrityError) as error:
        raise RecordRefused(type(error).__name__) from error
    except psycopg.Error as error:
        raise TargetUnavailable(type(error).__name__) from error
