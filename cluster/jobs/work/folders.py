"""A folder here or a prefix in a bucket, as one thing: names, bytes in, bytes out (a write is whole or not at all).

In comes `/path`, `file:///path` or `s3://bucket/prefix` (the AWS_* variables, as for the service's own bucket). Knows
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
    """A bucket did not do as it was told; nothing of the document is at fault."""


class Folder(Protocol):
    """Not shared between processes: each opens its own by `url`. Thread-safe. `FileNotFoundError`: no such name."""

    url: str

    def names(self, prefix: str = "") -> Iterator[tuple[str, int]]: ...
    def open(self, name: str) -> BinaryIO: ...
    def read(self, name: str) -> bytes: ...
    def write(self, name: str, data: bytes) -> None: ...
    def delete(self, name: str) -> None: ...
    def sweep(self) -> None: ...


def open_folder(url: str, *, make: bool = False, **options: Any) -> Folder:
    """Raises `NotADirectoryError` for a local folder that is not there; `make` makes it. `options` reach the bucket."""
    parts = urlsplit(url)
    if parts.scheme == "s3":
        return BucketFolder(url, S3Store(parts.netloc, prefix=parts.path.strip("/") or None, **options))
    return LocalFolder(Path(parts.path if parts.scheme == "file" else url).absolute(), make=make)


def absolute_url(place: str) -> str:
    """A place as every node understands it: a bucket's URL as it is, else an absolute path."""
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
        """Every file below `prefix`, with its size in bytes, in no order."""
        cut = len(str(self._root).rstrip("/")) + 1
        for folder, _, files in os.walk(self._root / prefix):
            for file in files:
                path = f"{folder}/{file}"
                if PARTIAL not in file and os.path.isfile(path):
                    yield path[cut:], os.stat(path).st_size

    def open(self, name: str) -> BinaryIO:
        return (self._root / name).open("rb")

    def read(self, name: str) -> bytes:
        return (self._root / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        """Written beside and renamed; replaces what has the name."""
        target = f"{self._root}/{name}"
        try:
            partial = _write_beside(target, data)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            partial = _write_beside(target, data)
        os.replace(partial, target)

    def delete(self, name: str) -> None:
        (self._root / name).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Removes what killed writers left half-written. Nobody else may be writing here."""
        for partial in self._root.rglob(f"{PARTIAL}*"):
            partial.unlink(missing_ok=True)


def _write_beside(target: str, data: bytes) -> str:
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
    """Objects below a prefix. Raises `FolderUnavailable` for what is the bucket's trouble."""

    def __init__(self, url: str, store: S3Store) -> None:
        self.url = url
        self._store = store

    def names(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        try:
            for page in obstore.list(self._store, prefix or None):
                yield from ((entry["path"], entry["size"]) for entry in page)
        except BaseError as error:
            raise FolderUnavailable(f"{self.url}: {type(error).__name__}") from error

    def open(self, name: str) -> BinaryIO:
        """A local copy with a descriptor of its own, positioned at its start."""
        copy: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (the caller closes it)
        try:
            copy.write(self.read(name))
        except BaseException:
            copy.close()
            raise
        copy.seek(0)
        return copy  # type: ignore[return-value]

    def read(self, name: str) -> bytes:
        try:
            return bytes(obstore.get(self._store, name).bytes())
        except (FileNotFoundError, ObjectNotFound):
            raise FileNotFoundError(name) from None
        except BaseError as error:
            raise FolderUnavailable(f"{self.url}/{name}: {type(error).__name__}") from error

    def write(self, name: str, data: bytes) -> None:
        try:
            obstore.put(self._store, name, data)
        except BaseError as error:
            raise FolderUnavailable(f"{self.url}/{name}: {type(error).__name__}") from error

    def delete(self, name: str) -> None:
        try:
            obstore.delete(self._store, name)
        except (FileNotFoundError, ObjectNotFound):
            return
        except BaseError as error:
            raise FolderUnavailable(f"{self.url}/{name}: {type(error).__name__}") from error

    def sweep(self) -> None:
        """Objects appear whole or not at all."""
