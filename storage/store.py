"""Everything a process needs to keep state, opened once: SQL, originals, derived files, the signer of cursors."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire.storage.objects.artifacts import Artifacts, LocalArtifacts
from quire.storage.objects.blobs import LocalBlobs, StoredBlobs
from quire.storage.objects.marks import MarkedStore
from quire.storage.postgres.database import Database
from quire.storage.values.signing import Signer

if TYPE_CHECKING:  # the S3 client is loaded only for a bucket
    from quire.storage.objects.bucket import DirectUploads


@dataclass(frozen=True, slots=True)
class Store:
    """Thread-safe; one per process, never carried over a fork."""

    db: Database
    blobs: StoredBlobs
    artifacts: Artifacts
    signer: Signer
    workdir: Path
    uploads: "DirectUploads | None" = None
    """Uploads of clients directly into the bucket; None if originals are on a local disk."""
    marked: tuple[MarkedStore, ...] = ()
    """Stores of originals and derived files that carry the deployment's mark."""

    def close(self) -> None:
        """Close all database connections."""
        self.db.close()


def open_store(
    dsn: str, workdir: Path, *, signing_key: bytes, pool_size: int = 4, blobs_url: str | None = None
) -> Store:
    """Return a store without connecting yet, so it works while the database is down.

    Args:
        dsn: Connection string of the database.
        workdir: Folder of originals and derived files, unless `blobs_url` is given.
        signing_key: Key of the deployment, from which the signer derives its keys.
        pool_size: Most database connections of this process.
        blobs_url: `s3://bucket/prefix`, or None for `workdir`.
    """
    blobs: StoredBlobs
    artifacts: Artifacts
    uploads: DirectUploads | None = None
    if blobs_url is None:
        blobs, artifacts = LocalBlobs(workdir / "blobs"), LocalArtifacts(workdir / "artifacts")
    else:
        from quire.storage.objects.bucket import open_bucket, open_uploads  # obstore, only for a bucket

        blobs, artifacts = open_bucket(blobs_url, workdir / "incoming")
        uploads = open_uploads(blobs_url)
    marked = marked_stores(workdir, blobs_url)
    return Store(Database(dsn, pool_size=pool_size), blobs, artifacts, Signer(signing_key), workdir, uploads, marked)


def marked_stores(workdir: Path, blobs_url: str | None, **options: Any) -> tuple[MarkedStore, ...]:
    """Return the stores of originals and derived files: two folders of the workdir, or one bucket."""
    if blobs_url is not None:
        return (marked_store("bucket", blobs_url, **options),)
    return marked_store("originals", workdir / "blobs"), marked_store("derived files", workdir / "artifacts")


def marked_store(name: str, place: str | Path, **options: Any) -> MarkedStore:
    """Return the store at a folder or `s3://bucket/prefix`, which can carry the deployment's mark."""
    if isinstance(place, str) and place.startswith("s3://"):
        from quire.storage.objects.bucket import MarkedBucket

        return MarkedBucket(name, place, **options)
    return MarkedStore(name, place)
