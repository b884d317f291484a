"""Derived files: one promise, kept by the local folder and by a bucket."""

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.storage.objects.artifacts import Artifacts, LocalArtifacts
from quire.storage.objects.bucket import open_bucket
from quire.storage.values.errors import Conflict, NotFound
from quire.storage.values.ids import new_document_id
from quire.storage.values.rows import DocumentId
from tests.storage.bucket import Bucket


@pytest.fixture(params=["folder", "bucket"])
def artifacts(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Artifacts]:
    if request.param == "folder":
        yield LocalArtifacts(tmp_path / "artifacts")
        return
    bucket: Bucket = request.getfixturevalue("bucket")
    yield open_bucket(bucket.url, tmp_path / "spool", **bucket.options)[1]


def test_stored_artifacts_are_read_back_and_described(artifacts: Artifacts) -> None:
    document = new_document_id()
    manifest = artifacts.put(document, 1, {"tree.json": b"{}", "assets/p1-0.png": b"png"})
    assert manifest["tree.json"] == {"sha256": hashlib.sha256(b"{}").hexdigest(), "bytes": 2}
    assert artifacts.read(document, 1, "tree.json") == b"{}"
    assert artifacts.read(document, 1, "assets/p1-0.png") == b"png"


def test_attempts_do_not_see_each_other(artifacts: Artifacts) -> None:
    document = new_document_id()
    artifacts.put(document, 1, {"tree.json": b"first"})
    artifacts.put(document, 2, {"tree.json": b"second"})
    assert artifacts.read(document, 1, "tree.json") == b"first"
    assert artifacts.attempts(document) == [1, 2]
    artifacts.delete_attempt(document, 1)
    assert artifacts.attempts(document) == [2]


def test_nothing_is_ever_overwritten(artifacts: Artifacts) -> None:
    document = new_document_id()
    artifacts.put(document, 1, {"tree.json": b"first"})
    artifacts.put(document, 1, {"tree.json": b"first"})
    with pytest.raises(Conflict):
        artifacts.put(document, 1, {"tree.json": b"other"})
    assert artifacts.read(document, 1, "tree.json") == b"first"


def test_deleted_document_has_no_files_and_may_be_deleted_again(artifacts: Artifacts) -> None:
    document, other = new_document_id(), new_document_id()
    artifacts.put(document, 1, {"tree.json": b"{}", "assets/a.png": b"a"})
    artifacts.put(other, 1, {"tree.json": b"{}"})
    artifacts.delete(document)
    artifacts.delete(document)
    assert artifacts.attempts(document) == []
    assert artifacts.attempts(other) == [1]
    with pytest.raises(NotFound):
        artifacts.read(document, 1, "tree.json")


def test_documents_with_old_files_are_listed(artifacts: Artifacts) -> None:
    document = new_document_id()
    artifacts.put(document, 1, {"tree.json": b"{}"})
    assert list(artifacts.list_older(3600)) == []
    assert list(artifacts.list_older(-60)) == [document]


BAD = [
    "",
    ".",
    "..",
    "../x",
    "a/../b",
    "/etc/passwd",
    "a//b",
    "a/b/c",
    "a\\b",
    ".hidden",
    "a\0b",
    "a\nb",
    "%2e%2e/x",
    "é",
    "a" * 200,
]


@pytest.mark.parametrize("name", BAD)
def test_a_name_that_leaves_its_folder_is_not_found(artifacts: Artifacts, name: str) -> None:
    document = new_document_id()
    with pytest.raises(NotFound):
        artifacts.read(document, 1, name)
    with pytest.raises(NotFound):
        artifacts.put(document, 1, {name: b""})


def test_malformed_document_id_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        LocalArtifacts(tmp_path).read(DocumentId("../../x"), 1, "tree.json")


def test_no_temporary_file_stays_behind(tmp_path: Path) -> None:
    artifacts = LocalArtifacts(tmp_path)
    artifacts.put(new_document_id(), 1, {"tree.json": b"{}", "assets/a.png": b"a"})
    assert [path for path in tmp_path.rglob(".partial-*")] == []
    assert artifacts.sweep(0) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc what is synced")
def test_every_folder_on_the_path_is_synced_before_publishing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def note(handle: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{handle}"))
        synced.append("file" if path.is_file() else str(path.relative_to(tmp_path)))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", note)
    artifacts, document = LocalArtifacts(tmp_path / "root"), new_document_id()
    place = f"root/{document[4:6]}"
    for attempt in (1, 2):  # the second finds folders of the first, whose maker may have died before it synced them
        synced.clear()
        artifacts.put(document, attempt, {"tree.json": b"{}", "assets/p1-1.png": b"png"})
        own = f"{place}/{document}/a{attempt}"
        assert {place, f"{place}/{document}", own, f"{own}/assets"} <= set(synced)
        assert synced.count("file") == 2
        assert "file" not in synced[synced.index(own) :]
