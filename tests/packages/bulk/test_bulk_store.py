"""Documents from a bulk job are stored once each, despite repeats, kills and races."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from quire.cluster.jobs.work.folders import open_folder
from quire.cluster.jobs.work.ledger import WorkBlock, find_items
from quire.cluster.jobs.work.patience import patiently
from quire.cluster.jobs.work.pipeline import BlockReader
from quire.cluster.jobs.work.service import Service
from quire.cluster.jobs.work.to_service import ServiceJob, ServiceOutput, ServiceParts
from quire.models.cdom.chunk import Chunk
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.ports import PortUnavailable, no_progress
from quire.models.cdom.tree import load_tree
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.models.neural.fakes import ScriptedRecogniser
from quire.storage.jobs.bulk import BulkDocument, bulk_document_id, find_known, take_documents
from quire.storage.jobs.documents import list_dead_letters, locate_trees
from quire.storage.jobs.jobs import get_job, list_jobs
from quire.storage.jobs.lifecycle import delete_document
from quire.storage.objects.artifacts import TREE
from quire.storage.queue.usage import MonthUsage, month_usage
from quire.storage.store import Store
from quire.storage.upkeep.reconcile import reconcile
from quire.storage.values.errors import QuotaExceeded
from quire.storage.values.rows import DocumentId, PageQuota, Scope
from quire.storage.values.states import JobStatus
from tests.packages.bulk.corpora import make_corpus
from tests.storage.scenes import ACME, ACTOR, UNLIMITED, put_blob


def a_document(store: Store, path: str, *, pages: int = 2, error: str | None = None) -> BulkDocument:
    document_id = bulk_document_id(ACME, "corpus", path)
    manifest = {} if error else store.artifacts.put(document_id, 1, {TREE: b"{}"})
    return BulkDocument(
        id=document_id, source_file=path, original=put_blob(store, path.encode()), options=ReadOptions(),
        pages=pages, manifest=manifest, error=error, format="pdf",
    )  # fmt: skip


def count(store: Store, table: str) -> int:
    queries = {
        "documents": "select 1 from documents",
        "jobs": "select 1 from jobs",
        "events": "select 1 from events",
        "meter": "select 1 from meter",
        "requests": "select 1 from index_requests",
        "tasks": "select 1 from tasks",
    }
    return len(store.db.fetch_all(queries[table]))


def test_a_block_is_one_finished_job_metered_and_announced(store: Store) -> None:
    documents = [
        a_document(store, "a.pdf"),
        a_document(store, "b.pdf", pages=3),
        a_document(store, "c.pdf", error="malformed"),
    ]
    taken = take_documents(store, ACME, ACTOR, documents, quota=UNLIMITED, metadata={"corpus": "c"}, index_later=True)
    assert taken.job_id is not None
    job = get_job(store.db, ACME, taken.job_id)
    assert (job.status, job.metadata) == (JobStatus.PARTIAL, {"corpus": "c"})
    assert [document.source_file for document in job.documents] == ["a.pdf", "b.pdf", "c.pdf"]
    assert month_usage(store.db) == MonthUsage(used=5, reserved=0)
    kinds = [row["kind"] for row in store.db.fetch_all("select kind from events order by seq")]
    assert sorted(kinds) == ["document.finished"] * 3 + ["job.finished"]
    assert (count(store, "meter"), count(store, "tasks"), count(store, "requests")) == (2, 0, 1)
    assert [row.error for row in list_dead_letters(store, ACME).items] == ["malformed"]
    assert reconcile(store, grace_s=0).miscounted_jobs == []


def test_documents_of_a_bulk_job_have_its_principals(store: Store) -> None:
    documents = [a_document(store, "a.pdf"), a_document(store, "b.pdf", error="malformed")]
    take_documents(store, ACME, ACTOR, documents, quota=UNLIMITED, principals=("group:ops", "ann", "ann"))
    take_documents(store, ACME, ACTOR, [a_document(store, "c.pdf")], quota=UNLIMITED)
    rows = store.db.fetch_all("select principals from documents order by source_file")
    assert [row["principals"] for row in rows] == [["ann", "group:ops"], ["ann", "group:ops"], None]


def test_stored_document_is_not_taken_again_even_if_deleted(store: Store) -> None:
    first = [a_document(store, "a.pdf"), a_document(store, "b.pdf")]
    take_documents(store, ACME, ACTOR, first, quota=UNLIMITED, index_later=True)
    delete_document(store.db, ACME, ACTOR, first[0].id)
    again = take_documents(store, ACME, ACTOR, first, quota=UNLIMITED, index_later=True)
    assert (again.job_id, again.documents) == (None, frozenset())
    more = take_documents(store, ACME, ACTOR, [*first, a_document(store, "c.pdf")], quota=UNLIMITED, index_later=True)
    assert more.documents == {bulk_document_id(ACME, "corpus", "c.pdf")}
    assert (count(store, "documents"), count(store, "jobs"), count(store, "meter")) == (3, 2, 3)
    assert count(store, "requests") == 2
    assert find_known(store.db, [first[0].id, DocumentId("doc_x")]) == {first[0].id}


def test_the_quota_takes_a_block_whole_or_not_at_all(store: Store) -> None:
    documents = [a_document(store, "a.pdf"), a_document(store, "b.pdf"), a_document(store, "c.pdf", error="timeout")]
    with pytest.raises(QuotaExceeded):
        take_documents(store, ACME, ACTOR, documents, quota=PageQuota(max_pages_per_month=3))
    assert (count(store, "jobs"), count(store, "documents"), count(store, "events")) == (0, 0, 0)
    assert month_usage(store.db) == MonthUsage(used=0, reserved=0)


def test_racing_workers_bring_a_document_once(store: Store) -> None:
    documents = [a_document(store, f"{number}.pdf", pages=1) for number in range(12)]
    ready = threading.Barrier(3)

    def take(some: Sequence[BulkDocument]) -> int:
        ready.wait()
        return len(take_documents(store, ACME, ACTOR, some, quota=UNLIMITED).documents)

    with ThreadPoolExecutor(3) as threads:
        taken = list(threads.map(take, [documents, documents[::-1], documents[4:]]))
    assert sum(taken) == 12
    assert (count(store, "documents"), count(store, "meter")) == (12, 12)
    assert month_usage(store.db).used == 12


def test_ids_belong_to_scope_corpus_and_path() -> None:
    ids = {
        bulk_document_id(scope, corpus, path)
        for scope in (ACME, Scope(tenant="acme", org="other"), Scope(tenant="other"))
        for corpus in ("one", "two")
        for path in ("a", "b\udcff")
    }
    assert len(ids) == 12
    assert all(len(document_id) == len("doc_") + 26 for document_id in ids)


class RecordedIndex:
    """Counts how often each document was handed over; unavailable for the first `away` calls."""

    def __init__(self, store: Store, away: int = 0) -> None:
        self._store, self._away = store, away
        self.chunks: dict[str, Sequence[Chunk]] = {}

    def index_document(
        self, owner: tuple[str, str], document_id: str, attempt: int, chunks: Sequence[Chunk], *,
        urgent: bool = False, replace: bool = False, earlier: Sequence[str] = (),
        progress: Callable[[int, int], None] = no_progress,
    ) -> None:  # fmt: skip
        if self._away:
            self._away -= 1
            raise PortUnavailable("index_writer", "full")
        assert owner == (ACME.tenant, ACME.org)
        assert not find_known(self._store.db, [DocumentId(document_id)])  # found before it is shown
        self.chunks[document_id] = chunks


JOB = ServiceJob(source="", corpus="reports", scope=ACME, ocr=OcrMode.AUTO, service=Service(), indexed=True)


@contextmanager
def opened(store: Store, corpus: Path, index: RecordedIndex):  # type: ignore[no-untyped-def]
    parts = ServiceParts(store=store, quota=lambda: UNLIMITED, tokenizer=load_tokenizer(), index=index)
    output = ServiceOutput(JOB, ReadOptions(), parts)
    recogniser = ScriptedRecogniser(script={1: ["Hello"]})
    reader = BlockReader(open_folder(str(corpus)), output, ReadOptions(), lambda: recogniser)
    try:
        yield reader, output
    finally:
        reader.close()


def test_a_killed_block_done_again_leaves_every_document_once(store: Store, tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    make_corpus(corpus)
    _, items = find_items(str(corpus), None)
    gone = replace(items[0], name="gone.pdf")
    block = WorkBlock("0", (*items, gone))
    index = RecordedIndex(store, away=2)
    with opened(store, corpus, index) as (reader, output):
        with monkeypatch.context() as killed:
            killed.setattr(output, "close", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                reader.read_block(block)
        assert count(store, "documents") == 0
        records = reader.read_block(block)
        assert [record.error for record in reader.read_block(block)] == [record.error for record in records]
    errors = {record.name: record.error for record in records}
    assert errors.pop("broken.pdf") == "malformed"
    assert errors.pop("gone.pdf") == "original-missing"
    assert set(errors.values()) == {None}
    (job,) = list_jobs(store, ACME).items
    assert job.status is JobStatus.PARTIAL
    assert (count(store, "documents"), count(store, "meter")) == (5, 4)
    assert month_usage(store.db) == MonthUsage(used=4, reserved=0)
    trees = dict(locate_trees(store.db, ACME, job.id))
    assert trees.keys() == index.chunks.keys()
    for document_id, where in trees.items():
        tree = load_tree(store.artifacts.read(document_id, where.attempt, TREE))
        assert tree.source.sha256 == where.sha256
        with store.blobs.open(where.sha256 or "") as original:
            assert len(original.read()) == where.bytes
    found = reconcile(store, grace_s=0)
    assert (found.orphan_artifacts, found.missing_artifacts, found.missing_originals, found.miscounted_jobs) == (
        [],
        [],
        [],
        [],
    )


def test_bytes_of_another_version_left_by_a_kill_are_not_in_the_way(store: Store, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    make_corpus(corpus, reports=1)
    _, items = find_items(str(corpus), None)
    (item,) = (item for item in items if item.name == "sub0/report.pdf")
    store.artifacts.put(JOB.document_id(item), 1, {TREE: b"an older tree"})
    with opened(store, corpus, RecordedIndex(store)) as (reader, _):
        reader.read_block(WorkBlock("0", (item,)))
    (job,) = list_jobs(store, ACME).items
    ((document_id, where),) = locate_trees(store.db, ACME, job.id)
    assert where.attempt == 2
    assert b"rivers" in store.artifacts.read(document_id, where.attempt, TREE)


def test_patience_ends_and_skips_permanent_errors() -> None:
    calls: list[int] = []

    def work() -> None:
        calls.append(1)
        raise PortUnavailable("index_writer") if len(calls) < 4 else ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        patiently(work, wait=lambda timeout: False)
    assert len(calls) == 4
    calls.clear()
    with pytest.raises(PortUnavailable):
        patiently(work, patience_s=-1, wait=lambda timeout: False)
    assert len(calls) == 1
