"""A power cut loses what was not synced: the index opens at its newest whole version."""

import os
import random
import shutil
from pathlib import Path

import pytest

from quire.storage.index.opened import IndexPlace, open_writer, place_index
from quire.storage.index.table.entries import DocumentChunks
from quire.storage.index.table.power_cut import drop_unsynced, sync_files
from tests.storage.index.library import WIDTH, entries
from tests.storage.scenes import ACME

WAYS = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
}


def entry(document: str) -> DocumentChunks:
    return entries(ACME, document, 1, ["apples ripen", f"pears of {document}"])


def fill(place: IndexPlace, count: int) -> None:
    writer = open_writer(place)
    for number in range(count):
        writer.write([entry(f"doc_{number}")])
    writer.close()


@pytest.mark.parametrize("seed", range(24))
def test_index_opens_at_the_newest_version_that_is_whole(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    place = place_index(str(tmp_path / "index"), tmp_path, width=WIDTH)
    fill(place, 3)
    table = tmp_path / "index" / "chunks.lance"
    before = {path for path in table.rglob("*") if path.is_file()}
    fill_one = open_writer(place)
    fill_one.write([entry("doc_late")])
    if seed % 2:
        fill_one.compact()
    fill_one.close()
    late = sorted(path for path in table.rglob("*") if path.is_file() and path not in before)
    for path in dice.sample(late, dice.randint(1, len(late))):
        WAYS[dice.choice(sorted(WAYS))](path)
    dropped = drop_unsynced(tmp_path / "index")
    writer = open_writer(place)
    found = {document for document, _ in writer.generations()}
    assert {"doc_0", "doc_1", "doc_2"} <= found <= {"doc_0", "doc_1", "doc_2", "doc_late"}
    writer.write([entry("doc_next")])
    writer.compact()
    assert "doc_next" in {document for document, _ in writer.generations()}
    writer.close()
    assert drop_unsynced(tmp_path / "index") == []
    assert dropped or "doc_late" in found


def test_index_without_any_whole_version_is_empty(tmp_path: Path) -> None:
    place = place_index(str(tmp_path / "index"), tmp_path, width=WIDTH)
    fill(place, 2)
    for path in (tmp_path / "index" / "chunks.lance" / "data").iterdir():
        path.write_bytes(b"")
    assert drop_unsynced(tmp_path / "index")
    writer = open_writer(place)
    assert writer.generations() == {}
    writer.close()


def test_writer_syncs_every_file_that_it_wrote_before_it_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_index(str(tmp_path / "index"), tmp_path, width=WIDTH)
    writer = open_writer(place)
    synced: set[int] = set()
    real = os.fsync

    def note(handle: int) -> None:
        synced.add(os.fstat(handle).st_ino)
        real(handle)

    monkeypatch.setattr(os, "fsync", note)
    for number in range(3):
        writer.write([entry(f"doc_{number}")])
        table = tmp_path / "index" / "chunks.lance"
        paths = [table, *table.rglob("*")]
        assert [path for path in paths if path.stat().st_ino not in synced] == []
    writer.close()


@pytest.mark.parametrize("clock", [1, 4_000_000_000])
def test_sync_files_syncs_new_and_changed_files_at_any_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: int
) -> None:
    for name in ("old", "changed"):
        (tmp_path / name).write_text("x")
    known = sync_files(tmp_path, set())
    (tmp_path / "new").write_text("x")
    (tmp_path / "changed").write_text("xy")
    os.utime(tmp_path / "new", (clock, clock))
    synced: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.readlink(f"/proc/self/fd/{handle}")))
    known = sync_files(tmp_path, known)
    assert {Path(name).name for name in synced} == {"new", "changed", tmp_path.name}
    shutil.rmtree(tmp_path)
    assert sync_files(tmp_path, known) == set()
