"""Cancel, requeue and delete: what each may do, and that a delete leaves nothing behind."""

import json
import threading
from collections.abc import Callable
from functools import partial

import pytest

from quire.models.cdom.original import ReadOptions
from quire.storage.jobs.documents import find_document, list_dead_letters, locate_original, locate_tree
from quire.storage.jobs.intake import Submission, submit_job
from quire.storage.jobs.jobs import get_job, list_jobs
from quire.storage.jobs.lifecycle import cancel_job, delete_document, delete_job, requeue_document
from quire.storage.queue.publish import finish
from quire.storage.queue.usage import MonthUsage, month_usage
from quire.storage.store import Store
from quire.storage.upkeep.erase import purge_some
from quire.storage.values.errors import Conflict, NotFound, OriginalMissing, QuotaExceeded
from quire.storage.values.rows import Actor, Claim, Failed, JobRow, NewDocument, PageQuota, Scope, Succeeded
from quire.storage.values.states import DocumentStatus, JobStatus, Priority
from tests.storage.scenes import ACME, ACTOR, UNLIMITED, claim, put_blob, submit, success, worker

CANARY = "canary-7f3a"
STRANGER = Scope(tenant="stranger")


def fail_one(store: Store) -> tuple[JobRow, Claim]:
    job = submit(store)
    taken = claim(worker(store))
    finish(store, [Failed(claim=taken, error="internal", detail="gone")])
    return job, taken


def read_one(store: Store, name: str = f"{CANARY}.pdf", content: bytes = CANARY.encode()) -> tuple[JobRow, Claim]:
    """A succeeded document with canaries in name, metadata, original and tree."""
    file = NewDocument(name=name, blob=put_blob(store, content), options=ReadOptions(password=CANARY))
    job = submit_job(
        store, ACME, ACTOR, Submission([file], priority=Priority.JOB, quota=UNLIMITED, metadata={"note": CANARY})
    )
    taken = claim(worker(store))
    manifest = store.artifacts.put(taken.document_id, taken.attempt, {"tree.json": CANARY.encode()})
    assert finish(store, [Succeeded(claim=taken, manifest=manifest, format="pdf", pages=1)]) == [True]
    return job, taken


def test_cancel_ends_queued_and_running_documents(store: Store) -> None:
    job = submit(store, 3)
    queue = worker(store)
    done = claim(queue)
    finish(store, [success(done)])
    claim(queue)
    ended = cancel_job(store.db, ACME, ACTOR, job.id)
    assert (ended.status, ended.counts["canceled"], ended.counts["succeeded"]) == (JobStatus.PARTIAL, 2, 1)
    assert month_usage(store.db) == MonthUsage(used=2, reserved=0)
    assert cancel_job(store.db, ACME, ACTOR, job.id) == ended


def test_a_requeued_document_is_read_again_in_the_same_job(store: Store) -> None:
    job, failed = fail_one(store)
    reopened = requeue_document(store, ACME, ACTOR, job.id, failed.document_id, quota=UNLIMITED)
    assert (reopened.id, reopened.status, reopened.finished_at) == (job.id, JobStatus.QUEUED, None)
    assert (reopened.documents[0].run, reopened.documents[0].error) == (2, None)
    again = claim(worker(store))
    assert (again.run, again.attempt, again.starts) == (2, failed.attempt + 1, 1)
    assert finish(store, [success(failed)]) == [False]
    assert finish(store, [success(again)]) == [True]
    kinds = [(row["kind"], row["run"]) for row in store.db.fetch_all("select kind, run from events order by seq")]
    assert kinds == [("document.finished", 1), ("job.finished", 1), ("document.finished", 2), ("job.finished", 2)]


def test_only_a_failed_document_is_requeued(store: Store) -> None:
    job = submit(store)
    taken = claim(worker(store))
    for _ in range(2):
        with pytest.raises(Conflict):
            requeue_document(store, ACME, ACTOR, job.id, taken.document_id, quota=UNLIMITED)
        finish(store, [success(taken)])


