"""A disk that is full, read-only or out of handles at any one step: said so, nothing half visible, then well."""

import errno
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quire.storage.objects.artifacts import LocalArtifacts
from quire.storage.objects.blobs import LocalBlobs
from quire.storage.objects.durable_files import PARTIAL
from quire.storage.values.errors import NotFound, StoreUnavailable
from quire.storage.values.ids import new_document_id
from tests.storage.faults.failing_disk import FailingDisk

FILES = {"tree.json": b"{}" * 100, "assets/p1-0.png": b"png"}
FAULTS = [
    pytest.param(errno.ENOSPC, True, id="takes-no-byte"),
    *(pytest.param(number, False, id=errno.errorcode[number]) for number in (errno.ENOSPC, errno.EROFS, errno.EMFILE)),
]


@contextmanager
def failing(fail_at: int, number: int, *, writes: bool) -> Iterator[FailingDisk]:
    with pytest.MonkeyPatch.context() as patches:
        disk = FailingDisk(fail_at, number, writes=writes)
        disk.install(patches)
        yield disk


def each_step(act: Callable[[], object], number: int, *, writes: bool) -> Iterator[int]:
    """Acts again and again, failing one step later each time, until no step is left; the caller looks between."""
    for step in itertools.count():
        said = ""
        with failing(step, number, writes=writes) as disk:
            try:
                act()
            except StoreUnavailable as refused:
                said = str(refused)
        if not disk.failed:
            assert said == ""
            return
        assert errno.errorcode[number] in said
        yield step


@pytest.mark.parametrize(("number", "writes"), FAULTS)
def test_an_upload_that_meets_a_bad_disk_leaves_nothing_and_comes_in_later(
    tmp_path: Path, number: int, writes: bool
) -> None:
    blobs = LocalBlobs(tmp_path / "blobs")

    def put() -> None:
        writer = blobs.new_writer()
        try:
            writer.write(b"an original" * 100)
            writer.commit()
        except BaseException:
            writer.abort()
            raise

    steps = []
    for step in each_step(put, number, writes=writes):
        steps.append(step)
        for sha256 in blobs.list_older(-60):
            with blobs.open(sha256) as file:
                assert file.read() == b"an original" * 100
        assert list(tmp_path.rglob(f"{PARTIAL}*")) == []
    assert len(steps) >= (1 if writes else 4)
    assert len(list(blobs.list_older(-60))) == 1


@pytest.mark.parametrize(("number", "writes"), FAULTS)
def test_artifacts_that_meet_a_bad_disk_leave_no_waste_and_are_whole_later(
    tmp_path: Path, number: int, writes: bool
) -> None:
    artifacts, document = LocalArtifacts(tmp_path / "artifacts"), new_document_id()
    for _ in each_step(lambda: artifacts.put(document, 1, FILES), number, writes=writes):
        for name, data in FILES.items():
            try:
                assert artifacts.read(document, 1, name) == data
            except NotFound:
                continue
        assert list(tmp_path.rglob(f"{PARTIAL}*")) == []
    assert {name: artifacts.read(document, 1, name) for name in FILES} == FILES
