"""Leftovers of a crash are found and swept; impossible states are reported."""

import pytest

from storage.queue.publish import finish
from storage.store import Store
from storage.upkeep.reconcile import Differences, reconcile, reconcile_and_log
from storage.values.ids import new_document_id
from storage.values.rows import Claim, Succeeded
from tests.storage.scenes import claim, put_blob, submit, worker


def publish_one(store: Store) -> Claim:
    submit(store)
    taken = claim(worker(store))
    manifest = store.artifacts.put(taken.document_id, taken.attempt, {"tree.json": b"{}"})
    finish(store, [Succeeded(claim=taken, manifest=manifest, format="pdf", pages=1)])
    return taken


def test_healthy_stores_do_not_differ(store: Store) -> None:
    publish_one(store)
    submit(store)
    assert reconcile(store, grace_s=-60) == Differences()


def test_an_upload_without_a_job_is_removed_after_the_grace_time(store: Store) -> None:
    orphan = put_blob(store, b"never submitted").sha256
    assert reconcile(store, grace_s=3600) == Differences()
    assert reconcile(store, grace_s=-60, repair=False).orphan_blobs == [orphan]
    assert reconcile(store, grace_s=-60).orphan_blobs == [orphan]
    assert reconcile(store, grace_s=-60) == Differences()


def test_unpublished_attempts_are_removed(store: Store) -> None:
    published = publish_one(store)
    store.artifacts.put(published.document_id, 7, {"tree.json": b"late"})
    unknown = new_document_id()
    store.artifacts.put(unknown, 1, {"tree.json": b"lost"})
    found = reconcile(store, grace_s=-60)
    assert sorted(found.orphan_artifacts) == sorted([f"{published.document_id}/a7", f"{unknown}/a1"])
    assert store.artifacts.attempts(published.document_id) == [published.attempt]
    assert reconcile(store, grace_s=-60) == Differences()


def test_the_attempt_of_a_running_document_is_left_alone(store: Store) -> None:
    submit(store)
    taken = claim(worker(store))
    store.artifacts.put(taken.document_id, taken.attempt, {"tree.json": b"{}"})
    assert reconcile(store, grace_s=-60) == Differences()


def test_missing_files_are_reported_and_not_repaired(store: Store) -> None:
    taken = publish_one(store)
    store.artifacts.delete(taken.document_id)
    assert taken.blob_sha256 is not None
    store.blobs.delete(taken.blob_sha256)
    found = reconcile(store, grace_s=-60)
    assert found.missing_artifacts == found.missing_originals == [taken.document_id]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("update jobs set n_queued = n_queued + 1", "miscounted_jobs"),
        ("delete from tasks", "documents_out_of_step"),
        ("update documents set status = 'running'", "documents_out_of_step"),
    ],
)
def test_inconsistent_rows_are_reported(store: Store, fault: str, kind: str) -> None:
    submit(store)
    with store.db.autocommit() as conn:
        conn.execute(fault.encode())
    assert getattr(reconcile(store), kind)


def test_hourly_pass_removes_orphans_and_logs_faults(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    orphan = put_blob(store, b"orphan")
    lost = publish_one(store)
    store.artifacts.delete(lost.document_id)
    assert reconcile_and_log(store, grace_s=3600).orphan_blobs == []
    with caplog.at_level("INFO"):
        assert reconcile_and_log(store, grace_s=0).orphan_blobs == [orphan.sha256]
    assert not store.blobs.exists(orphan.sha256)
    told = {record.levelname: record.getMessage() for record in caplog.records}
    assert told["WARNING"] == f"reconcile: 1 missing artifacts: {lost.document_id}"
    assert told["INFO"] == f"reconcile: 1 orphan blobs: {orphan.sha256}"