def test_a_requeue_needs_the_original_and_a_page(store: Store) -> None:
    job, failed = fail_one(store)
    with pytest.raises(QuotaExceeded):
        requeue_document(store, ACME, ACTOR, job.id, failed.document_id, quota=PageQuota(max_pages_per_month=0))
    assert get_job(store.db, ACME, job.id).status is JobStatus.FAILED
    assert failed.blob_sha256 is not None
    store.blobs.delete(failed.blob_sha256)
    with pytest.raises(OriginalMissing):
        requeue_document(store, ACME, ACTOR, job.id, failed.document_id, quota=UNLIMITED)


def test_a_requeue_is_charged_to_the_key_that_asked(store: Store) -> None:
    job, failed = fail_one(store)
    requeue_document(store, ACME, Actor(key_name="acme:other"), job.id, failed.document_id, quota=UNLIMITED)
    finish(store, [success(claim(worker(store)))])
    assert store.db.fetch_all("select key_name from meter") == [{"key_name": "acme:other"}]


@pytest.mark.parametrize("held", [False, True])
def test_an_unfinished_job_or_document_is_not_deleted(store: Store, held: bool) -> None:
    job = submit(store)
    if held:
        claim(worker(store))
    with pytest.raises(Conflict):
        delete_job(store.db, ACME, ACTOR, job.id)
    with pytest.raises(Conflict):
        delete_document(store.db, ACME, ACTOR, job.documents[0].id)
    assert get_job(store.db, ACME, job.id) is not None


def test_a_deleted_job_is_unknown_everywhere(store: Store) -> None:
    job, taken = read_one(store)
    delete_job(store.db, ACME, ACTOR, job.id)
    for look in (
        lambda: get_job(store.db, ACME, job.id),
        lambda: find_document(store.db, ACME, taken.document_id),
        lambda: find_document(store.db, ACME, taken.document_id),
        lambda: locate_tree(store.db, ACME, job.id, taken.document_id),
        lambda: delete_job(store.db, ACME, ACTOR, job.id),
    ):
        with pytest.raises(NotFound):
            look()
    assert list_jobs(store, ACME).items == ()


def test_a_deleted_document_stays_listed_without_its_outputs(store: Store) -> None:
    job, taken = read_one(store)
    delete_document(store.db, ACME, ACTOR, taken.document_id)
    delete_document(store.db, ACME, ACTOR, taken.document_id)
    assert get_job(store.db, ACME, job.id).documents[0].deleted_at is not None
    with pytest.raises(NotFound):
        locate_tree(store.db, ACME, job.id, taken.document_id)
    with pytest.raises(NotFound):
        locate_original(store, ACME, job.id, taken.document_id)


def test_deleted_failure_is_not_a_dead_letter_and_cannot_be_requeued(store: Store) -> None:
    job, failed = fail_one(store)
    assert [row.id for row in list_dead_letters(store, ACME).items] == [failed.document_id]
    delete_document(store.db, ACME, ACTOR, failed.document_id)
    assert list_dead_letters(store, ACME).items == ()
    with pytest.raises(OriginalMissing):
        requeue_document(store, ACME, ACTOR, job.id, failed.document_id, quota=UNLIMITED)


def test_a_purge_leaves_no_content_in_any_store(store: Store) -> None:
    job, _ = read_one(store)
    delete_job(store.db, ACME, ACTOR, job.id)
    assert purge_some(store) == 1
    assert purge_some(store) == 0
    assert [path for path in store.workdir.rglob("*") if path.is_file()] == []
    tables = store.db.fetch_all("select tablename as t from pg_tables where schemaname = 'public'")
    for table in (row["t"] for row in tables):
        with store.db.autocommit() as conn:
            rows = conn.execute(f"select row_to_json(x)::text as row from {table} x").fetchall()
        assert CANARY not in "".join(row["row"] for row in rows)
        assert CANARY.encode().hex() not in "".join(row["row"] for row in rows)
    actions = [row["action"] for row in store.db.fetch_all("select action from audit order by entry")]
    assert actions[-2:] == ["job.deleted", "document.purged"]


