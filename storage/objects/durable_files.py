"""Durable files: written under a temporary name, synced, renamed, the folder synced. What is there is whole."""

import errno
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from storage.values.errors import StoreUnavailable

PARTIAL = ".partial-"


@contextmanager
def disk_errors() -> Iterator[None]:
    """A full, read-only or broken disk is StoreUnavailable; a missing file stays what it is."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreUnavailable(f"disk: {errno.errorcode.get(error.errno or 0, 'unknown')}") from error


def partial_name(folder: Path) -> Path:
    return folder / f"{PARTIAL}{secrets.token_hex(8)}"


def create_exclusive(path: Path) -> int:
    """A descriptor of a new 0600 file."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)


def write_synced(path: Path, content: bytes) -> None:
    """A new file with `content` on the disk itself; its name is durable only after `sync_folder`."""
    handle = create_exclusive(path)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(handle)


def sync_folder(folder: Path) -> None:
    """Makes names in `folder` durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """`folder` and its parents, private; each new name is synced in its parent."""
    try:
        folder.mkdir(mode=0o700)
    except FileNotFoundError:
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return
    sync_folder(folder.parent)


def sweep_partials(root: Path, older_than_s: float) -> int:
    """Removes temporary files that a crash left behind; returns how many."""
    limit = time.time() - older_than_s
    removed = 0
    for path in root.rglob(f"{PARTIAL}*"):
        try:
            if path.is_file() and path.stat().st_mtime < limit:
                path.unlink()
                removed += 1
        except FileNotFoundError:
            continue
    return removed
