"""Originals and derived files in an S3 bucket, behind the same two protocols as the local folders; direct uploads.

An upload is spooled to a local temporary file and sent when it is complete, so nothing half-written is ever visible.
Artifacts are created with If-None-Match, so none is overwritten. The bucket must keep no old versions.
"""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any, BinaryIO
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.exceptions import NotFoundError as ObjectNotFound
from obstore.store import S3Store

from quire.storage.objects.artifacts import Manifest, check_name, describe
from quire.storage.objects.blobs import BlobWriter
from quire.storage.objects.durable_files import UPLOAD_ROOM, disk_errors, make_folder, require_free
from quire.storage.objects.marks import MARK, QUARANTINE, MarkedStore
from quire.storage.values.crash_points import CrashPoint, crash_point
from quire.storage.values.errors import Conflict, NotFound, unreachable
from quire.storage.values.native_panics import NativePanic, native_panics
from quire.storage.values.rows import DocumentId, StoredBlob

SPOOL_IN_MEMORY = 1 << 20  # bytes of an upload kept in memory before they go to a file


def open_bucket(url: str, spool: Path, **options: Any) -> tuple["BucketBlobs", "BucketArtifacts"]:
    """`s3://bucket/prefix`; credentials, region and endpoint from the AWS_* environment or `options`."""
    root = _open_prefix(url, "", **options)
    return (
        BucketBlobs(_open_prefix(url, "blobs", **options), spool, root),
        BucketArtifacts(_open_prefix(url, "artifacts", **options), root),
    )


def open_uploads(url: str, **options: Any) -> "DirectUploads":
    """Return the uploads of `s3://bucket/prefix`, with the credentials of `open_bucket`."""
    return DirectUploads(_open_prefix(url, "uploads", **options))


def _open_prefix(url: str, name: str, **options: Any) -> S3Store:
    """Return the objects below `name` in the bucket and prefix of `url`."""
    parts = urlsplit(url)
    if parts.scheme != "s3" or not parts.netloc:
        raise ValueError("a bucket is named s3://bucket or s3://bucket/prefix")
    return S3Store(parts.netloc, prefix="/".join(filter(None, (parts.path.strip("/"), name))), **options)


@contextmanager
def bucket_errors() -> Iterator[None]:
    """Map driver errors: a missing object is NotFound, a taken name stays as it is, all else is StoreUnavailable."""
    try:
        with native_panics():
            yield
    except (FileNotFoundError, ObjectNotFound) as error:
        raise NotFound("no such file") from error
    except AlreadyExistsError:
        raise
    except (BaseError, NativePanic) as error:
        raise unreachable("object store", error) from error


class BucketBlobs:
    """Originals by content: `ab/cd…` as on disk."""

    def __init__(self, store: S3Store, spool: Path, root: S3Store) -> None:
        self._store = store
        self._spool = spool
        self._aside = _Quarantine(root, "blobs")

    def new_writer(self) -> BlobWriter:
        """Return a writer of one new original. Raises NoSpace if the disk is nearly full."""
        with disk_errors():
            require_free(self._spool, UPLOAD_ROOM)
            make_folder(self._spool)
            return BucketBlobWriter(self, self._spool)

    def open(self, sha256: str) -> BinaryIO:
        """Return a local copy, positioned at its start; small ones stay in memory. Raises NotFound."""
        with bucket_errors():
            body = obstore.get(self._store, _key(sha256))
        copy: IO[bytes] = tempfile.SpooledTemporaryFile(SPOOL_IN_MEMORY)  # noqa: SIM115  (the caller closes it)
        try:
            with bucket_errors(), disk_errors():
                for chunk in body.stream():
                    copy.write(bytes(chunk))
        except BaseException:
            copy.close()
            raise
        copy.seek(0)
        return copy  # type: ignore[return-value]

    def exists(self, sha256: str) -> bool:
        """Return whether the original is stored."""
        try:
            with bucket_errors():
                obstore.head(self._store, _key(sha256))
        except NotFound:
            return False
        return True

    def delete(self, sha256: str) -> None:
        """Delete an original, also from quarantine; a missing one is accepted."""
        _delete(self._store, _key(sha256))
        self._aside.delete(_key(sha256))

    def quarantine(self, sha256: str) -> None:
        """Hide an original; `empty_quarantine` deletes it later."""
        self._aside.hide(_key(sha256))

    def release(self, sha256: str) -> bool:
        """Bring an original back from quarantine; False if it is not there."""
        return self._aside.show(_key(sha256))

    def empty_quarantine(self, older_than_s: float) -> int:
        """Delete originals that were put in quarantine at least this many seconds ago and return their count."""
        return self._aside.empty(older_than_s)

    def sweep(self, older_than_s: float) -> int:
        """Return 0: spool files are unnamed, so a crash leaves none."""
        return 0

    def list_older(self, older_than_s: float) -> Iterator[str]:
        """Yield the SHA-256 of every original stored at least this many seconds ago."""
        for item in _list(self._store, None, older_than_s):
            yield item.replace("/", "")

    def put(self, sha256: str, spool: IO[bytes]) -> None:
        """Upload a complete original from its spool file."""
        with bucket_errors():
            obstore.put(self._store, _key(sha256), spool)


