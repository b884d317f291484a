"""Originals: one promise, kept by the local folder and by a bucket."""

import errno
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.storage.objects.blobs import Blobs, LocalBlobs
from quire.storage.objects.bucket import open_bucket
from quire.storage.values.errors import NotFound, StoreUnavailable
from tests.storage.bucket import Bucket


@pytest.fixture(params=["folder", "bucket"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Blobs]:
    if request.param == "folder":
        yield LocalBlobs(tmp_path / "blobs")
        return
    bucket: Bucket = request.getfixturevalue("bucket")
    yield open_bucket(bucket.url, tmp_path / "spool", **bucket.options)[0]


def put(blobs: Blobs, *pieces: bytes) -> str:
    writer = blobs.new_writer()
    for piece in pieces:
        writer.write(piece)
    stored = writer.commit()
    assert stored.bytes == sum(map(len, pieces))
    return stored.sha256


def test_blob_is_read_back_under_its_hash(blobs: Blobs) -> None:
    sha256 = put(blobs, b"one ", b"two")
    assert sha256 == hashlib.sha256(b"one two").hexdigest()
    with blobs.open(sha256) as file:
        assert file.read() == b"one two"
        assert file.seek(4) == 4
    assert blobs.exists(sha256)


def test_the_same_content_twice_is_one_blob(blobs: Blobs) -> None:
    assert put(blobs, b"same") == put(blobs, b"sa", b"me")
    assert len(list(blobs.list_older(-60))) == 1


def test_an_aborted_upload_leaves_nothing(blobs: Blobs, tmp_path: Path) -> None:
    writer = blobs.new_writer()
    writer.write(b"half of a file")
    writer.abort()
    writer.abort()
    assert list(blobs.list_older(-60)) == []
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_deleted_blob_is_gone_and_may_be_deleted_again(blobs: Blobs) -> None:
    sha256 = put(blobs, b"gone")
    blobs.delete(sha256)
    blobs.delete(sha256)
    assert not blobs.exists(sha256)
    with pytest.raises(NotFound):
        blobs.open(sha256)


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, "0" * 63, "0" * 62 + "/.", "é" * 64])
def test_malformed_hash_is_not_found(blobs: Blobs, name: str) -> None:
    with pytest.raises(NotFound):
        blobs.open(name)


def test_young_blobs_are_not_listed_as_old(blobs: Blobs) -> None:
    sha256 = put(blobs, b"young")
    assert list(blobs.list_older(3600)) == []
    assert list(blobs.list_older(-60)) == [sha256]


def test_the_sweeper_takes_only_old_leftovers(tmp_path: Path) -> None:
    blobs = LocalBlobs(tmp_path / "blobs")
    crashed = blobs.new_writer()
    crashed.write(b"crashed")
    assert blobs.sweep(3600) == 0
    for path in (tmp_path / "blobs" / "incoming").iterdir():
        os.utime(path, (time.time() - 7200,) * 2)
    kept = put(blobs, b"kept")
    assert blobs.sweep(3600) == 1
    assert blobs.exists(kept)
    crashed.abort()


def test_originals_are_private(tmp_path: Path) -> None:
    blobs = LocalBlobs(tmp_path / "blobs")
    path = blobs.path(put(blobs, b"secret"))
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_a_full_disk_is_unavailable_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "no space")

    blobs = LocalBlobs(tmp_path / "blobs")
    writer = blobs.new_writer()
    writer.write(b"too much")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreUnavailable, match="ENOSPC"):
        writer.commit()
    writer.abort()
    assert list(blobs.list_older(-60)) == []
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
