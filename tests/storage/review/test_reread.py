"""Documents of older readers are read again: a new attempt is shown, and a failure keeps the old tree."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.limits import SandboxLimits
from quire.cluster.cli.operate.reread import Reread
from quire.models.cdom.tree import Tree, dump_tree, load_tree
from quire.models.cdom.version import READER_VERSION
from quire.models.pii.engines.choose import make_flagger
from quire.storage.jobs.document_list import DocumentFilter, list_all_documents
from quire.storage.jobs.documents import find_document, locate_tree
from quire.storage.jobs.lifecycle import delete_document
from quire.storage.objects.artifacts import CHANGES
from quire.storage.queue.publish import finish
from quire.storage.review.republish import OutdatedDocument, list_outdated
from quire.storage.store import Store
from quire.storage.values.rows import JobRow
from tests.models.pii.trees import paragraph, tree
from tests.storage.scenes import ACME, ACTOR, claim, submit, success, worker

OLD = tree(paragraph(0, "Written by an older reader."))
TEXT = b"Ann's address is ann@example.com.\n\nA second paragraph of plain text.\n"


class NoRecogniser:
    """Fails if a page is sent to it: the documents here have text."""

    def recognise(self, *args: object, **options: object) -> None:
        raise AssertionError("no page of these documents needs recognition")


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(SandboxLimits(formats=("txt",)))
    yield reader
    reader.close()


def publish(store: Store, content: bytes = TEXT, *, reader_version: int | None = 0, read: Tree = OLD) -> JobRow:
    job = submit(store, content=content)
    taken = claim(worker(store))
    manifest = store.artifacts.put(taken.document_id, taken.attempt, {"tree.json": dump_tree(read)})
    ended = replace(success(taken), manifest=manifest, reader_version=reader_version)
    assert finish(store, [ended]) == [True]
    return job


def outdated(store: Store) -> list[OutdatedDocument]:
    return list(list_outdated(store, READER_VERSION))


def reread(store: Store) -> Reread:
    return Reread(store, NoRecogniser(), make_flagger("regex"))  # type: ignore[arg-type]


def shown_tree(store: Store, job: JobRow) -> Tree:
    where = locate_tree(store.db, ACME, job.id, job.documents[0].id)
    return load_tree(store.artifacts.read(job.documents[0].id, where.attempt, "tree.json"))


def test_reread_publishes_tree_of_this_reader(store: Store, reader: DocumentReader) -> None:
    job = publish(store)
    work = reread(store)
    (document,) = outdated(store)
    assert work.run(document, reader) is None
    shown = shown_tree(store, job)
    assert shown.provenance.reader_version == READER_VERSION
    assert [block.text for block in shown.blocks] == [
        "Ann's address is ann@example.com.",
        "A second paragraph of plain text.",
    ]
    assert shown.blocks[0].flags == ("pii:email",)
    where = locate_tree(store.db, ACME, job.id, job.documents[0].id)
    changes = json.loads(store.artifacts.read(job.documents[0].id, where.attempt, CHANGES))
    assert changes["since"] == job.documents[0].id
    assert changes["pages"] == [1]
    row = find_document(store.db, ACME, job.documents[0].id)
    assert (row.reader_version, row.run, row.chunks) == (READER_VERSION, 1, 1)
    assert work.results == {"re-read": 1}
    assert outdated(store) == []
    assert len(store.artifacts.attempts(job.documents[0].id)) == 1


def test_reread_keeps_old_tree_when_reading_fails(store: Store, reader: DocumentReader) -> None:
    job = publish(store, b"%PDF-1.7 broken")
    work = reread(store)
    (document,) = outdated(store)
    assert work.run(document, reader) == "malformed"
    assert shown_tree(store, job) == OLD
    assert work.results == {"failed": 1}
    assert outdated(store) == [document]


def test_reread_leaves_document_deleted_meanwhile(store: Store, reader: DocumentReader) -> None:
    job = publish(store)
    (document,) = outdated(store)
    delete_document(store.db, ACME, ACTOR, job.documents[0].id)
    work = reread(store)
    work.run(document, reader)
    assert work.results == {"gone": 1}


def test_reread_skips_pages_of_vlm_tier(store: Store, reader: DocumentReader) -> None:
    job = publish(store)
    store.db.fetch_all("update documents set route_counts = '{\"vlm\": 2}' returning id")
    work = reread(store)
    (document,) = outdated(store)
    work.run(document, reader)
    assert shown_tree(store, job) == OLD
    assert work.results == {"skipped (read by the VLM tier)": 1}


@pytest.mark.parametrize(("version", "listed"), [(0, 1), (READER_VERSION, 0), (None, 0)])
def test_reader_before_lists_only_trees_of_older_readers(store: Store, version: int | None, listed: int) -> None:
    publish(store, reader_version=version)
    page = list_all_documents(store, ACME, DocumentFilter(reader_before=READER_VERSION))
    assert len(page.items) == len(outdated(store)) == listed
