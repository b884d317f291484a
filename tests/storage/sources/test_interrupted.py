"""A sync that is disturbed, refused or put off: nothing is lost, and the next one ends it."""

import time
from pathlib import Path

import pytest

from quire.cluster.compose.source_sync import sync_due
from quire.models.cdom.original import ReadOptions
from quire.storage.objects.blobs import BlobWriter
from quire.storage.sources.connectors.contract import Listed, Listing, SourceUnavailable
from quire.storage.sources.connectors.directory import DirectoryConnector
from quire.storage.sources.gate import SourceGate, SourceKind
from quire.storage.sources.sources import (
    SourceState,
    delete_source,
    get_source,
    list_sources,
    request_sync,
)
from quire.storage.sources.sync import Reading, SyncStopped, due_sources
from quire.storage.store import Store
from quire.storage.values.errors import Conflict, NotFound, QuotaExceeded
from quire.storage.values.rows import PageQuota, Scope
from tests.storage.scenes import ACME, ACTOR, UNLIMITED
from tests.storage.sources.place import READING, Place


class Partly:
    """A listing that stops in the middle, or a copy that dies."""

    def __init__(self, real: DirectoryConnector, *, shown: int = 9999, copies: int = 9999) -> None:
        self._real, self._shown, self._copies = real, shown, copies

    def list_files(self) -> Listing:
        listing = self._real.list_files()
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


def test_syncs_run_singly_and_the_lease_of_a_dead_sync_expires(place: Place) -> None:
    place.write("a.pdf")
    with place.store.db.autocommit() as conn:
        conn.execute("update sources set lease_until = now() + interval '1 minute'")
    with pytest.raises(Conflict):
        place.sync()
    with place.store.db.autocommit() as conn:
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
    with store.db.autocommit() as conn:
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


def test_requested_sync_is_due_until_the_sync_ends(place: Place) -> None:
    def state() -> tuple[SourceState, str | None]:
        source = get_source(place.store.db, ACME, place.id)
        return source.state, source.sync_error

    place.write("a.pdf")
    assert due_sources(place.store.db) == []
    request_sync(place.store.db, ACME, place.id)
    request_sync(place.store.db, ACME, place.id)
    assert state() == (SourceState.WAITING, None)
    with pytest.raises(SyncStopped):
        place.sync(Reading(options=ReadOptions(), quota=UNLIMITED, stopped=lambda: True))
    assert state() == (SourceState.WAITING, None)
    assert [source.id for source in due_sources(place.store.db)] == [place.id]
    with place.store.db.autocommit() as conn:  # a sync that died: its lease is not over
        conn.execute("update sources set lease_until = now() + interval '1 minute'")
    assert state() == (SourceState.RUNNING, None)
    assert due_sources(place.store.db) == []
    with pytest.raises(Conflict):
        request_sync(place.store.db, ACME, place.id)
    with place.store.db.autocommit() as conn:
        conn.execute("update sources set lease_until = now() - interval '1 second'")
    assert sync_due(place.store, place.gate, lambda: READING) == 1
    assert state() == (SourceState.IDLE, None)
    assert len(place.store.db.fetch_all("select id from documents")) == 1


def test_sync_error_is_shown_until_a_sync_succeeds(place: Place) -> None:
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
    with place.store.db.autocommit() as conn:
        marks = [
            (file.path, file.mark)
            for file in place.gate.connect(SourceKind.DIRECTORY, str(place.root), "acme").list_files().files
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
