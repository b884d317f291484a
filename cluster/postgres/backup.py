"""A deployment's state as one folder, and back: a database dump, originals and derived files, and its secrets.

The database is dumped first: every file its snapshot names exists already and stays until it is deleted, so the files
copied afterwards cover it. A document deleted meanwhile is restored without its file and is erased again on request.
Knows no Ray.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial as partial_call
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from quire.cluster.errors import ClusterError
from quire.cluster.interrupts import undone_by
from quire.cluster.postgres.binaries import PostgresUnavailable, find_programs, pick_runner
from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.configs.settings import Settings
from quire.models.cdom.version import SERVICE_VERSION
from quire.storage.objects.marks import MARK, QUARANTINE
from quire.storage.upkeep.deployment import forget_stores, note_backup

DUMP, FACTS = "database.dump", "backup.json"
FOLDERS = ("blobs", "artifacts", "license")
FILES = ("token", "license.token", "run/signing-key")
"""Secrets belong to the state: cursors, the default token and the licence must go on to work."""


OnFile = Callable[[str], None]
"""Called with the name of each copied file."""


def _ignore(name: str) -> None:
    """Do nothing with the name."""


class BackupFailed(ClusterError):
    """The backup was not made, or cannot be restored here."""

    code = "backup-failed"


def count_files(place: Path) -> int:
    """Return the number of files of a workdir or a backup that are copied."""
    return sum(1 for name in FOLDERS for path in (place / name).rglob("*") if path.is_file())


def make_backup(settings: Settings, target: Path, on_file: OnFile = _ignore) -> None:
    """Write `target`, a new folder readable by its owner only; the service may run. Raises `BackupFailed`."""
    if target.exists():
        raise BackupFailed(f"{target} exists already")
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(mode=0o700, parents=True)
    with _database(settings) as dsn:
        _run("pg_dump", dsn, "--format=custom", "--no-owner", "--no-privileges", f"--file={partial / DUMP}")
        note_backup(dsn, target)
    for name in FOLDERS:
        if (settings.workdir / name).is_dir():
            copy = partial_call(_copy, on_file)
            shutil.copytree(
                settings.workdir / name,
                partial / name,
                copy_function=copy,
                dirs_exist_ok=True,
                ignore=shutil.ignore_patterns(MARK, QUARANTINE),
            )
    for name in FILES:
        if (settings.workdir / name).is_file():
            (partial / name).parent.mkdir(mode=0o700, exist_ok=True)
            shutil.copy2(settings.workdir / name, partial / name)
    facts = {"version": SERVICE_VERSION, "made_at": datetime.now(UTC).isoformat(), "blobs": settings.blobs}
    (partial / FACTS).write_text(json.dumps(facts))
    partial.rename(target)


def put_back(settings: Settings, source: Path, on_file: OnFile = _ignore) -> None:
    """Restore a backup into an empty workdir (and an empty external database, if set). Raises `BackupFailed`."""
    if not (source / FACTS).is_file():
        raise BackupFailed(f"{source} is not a backup")
    workdir = settings.workdir
    if workdir.exists() and any(workdir.iterdir()):
        raise BackupFailed(f"{workdir} is not empty")
    workdir.mkdir(mode=0o711, parents=True, exist_ok=True)
    with _database(settings) as dsn:
        _run(
            "pg_restore",
            dsn,
            "--no-owner",
            "--no-privileges",
            "--exit-on-error",
            "--single-transaction",
            str(source / DUMP),
        )
        forget_stores(dsn)
    for name in FOLDERS:
        if (source / name).is_dir():
            copy = partial_call(_copy, on_file)
            shutil.copytree(source / name, workdir / name, copy_function=copy, dirs_exist_ok=True)
    for name in FILES:
        if (source / name).is_file():
            (workdir / name).parent.mkdir(mode=0o700, exist_ok=True)
            shutil.copy2(source / name, workdir / name)


@contextmanager
def _database(settings: Settings) -> Iterator[str]:
    """Yield the DSN of the deployment's database; start the embedded one for the block if it does not run."""
    if settings.database_url:
        yield settings.database_url
        return
    embedded = EmbeddedPostgres(settings.workdir)
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
    done = subprocess.run(
        command, env={**os.environ, "PGPASSWORD": password}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BackupFailed(f"{program} failed: {done.stderr.strip()[-500:]}")


def _programs() -> Path:
    """Return the folder of PostgreSQL's client programs, which run as the current user."""
    runner = pick_runner()
    try:
        return find_programs(type(runner)(None, None), Path())
    except PostgresUnavailable as error:
        raise BackupFailed(str(error)) from None


def _copy(on_file: OnFile, source: str, target: str) -> None:
    """Copy a file; one that was deleted since the folder was listed is skipped."""
    on_file(os.path.basename(source))
    try:
        shutil.copy2(source, target)
    except FileNotFoundError:
        return
