"""A deployment's state as one folder, and back: a database dump, originals and derived files, and its secrets.

The database is dumped first: every file its snapshot names exists already and stays until it is deleted, so the files
copied afterwards cover it. A document deleted meanwhile is restored without its file and is erased again on request.
`backup.json` lists size and SHA-256 of every file, and its own. Knows no Ray.
"""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from quire.cluster.errors import ClusterError
from quire.cluster.interrupts import undone_by
from quire.cluster.postgres.binaries import PostgresUnavailable, find_programs, pick_runner
from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.configs.settings import Settings
from quire.models.cdom.version import SERVICE_VERSION
from quire.storage.objects.durable_files import PARTIAL, make_folder
from quire.storage.objects.marks import MARK, QUARANTINE
from quire.storage.upkeep.deployment import forget_stores, note_backup, silence

DUMP, FACTS, SIDE = "database.dump", "backup.json", "restore.partial"
FOLDERS = ("blobs", "artifacts", "license")
FILES = ("token", "license.token", "run/signing-key")
"""Secrets belong to the state: cursors, the default token and the licence must go on to work."""
PIECE_BYTES = 1024 * 1024  # bytes read at a time
MOST_NAMED = 20  # damaged files that a message names


OnFile = Callable[[str], None]
"""Called with the name of each copied file."""
Manifest = dict[str, list[Any]]
"""Path in the backup -> size in bytes and SHA-256."""


def _ignore(name: str) -> None:
    """Do nothing with the name."""


class BackupFailed(ClusterError):
    """The backup was not made, or cannot be restored here."""

    code = "backup-failed"


class BackupDamaged(BackupFailed):
    """A file of the backup is missing, added or not the one that was written; nothing was restored."""

    code = "backup-damaged"


def count_files(place: Path) -> int:
    """Return the number of files of a workdir or a backup that are copied."""
    return sum(1 for _ in _list_files(place))


def make_backup(settings: Settings, target: Path, on_file: OnFile = _ignore) -> None:
    """Write `target`, a new folder readable by its owner only; the service may run. Raises `BackupFailed`."""
    if target.exists():
        raise BackupFailed(f"{target} exists already")
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(mode=0o700, parents=True)
    with _database(settings, settings.workdir) as dsn:
        _run("pg_dump", dsn, "--format=custom", "--no-owner", "--no-privileges", f"--file={partial / DUMP}")
        note_backup(dsn, target)
    files: Manifest = {DUMP: _hash(partial / DUMP)}
    for name in _list_files(settings.workdir):
        with suppress(FileNotFoundError):  # deleted since the folder was listed
            files[name] = _copy(settings.workdir / name, partial / name)
            on_file(name)
    facts = {"version": SERVICE_VERSION, "made_at": datetime.now(UTC).isoformat(), "blobs": settings.blobs}
    facts["files"] = files  # type: ignore[assignment]
    (partial / FACTS).write_text(json.dumps(facts | {"sha256": _hash_facts(facts)}))
    (partial / FACTS).chmod(0o600)
    os.sync()  # a power cut after the last line must not leave a backup with empty files
    partial.rename(target)


def verify_backup(source: Path, on_file: OnFile = _ignore) -> None:
    """Compare every file of a backup with its manifest. Raises `BackupDamaged`, which names the files.

    A backup of a version before manifests is checked as far as possible: originals are named by their hash.
    """
    try:
        facts = json.loads((source / FACTS).read_bytes())
        files, stated = facts.get("files"), facts.pop("sha256", None)
        if (files is None) != (stated is None) or (files is not None and stated != _hash_facts(facts)):
            raise ValueError
    except FileNotFoundError:
        raise BackupFailed(f"{source} is not a backup: it has no {FACTS}") from None
    except (ValueError, AttributeError):
        raise BackupDamaged(f"{source}/{FACTS} is damaged, so nothing can be compared with it") from None
    found = {DUMP, *_list_files(source, spared=())}
    damaged = [f"{name} was added" for name in sorted(found - set(files))] if files is not None else []
    for name in sorted(found if files is None else files):
        on_file(name)
        try:
            sizes = _hash(source / name)
        except OSError as error:
            damaged.append(f"{name} is missing or unreadable ({error.strerror})")
            continue
        is_original = files is None and name.startswith("blobs/")
        if (sizes != files[name]) if files is not None else is_original and sizes[1] != "".join(name.split("/")[1:]):
            damaged.append(f"{name} has other content")
    if damaged:
        more = f", and {len(damaged) - MOST_NAMED} more" if len(damaged) > MOST_NAMED else ""
        raise BackupDamaged(f"{source} is damaged: {', '.join(damaged[:MOST_NAMED])}{more}")