class BucketBlobWriter:
    """Counts, hashes and spools; one request (or multipart upload) at commit."""

    def __init__(self, blobs: BucketBlobs, spool: Path) -> None:
        self._blobs = blobs
        self._file = tempfile.TemporaryFile(dir=spool)  # noqa: SIM115  (closed by commit or abort)
        self._hash = hashlib.sha256()
        self._bytes = 0

    def write(self, data: bytes) -> None:
        """Append bytes."""
        with disk_errors():
            self._file.write(data)
        self._hash.update(data)
        self._bytes += len(data)

    def commit(self) -> StoredBlob:
        """Upload the original and return its key, hash and size."""
        sha256 = self._hash.hexdigest()
        with disk_errors():
            self._file.seek(0)
        self._blobs.put(sha256, self._file)
        self._file.close()
        return StoredBlob(key=sha256, sha256=sha256, bytes=self._bytes)

    def abort(self) -> None:
        """Discard the spooled bytes."""
        self._file.close()


class BucketArtifacts:
    """Derived files: `doc_…/a3/tree.json`."""

    def __init__(self, store: S3Store, root: S3Store) -> None:
        self._store = store
        self._aside = _Quarantine(root, "artifacts")

    def put(self, document_id: DocumentId, attempt: int, files: Mapping[str, bytes]) -> Manifest:
        """Store all files. Raises Conflict if a name exists with other bytes; the same bytes again are accepted."""
        manifest = describe(files)
        for name, data in files.items():
            self._create(f"{document_id}/a{attempt}/{name}", data)
            crash_point(CrashPoint.BETWEEN_ARTIFACTS)
        crash_point(CrashPoint.AFTER_ARTIFACTS)
        return manifest

    def read(self, document_id: DocumentId, attempt: int, name: str) -> bytes:
        """Return the bytes of one file; raise NotFound if it is missing."""
        check_name(name)
        return self._get(f"{document_id}/a{attempt}/{name}")

    def delete(self, document_id: DocumentId) -> None:
        """Delete every attempt of the document, also from quarantine; a missing document is accepted."""
        for key in list(_list(self._store, f"{document_id}/", 0)):
            _delete(self._store, key)
        self._aside.delete(f"{document_id}/")

    def delete_attempt(self, document_id: DocumentId, attempt: int) -> None:
        """Delete the files of one attempt; a missing attempt is accepted."""
        for key in list(_list(self._store, f"{document_id}/a{attempt}/", 0)):
            _delete(self._store, key)

    def quarantine(self, document_id: DocumentId, attempt: int) -> None:
        """Hide the files of one attempt; `empty_quarantine` deletes them later."""
        self._aside.hide(f"{document_id}/a{attempt}/")

    def release(self, document_id: DocumentId, attempt: int) -> bool:
        """Bring the files of one attempt back from quarantine; False if they are not there."""
        return self._aside.show(f"{document_id}/a{attempt}/")

    def empty_quarantine(self, older_than_s: float) -> int:
        """Delete files that were put in quarantine at least this many seconds ago and return their count."""
        return self._aside.empty(older_than_s)

    def attempts(self, document_id: DocumentId) -> list[int]:
        """Return the numbers of the attempts that have files, in ascending order."""
        return sorted({int(key.split("/")[1][1:]) for key in _list(self._store, f"{document_id}/", 0)})

    def list_older(self, older_than_s: float) -> Iterator[DocumentId]:
        """Yield every document with a file at least this many seconds old, in order of ids."""
        yield from sorted({DocumentId(key.split("/")[0]) for key in _list(self._store, None, older_than_s)})

    def sweep(self, older_than_s: float) -> int:
        """Return 0: objects appear whole or not at all."""
        return 0

    def _create(self, key: str, data: bytes) -> None:
        try:
            with bucket_errors():
                obstore.put(self._store, key, data, mode="create")
        except AlreadyExistsError as error:
            if self._get(key) != data:
                raise Conflict("another attempt wrote other bytes here") from error

    def _get(self, key: str) -> bytes:
        with bucket_errors():
            return bytes(obstore.get(self._store, key).bytes())


