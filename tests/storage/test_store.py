"""The whole life of a document with its files in a bucket, and a store opened while the database is away."""

from pathlib import Path

import pytest

from quire.storage.jobs.documents import locate_tree
from quire.storage.jobs.lifecycle import delete_document
from quire.storage.jobs.stats import queue_tasks
from quire.storage.objects.bucket import open_bucket
from quire.storage.queue.publish import finish
from quire.storage.store import Store, open_store
from quire.storage.upkeep.erase import purge_some
from quire.storage.upkeep.reconcile import Differences, reconcile
from quire.storage.values.errors import NotFound, StoreUnavailable
from quire.storage.values.ids import new_document_id
from quire.storage.values.rows import Succeeded
from quire.storage.values.signing import Signer
from tests.conftest import SIGNING_KEY
from tests.storage.bucket import Bucket
from tests.storage.scenes import ACME, ACTOR, claim, submit, worker


def test_a_document_lives_and_dies_in_a_bucket(store: Store, bucket: Bucket, tmp_path: Path) -> None:
    blobs, artifacts = open_bucket(bucket.url, tmp_path / "spool", **bucket.options)
    there = Store(store.db, blobs, artifacts, Signer(SIGNING_KEY), tmp_path)
    job = submit(there)
    taken = claim(worker(there))
    assert taken.blob_sha256 is not None
    with there.blobs.open(taken.blob_sha256) as original:
        assert original.read() == b"%PDF-1.7"
    manifest = there.artifacts.put(taken.document_id, taken.attempt, {"tree.json": b"{}"})
    finish(there, [Succeeded(claim=taken, manifest=manifest, format="pdf", pages=1)])
    assert reconcile(there, grace_s=-60) == Differences()
    tree = locate_tree(there.db, ACME, job.id, taken.document_id)
    assert there.artifacts.read(taken.document_id, tree.attempt, "tree.json") == b"{}"
    delete_document(there.db, ACME, ACTOR, taken.document_id)
    assert purge_some(there) == 1
    assert not there.blobs.exists(taken.blob_sha256)
    with pytest.raises(NotFound):
        there.artifacts.read(taken.document_id, tree.attempt, "tree.json")


def test_a_bucket_that_does_not_answer_is_unavailable(bucket: Bucket, tmp_path: Path) -> None:
    options = {**bucket.options, "endpoint": "http://127.0.0.1:1", "retry_config": {"max_retries": 0}}
    blobs, artifacts = open_bucket(bucket.url, tmp_path / "spool", **options)
    with pytest.raises(StoreUnavailable):
        blobs.exists("0" * 64)
    with pytest.raises(StoreUnavailable):
        artifacts.read(new_document_id(), 1, "tree.json")


@pytest.mark.parametrize("url", ["http://bucket", "s3://", "bucket", "file:///x"])
def test_only_s3_urls_name_a_bucket(url: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="s3://"):
        open_bucket(url, tmp_path)


def test_a_store_opens_while_its_database_is_away(tmp_path: Path) -> None:
    opened = open_store(f"postgresql://quire@/quire?host={tmp_path}", tmp_path, signing_key=SIGNING_KEY)
    with pytest.raises(StoreUnavailable):
        queue_tasks(opened.db)
    opened.close()
