"""The pages of the file that had a name before."""

from dataclasses import replace

import pytest

from quire.models.cdom.version import READER_VERSION
from quire.storage.jobs.lifecycle import delete_document
from quire.storage.objects.artifacts import KEPT_PAGES
from quire.storage.queue.earlier import read_earlier_pages
from quire.storage.queue.publish import finish
from quire.storage.store import Store
from quire.storage.values.rows import Claim, Scope
from tests.storage.scenes import ACME, ACTOR, claim, submit, success, worker


def publish(store: Store, kept: bytes, pages: int = 30, scope: Scope = ACME, reader: int = READER_VERSION) -> Claim:
    submit(store, scope=scope)
    taken = claim(worker(store))
    store.artifacts.put(taken.document_id, taken.attempt, {KEPT_PAGES: kept} if kept else {})
    assert finish(store, [replace(success(taken, pages), reader_version=reader)]) == [True]
    return taken


def take(store: Store) -> Claim:
    submit(store)
    return claim(worker(store))


def test_pages_are_those_of_the_newest_file_of_the_name(store: Store) -> None:
    assert read_earlier_pages(store, take(store)) == b""
    publish(store, b"first")
    publish(store, b"second")
    assert read_earlier_pages(store, take(store)) == b"second"


@pytest.mark.parametrize(
    "unfit",
    [
        {"pages": 19},
        {"scope": Scope(tenant="acme", org="other")},
        {"scope": Scope(tenant="rival")},
        {"reader": READER_VERSION - 1},
    ],
)
def test_other_organisations_short_files_and_other_readers_give_none(store: Store, unfit: dict[str, object]) -> None:
    publish(store, b"kept", **unfit)  # type: ignore[arg-type]
    assert read_earlier_pages(store, take(store)) == b""


def test_other_name_and_missing_file_give_none(store: Store) -> None:
    publish(store, b"")
    assert read_earlier_pages(store, take(store)) == b""
    publish(store, b"kept")
    with store.db.autocommit() as connection:
        connection.execute("update documents set source_file = 'other.pdf' where status = 'succeeded'")
    assert read_earlier_pages(store, take(store)) == b""


def test_deleted_document_gives_none(store: Store) -> None:
    done = publish(store, b"kept")
    delete_document(store.db, ACME, ACTOR, done.document_id)
    assert read_earlier_pages(store, take(store)) == b""
