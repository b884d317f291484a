"""A folder here or a prefix in a bucket, as one thing: names, bytes in, bytes out (a put is whole or not at all).

In comes `/path`, `file:///path` or `s3://bucket/prefix` (credentials from the AWS_* variables). Knows no documents.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import obstore
from obstore.store import LocalStore, S3Store


class Folder:
    """Not shared between processes: each opens its own by `url`."""

    def __init__(self, url: str, *, make: bool = False, **options: Any) -> None:
        """Raises `NotADirectoryError` for a local folder that is not there."""
        self.url = url
        parts = urlsplit(url)
        self._store: LocalStore | S3Store
        if parts.scheme == "s3":
            self._store = S3Store(parts.netloc, prefix=parts.path.strip("/") or None, **options)
            return
        path = Path(parts.path if parts.scheme == "file" else url).absolute()
        if make:
            path.mkdir(parents=True, exist_ok=True)
        if not path.is_dir():
            raise NotADirectoryError(str(path))
        self._store = LocalStore(str(path))

    def names(self, prefix: str | None = None) -> Iterator[tuple[str, int]]:
        """Every file below, with its size in bytes, in no order."""
        for page in obstore.list(self._store, prefix):
            yield from ((entry["path"], entry["size"]) for entry in page)

    def read(self, name: str) -> bytes:
        """Raises `FileNotFoundError` or obstore's errors."""
        return bytes(obstore.get(self._store, name).bytes())

    def write(self, name: str, data: bytes) -> None:
        """All of it or nothing; replaces."""
        obstore.put(self._store, name, data)
