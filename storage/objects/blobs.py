"""Originals on a local disk, by content: `root/ab/cd…` is the SHA-256 (hex) of the content. Never changed.

Takes bytes in pieces and returns a StoredBlob, durable when `commit` returns. Knows neither documents nor formats.
"""

import hashlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from quire.storage.objects.durable_files import (
    UPLOAD_ROOM,
    create_exclusive,
    delete_older,
    disk_errors,
    hide_path,
    make_folder,
    move_path,
    partial_name,
    require_free,
    sweep_partials,
    sync_folder,
)
from quire.storage.objects.marks import QUARANTINE
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import StoredBlob

_SHA256 = re.compile("[0-9a-f]{64}")


class BlobWriter(Protocol):
    """One original being written: nothing is visible before `commit`, and nothing is left after `abort`."""

    def write(self, data: bytes) -> None:
        """Append bytes."""

    def commit(self) -> StoredBlob:
        """Make the original durable and visible, and return its key, hash and size."""

    def abort(self) -> None:
        """Discard the original, also after a failed write or commit."""


class Blobs(Protocol):
    """Store of originals, implemented by a local folder and by a bucket."""

    def new_writer(self) -> BlobWriter:
        """Return a writer of one new original."""

    def open(self, sha256: str) -> BinaryIO:
        """Open an original for reading; raise NotFound if it is missing."""

    def exists(self, sha256: str) -> bool:
        """Return whether the original is stored."""

    def delete(self, sha256: str) -> None:
        """Delete an original, also from quarantine; a missing one is accepted."""

    def sweep(self, older_than_s: float) -> int:
        """Delete unfinished uploads at least this many seconds old and return their count."""

    def list_older(self, older_than_s: float) -> Iterator[str]:
        """Yield the SHA-256 of every original stored at least this many seconds ago."""


class StoredBlobs(Blobs, Protocol):
    """Blobs that can be hidden for a time before they are deleted."""

    def quarantine(self, sha256: str) -> None:
        """Hide an original; `empty_quarantine` deletes it later."""

    def release(self, sha256: str) -> bool:
        """Bring an original back from quarantine; False if it is not there."""

    def empty_quarantine(self, older_than_s: float) -> int:
        """Delete originals that were put in quarantine at least this many seconds ago and return their count."""


class LocalBlobs:
    """Blobs in a local folder (mode 0700)."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._incoming = root / "incoming"

    def new_writer(self) -> "LocalBlobWriter":
        """Return a writer of one new original. Raises NoSpace if the disk is nearly full."""
        with disk_errors():
            require_free(self._root, UPLOAD_ROOM)
            try:
                return LocalBlobWriter(self, partial_name(self._incoming))
            except FileNotFoundError:
                make_folder(self._incoming)
                return LocalBlobWriter(self, partial_name(self._incoming))

    def open(self, sha256: str) -> BinaryIO:
        """Open an original for reading; raise NotFound if it is missing."""
        try:
            with disk_errors():
                return self.path(sha256).open("rb")
        except FileNotFoundError as error:
            raise NotFound("no such original") from error

    def exists(self, sha256: str) -> bool:
        """Return whether the original is stored."""
        return self.path(sha256).is_file()

    def delete(self, sha256: str) -> None:
        """Delete an original, also from quarantine; a missing one is accepted."""
        with disk_errors():
            self.path(sha256).unlink(missing_ok=True)
            (self._root / QUARANTINE / sha256).unlink(missing_ok=True)

    def quarantine(self, sha256: str) -> None:
        """Hide an original; `empty_quarantine` deletes it later."""
        hide_path(self.path(sha256), self._root / QUARANTINE / sha256)

    def release(self, sha256: str) -> bool:
        """Bring an original back from quarantine; False if it is not there."""
        return move_path(self._root / QUARANTINE / sha256, self.path(sha256))

    def empty_quarantine(self, older_than_s: float) -> int:
        """Delete originals that were put in quarantine at least this many seconds ago and return their count."""
        return delete_older(self._root.glob(f"{QUARANTINE}/*"), older_than_s)

    def sweep(self, older_than_s: float) -> int:
        """Delete unfinished uploads at least this many seconds old and return their count."""
        return sweep_partials(self._incoming, older_than_s)

    def list_older(self, older_than_s: float) -> Iterator[str]:
        """Yield the SHA-256 of every original stored at least this many seconds ago."""
        limit = time.time() - older_than_s
        for path in self._root.glob("[0-9a-f][0-9a-f]/*"):
            if path.stat().st_mtime <= limit:
                yield path.parent.name + path.name

    def path(self, sha256: str) -> Path:
        """Return the path for content of this hash, stored or not; raise NotFound if the text is not a hash."""
        if not _SHA256.fullmatch(sha256):
            raise NotFound("no such original")
        return self._root / sha256[:2] / sha256[2:]


class LocalBlobWriter:
    """Counts and hashes while writing. Content that is stored already is replaced by its equal, so its age restarts."""

    def __init__(self, blobs: LocalBlobs, partial: Path) -> None:
        self._blobs = blobs
        self._partial = partial
        self._file = os.fdopen(create_exclusive(partial), "wb")
        self._hash = hashlib.sha256()
        self._bytes = 0

    def write(self, data: bytes) -> None:
        """Append bytes."""
        with disk_errors():
            self._file.write(data)
        self._hash.update(data)
        self._bytes += len(data)

    def commit(self) -> StoredBlob:
        """Sync the file, rename it to its hash, and sync the folder."""
        sha256 = self._hash.hexdigest()
        target = self._blobs.path(sha256)
        with disk_errors():
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            try:
                self._partial.rename(target)
            except FileNotFoundError:
                make_folder(target.parent)
                self._partial.rename(target)
            sync_folder(target.parent)
        return StoredBlob(key=sha256, sha256=sha256, bytes=self._bytes)

    def abort(self) -> None:
        """Discard the file, also after a failed write or commit."""
        try:
            self._file.close()
        except OSError:  # a full disk refuses the buffered bytes again
            pass
        finally:
            self._partial.unlink(missing_ok=True)
