"""Originals on a local disk, by content: `root/ab/cd…` is the SHA-256 (hex) of what is inside. Never changed.

In: bytes in pieces. Out: a StoredBlob, durable when `commit` returns. Knows neither documents nor formats.
"""

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from storage.objects.durable_files import (
    create_exclusive,
    disk_errors,
    make_folder,
    partial_name,
    sweep_partials,
    sync_folder,
)
from storage.values.errors import NotFound
from storage.values.rows import StoredBlob


class BlobWriter(Protocol):
    """One original being written; nothing is visible before `commit`. After `abort` nothing is left."""

    def write(self, data: bytes) -> None: ...
    def commit(self) -> StoredBlob: ...
    def abort(self) -> None: ...


class Blobs(Protocol):
    """Where originals are. `open` raises NotFound; `delete` of an absent one is no error."""

    def new_writer(self) -> BlobWriter: ...
    def open(self, sha256: str) -> BinaryIO: ...
    def exists(self, sha256: str) -> bool: ...
    def delete(self, sha256: str) -> None: ...
    def sweep(self, older_than_s: float) -> int: ...
    def list_older(self, older_than_s: float) -> Iterator[str]: ...


class LocalBlobs:
    """Blobs in a folder of their own (0700)."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._incoming = root / "incoming"

    def new_writer(self) -> "LocalBlobWriter":
        with disk_errors():
            make_folder(self._incoming)
            return LocalBlobWriter(self, partial_name(self._incoming))

    def open(self, sha256: str) -> BinaryIO:
        try:
            with disk_errors():
                return self.path(sha256).open("rb")
        except FileNotFoundError as error:
            raise NotFound("no such original") from error

    def exists(self, sha256: str) -> bool:
        return self.path(sha256).is_file()

    def delete(self, sha256: str) -> None:
        with disk_errors():
            self.path(sha256).unlink(missing_ok=True)

    def sweep(self, older_than_s: float) -> int:
        """Removes uploads that never finished; returns how many."""
        return sweep_partials(self._incoming, older_than_s)

    def list_older(self, older_than_s: float) -> Iterator[str]:
        """SHA-256 of every blob whose file is at least that old."""
        limit = time.time() - older_than_s
        for path in self._root.glob("[0-9a-f][0-9a-f]/*"):
            if path.stat().st_mtime <= limit:
                yield path.parent.name + path.name

    def path(self, sha256: str) -> Path:
        """Where content of that hash is or would be; raises NotFound for what is no hash."""
        if len(sha256) != 64 or not all(c in "0123456789abcdef" for c in sha256):
            raise NotFound("no such original")
        return self._root / sha256[:2] / sha256[2:]


class LocalBlobWriter:
    """Counts and hashes while writing. Content that is there already is replaced by its equal, so its age is new."""

    def __init__(self, blobs: LocalBlobs, partial: Path) -> None:
        self._blobs = blobs
        self._partial = partial
        self._file = os.fdopen(create_exclusive(partial), "wb")
        self._hash = hashlib.sha256()
        self._bytes = 0

    def write(self, data: bytes) -> None:
        with disk_errors():
            self._file.write(data)
        self._hash.update(data)
        self._bytes += len(data)

    def commit(self) -> StoredBlob:
        """fsync the file, give it its name, fsync the folder."""
        sha256 = self._hash.hexdigest()
        target = self._blobs.path(sha256)
        with disk_errors():
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            make_folder(target.parent)
            self._partial.rename(target)
            sync_folder(target.parent)
        return StoredBlob(key=sha256, sha256=sha256, bytes=self._bytes)

    def abort(self) -> None:
        """Forget it; also after a failed write or commit."""
        try:
            self._file.close()
        except OSError:  # a full disk refuses the buffered rest once more
            pass
        finally:
            self._partial.unlink(missing_ok=True)
