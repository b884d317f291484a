"""Nothing outside a source is ever read, for any caller and any folder structure."""

import os
import threading
from pathlib import Path

import pytest

from quire.storage.access.api_keys import add_key
from quire.storage.sources.connectors.contract import Skipped, SourceRefused
from quire.storage.sources.connectors.directory import DirectoryConnector
from quire.storage.sources.gate import SourceGate, SourceKind
from quire.storage.store import Store
from tests.storage.sources.place import Place


def test_empty_and_large_files_links_and_pipes_are_skipped(place: Place, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/x.pdf").write_text("secret")
    place.write("large.pdf", "x" * 1001)
    (place.root / "empty.pdf").touch()
    (place.root / "link.pdf").symlink_to(tmp_path / "secret")
    (place.root / "folder").symlink_to(tmp_path / "folder")
    (place.root / "proc").symlink_to("/proc/self")
    os.mkfifo(place.root / "pipe")
    report = place.sync()
    assert report.added == 0
    assert {(entry["path"], entry["reason"]) for entry in report.skipped} == {
        ("large.pdf", "too-large"), ("empty.pdf", "empty"), ("link.pdf", "link"), ("folder", "link"),
        ("proc", "link"), ("pipe", "not-a-file"),
    }  # fmt: skip


@pytest.mark.parametrize(
    "where", ["/etc", "{root}/../other", "{root}/link", "relative", "{root}/missing", "{root}x", ""]
)
def test_a_place_outside_the_fence_is_refused(place: Place, tmp_path: Path, where: str) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "rootx").mkdir()
    (place.root / "link").symlink_to(tmp_path / "other")
    with pytest.raises(SourceRefused):
        place.gate.connect(SourceKind.DIRECTORY, where.format(root=place.root), "acme").check()


def test_a_file_with_a_second_name_may_be_anothers_and_is_left_out(place: Place, tmp_path: Path) -> None:
    private = tmp_path / "private.pdf"
    private.write_text("another's")
    os.link(private, place.root / "mine.pdf")
    place.write("plain.pdf")
    report = place.sync()
    assert (report.added, report.skipped) == (1, [{"path": "mine.pdf", "reason": "hard-link"}])


def test_with_keys_of_several_tenants_each_has_its_own_fence_or_none(store: Store, tmp_path: Path) -> None:
    for tenant in ("acme", "other"):
        (tmp_path / tenant).mkdir()
    both = frozenset({"acme", "other"})
    shared = SourceGate(workdir=store.workdir, root=tmp_path, tenants=both)
    own = SourceGate(workdir=store.workdir, root=tmp_path / "{tenant}", tenants=both)
    with pytest.raises(SourceRefused, match=r"\{tenant\}"):
        shared.connect(SourceKind.DIRECTORY, str(tmp_path / "acme"), "acme")
    with pytest.raises(SourceRefused, match=r"\{tenant\}"):
        SourceGate(workdir=store.workdir).connect(SourceKind.DIRECTORY, str(tmp_path), "acme", both)
    own.connect(SourceKind.DIRECTORY, str(tmp_path / "acme"), "acme").check()
    with pytest.raises(SourceRefused, match="outside"):
        own.connect(SourceKind.DIRECTORY, str(tmp_path / "other"), "acme")


def test_buckets_have_fences_by_tenant_as_folders_have(store: Store) -> None:
    both = frozenset({"acme", "other"})
    fenced = SourceGate(workdir=store.workdir, buckets=("s3://intake/{tenant}",), tenants=both)
    fenced.connect(SourceKind.S3, "s3://intake/acme/2026", "acme")
    for foreign in ("s3://intake/other", "s3://intake/acme2", "s3://intake", "s3://elsewhere/acme"):
        with pytest.raises(SourceRefused, match="outside"):
            fenced.connect(SourceKind.S3, foreign, "acme")
    with pytest.raises(SourceRefused, match="SVC_SOURCE_BUCKETS"):
        SourceGate(workdir=store.workdir, buckets=("s3://intake",), tenants=both).connect(
            SourceKind.S3, "s3://intake/acme", "acme"
        )


def test_a_key_added_later_closes_a_fence_that_was_one_tenants(place: Place) -> None:
    place.write("a.pdf")
    add_key(place.store.db, "other", "admin", b"d" * 32)
    with pytest.raises(SourceRefused, match=r"\{tenant\}"):
        place.sync()


@pytest.mark.parametrize("where", ["/proc", "/proc/self", "/sys", "/dev", "/proc/self/root/etc"])
def test_pseudo_file_systems_are_refused_even_without_a_fence(store: Store, where: str) -> None:
    with pytest.raises(SourceRefused):
        SourceGate(workdir=store.workdir).connect(SourceKind.DIRECTORY, where, "acme").check()


def test_workdir_is_refused_as_source_and_excluded_from_outer_sources(store: Store, tmp_path: Path) -> None:
    store.workdir.mkdir(parents=True, exist_ok=True)
    (store.workdir / "secret.pdf").write_text("x")
    gate = SourceGate(workdir=store.workdir)
    with pytest.raises(SourceRefused):
        gate.connect(SourceKind.DIRECTORY, str(store.workdir), "acme").check()
    listing = gate.connect(SourceKind.DIRECTORY, str(tmp_path), "acme").list_files()
    assert ([file.path for file in listing.files], listing.skipped) == ([], [("workdir", "refused-folder")])


def test_a_folder_swapped_for_a_link_while_we_read_never_leads_out(place: Place, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.pdf").write_text("outside")
    place.write("sub/a.pdf", "inside!")
    stop, read = threading.Event(), []

    def swap() -> None:
        while not stop.is_set():
            (place.root / "sub").rename(place.root / "aside")
            (place.root / "sub").symlink_to(outside)
            (place.root / "sub").unlink()
            (place.root / "aside").rename(place.root / "sub")

    class Memory:
        def write(self, data: bytes) -> None:
            read.append(data)

    connector = DirectoryConnector(str(place.root), fence=place.root, workdir=tmp_path / "w")
    thread = threading.Thread(target=swap)
    thread.start()
    for _ in range(2000):
        for file in connector.list_files().files:
            try:
                connector.copy(file, Memory())  # type: ignore[arg-type]
            except Skipped:
                continue
    stop.set()
    thread.join()
    assert set(read) <= {b"inside!"}
