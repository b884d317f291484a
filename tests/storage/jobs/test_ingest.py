"""A document from outside is a finished job like any other."""

import pytest

from quire.storage.jobs.documents import locate_tree
from quire.storage.jobs.idempotency import IdempotencyKey
from quire.storage.jobs.ingest import INGESTED_ATTEMPT, IngestedDocument, ingest_document
from quire.storage.queue.usage import MonthUsage, month_usage
from quire.storage.store import Store
from quire.storage.values.errors import QuotaExceeded
from quire.storage.values.ids import new_document_id
from quire.storage.values.rows import PageQuota
from quire.storage.values.states import DocumentStatus, JobStatus
from tests.storage.scenes import ACME, ACTOR, UNLIMITED, put_blob


def outside(store: Store, pages: int = 3) -> IngestedDocument:
    document_id = new_document_id()
    manifest = store.artifacts.put(document_id, INGESTED_ATTEMPT, {"tree.json": b"{}"})
    return IngestedDocument(
        id=document_id,
        source_file="outside.xml",
        format="xml",
        pages=pages,
        bytes=2,
        manifest=manifest,
        original=put_blob(store),
        metadata={"from": "elsewhere"},
    )


def test_an_ingested_document_is_finished_metered_and_announced(store: Store) -> None:
    document = outside(store)
    job = ingest_document(store, ACME, ACTOR, document, quota=UNLIMITED)
    assert (job.status, job.documents[0].status) == (JobStatus.SUCCEEDED, DocumentStatus.SUCCEEDED)
    assert (job.metadata, job.documents[0].pages, job.documents[0].format) == ({"from": "elsewhere"}, 3, "xml")
    assert locate_tree(store.db, ACME, job.id, document.id).attempt == INGESTED_ATTEMPT
    assert month_usage(store.db) == MonthUsage(used=3, reserved=0)
    kinds = [row["kind"] for row in store.db.fetch_all("select kind from events order by seq")]
    assert kinds == ["document.finished", "job.finished"]
    assert store.db.fetch_all("select * from tasks") == []


def test_an_ingested_document_must_fit_the_quota(store: Store) -> None:
    with pytest.raises(QuotaExceeded):
        ingest_document(store, ACME, ACTOR, outside(store), quota=PageQuota(max_pages_per_month=2))
    assert store.db.fetch_all("select * from jobs") == []


def test_a_repeated_key_ingests_once(store: Store) -> None:
    key = IdempotencyKey(route="ingest", key="k", digest="d")
    jobs = {ingest_document(store, ACME, ACTOR, outside(store), quota=UNLIMITED, idempotency=key).id for _ in range(2)}
    assert len(jobs) == 1
