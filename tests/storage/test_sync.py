"""Sync is exact: after each one the live documents are the files, and nothing outside is ever read."""

import os
import random
import secrets
import threading
import time
from pathlib import Path
from typing import Any

import boto3
import pytest

from cluster.compose.source_sync import sync_due
from models.cdom.original import ReadOptions
from storage.access.api_keys import add_key
from storage.objects.blobs import BlobWriter
from storage.queue.publish import finish
from storage.sources.connectors.bucket import BucketConnector
from storage.sources.connectors.contract import Listed, Listing, Skipped, SourceRefused, SourceUnavailable
from storage.sources.connectors.directory import DirectoryConnector
from storage.sources.gate import SourceGate, SourceKind
from storage.sources.removed_files import delete_retired
from storage.sources.sources import (
    NewSource,
    SourceState,
    delete_source,
    get_source,
    list_sources,
    register_source,
    want_sync,
)
from storage.sources.sync import Reading, SyncReport, SyncStopped, due_sources, sync_source
from storage.store import Store
from storage.values.errors import Conflict, NotFound, QuotaExceeded
from storage.values.rows import PageQuota, Scope
from tests.storage.bucket import Bucket
from tests.storage.scenes import ACME, ACTOR, UNLIMITED, success, worker

READING = Reading(options=ReadOptions(), quota=UNLIMITED)


class Place:
    """A folder behind the fence, registered as a source."""

    def __init__(self, store: Store, root: Path, **asked: object) -> None:
        self.store, self.root = store, root
        self.gate = SourceGate(workdir=store.workdir, root=root, max_bytes=1000)
        new = NewSource(name="s", kind=SourceKind.DIRECTORY, location=str(root), **asked)  # type: ignore[arg-type]
        self.id = register_source(store.db, self.gate, ACME, ACTOR, new).id

    def write(self, path: str, content: str = "") -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content or path)
        return target

    def sync(self, reading: Reading = READING) -> SyncReport:
        return sync_source(self.store, self.gate, ACME, ACTOR, self.id, reading)

    def counts(self, reading: Reading = READING) -> tuple[int, int, int, int]:
        report = self.sync(reading)
        return report.added, report.changed, report.removed, report.unchanged

    def read_all(self) -> None:
        """A reader finishes everything that is queued; what was retired meanwhile goes."""
        queue = worker(self.store)
        while (claim := queue.claim()) is not None:
            finish(self.store, [success(claim)])
        delete_retired(self.store.db)

    def live(self) -> list[str]:
        """Content hashes of the documents that are not deleted."""
        rows = self.store.db.fetch_all("select sha256 from documents where deleted_at is null order by sha256")
        return [row["sha256"] for row in rows]

    def expected(self) -> list[str]:
        import hashlib

        files = [path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink()]
        return sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in files if path.stat().st_size)


@pytest.fixture
def place(store: Store, tmp_path: Path) -> Place:
    (tmp_path / "root").mkdir()
    return Place(store, tmp_path / "root")


def test_only_new_and_changed_files_are_taken_and_removed_ones_go(place: Place) -> None:
    for name in ("a.pdf", "b/b.pdf", "b/c/ç.pdf"):
        place.write(name)
    assert place.counts() == (3, 0, 0, 0)
    place.read_all()
    assert place.counts() == (0, 0, 0, 3)
    place.write("a.pdf", "new content")
    (place.root / "b/b.pdf").unlink()
    place.write("d.pdf")
    assert place.counts() == (1, 1, 1, 1)
    place.read_all()
    assert place.live() == place.expected()
    assert place.counts() == (0, 0, 0, 3)


def test_the_same_size_and_time_with_other_bytes_is_a_change_and_a_touch_is_none(place: Place) -> None:
    file = place.write("a.pdf", "one")
    facts = file.stat()
    place.counts()
    place.read_all()
    file.write_text("two")
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert place.counts() == (0, 1, 0, 0)
    os.utime(file)
    assert place.counts() == (0, 0, 0, 1)
    file.rename(place.root / "b.pdf")
    place.read_all()
    assert place.counts() == (1, 0, 1, 0)


def test_random_changes_always_end_with_the_documents_that_are_the_files(place: Place) -> None:
    chance = random.Random(11)
    for _ in range(12):
        for _ in range(6):
            file = place.root / f"{chance.randrange(3)}/{chance.randrange(4)}.pdf"
            file.parent.mkdir(exist_ok=True)
            act = chance.randrange(3)
            if act == 0 and file.exists():
                file.unlink()
            else:
                file.write_text(str(chance.random()))
        place.sync()
        if chance.random() < 0.7:
            place.read_all()
        assert place.counts()[:3] == (0, 0, 0)
    place.read_all()
    assert place.live() == place.expected()


