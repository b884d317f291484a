"""A local folder or a bucket prefix behind one interface: list names, read and write bytes (writes are atomic).

Takes `/path`, `file:///path` or `s3://bucket/prefix` (with the AWS_* variables, as for the service's own bucket). Knows
no documents.
"""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.exceptions import NotFoundError as ObjectNotFound
from obstore.store import S3Store

PARTIAL = ".quire-partial-"


class FolderUnavailable(OSError):
    """A bucket failed; no document is at fault."""


class FileSource(Protocol):
    """FileSource by name. Thread-safe."""

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading. Raises `FileNotFoundError`."""


class Folder(FileSource, Protocol):
    """Files by relative name. Thread-safe, but each process opens its own by `url`."""

    url: str

    def names(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        """Yield every file below `prefix`, with its size in bytes, in no order."""

    def read(self, name: str) -> bytes:
        """Return the bytes of a file. Raises `FileNotFoundError`."""

    def write(self, name: str, data: bytes) -> None:
        """Write or replace a file atomically."""

    def delete(self, name: str) -> None:
        """Delete a file; a missing one is accepted."""

    def sweep(self) -> None:
        """Delete partial files of killed writers. No other process may be writing."""


def open_folder(url: str, *, make: bool = False, **options: Any) -> Folder:
    """Open a folder; `make` creates a local one, and `options` are for the bucket. Raises `NotADirectoryError`."""
    parts = urlsplit(url)
    if parts.scheme == "s3":
        return BucketFolder(url, S3Store(parts.netloc, prefix=parts.path.strip("/") or None, **options))
    return LocalFolder(Path(parts.path if parts.scheme == "file" else url).absolute(), make=make)


def absolute_url(place: str) -> str:
    """Return a location as every node understands it: a bucket's URL as it is, else an absolute path."""
    return place if "://" in place else str(Path(place).absolute())


class LocalFolder:
    """Names are relative paths with `/`. Links to files are followed, links to folders are not."""

    def __init__(self, root: Path, *, make: bool = False) -> None:
        if make:
            root.mkdir(parents=True, exist_ok=True)
        if not root.is_dir():
            raise NotADirectoryError(str(root))
        self.url = str(root)
        self._root = root

    def names(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        """Yield every file below `prefix`, with its size in bytes, in no order."""
        cut = len(str(self._root).rstrip("/")) + 1
        for folder, _, files in os.walk(self._root / prefix):
            for file in files:
                path = f"{folder}/{file}"
                if PARTIAL not in file and os.path.isfile(path):
                    yield path[cut:], os.stat(path).st_size

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading. Raises `FileNotFoundError`."""
        return (self._root / name).open("rb")

    def read(self, name: str) -> bytes:
        """Return the bytes of a file. Raises `FileNotFoundError`."""
        return (self._root / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        """Write a temporary file and rename it; replaces a file of that name."""
        target = f"{self._root}/{name}"
        try:
            partial = _write_partial(target, data)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            partial = _write_partial(target, data)
        os.replace(partial, target)

    def delete(self, name: str) -> None:
        """Delete a file; a missing one is accepted."""
        (self._root / name).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Delete partial files of killed writers. No other process may be writing."""
        for partial in self._root.rglob(f"{PARTIAL}*"):
            partial.unlink(missing_ok=True)


def _write_partial(target: str, data: bytes) -> str:
    handle, partial = tempfile.mkstemp(dir=os.path.dirname(target), prefix=PARTIAL)
    try:
        with os.fdopen(handle, "wb", buffering=0) as file:
            left = memoryview(data)
            while left:
                left = left[file.write(left) :]
        os.chmod(partial, 0o644)
    except BaseException:
        os.unlink(partial)
        raise
    return partial


class BucketFolder:
    """Objects below a prefix. Raises `FolderUnavailable` for errors of the bucket."""

    def __init__(self, url: str, store: S3Store) -> None:
        self.url = url
        self._store = store

    def names(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        """Yield every object below `prefix`, with its size in bytes, in no order."""
        try:
            for page in obstore.list(self._store, prefix or None):
                yield from ((entry["path"], entry["size"]) for entry in page)
        except BaseError as error:
            raise FolderUnavailable(f"{self.url}: {type(error).__name__}") from error

    def open(self, name: str) -> BinaryIO:
        """Return a local copy in a temporary file, positioned at its start. Raises `FileNotFoundError`."""
        copy: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (the caller closes it)
        try:
            copy.write(self.read(name))
        except BaseException:
            copy.close()
            raise
        copy.seek(0)
        return copy  # type: ignore[return-value]

    def read(self, name: str) -> bytes:
        """Return the bytes of an object. Raises `FileNotFoundError`."""
        try:
            return bytes(obstore.get(self._store, name).bytes())
        except (FileNotFoundError, ObjectNotFound):
            raise FileNotFoundError(name) from None
        except BaseError as error:
            raise FolderUnavailable(f"{self.url}/{name}: {type(error).__name__}") from error

    def write(self, name: str, data: bytes) -> None:
        """Write or replace an object."""
        try:
            obstore.put(self._store, name, data)
        except BaseError as error:
            raise FolderUnavailable(f"{self.url}/{name}: {type(error).__name__}") from error

    def delete(self, name: str) -> None:
        """Delete an object; a missing one is accepted."""
        try:
            obstore.delete(self._store, name)
        except (FileNotFoundError, ObjectNotFound):
            return
        except BaseError as error:
            raise FolderUnavailable(f"{self.url}/{name}: {type(error).__name__}") from error

    def sweep(self) -> None:
        """Do nothing: objects appear whole or not at all."""
