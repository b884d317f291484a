"""A deployment's state is backed up to a folder and restored, on a separate database."""

import hashlib
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from quire.cluster.postgres.backup import BackupFailed, make_backup, put_back
from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.configs.parsing import parse_settings
from quire.storage.jobs.jobs import list_jobs
from quire.storage.postgres.schema import migrate
from quire.storage.queue.publish import finish
from quire.storage.store import Store, open_store
from tests.lab.chaos.database.checksums import files_of, rows_of, tables_of
from tests.storage.scenes import ACME, submit, success, worker
from tests.waiting import until

pytestmark = pytest.mark.long

KEY = b"k" * 32


@pytest.fixture
def folder() -> Iterator[Path]:
    """Short enough for a socket, open to the database's user."""
    path = Path(tempfile.mkdtemp(prefix="qb", dir="/tmp"))
    path.chmod(0o711)
    yield path
    for name in ("one", "two"):
        if (path / name / "run").is_dir():
            EmbeddedPostgres(path / name).stop()
    shutil.rmtree(path, ignore_errors=True)


def test_backup_of_running_service_is_restored_elsewhere(folder: Path) -> None:
    one, two, kept = (folder / name for name in ("one", "two", "kept"))
    dsn = EmbeddedPostgres(one).start()
    migrate(dsn)
    store = open_store(dsn, one, signing_key=KEY)
    job = submit(store, content=b"the original")
    store.close()
    (one / "token").write_text("secret")

    make_backup(parse_settings({}, workdir=one), kept)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700
    put_back(parse_settings({}, workdir=two), kept)

    again = open_store(EmbeddedPostgres(two).start(), two, signing_key=KEY)
    try:
        assert [row.id for row in list_jobs(again, ACME).items] == [job.id]
        sha256 = again.db.fetch_all("select sha256 from documents")[0]["sha256"]
        with again.blobs.open(sha256) as original:
            assert original.read() == b"the original"
    finally:
        again.close()
    assert (two / "token").read_text() == "secret"


def test_nothing_is_overwritten(folder: Path) -> None:
    settings = parse_settings({}, workdir=folder / "one")
    (folder / "one").mkdir()
    (folder / "one" / "something").touch()
    (folder / "kept").mkdir()
    with pytest.raises(BackupFailed, match="exists already"):
        make_backup(settings, folder / "kept")
    with pytest.raises(BackupFailed, match="is not a backup"):
        put_back(settings, folder / "kept")
    (folder / "kept" / "backup.json").write_text("{}")  # as of a version before manifests
    (folder / "kept" / "database.dump").touch()
    with pytest.raises(BackupFailed, match="is not empty"):
        put_back(settings, folder / "kept")


ENDED_STAYS = ("meter", "audit", "events")
"""Tables whose rows are written once; nobody seals acts or delivers events in these tests."""


def test_a_backup_is_the_store_row_for_row_and_byte_for_byte(folder: Path) -> None:
    one, two, kept = (folder / name for name in ("one", "two", "kept"))
    dsn = EmbeddedPostgres(one).start()
    migrate(dsn)
    store = open_store(dsn, one, signing_key=KEY)
    for number in range(10):
        submit(store, 2, content=f"original {number}".encode())
        read_one(store)
    store.close()
    before = tables_of(dsn), files_of(one)
    make_backup(parse_settings({}, workdir=one), kept)
    put_back(parse_settings({}, workdir=two), kept)
    after = tables_of(EmbeddedPostgres(two).start()), files_of(two)
    del before[0]["deployment"], after[0]["deployment"]  # the places of its stores are new
    assert after == before


def test_a_backup_made_while_documents_come_in_and_are_read_is_whole(folder: Path) -> None:
    one, two, kept = (folder / name for name in ("one", "two", "kept"))
    dsn = EmbeddedPostgres(one).start()
    migrate(dsn)
    store = open_store(dsn, one, signing_key=KEY)
    with working(store) as accepted:
        assert until(lambda: len(accepted) > 20)
        before = set(accepted)
        make_backup(parse_settings({}, workdir=one), kept)
        after = len(accepted)
        assert until(lambda: len(accepted) > after)  # work went on
    put_back(parse_settings({}, workdir=two), kept)
    again_dsn = EmbeddedPostgres(two).start()
    for table in ENDED_STAYS:
        there = set(rows_of(dsn, table))
        assert there.issuperset(rows_of(again_dsn, table)), table
    again = open_store(again_dsn, two, signing_key=KEY)
    assert before <= {row["id"] for row in again.db.fetch_all("select id from jobs")} < set(accepted)
    assert_files_are_there(again)
    again.close()
    store.close()


@contextmanager
def working(store: Store) -> Iterator[list[str]]:
    """Jobs come in and are read until the end of the block; their ids. What fails in a thread fails the test."""
    accepted: list[str] = []
    failed: list[BaseException] = []
    stop = threading.Event()

    def submit_on() -> None:
        while not stop.is_set():
            accepted.append(submit(store, content=f"original {len(accepted)}".encode()).id)

    def read_on() -> None:
        while not stop.is_set():
            read_one(store)

    def guarded(act: Callable[[], None]) -> None:
        try:
            act()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=guarded, args=(act,)) for act in (submit_on, read_on)]
    for thread in threads:
        thread.start()
    try:
        yield accepted
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not failed


def read_one(store: Store) -> None:
    """The next document, if there is one, ended with a tree that says its name."""
    taken = worker(store).claim()
    if taken is not None:
        manifest = store.artifacts.put(taken.document_id, taken.attempt, {"tree.json": taken.document_id.encode()})
        assert finish(store, [replace(success(taken), manifest=manifest)]) == [True]


def assert_files_are_there(store: Store) -> None:
    """Each original under its own checksum, each published tree as its manifest describes it."""
    documents = store.db.fetch_all("select id, sha256, published_attempt as attempt, manifest from documents")
    assert any(row["attempt"] for row in documents)
    for row in documents:
        with store.blobs.open(row["sha256"]) as original:
            assert hashlib.sha256(original.read()).hexdigest() == row["sha256"]
        if row["attempt"]:
            tree = store.artifacts.read(row["id"], row["attempt"], "tree.json")
            assert hashlib.sha256(tree).hexdigest() == row["manifest"]["tree.json"]["sha256"]
