"""A bucket as a source."""

import secrets
from typing import Any

import boto3
import pytest

from quire.storage.sources.connectors.bucket import BucketConnector
from quire.storage.sources.connectors.contract import SourceRefused
from quire.storage.sources.gate import SourceGate, SourceKind
from quire.storage.sources.sources import (
    NewSource,
    register_source,
)
from quire.storage.sources.sync import sync_source
from quire.storage.store import Store
from tests.storage.bucket import Bucket
from tests.storage.scenes import ACME, ACTOR
from tests.storage.sources.place import READING


@pytest.fixture
def objects(bucket: Bucket) -> tuple[Any, str]:
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    client = boto3.client("s3", endpoint_url=bucket.options["endpoint"], region_name="us-east-1", **keys)
    return client, bucket.url.split("/")[2]


def test_a_bucket_is_synced_by_delta_too(store: Store, bucket: Bucket, objects: tuple[Any, str]) -> None:
    client, name = objects

    def put(key: str, body: bytes) -> None:
        client.put_object(Bucket=name, Key=key, Body=body)

    for key in ("in/a.pdf", "in/b/b.pdf", "out/c.pdf"):
        put(key, key.encode())
    gate = SourceGate(workdir=store.workdir, s3_options=bucket.options)
    new = NewSource(name="s", kind=SourceKind.S3, location=f"s3://{name}/in")
    source = register_source(store.db, gate, ACME, ACTOR, new)

    def counts() -> tuple[int, int, int, int]:
        report = sync_source(store, gate, ACME, ACTOR, source.id, READING)
        return report.added, report.changed, report.removed, report.unchanged

    assert counts() == (2, 0, 0, 0)
    assert counts() == (0, 0, 0, 2)
    put("in/a.pdf", b"A")
    client.delete_object(Bucket=name, Key="in/b/b.pdf")
    assert counts() == (0, 1, 1, 0)
    names = store.db.fetch_all("select source_file from documents order by source_file")
    assert {row["source_file"] for row in names} == {"a.pdf", "b.pdf"}


@pytest.mark.parametrize(
    "uri", ["s3://", "s3://b", "http://x/y", "s3://ok/../x", "s3://ok?x=y", "s3://u:p@ok/x", "file:///etc"]
)
def test_invalid_bucket_uri_is_refused(uri: str) -> None:
    with pytest.raises(SourceRefused):
        BucketConnector(uri, {})


def test_a_bucket_that_is_not_there_is_refused(bucket: Bucket) -> None:
    options = bucket.options | {"retry_config": {"max_retries": 0}}
    with pytest.raises(SourceRefused):
        BucketConnector(f"s3://missing-{secrets.token_hex(4)}", options).check()
