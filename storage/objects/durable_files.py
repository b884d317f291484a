"""Durable files: written under a temporary name, synced, renamed, folder synced. Visible files are complete."""

import errno
import os
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from quire.storage.values.errors import NoSpace, StoreUnavailable

PARTIAL = ".partial-"
UPLOAD_ROOM = 256 * 1024 * 1024  # free bytes below which new originals are refused
WRITE_ROOM = 64 * 1024 * 1024  # free bytes below which no results are written: the rest is for the database


@contextmanager
def disk_errors() -> Iterator[None]:
    """Raise NoSpace for a full disk, StoreUnavailable for a read-only or broken one; pass on FileNotFoundError."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise NoSpace(f"disk full ({errno.errorcode[error.errno]})") from error
        raise StoreUnavailable(f"disk: {errno.errorcode.get(error.errno or 0, 'unknown')}") from error


def free_bytes(folder: Path) -> int:
    """Return the free bytes of the file system of a folder, which may not exist yet."""
    return shutil.disk_usage(next(path for path in (folder, *folder.parents) if path.exists())).free


def require_free(folder: Path, least: int) -> None:
    """Raise NoSpace, with the number of missing bytes, unless this many bytes are free."""
    if (missing := least - free_bytes(folder)) > 0:
        raise NoSpace(f"disk full: {missing / 1e6:.1f} MB more must be free to accept documents")


def partial_name(folder: Path) -> Path:
    """Return a random temporary path in the folder."""
    return folder / f"{PARTIAL}{secrets.token_hex(8)}"


def create_exclusive(path: Path) -> int:
    """Create a new file with mode 0600 and return its descriptor."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)


def write_synced(path: Path, content: bytes) -> None:
    """Write a new file and sync its content; its name is durable only after `sync_folder`."""
    handle = create_exclusive(path)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(handle)


def replace_file(path: Path, content: bytes) -> None:
    """Replace the file at `path` by one of mode 0600, durably; after a crash it is the old one or the new one."""
    partial = partial_name(path.parent)
    try:
        write_synced(partial, content)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def create_file(path: Path, content: bytes) -> None:
    """Create a file of mode 0600, durably; after a crash it is missing or complete. Raises `FileExistsError`."""
    partial = partial_name(path.parent)
    try:
        write_synced(partial, content)
        os.link(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make names in `folder` durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Create `folder` and its parents with mode 0700, and sync each new name in its parent."""
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
    """Delete temporary files that crashes left and return their count."""
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


def move_path(source: Path, target: Path) -> bool:
    """Move a file or folder durably on one disk; False if it is missing."""
    with disk_errors():
        make_folder(target.parent)
        try:
            source.rename(target)
        except FileNotFoundError:
            return False
        sync_folder(target.parent)
        sync_folder(source.parent)
    return True


def hide_path(source: Path, hidden: Path) -> None:
    """Move a file or folder to quarantine, where its age restarts; a missing one is accepted."""
    if hidden.is_dir():
        shutil.rmtree(hidden)
    if move_path(source, hidden):
        os.utime(hidden)


def delete_older(paths: Iterable[Path], older_than_s: float) -> int:
    """Delete files and folders at least this many seconds old and return their count."""
    limit, deleted = time.time() - older_than_s, 0
    with disk_errors():
        for path in list(paths):
            if path.stat().st_mtime <= limit:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
                deleted += 1
    return deleted
