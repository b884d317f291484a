"""Files inside documents: they are documents of the job, exactly once, and bounded over all levels."""

from dataclasses import replace
from functools import partial

import pytest

from quire.models.cdom.original import ReadOptions
from quire.storage.access.principals import set_principals
from quire.storage.inside import members
from quire.storage.inside.members import add_members
from quire.storage.jobs.jobs import get_job
from quire.storage.queue.fence import lock_held
from quire.storage.queue.publish import finish
from quire.storage.queue.usage import month_usage
from quire.storage.store import Store
from quire.storage.values.rows import Claim, Finished, MemberFile, Succeeded
from tests.storage.scenes import ACME, ACTOR, claim, put_blob, submit, success, worker


def holding(store: Store, taken: Claim, *contents: bytes) -> Succeeded:
    files = tuple(
        MemberFile(name=f"{at}.txt", path=f"{at}/{at}.txt", blob=put_blob(store, content))
        for at, content in enumerate(contents)
    )
    return replace(success(taken), members=files)


def end(store: Store, *finished: Finished) -> list[bool]:
    return finish(store, finished, add_members)


def test_files_inside_a_document_are_documents_of_its_job(store: Store) -> None:
    job = submit(store)
    queue = worker(store)
    parent = claim(queue)
    assert end(store, holding(store, parent, b"one", b"two")) == [True]
    waiting = get_job(store.db, ACME, job.id)
    assert (waiting.status.value, len(waiting.documents), waiting.counts["queued"]) == ("running", 3, 2)
    inside = [row for row in waiting.documents if row.parent_document_id]
    assert [(row.parent_document_id, row.path, row.source_file, row.bytes) for row in inside] == [
        (parent.document_id, "0/0.txt", "0.txt", 3), (parent.document_id, "1/1.txt", "1.txt", 3),
    ]  # fmt: skip
    assert end(store, success(claim(queue)), success(claim(queue))) == [True, True]
    done = get_job(store.db, ACME, job.id)
    assert (done.status.value, done.counts["succeeded"]) == ("succeeded", 3)
    assert month_usage(store.db).reserved == 0


def test_a_child_is_read_with_the_options_of_its_parent_but_for_pages(store: Store) -> None:
    submit(store)
    queue = worker(store)
    parent = claim(queue)
    asked = ReadOptions(pages=((1, 1),), password="secret", ocr_langs=("de",))
    end(store, holding(store, replace(parent, options=asked), b"one"))
    assert claim(queue).options == replace(asked, pages=())


def test_a_child_has_the_principals_of_its_parent_also_when_they_change(store: Store) -> None:
    job = submit(store)
    parent = claim(worker(store))
    set_principals(store.db, ACME, ACTOR, parent.document_id, ["group:hr"])
    end(store, holding(store, parent, b"one"))
    assert [row.principals for row in get_job(store.db, ACME, job.id).documents] == [["group:hr"]] * 2
    set_principals(store.db, ACME, ACTOR, parent.document_id, None)
    assert [row.principals for row in get_job(store.db, ACME, job.id).documents] == [None, None]


def test_a_document_that_is_read_again_has_its_files_already(store: Store) -> None:
    job = submit(store)
    held = holding(store, claim(worker(store)), b"one")
    for _ in range(2):
        with store.db.transaction() as conn:
            document = lock_held(conn, [held.claim])[held.claim.document_id]
            assert add_members(store, conn, held, document) is None
    assert len(get_job(store.db, ACME, job.id).documents) == 2


def test_a_refused_claim_adds_nothing(store: Store) -> None:
    job = submit(store)
    taken = claim(worker(store))
    assert end(store, holding(store, replace(taken, attempt=taken.attempt + 1), b"one")) == [False]
    assert len(get_job(store.db, ACME, job.id).documents) == 1


@pytest.mark.parametrize("bound", ["MAX_MEMBERS", "MAX_BYTES", "MAX_DEPTH"])
def test_beyond_a_bound_the_document_ends_as_a_limit(store: Store, bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, bound, 1)
    job = submit(store)
    queue = worker(store)
    contents = (b"1",) if bound == "MAX_DEPTH" else (b"11", b"2")
    end(store, holding(store, claim(queue), *contents))
    if bound == "MAX_DEPTH":
        end(store, holding(store, claim(queue), b"deeper"))
    rows = get_job(store.db, ACME, job.id).documents
    assert [row.error for row in rows if row.error] == ["resource-limit"]
    assert len(rows) == (2 if bound == "MAX_DEPTH" else 1)


def test_two_documents_of_one_batch_have_places_of_their_own(store: Store) -> None:
    job = submit(store, documents=2)
    queue = worker(store)
    finish_all = partial(end, store)
    finish_all(holding(store, claim(queue), b"a"), holding(store, claim(queue), b"b"))
    names = [(row.parent_document_id is None, row.path) for row in get_job(store.db, ACME, job.id).documents]
    assert names == [(True, None), (True, None), (False, "0/0.txt"), (False, "0/0.txt")]
