"""A separate index: in a directory, or on a loopback S3 server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.storage.store import Store
from tests.storage.bucket import Bucket
from tests.storage.index.library import Library


@pytest.fixture
def library(store: Store, tmp_path: Path) -> Iterator[Library]:
    opened = Library(store, str(tmp_path / "rag"), tmp_path / "rag" / "keywords")
    yield opened
    opened.close()


@pytest.fixture(params=["directory", "bucket"])
def either(request: pytest.FixtureRequest, store: Store, tmp_path: Path) -> Iterator[Library]:
    """The same promises on both kinds of storage."""
    if request.param == "directory":
        opened = Library(store, str(tmp_path / "rag"), tmp_path / "rag" / "keywords")
    else:
        bucket: Bucket = request.getfixturevalue("bucket")
        opened = Library(store, bucket.url, tmp_path / "keywords", lance_options(bucket))
    yield opened
    opened.close()


def lance_options(bucket: Bucket) -> dict[str, str]:
    return {
        "aws_endpoint": bucket.options["endpoint"],
        "aws_region": bucket.options["region"],
        "aws_access_key_id": "test",
        "aws_secret_access_key": "test",
        "allow_http": "true",
    }
