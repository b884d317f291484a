"""A deployment's state goes into a folder and comes back, on a database of its own."""

import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.postgres.backup import BackupFailed, make_backup, put_back
from cluster.postgres.embedded import EmbeddedPostgres
from configs.parsing import parse_settings
from storage.jobs.jobs import list_jobs
from storage.postgres.schema import migrate
from storage.store import open_store
from tests.storage.scenes import ACME, submit

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


def test_what_was_backed_up_while_it_ran_comes_back_elsewhere(folder: Path) -> None:
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
    with pytest.raises(BackupFailed, match="is no backup"):
        put_back(settings, folder / "kept")
    (folder / "kept" / "backup.json").touch()
    with pytest.raises(BackupFailed, match="is not empty"):
        put_back(settings, folder / "kept")
