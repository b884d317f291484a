"""Files that clients put into the bucket themselves, at signed URLs, until a job takes them.

A URL allows one object to be written for a limited time. S3 does not limit its size, so the reader does.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import obstore
from obstore.store import S3Store

from storage.objects.bucket import bucket_errors, delete_object, list_objects, open_prefix


class DirectUploads:
    """Objects below `uploads/`, by name."""

    def __init__(self, store: S3Store) -> None:
        self._store = store

    def sign(self, name: str, valid_s: int) -> str:
        """Return a URL at which a client may PUT this object."""
        with bucket_errors():
            return obstore.sign(self._store, "PUT", name, timedelta(seconds=valid_s))

    def read(self, name: str) -> Iterator[bytes]:
        """Yield the object in pieces. Raises NotFound if nothing was put there."""
        with bucket_errors():
            for piece in obstore.get(self._store, name).stream():
                yield bytes(piece)

    def sweep(self, older_than_s: float) -> int:
        """Delete objects put at least this many seconds ago and return their count."""
        names = list(list_objects(self._store, None, older_than_s))
        for name in names:
            delete_object(self._store, name)
        return len(names)


def open_uploads(url: str, **options: Any) -> DirectUploads:
    """Return the uploads of `s3://bucket/prefix`, with the credentials of `open_bucket`."""
    return DirectUploads(open_prefix(url, "uploads", **options))
