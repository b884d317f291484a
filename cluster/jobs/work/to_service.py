"""Bulk extraction into the service's store: documents appear in finished jobs, found by search, metered once.

A worker reads with the service's own settings and stores a block's documents in one transaction. Only the database
records what is done: a document's id is made of corpus and path.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, BinaryIO

from quire.actors.reader.outcome import read_facts
from quire.actors.reader.pii_scan import scan
from quire.cluster.bootstrap.opening import hold_license, open_runtime_store
from quire.cluster.compose.indexing import served_indexer
from quire.cluster.compose.recognition import make_recogniser, with_vlm
from quire.cluster.compose.values import make_tree_flagger, read_options, sandbox_limits
from quire.cluster.jobs.work.blocks import block_size, cut_blocks, dump_block, load_block
from quire.cluster.jobs.work.folders import open_folder
from quire.cluster.jobs.work.ledger import Record, WorkBlock, WorkItem
from quire.cluster.jobs.work.outputs import Kept
from quire.cluster.jobs.work.patience import patiently
from quire.cluster.jobs.work.pipeline import BlockReader
from quire.cluster.jobs.work.service import Service, index_is_here, with_store
from quire.cluster.jobs.work.spread import Progress, Row, connect, spread
from quire.cluster.jobs.work.vlm_pool import DOCUMENTS_AT_ONCE
from quire.cluster.runtime import Runtime
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.original import OcrMode, ReadOptions, clean_name
from quire.models.cdom.ports import EmbeddingFailed, IndexDocument, ReadOutcome, Tokenizer
from quire.models.cdom.tree import Tree
from quire.models.derive.chunks.chunking import chunker_name
from quire.models.derive.chunks.chunks import chunk_tree
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.storage.jobs.bulk import BulkDocument, Taken, bulk_document_id, find_known, take_documents
from quire.storage.objects.artifacts import ASSETS, TREE
from quire.storage.queue.disk_cap import require_room
from quire.storage.store import Store
from quire.storage.values.errors import Conflict
from quire.storage.values.rows import Actor, DocumentId, PageQuota, Scope, StoredBlob

if TYPE_CHECKING:
    from quire.serve_apps.access.license_holder import LicenseHolder

log = logging.getLogger("quire.jobs")
MOST = 64
"""Most documents of a job: one commit, one index write and the loss of a killed worker."""
JOBS_PER_WORKER = 4  # jobs a worker's documents are spread over, so that their rows are not one hot spot
PIECE = 1 << 20  # bytes copied at a time
MEGABYTE = 1 << 20  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceJob:
    """Source and owner of the documents, as plain values that travel to the workers.

    `principals`: callers that may find the documents; None for all. `indexed`: workers write to the index now;
    otherwise its writer adds missing documents later.
    """

    source: str
    corpus: str
    scope: Scope
    ocr: OcrMode
    service: Service
    indexed: bool = False
    principals: tuple[str, ...] | None = None

    def options(self, runtime: Runtime) -> ReadOptions:
        """Return the reading options of the job."""
        return replace(read_options(runtime.settings), ocr=self.ocr)

    def document_id(self, item: WorkItem) -> DocumentId:
        """Return the id of a document, the same in every run."""
        return bulk_document_id(self.scope, self.corpus, item.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceParts:
    """Parts of a `ServiceOutput`. Without an `index` chunks are only counted."""

    store: Store
    quota: Callable[[], PageQuota]
    tokenizer: Tokenizer
    index: IndexDocument | None


class ServiceOutput:
    """An `JobOutput`; outages of database, bucket and index are waited out."""

    def __init__(self, job: ServiceJob, options: ReadOptions, parts: ServiceParts) -> None:
        self._job, self._options, self._parts = job, options, parts
        self._actor = Actor(key_name=job.scope.tenant)

    def keep(
        self, item: WorkItem, record: Record, outcome: ReadOutcome, original: BinaryIO | None
    ) -> Kept[BulkDocument]:
        """Store original, artifacts and chunks before the commit.

        Documents that exist already are skipped, because they may have been deleted since.
        """
        document_id = self._job.document_id(item)
        if original is None or patiently(lambda: find_known(self._parts.store.db, [document_id])):
            return Kept(record)
        document = BulkDocument(
            id=document_id,
            source_file=clean_name(item.name),
            original=patiently(lambda: self._store_original(original)),
            options=self._options,
            error=record.error,
            detail=outcome.detail,
        )
        if record.error or outcome.tree is None:
            return Kept(record, document)
        try:
            document = self._describe(document, outcome, outcome.tree)
        except EmbeddingFailed as error:
            error_code = ErrorCode.INTERNAL.value
            return Kept(replace(record, error=error_code), replace(document, error=error_code, detail=error.code))
        return Kept(replace(record, pages=document.pages), document)

    def close(self, block: WorkBlock, kept: Sequence[Kept[BulkDocument]]) -> list[Record]:
        """Store the documents in one transaction and return the block's records."""
        documents = [result.outputs for result in kept if result.outputs is not None]
        patiently(lambda: self._take(documents))
        return [result.record for result in kept]

    def _take(self, documents: Sequence[BulkDocument]) -> Taken:
        return take_documents(
            self._parts.store, self._job.scope, self._actor, documents, quota=self._parts.quota(),
            metadata={"corpus": self._job.corpus}, principals=self._job.principals, index_later=not self._job.indexed,
        )  # fmt: skip

    def _store_original(self, original: BinaryIO) -> StoredBlob:
        original.seek(0)
        writer = self._parts.store.blobs.new_writer()
        try:
            while piece := original.read(PIECE):
                writer.write(piece)
            return writer.commit()
        except BaseException:
            writer.abort()
            raise

    def _describe(self, document: BulkDocument, outcome: ReadOutcome, tree: Tree) -> BulkDocument:
        files = {TREE: outcome.tree_json} | {ASSETS + name: data for name, data in outcome.assets.items()}
        attempt, manifest = patiently(lambda: self._put(document.id, files))
        chunks = chunk_tree(tree, self._parts.tokenizer)
        if self._parts.index is not None:
            index, owner = self._parts.index, (self._job.scope.tenant, self._job.scope.org)
            patiently(lambda: index.index_document(owner, document.id, attempt, chunks))
        return replace(
            document, attempt=attempt, manifest=manifest, chunks=len(chunks), chunker=chunker_name(), **read_facts(tree)
        )

    def _put(self, document_id: DocumentId, files: dict[str, bytes]) -> tuple[int, dict[str, dict[str, Any]]]:
        """Store the files as attempt 1, or as the next free one if a killed run of another version left other bytes."""
        artifacts = self._parts.store.artifacts
        try:
            return 1, artifacts.put(document_id, 1, files)
        except Conflict:
            attempt = max(artifacts.attempts(document_id)) + 1
            return attempt, artifacts.put(document_id, attempt, files)


