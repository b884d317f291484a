"""Damaged backups: every kind is refused with a code, and neither `verify` nor `restore` leaves or serves anything."""

import json
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from quire.cluster.postgres.backup import BackupDamaged, BackupFailed, make_backup, put_back, verify_backup
from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.configs.parsing import parse_settings
from quire.storage.postgres.schema import migrate
from quire.storage.queue.publish import finish
from quire.storage.store import open_store
from tests.storage.scenes import submit, success, worker

pytestmark = pytest.mark.long
KEY = b"k" * 32


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="qd", dir="/tmp"))
    path.chmod(0o711)
    yield path
    for name in ("one", "two"):
        if (path / name / "run").is_dir():
            EmbeddedPostgres(path / name).stop()
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def whole(folder: Path) -> Path:
    """A backup of three documents, with a webhook and all secrets."""
    one = folder / "one"
    dsn = EmbeddedPostgres(one).start()
    migrate(dsn)
    store = open_store(dsn, one, signing_key=KEY)
    for number in range(3):
        submit(store, content=f"original {number} ".encode() * 50)
        for task in worker(store).claim_group(1):
            finish(store, [success(task)])
            store.artifacts.put(task.document_id, 1, {"tree.json": b'{"blocks": []}', "assets/p1-0.png": b"png"})
    store.close()
    (one / "token").write_text("secret")
    (one / "license.token").write_text("licence")
    (one / "run" / "signing-key").write_bytes(KEY)
    with psycopg.connect(dsn) as connection:
        connection.execute(
            "insert into webhooks (id, tenant, org, url, events, secret) values ('wh', 'a', '', 'https://a', '{}', 's')"
        )
    make_backup(parse_settings({}, workdir=one), folder / "kept")
    return folder / "kept"


def some_file(copy: Path, part: str, rng: random.Random) -> Path:
    return rng.choice(sorted(path for path in (copy / part).rglob("*") if path.is_file()))


def flip(path: Path, rng: random.Random) -> None:
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def cut(path: Path, rng: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: rng.randrange(len(data))])


def grow(path: Path, rng: random.Random) -> None:
    path.write_bytes(path.read_bytes() + rng.randbytes(9))


def swap(first: Path, second: Path) -> None:
    one, two = first.read_bytes(), second.read_bytes()
    first.write_bytes(two)
    second.write_bytes(one)


def forget_entry(copy: Path) -> None:
    facts = json.loads((copy / "backup.json").read_text())
    facts["files"].popitem()
    (copy / "backup.json").write_text(json.dumps(facts))


def add(path: Path) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(b"added")


def originals(copy: Path) -> list[Path]:
    return sorted(path for path in (copy / "blobs").rglob("*") if path.is_file())


def turn_into_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


Damage = Callable[[Path, random.Random], object]
DAMAGES: dict[str, Damage] = {
    "original-flipped": lambda copy, rng: flip(some_file(copy, "blobs", rng), rng),
    "original-cut": lambda copy, rng: cut(some_file(copy, "blobs", rng), rng),
    "original-grown": lambda copy, rng: grow(some_file(copy, "blobs", rng), rng),
    "original-missing": lambda copy, rng: some_file(copy, "blobs", rng).unlink(),
    "original-empty": lambda copy, rng: some_file(copy, "blobs", rng).write_bytes(b""),
    "originals-swapped": lambda copy, rng: swap(*originals(copy)[:2]),
    "original-added": lambda copy, rng: add(copy / "blobs" / "ab" / ("c" * 62)),
    "original-is-folder": lambda copy, rng: turn_into_folder(originals(copy)[0]),
    "originals-gone": lambda copy, rng: shutil.rmtree(copy / "blobs"),
    "tree-flipped": lambda copy, rng: flip(some_file(copy, "artifacts", rng), rng),
    "tree-cut": lambda copy, rng: cut(some_file(copy, "artifacts", rng), rng),
    "tree-missing": lambda copy, rng: some_file(copy, "artifacts", rng).unlink(),
    "trees-gone": lambda copy, rng: shutil.rmtree(copy / "artifacts"),
    "dump-flipped": lambda copy, rng: flip(copy / "database.dump", rng),
    "dump-cut": lambda copy, rng: cut(copy / "database.dump", rng),
    "dump-missing": lambda copy, rng: (copy / "database.dump").unlink(),
    "signing-key-missing": lambda copy, rng: (copy / "run" / "signing-key").unlink(),
    "secrets-gone": lambda copy, rng: shutil.rmtree(copy / "run"),
    "token-flipped": lambda copy, rng: flip(copy / "token", rng),
    "licence-missing": lambda copy, rng: (copy / "license.token").unlink(),
    "manifest-cut": lambda copy, rng: cut(copy / "backup.json", rng),
    "manifest-flipped": lambda copy, rng: flip(copy / "backup.json", rng),
    "manifest-entry-missing": lambda copy, rng: forget_entry(copy),
    "manifest-missing": lambda copy, rng: (copy / "backup.json").unlink(),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_backup_is_refused_and_restores_nothing(whole: Path, folder: Path, name: str) -> None:
    copy, target = folder / f"copy-{name}", folder / "target"
    shutil.copytree(whole, copy)
    DAMAGES[name](copy, random.Random(name))
    with pytest.raises(BackupFailed) as refused:
        verify_backup(copy)
    assert refused.value.code == ("backup-failed" if name == "manifest-missing" else "backup-damaged")
    with pytest.raises(BackupFailed):
        put_back(parse_settings({}, workdir=target), copy)
    assert not target.exists()
    shutil.rmtree(copy)


def test_flipped_bit_is_found_wherever_it_is(whole: Path, folder: Path) -> None:
    copy = folder / "flipped"
    for seed in range(40):
        shutil.copytree(whole, copy)
        rng = random.Random(seed)
        flip(some_file(copy, ".", rng), rng)
        with pytest.raises(BackupDamaged):
            verify_backup(copy)
        shutil.rmtree(copy)


def test_backup_files_are_private(whole: Path) -> None:
    assert {path.stat().st_mode & 0o777 for path in whole.rglob("*")} == {0o600, 0o700}


def test_restore_that_fails_in_the_database_leaves_nothing(
    whole: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(dsn: str) -> None:
        raise BackupFailed("the database does not answer")

    monkeypatch.setattr("quire.cluster.postgres.backup.forget_stores", fail)
    there = folder / "there"
    there.mkdir(mode=0o711)
    for target in (there, folder / "new"):
        with pytest.raises(BackupFailed, match="does not answer"):
            put_back(parse_settings({}, workdir=target), whole)
    assert list(there.iterdir()) == []
    assert not (folder / "new").exists()


def test_quiet_restore_sends_nothing(whole: Path, folder: Path) -> None:
    put_back(parse_settings({}, workdir=folder / "two"), whole, quiet=True)
    with psycopg.connect(EmbeddedPostgres(folder / "two").start()) as connection:
        assert connection.execute("select count(*) from webhooks where disabled_at is null").fetchone() == (0,)
        assert connection.execute("select count(*) from targets where not paused").fetchone() == (0,)
        assert connection.execute("select count(*) from deliveries where state = 'pending'").fetchone() == (0,)