class MarkedBucket(MarkedStore):
    """A bucket and prefix that can carry a mark."""

    def __init__(self, name: str, url: str, **options: Any) -> None:
        self.name, self.place = name, url
        self._store = _open_prefix(url, "", **options)

    def is_empty(self) -> bool:
        """Return whether nothing but a mark is stored."""
        return all(key == MARK for key in _list(self._store, None, 0))

    def _read(self) -> bytes:
        with bucket_errors():
            return bytes(obstore.get(self._store, MARK).bytes())

    def _write(self, content: bytes) -> None:
        with bucket_errors():
            obstore.put(self._store, MARK, content)


class _Quarantine:
    """Objects without a row, moved from `FOLDER/…` to `quarantine/FOLDER/…`. A name that ends in `/` means a folder."""

    def __init__(self, root: S3Store, folder: str) -> None:
        self._root, self._live, self._hidden = root, f"{folder}/", f"{QUARANTINE}/{folder}/"

    def hide(self, name: str) -> None:
        self._move(self._live, self._hidden, name)

    def show(self, name: str) -> bool:
        return self._move(self._hidden, self._live, name)

    def delete(self, name: str) -> None:
        for key in self._keys(self._hidden, name):
            _delete(self._root, key)

    def empty(self, older_than_s: float) -> int:
        keys = list(_list(self._root, self._hidden, older_than_s))
        for key in keys:
            _delete(self._root, key)
        return len(keys)

    def _move(self, source: str, target: str, name: str) -> bool:
        keys = self._keys(source, name)
        for key in keys:
            try:
                with bucket_errors():
                    obstore.copy(self._root, key, target + key.removeprefix(source))
            except NotFound:
                return False
            _delete(self._root, key)
        return bool(keys)

    def _keys(self, folder: str, name: str) -> list[str]:
        return list(_list(self._root, folder + name, 0)) if name.endswith("/") else [folder + name]


class DirectUploads:
    """Files that clients put into the bucket themselves, at signed URLs, until a job takes them.

    A URL allows one object to be written for a limited time. S3 does not limit its size, so the reader does.
    """

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
        names = list(_list(self._store, None, older_than_s))
        for name in names:
            _delete(self._store, name)
        return len(names)


def _key(sha256: str) -> str:
    if len(sha256) != 64 or not all(c in "0123456789abcdef" for c in sha256):
        raise NotFound("no such original")
    return f"{sha256[:2]}/{sha256[2:]}"


def _list(store: S3Store, prefix: str | None, older_than_s: float) -> Iterator[str]:
    limit = datetime.now(UTC) - timedelta(seconds=older_than_s)
    with bucket_errors():
        for page in obstore.list(store, prefix):
            yield from (item["path"] for item in page if item["last_modified"] <= limit or not older_than_s)


def _delete(store: S3Store, key: str) -> None:
    try:
        with bucket_errors():
            obstore.delete(store, key)
    except NotFound:
        return
