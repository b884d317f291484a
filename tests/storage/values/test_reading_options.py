"""Passwords of uploads are sealed at rest, bound to their document, and there again when a document is read again."""

from dataclasses import asdict, replace

from psycopg.types.json import Jsonb

from quire.models.cdom.original import ReadOptions
from quire.storage.jobs.intake import Submission, submit_job
from quire.storage.jobs.lifecycle import requeue_document
from quire.storage.queue.publish import finish
from quire.storage.store import Store
from quire.storage.values.reading_options import dump_options, load_options
from quire.storage.values.rows import Failed, JobRow, NewDocument
from quire.storage.values.signing import Signer
from quire.storage.values.states import Priority
from tests.storage.scenes import ACME, ACTOR, UNLIMITED, claim, put_blob, worker

SIGNER = Signer(b"k" * 32)
LOCKED = ReadOptions(password="correct horse", pages=((1, 2),))


def submit_locked(store: Store) -> JobRow:
    file = NewDocument(name="a.pdf", blob=put_blob(store), options=LOCKED)
    return submit_job(store, ACME, ACTOR, Submission([file], priority=Priority.JOB, quota=UNLIMITED))


def test_a_password_is_sealed_and_bound_to_its_document() -> None:
    facts = dump_options(SIGNER, "doc_a", LOCKED)
    assert "correct horse" not in str(facts)
    assert facts["password"] is None
    assert dump_options(SIGNER, "doc_a", LOCKED) != facts  # a fresh nonce each time
    assert load_options(SIGNER, "doc_a", facts) == LOCKED
    unopened = ReadOptions(pages=((1, 2),))
    assert load_options(SIGNER, "doc_b", facts) == unopened
    assert load_options(Signer(b"x" * 32), "doc_a", facts) == unopened


def test_options_without_a_password_are_plain() -> None:
    options = ReadOptions(ocr_langs=("de",))
    assert dump_options(SIGNER, "doc_a", options) == asdict(options)
    assert load_options(SIGNER, "doc_a", asdict(options)) == options


def test_a_failed_document_is_requeued_with_its_password(store: Store) -> None:
    job = submit_locked(store)
    queue = worker(store)
    first = claim(queue)
    assert first.options == LOCKED
    assert "correct horse" not in str(store.db.fetch_all("select * from documents"))
    finish(store, [Failed(claim=first, error="timeout")])
    requeue_document(store, ACME, ACTOR, job.id, first.document_id, quota=UNLIMITED)
    assert claim(queue).options == LOCKED


def test_unsealed_password_of_an_old_row_is_read_unchanged(store: Store) -> None:
    submit_locked(store)
    with store.db.autocommit() as conn:
        conn.execute("update documents set options = %s", (Jsonb(asdict(LOCKED)),))
    assert claim(worker(store)).options == LOCKED


def test_failed_document_is_requeued_with_another_password_only(store: Store) -> None:
    job = submit_locked(store)
    queue = worker(store)
    first = claim(queue)
    finish(store, [Failed(claim=first, error="encrypted")])
    requeue_document(store, ACME, ACTOR, job.id, first.document_id, quota=UNLIMITED, password="battery staple")
    assert "battery staple" not in str(store.db.fetch_all("select * from documents"))
    assert claim(queue).options == replace(LOCKED, password="battery staple")