class TakeRow:
    """Worker whose row is a block as JSON; it returns counts."""

    def __init__(self, job: ServiceJob) -> None:
        runtime = job.service.runtime()
        license, flag_tree = hold_license(runtime), make_tree_flagger(runtime.settings)
        parts = ServiceParts(
            store=open_runtime_store(runtime),
            quota=lambda: quota_of(license),
            tokenizer=load_tokenizer(),
            index=served_indexer(runtime.settings) if job.indexed else None,
        )
        options = job.options(runtime)
        self._reader = BlockReader(
            open_folder(job.source),
            ServiceOutput(job, options, parts),
            options,
            lambda: with_vlm(runtime, make_recogniser(runtime)),
            finish=lambda outcome: scan(outcome, flag_tree),
            limits=sandbox_limits(runtime.settings),
            recognised_at_once=DOCUMENTS_AT_ONCE if runtime.settings.vlm_ocr else 1,
        )

    def __call__(self, row: Row) -> Row:
        """Read and store the documents of a block."""
        records = self._reader.read_block(load_block(row["block"]))
        missing = sum(record.error == ErrorCode.ORIGINAL_MISSING.value for record in records)
        failed = sum(record.error is not None for record in records) - missing
        pages = sum(record.pages for record in records)
        return {"documents": len(records), "pages": pages, "failed": failed, "missing": missing}

    def close(self) -> None:
        """End the reader."""
        self._reader.close()


def quota_of(license: "LicenseHolder") -> PageQuota:
    """Return the quota of the licence as it is now. Raises `LicenseRefused`."""
    license.refresh()
    license.require_intake()
    return PageQuota(max_pages_per_month=license.current.max_pages_per_month)


def read_into_service(job: ServiceJob, items: Sequence[WorkItem], workers: int | None) -> dict[str, Any]:
    """Read all new documents; return the summary. Raises `JobStopped`, `StorageError`, `LicenseRefused`."""
    runtime = job.service.runtime()
    quota_of(hold_license(runtime))
    fresh = find_fresh(job, runtime, items)
    cap, coming = runtime.settings.org_disk_mb * MEGABYTE, sum(item.bytes for item in fresh)
    with_store(runtime, lambda store: store.db.read(lambda conn: require_room(conn, job.scope, cap, coming)))
    summary = {"documents": len(items), "known": len(items) - len(fresh), "taken": 0, "failed": 0, "missing": 0}
    if not fresh:
        return summary | {"pages": 0}
    count = workers or connect()
    connect()
    job = replace(job, indexed=index_is_here(runtime))
    blocks = cut_blocks(fresh, block_size(len(fresh), count, MOST, per_worker=JOBS_PER_WORKER))
    log.info("%d documents, %d to read in %d jobs", len(items), len(fresh), len(blocks))
    progress, pages = Progress(len(fresh)), 0
    for row in spread(
        [{"block": dump_block(block)} for block in blocks], TakeRow, (job,), workers=workers, cpus=job.service.cpus
    ):
        failed, missing = int(row["failed"]), int(row["missing"])
        progress.step(int(row["documents"]), {"pages": int(row["pages"]), "failed": failed + missing})
        summary = summary | {
            "taken": summary["taken"] + int(row["documents"]) - failed - missing,
            "failed": summary["failed"] + failed,
            "missing": summary["missing"] + missing,
        }
        pages += int(row["pages"])
    return summary | {"pages": pages}


def find_fresh(job: ServiceJob, runtime: Runtime, items: Sequence[WorkItem]) -> list[WorkItem]:
    """Return items that no run has stored."""
    ids = [job.document_id(item) for item in items]
    known = with_store(runtime, lambda store: find_known(store.db, ids))
    return [item for item, document_id in zip(items, ids, strict=True) if document_id not in known]