def put_back(settings: Settings, source: Path, on_file: OnFile = _ignore, *, quiet: bool = False) -> None:
    """Restore a verified backup into an empty workdir (and an empty external database, if set).

    Everything is written into a side folder and moved at the end, so a failure leaves nothing. Raises `BackupFailed`.
    `quiet` disables all webhooks and pauses all targets of the restored database.
    """
    verify_backup(source)
    workdir, side = settings.workdir, settings.workdir / SIDE
    if workdir.exists() and any(path != side for path in workdir.iterdir()):
        raise BackupFailed(f"{workdir} is not empty")
    was_there = workdir.exists()
    workdir.mkdir(mode=0o711, parents=True, exist_ok=True)

    def leave_nothing() -> None:
        if settings.database_url is None and side.exists():
            database = EmbeddedPostgres(side)
            database.kill()
            shutil.rmtree(database.data.parent, ignore_errors=True)
        shutil.rmtree(side, ignore_errors=True)
        if not was_there:
            workdir.rmdir()

    if side.exists():  # of a restore that was killed
        leave_nothing()
        workdir.mkdir(mode=0o711, exist_ok=True)
    side.mkdir(mode=0o711)
    with undone_by(leave_nothing):
        try:
            for name in _list_files(source):
                on_file(name)
                _copy(source / name, side / name)
            with _database(settings, side) as dsn:
                options = ("--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction")
                _run("pg_restore", dsn, *options, str(source / DUMP))
                forget_stores(dsn)
                if quiet:
                    silence(dsn)
        except BaseException:
            leave_nothing()
            raise
    for path in sorted(side.iterdir(), key=lambda path: path.name == "postgres"):
        path.rename(workdir / path.name)
    side.rmdir()


def _list_files(place: Path, spared: tuple[str, ...] = (MARK, QUARANTINE)) -> Iterator[str]:
    """Yield the paths of a workdir's or a backup's files that are copied, relative to it."""
    for name in FOLDERS:
        for folder, below, files in os.walk(place / name):
            below[:] = sorted(set(below) - set(spared))
            kept = (file for file in sorted(files) if file not in spared and not (spared and file.startswith(PARTIAL)))
            yield from (str((Path(folder) / file).relative_to(place)) for file in kept)
    yield from (name for name in FILES if (place / name).is_file())


def _hash_facts(facts: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _hash(path: Path) -> list[Any]:
    """Return size and SHA-256 of a file, as the manifest has them."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return [file.tell(), digest.hexdigest()]


def _copy(source: Path, target: Path) -> list[Any]:
    """Copy a file to one of mode 0600 and return size and SHA-256 of what was read."""
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as file:
        make_folder(target.parent)
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as copy:
            while piece := file.read(PIECE_BYTES):
                digest.update(piece)
                copy.write(piece)
                size += len(piece)
        times = os.fstat(file.fileno())
    os.utime(target, ns=(times.st_atime_ns, times.st_mtime_ns))
    return [size, digest.hexdigest()]


@contextmanager
def _database(settings: Settings, workdir: Path) -> Iterator[str]:
    """Yield the DSN of the deployment's database; start the embedded one for the block if it does not run."""
    if settings.database_url:
        yield settings.database_url
        return
    embedded = EmbeddedPostgres(workdir)
    ran = embedded.is_running()
    with undone_by(lambda: None if ran else embedded.kill()):
        try:
            yield embedded.start()
        except PostgresUnavailable as error:
            raise BackupFailed(str(error)) from None
        finally:
            if not ran:
                embedded.stop()


def _run(program: str, dsn: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs on this database; the password travels in the environment."""
    parts = conninfo_to_dict(dsn)
    password = str(parts.pop("password", "") or "")
    command = [str(_programs() / program), f"--dbname={make_conninfo('', **parts)}", "--no-password", *arguments]
    environment = {**os.environ, "PGPASSWORD": password}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, umask=0o077, check=False)
    if done.returncode:
        raise BackupFailed(f"{program} failed: {done.stderr.strip()[-500:]}")


def _programs() -> Path:
    """Return the folder of PostgreSQL's client programs, which run as the current user."""
    runner = pick_runner()
    try:
        return find_programs(type(runner)(None, None), Path())
    except PostgresUnavailable as error:
        raise BackupFailed(str(error)) from None
