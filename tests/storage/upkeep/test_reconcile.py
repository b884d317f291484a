"""Leftovers of a crash are found and swept; impossible states are reported."""

import os
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quire.storage.jobs.lifecycle import delete_document
from quire.storage.objects.bucket import open_bucket
from quire.storage.objects.marks import MARK
from quire.storage.queue.publish import finish
from quire.storage.store import Store, marked_stores
from quire.storage.upkeep import reconcile as upkeep
from quire.storage.upkeep.deployment import settle_stores
from quire.storage.upkeep.erase import purge_some
from quire.storage.upkeep.reconcile import Differences, reconcile, reconcile_and_log
from quire.storage.values.errors import StoreUnavailable
from quire.storage.values.ids import new_document_id
from quire.storage.values.rows import Claim, Succeeded
from tests.storage.bucket import Bucket
from tests.storage.scenes import ACME, ACTOR, claim, put_blob, submit, worker


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


def names_of(store: Store) -> set[str]:
    return {path.name for path in store.workdir.rglob("*") if path.is_file() and path.name != MARK}


def lose_rows(store: Store, kept: int) -> None:
    """As a database that was restored from an older backup."""
    with store.db.autocommit() as conn:
        conn.execute("set session_replication_role = replica")
        for table, column in (("tasks", "document_id"), ("documents", "id")):
            conn.execute(
                f"delete from {table} where {column} not in (select id from documents order by id limit {kept})"
            )


def publish_many(store: Store, count: int) -> None:
    for number in range(count):
        submit(store, content=f"original {number}".encode())
        taken = claim(worker(store))
        manifest = store.artifacts.put(taken.document_id, taken.attempt, {"tree.json": b"{}"})
        finish(store, [Succeeded(claim=taken, manifest=manifest, format="pdf", pages=1)])


def settled(store: Store, dsn: str) -> Store:
    stores = marked_stores(store.workdir, None)
    settle_stores(dsn, "here", stores)
    return replace(store, marked=stores)


def code_of(differences: Differences) -> list[str]:
    return [reason.partition(":")[0] for reason in differences.not_repaired]


@pytest.mark.parametrize("seed", range(20))
def test_a_database_that_lost_rows_moves_no_file(store: Store, seed: int) -> None:
    chance = random.Random(seed)
    count = chance.randint(8, 20)
    publish_many(store, count)
    lose_rows(store, chance.randint(0, count - 6))  # more than FEW files are unknown
    before = names_of(store)

    differences = reconcile(store, grace_s=-60)

    assert code_of(differences) == ["too-many-orphans"]
    assert names_of(store) == before
    assert not list(store.workdir.rglob("quarantine"))


def test_a_database_younger_than_its_files_moves_none(store: Store) -> None:
    publish_one(store)
    put_blob(store, b"of another time")
    for path in store.workdir.rglob("*"):
        os.utime(path, (time.time() - 86_400,) * 2)
    before = names_of(store)
    assert code_of(reconcile(store)) == ["database-younger"]
    assert names_of(store) == before


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"id": "dep_other"}, "stores-disagree"),
        ({"tick": 10_000}, "database-older"),
        (None, "store-missing"),
    ],
)
@pytest.mark.parametrize("index", [0, 1])
def test_a_store_swapped_while_the_service_runs_keeps_its_files(
    store: Store, dsn: str, change: dict[str, Any] | None, code: str, index: int
) -> None:
    there = settled(store, dsn)
    publish_one(there)
    put_blob(there, b"never submitted")
    swapped = there.marked[index]
    mark = swapped.read()
    assert mark is not None
    if change is None:
        (Path(swapped.place) / MARK).unlink()
    else:
        swapped.write(replace(mark, **change))
    before = names_of(there)

    assert code_of(reconcile(there, grace_s=-60)) == [code]
    assert names_of(there) == before


def test_adopted_stores_give_up_unknown_files_for_a_week(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    publish_many(store, 12)
    rows = store.db.fetch_all("select * from documents")
    lose_rows(store, 0)
    assert reconcile(store, grace_s=-60, adopt=True).not_repaired == []
    assert not any(store.blobs.exists(row["sha256"]) for row in rows)
    assert len(names_of(store)) == len({row["sha256"] for row in rows}) + 1  # hidden, not gone; trees share a name
    monkeypatch.setattr(upkeep, "QUARANTINE_S", -1.0)
    reconcile(store, grace_s=-60)
    assert names_of(store) == set()


def test_files_come_back_from_quarantine_with_their_rows(store: Store) -> None:
    published = publish_one(store)
    sha256 = store.db.fetch_all("select sha256 from documents")[0]["sha256"]
    store.blobs.quarantine(sha256)
    store.artifacts.quarantine(published.document_id, published.attempt)
    assert reconcile(store, grace_s=-60, repair=False).missing_originals == [published.document_id]
    assert reconcile(store, grace_s=-60) == Differences()
    assert store.artifacts.read(published.document_id, published.attempt, "tree.json") == b"{}"
    with store.blobs.open(sha256) as original:
        assert original.read() == b"%PDF-1.7"


def test_purged_documents_leave_nothing_in_quarantine(store: Store) -> None:
    published = publish_one(store)
    store.artifacts.put(published.document_id, 7, {"tree.json": b"late"})
    reconcile(store, grace_s=-60)
    assert b"late" in {path.read_bytes() for path in store.workdir.rglob("tree.json")}
    delete_document(store.db, ACME, ACTOR, published.document_id)
    assert purge_some(store) == 1
    assert names_of(store) == set()


def test_quarantine_of_a_bucket_hides_brings_back_and_deletes(
    store: Store, dsn: str, bucket: Bucket, tmp_path: Path
) -> None:
    blobs, artifacts = open_bucket(bucket.url, tmp_path / "spool", **bucket.options)
    there = Store(
        store.db, blobs, artifacts, store.signer, tmp_path, marked=marked_stores(tmp_path, bucket.url, **bucket.options)
    )
    settle_stores(dsn, "here", there.marked)
    published = publish_one(there)
    orphan = put_blob(there, b"never submitted").sha256
    there.artifacts.put(published.document_id, 7, {"tree.json": b"late", "assets/a.png": b"p"})
    found = reconcile(there, grace_s=-60)
    assert (found.orphan_blobs, found.orphan_artifacts) == ([orphan], [f"{published.document_id}/a7"])
    assert reconcile(there, grace_s=-60) == Differences()
    assert not there.blobs.exists(orphan)
    assert there.blobs.release(orphan)
    assert there.artifacts.release(published.document_id, 7)
    assert there.artifacts.read(published.document_id, 7, "assets/a.png") == b"p"
    reconcile(there, grace_s=-60)
    assert there.blobs.empty_quarantine(-60) == 1
    assert there.artifacts.empty_quarantine(-60) == 2
    assert not there.blobs.release(orphan)


def test_a_damaged_mark_moves_no_file(store: Store, dsn: str) -> None:
    there = settled(store, dsn)
    put_blob(there, b"never submitted")
    (Path(there.marked[0].place) / MARK).write_text("{}")
    before = names_of(there)
    with pytest.raises(StoreUnavailable, match="is damaged"):
        reconcile(there, grace_s=-60)
    assert names_of(there) == before
