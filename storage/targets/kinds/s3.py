"""S3 target: Parquet files below `document_id=.../`, one for each run and group of a document's records."""

import io
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

import obstore
import pyarrow as pa
import pyarrow.parquet as pq
from obstore.exceptions import BaseError
from obstore.store import S3Store

from quire.storage.targets.contract import TargetRecord, TargetRefused, TargetSettings, TargetUnavailable
from quire.storage.values.native_panics import NativePanic, native_panics

_URI = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/([A-Za-z0-9._/=-]*))?\Z")
_REGION = re.compile(r"[a-z0-9-]{1,32}\Z")
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "document_id", "run", "chunk_id")),
        ("index", pa.int32()),
        ("text", pa.string()),
        ("source_file", pa.string()),
        ("pages", pa.list_(pa.int32())),
        ("headings", pa.list_(pa.string())),
        ("boxes", pa.string()),
        ("language", pa.string()),
        ("metadata", pa.string()),
        ("principals", pa.list_(pa.string())),
        ("vector", pa.list_(pa.float32())),
    ]
)
"""Columns of the files; `boxes` and `metadata` are JSON."""


class S3Target:
    """Settings: `uri` (`s3://bucket/prefix`), `access_key_id`, `region` (default `us-east-1`), `endpoint`.

    The secret is the secret access key. Credentials of the service itself are never used.
    """

    def __init__(self, settings: TargetSettings) -> None:
        match = _URI.match(settings.text("uri"))
        region = settings.text("region", "us-east-1")
        if match is None or not _REGION.match(region):
            raise TargetRefused("settings.uri: a bucket is named s3://bucket or s3://bucket/prefix")
        if settings.secret is None:
            raise TargetRefused("secret: the secret access key is required")
        endpoint = settings.url("endpoint") if settings.optional("endpoint") else f"https://s3.{region}.amazonaws.com"
        self._store = S3Store(
            match[1],
            prefix=(match[2] or "").strip("/") or None,
            endpoint=endpoint,
            region=region,
            access_key_id=settings.text("access_key_id"),
            secret_access_key=settings.secret,
            client_options={"allow_http": endpoint.startswith("http:"), "timeout": f"{settings.timeout_s:.0f}s"},
            retry_config={"max_retries": 0},
        )

    def check(self) -> None:
        """List the bucket."""
        with _mapped():
            next(iter(obstore.list(self._store, chunk_size=1)), None)

    def upsert(self, records: Sequence[TargetRecord]) -> None:
        """Write one file for each document's records; the same records have the same name."""
        for document_id, group in groupby(records, key=lambda record: record.document_id):
            rows = list(group)
            name = f"document_id={document_id}/{rows[0].run}-{rows[0].index:06d}.parquet"
            file = io.BytesIO()
            pq.write_table(pa.Table.from_pylist([_row(record) for record in rows], SCHEMA), file)
            with _mapped():
                obstore.put(self._store, name, file.getvalue())

    def delete(self, document_id: str, keep_run: str | None) -> None:
        """Delete the document's files, except those of the run to keep."""
        folder = f"document_id={document_id}/"
        kept = None if keep_run is None else f"{folder}{keep_run}-"
        with _mapped():
            for batch in obstore.list(self._store, prefix=folder):
                stale = [entry["path"] for entry in batch if kept is None or not entry["path"].startswith(kept)]
                if stale:
                    obstore.delete(self._store, stale)

    def close(self) -> None:
        """Do nothing: the client keeps no session."""


def _row(record: TargetRecord) -> dict[str, object]:
    row = record.payload()
    texts = {name: json.dumps(row[name], ensure_ascii=False) for name in ("boxes", "metadata")}
    return row | texts | {"vector": record.vector}


@contextmanager
def _mapped() -> Iterator[None]:
    try:
        with native_panics():
            yield
    except (BaseError, OSError, NativePanic) as error:
        raise TargetUnavailable(type(error).__name__) from error
