"""An object-store bucket named `s3://bucket/prefix`. Credentials, region and endpoint are the operator's alone."""

import re
from collections.abc import Mapping
from typing import Any

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from quire.storage.objects.blobs import BlobWriter
from quire.storage.sources.connectors.contract import Listed, Listing, Skipped, SourceRefused, SourceUnavailable
from quire.storage.values.native_panics import NativePanic, native_panics

_FAILURES = (BaseError, OSError, NativePanic)
_URI = re.compile(r"s3://(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/(?P<prefix>[^?#\\\x00-\x1f]*))?\Z")


class BucketConnector:
    """Lists and copies objects; `options` for S3-compatible stores extend the AWS_* environment."""

    def __init__(self, uri: str, options: Mapping[str, Any]) -> None:
        match = _URI.match(uri)
        prefix = (match["prefix"] or "").strip("/") if match else ""
        if match is None or any(step in (".", "..") for step in prefix.split("/")):
            raise SourceRefused("a bucket is named s3://bucket or s3://bucket/prefix")
        self._store = S3Store(match["bucket"], prefix=prefix or None, **options)

    def check(self) -> None:
        """Raise SourceRefused unless the bucket can be listed now."""
        try:
            with native_panics():
                next(iter(obstore.list(self._store, chunk_size=1)), None)
        except _FAILURES:
            raise SourceRefused("the bucket cannot be listed with the operator's credentials") from None

    def list_files(self) -> Listing:
        """List all objects; raise SourceUnavailable if nothing can be listed."""
        listing = Listing()
        try:
            with native_panics():
                for batch in obstore.list(self._store, chunk_size=1000):
                    listing.files.extend(_listed(entry) for entry in batch if not entry["path"].endswith("/"))
        except _FAILURES:
            if not listing.files:
                raise SourceUnavailable("the bucket cannot be listed") from None
            listing.complete = False
        return listing

    def copy(self, file: Listed, writer: BlobWriter) -> None:
        """Write the object's bytes; raise Skipped if it is unreadable or has changed since the listing."""
        try:
            with native_panics():
                body = obstore.get(self._store, file.path)
                if _listed(body.meta).mark != file.mark:
                    raise Skipped("changed-while-reading")
                for piece in body.stream():
                    writer.write(bytes(piece))
        except _FAILURES:
            raise Skipped("unreadable") from None


def _listed(entry: Any) -> Listed:
    mark = f"{entry.get('e_tag')}:{entry.get('version')}:{entry['size']}"
    return Listed(entry["path"], mark, entry["size"])