def test_jobs_hold_at_most_200_documents(place: Place) -> None:
    for n in range(205):
        place.write(f"{n}.pdf")
    report = place.sync()
    assert (report.added, len(report.job_ids)) == (205, 2)
    assert list_sources(place.store.db, ACME)[0].last_sync is not None


def test_globs_choose_and_files_no_longer_chosen_are_removed(store: Store, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    place = Place(store, tmp_path / "root", include=["*.pdf"], exclude=["drafts/*"])
    for name in ("a.pdf", "b.txt", "drafts/c.pdf", "deep/down/d.pdf"):
        place.write(name)
    assert place.counts() == (2, 0, 0, 0)


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


def test_the_own_workdir_is_no_source_and_is_left_out_of_one_around_it(store: Store, tmp_path: Path) -> None:
    store.workdir.mkdir(parents=True, exist_ok=True)
    (store.workdir / "secret.pdf").write_text("x")
    gate = SourceGate(workdir=store.workdir)
    with pytest.raises(SourceRefused):
        gate.connect(SourceKind.DIRECTORY, str(store.workdir), "acme").check()
    listing = gate.connect(SourceKind.DIRECTORY, str(tmp_path), "acme").look()
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
        for file in connector.look().files:
            try:
                connector.copy(file, Memory())  # type: ignore[arg-type]
            except Skipped:
                continue
    stop.set()
    thread.join()
    assert set(read) <= {b"inside!"}


class Partly:
    """A listing that stops in the middle, or a copy that dies."""

    def __init__(self, real: DirectoryConnector, *, shown: int = 9999, copies: int = 9999) -> None:
        self._real, self._shown, self._copies = real, shown, copies

    def look(self) -> Listing:
        listing = self._real.look()
        files = sorted(listing.files, key=lambda file: file.path)
        return Listing(files[: self._shown], complete=len(files) <= self._shown)

    def copy(self, file: Listed, writer: BlobWriter) -> None:
        self._copies -= 1
        if self._copies < 0:
            raise KeyboardInterrupt
        self._real.copy(file, writer)


def through(place: Place, monkeypatch: pytest.MonkeyPatch, **faults: int) -> None:
    real = place.gate.connect(SourceKind.DIRECTORY, str(place.root), "acme")
    assert isinstance(real, DirectoryConnector)
    monkeypatch.setattr(SourceGate, "connect", lambda *_: Partly(real, **faults))


def test_a_listing_that_stops_in_the_middle_removes_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(5):
        place.write(f"{n}.pdf")
    place.counts()
    place.write("0.pdf", "changed")
    with monkeypatch.context() as patched:
        through(place, patched, shown=2)
        assert place.counts() == (0, 1, 0, 1)
    assert place.counts() == (0, 0, 0, 5)


def test_a_place_that_is_gone_removes_nothing(place: Place) -> None:
    place.write("a.pdf")
    place.counts()
    place.root.rename(place.root.with_name("away"))
    with pytest.raises(SourceUnavailable):
        place.sync()
    place.root.with_name("away").rename(place.root)
    assert place.counts() == (0, 0, 0, 1)


@pytest.mark.parametrize("copies", [0, 1, 200, 204])
def test_a_crash_in_the_middle_converges(place: Place, monkeypatch: pytest.MonkeyPatch, copies: int) -> None:
    for n in range(205):
        place.write(f"{n:03}.pdf")
    with monkeypatch.context() as patched:
        through(place, patched, copies=copies)
        with pytest.raises(KeyboardInterrupt):
            place.sync()
    taken = 200 if copies >= 200 else 0
    assert place.counts() == (205 - taken, 0, 0, taken)
    place.read_all()
    assert place.live() == place.expected()


def test_one_sync_at_a_time_and_a_dead_ones_lease_lapses(place: Place) -> None:
    place.write("a.pdf")
    with place.store.db.reading() as conn:
        conn.execute("update sources set lease_until = now() + interval '1 minute'")
    with pytest.raises(Conflict):
        place.sync()
    with place.store.db.reading() as conn:
        conn.execute("update sources set lease_until = now() - interval '1 second'")
    assert place.counts() == (1, 0, 0, 0)


def test_short_of_quota_a_batch_is_refused_whole_and_tried_again(place: Place) -> None:
    place.write("a.pdf")
    with pytest.raises(QuotaExceeded):
        place.sync(Reading(options=ReadOptions(), quota=PageQuota(max_pages_per_month=0)))
    assert place.counts() == (1, 0, 0, 0)


def test_deleting_a_source_keeps_its_documents_or_takes_them_along(place: Place) -> None:
    place.write("a.pdf")
    place.counts()
    with pytest.raises(NotFound):
        delete_source(place.store.db, Scope(tenant="zeta"), ACTOR, place.id, documents=True)
    delete_source(place.store.db, ACME, ACTOR, place.id, documents=True)
    assert list_sources(place.store.db, ACME) == []
    assert len(place.live()) == 1  # unfinished: later
    place.read_all()
    assert place.live() == []


def test_a_schedule_makes_a_source_due(store: Store, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    place = Place(store, tmp_path / "root", every_minutes=5)
    assert [source.id for source in due_sources(store.db)] == [place.id]
    place.sync()
    assert due_sources(store.db) == []
    with store.db.reading() as conn:
        conn.execute("update sources set synced_at = now() - interval '6 minutes'")
    assert len(due_sources(store.db)) == 1


def test_an_organisation_at_its_cap_takes_no_more_files_and_later_the_rest(place: Place) -> None:
    for name in "abcd":
        place.write(f"{name}.pdf", name * 300)
    capped = Reading(options=ReadOptions(), quota=UNLIMITED, cap_bytes=700)
    report = place.sync(capped)
    assert (report.added, report.skipped) == (2, [{"path": f"{name}.pdf", "reason": "org-disk-full"} for name in "cd"])
    place.read_all()
    (place.root / "a.pdf").unlink()
    assert place.counts(capped) == (0, 0, 1, 1)  # room is counted before what is removed has gone
    place.read_all()
    assert place.counts(capped) == (1, 0, 0, 1)
    assert place.counts() == (1, 0, 0, 2)


def test_a_wanted_sync_is_due_until_it_ended(place: Place) -> None:
    def state() -> tuple[SourceState, str | None]:
        source = get_source(place.store.db, ACME, place.id)
        return source.state, source.sync_error

    place.write("a.pdf")
    assert due_sources(place.store.db) == []
    want_sync(place.store.db, ACME, place.id)
    want_sync(place.store.db, ACME, place.id)
    assert state() == (SourceState.WAITING, None)
    with pytest.raises(SyncStopped):
        place.sync(Reading(options=ReadOptions(), quota=UNLIMITED, stopped=lambda: True))
    assert state() == (SourceState.WAITING, None)
    assert [source.id for source in due_sources(place.store.db)] == [place.id]
    with place.store.db.reading() as conn:  # a sync that died: its lease is not over
        conn.execute("update sources set lease_until = now() + interval '1 minute'")
    assert state() == (SourceState.RUNNING, None)
    assert due_sources(place.store.db) == []
    with pytest.raises(Conflict):
        want_sync(place.store.db, ACME, place.id)
    with place.store.db.reading() as conn:
        conn.execute("update sources set lease_until = now() - interval '1 second'")
    assert sync_due(place.store, place.gate, lambda: READING) == 1
    assert state() == (SourceState.IDLE, None)
    assert len(place.store.db.fetch_all("select id from documents")) == 1


def test_why_a_sync_failed_is_shown_until_one_succeeds(place: Place) -> None:
    place.write("a.pdf")
    with pytest.raises(QuotaExceeded):
        place.sync(Reading(options=ReadOptions(), quota=PageQuota(max_pages_per_month=0)))
    failed = get_source(place.store.db, ACME, place.id)
    assert (failed.state, failed.sync_error) == (SourceState.IDLE, "page-quota")
    place.sync()
    assert get_source(place.store.db, ACME, place.id).sync_error is None


def test_ten_thousand_unchanged_files_take_little_time(place: Place) -> None:
    for n in range(10_000):
        file = place.root / f"{n % 100}/{n}.pdf"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"x")
    with place.store.db.reading() as conn:
        marks = [
            (file.path, file.mark)
            for file in place.gate.connect(SourceKind.DIRECTORY, str(place.root), "acme").look().files
        ]
        conn.execute(
            "insert into source_files select %s, *, '', '' from unnest(%s::text[], %s::text[])",
            (place.id, [path for path, _ in marks], [mark for _, mark in marks]),
        )
    before = time.process_time()
    assert place.counts() == (0, 0, 0, 10_000)
    assert time.process_time() - before < 3
    for n in range(100):
        (place.root / f"{n}/{n}.pdf").write_text(f"new {n}")
    assert place.counts() == (0, 100, 0, 9_900)


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
def test_what_is_no_bucket_is_refused(uri: str) -> None:
    with pytest.raises(SourceRefused):
        BucketConnector(uri, {})


def test_a_bucket_that_is_not_there_is_refused(bucket: Bucket) -> None:
    options = bucket.options | {"retry_config": {"max_retries": 0}}
    with pytest.raises(SourceRefused):
        BucketConnector(f"s3://missing-{secrets.token_hex(4)}", options).check()
