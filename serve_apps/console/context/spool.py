"""Uploads in transit: one temporary file each, deleted when the engine has it. They do not survive a crash."""

import hashlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO

from quire.storage.values.errors import NotFound
from quire.storage.values.rows import StoredBlob


class Spool:
    """A folder of temporary files with the interface of a blob store, for the engine's upload reader.

    A blob's `key` is its file name; the same content twice is two files.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder

    def new_writer(self) -> "SpoolWriter":
        """Return a writer for a new file."""
        return SpoolWriter(tempfile.NamedTemporaryFile(dir=self._folder, prefix="up-", delete=False))

    def open(self, key: str) -> BinaryIO:
        """Open an upload. Raises NotFound."""
        try:
            return (self._folder / key).open("rb")
        except FileNotFoundError:
            raise NotFound("no such upload") from None

    def exists(self, key: str) -> bool:
        """Return whether the upload exists."""
        return (self._folder / key).exists()

    def delete(self, key: str) -> None:
        """Delete the upload if it exists."""
        (self._folder / key).unlink(missing_ok=True)

    def sweep(self, older_than_s: float) -> int:
        """Delete files left by a dead process and return their number."""
        old = list(self.list_older(older_than_s))
        for key in old:
            self.delete(key)
        return len(old)

    def list_older(self, older_than_s: float) -> Iterator[str]:
        """Yield files unchanged for that long, by this machine's clock."""
        for path in self._folder.glob("up-*"):
            if path.stat().st_mtime < time.time() - older_than_s:
                yield path.name


class SpoolWriter:
    """One file being received."""

    def __init__(self, file: "IO[bytes]") -> None:
        self._file, self._digest, self._bytes = file, hashlib.sha256(), 0

    def write(self, data: bytes) -> None:
        """Append data."""
        self._file.write(data)
        self._digest.update(data)
        self._bytes += len(data)

    def commit(self) -> StoredBlob:
        """Close the file and return its key, digest and size."""
        self._file.close()
        return StoredBlob(key=Path(self._file.name).name, sha256=self._digest.hexdigest(), bytes=self._bytes)

    def abort(self) -> None:
        """Close and delete the file."""
        self._file.close()
        Path(self._file.name).unlink(missing_ok=True)