def test_shared_original_stays_until_both_documents_are_deleted(store: Store) -> None:
    (_, first), (_, second) = read_one(store, content=b"shared"), read_one(store, content=b"shared")
    assert first.blob_sha256 is not None
    delete_document(store.db, ACME, ACTOR, first.document_id)
    purge_some(store)
    assert store.blobs.exists(first.blob_sha256)
    delete_document(store.db, ACME, ACTOR, second.document_id)
    purge_some(store)
    assert not store.blobs.exists(first.blob_sha256)


def test_purging_blanks_only_the_deleted_name_in_a_jobs_event(store: Store) -> None:
    job = submit(store, 2)
    queue = worker(store)
    first, second = claim(queue), claim(queue)
    finish(store, [success(first), success(second)])
    delete_document(store.db, ACME, ACTOR, first.document_id)
    purge_some(store)
    body = json.loads(store.db.fetch_all("select body from events where kind = 'job.finished'")[0]["body"])
    assert {line["document_id"]: line["filename"] for line in body["documents"]} == {
        first.document_id: "",
        second.document_id: "1.pdf",
    }
    assert get_job(store.db, ACME, job.id).status is JobStatus.SUCCEEDED


def test_a_purge_that_meets_a_broken_store_is_tried_again_later(store: Store) -> None:
    _, taken = read_one(store)
    delete_document(store.db, ACME, ACTOR, taken.document_id)
    folder = store.workdir / "artifacts" / taken.document_id[4:6] / taken.document_id
    tree = folder / "a1" / "tree.json"
    tree.unlink()
    tree.parent.rmdir()
    folder.rmdir()
    folder.write_bytes(b"a file where a folder should be")
    assert purge_some(store) == 0
    assert store.db.fetch_all("select tries, not_before > now() as later from purges") == [{"tries": 1, "later": True}]
    folder.unlink()
    with store.db.autocommit() as conn:
        conn.execute("update purges set not_before = now()")
    assert purge_some(store) == 1


def test_every_act_on_a_foreign_id_looks_like_one_on_an_unknown_id(store: Store) -> None:
    job, failed = fail_one(store)
    acts: list[Callable[[Scope, str, str], object]] = [
        lambda scope, j, d: get_job(store.db, scope, j),
        lambda scope, j, d: find_document(store.db, scope, d),
        lambda scope, j, d: locate_original(store, scope, j, d),
        lambda scope, j, d: cancel_job(store.db, scope, ACTOR, j),
        lambda scope, j, d: requeue_document(store, scope, ACTOR, j, d, quota=UNLIMITED),
        lambda scope, j, d: delete_job(store.db, scope, ACTOR, j),
        lambda scope, j, d: delete_document(store.db, scope, ACTOR, d),
    ]
    unknown = "doc_" + "a" * 26, "job_" + "a" * 26
    for act in acts:
        said = []
        for scope, job_id, document_id in (
            (STRANGER, job.id, failed.document_id),
            (Scope(tenant="acme", org="other"), job.id, failed.document_id),
            (ACME, unknown[1], unknown[0]),
        ):
            with pytest.raises(NotFound) as raised:
                act(scope, job_id, document_id)
            said.append(str(raised.value))
        assert len(set(said)) == 1
    assert not list_jobs(store, STRANGER).items
    assert not list_dead_letters(store, STRANGER).items
    assert find_document(store.db, ACME, failed.document_id).status is DocumentStatus.FAILED


def race(acts: dict[str, Callable[[], object]]) -> list[str]:
    """Runs all at once; the names of those that were not refused."""
    won: list[str] = []

    def attempt(name: str) -> None:
        try:
            acts[name]()
            won.append(name)
        except (Conflict, NotFound):
            return

    racers = [threading.Thread(target=attempt, args=(name,)) for name in acts]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    return won


def test_requeue_and_delete_of_the_same_document_do_not_both_win(store: Store) -> None:
    for _ in range(10):
        job, failed = fail_one(store)
        requeue = partial(requeue_document, store, ACME, ACTOR, job.id, failed.document_id, quota=UNLIMITED)
        won = race({"requeue": requeue, "delete": partial(delete_job, store.db, ACME, ACTOR, job.id)})
        assert len(won) == 1
        tasks = store.db.fetch_all("select * from tasks")
        assert len(tasks) == (won == ["requeue"])
        if tasks:
            cancel_job(store.db, ACME, ACTOR, job.id)
