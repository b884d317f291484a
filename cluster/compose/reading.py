"""Replicas that read documents: the reader over the queue, and pages and documents on demand."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from quire.actors.reader.inflight import HeartbeatThread, Inflight
from quire.actors.reader.ocr_queue import OcrQueue, RecognitionParts
from quire.actors.reader.outcome_handler import OutcomeHandler
from quire.actors.reader.publisher import Publisher
from quire.actors.reader.reader import Reader, ReaderParts
from quire.actors.reader.scan_ahead import ScanAhead, ScanAheadParts
from quire.actors.reader.scan_process import ScanProcess
from quire.actors.reader.scan_queue import ScanParts, ScanQueue
from quire.actors.reader.task_notifier import TaskNotifier
from quire.actors.reading.on_demand import OnDemand
from quire.actors.reading.read_document import DocumentReader
from quire.cluster.bootstrap.finding import find_runtime
from quire.cluster.bootstrap.opening import hold_license, open_runtime_store
from quire.cluster.compose.handles import ServedRecogniser
from quire.cluster.compose.indexing import before_publishing, served_indexer
from quire.cluster.compose.recognition import VLM_PAGES_AT_ONCE, with_vlm
from quire.cluster.compose.tracing import make_tracing
from quire.cluster.compose.values import make_redaction_scan, make_tree_flagger, sandbox_limits
from quire.cluster.runtime import Runtime
from quire.cluster.state import STOP_S, is_stopping
from quire.configs.settings import Settings
from quire.models.cdom.ports import FindElements, IndexDocument, RecognisePages
from quire.models.cdom.tracing import Tracing
from quire.serve_apps.access.license_holder import LicenseHolder
from quire.storage.inside.members import add_members
from quire.storage.postgres.listen import listen
from quire.storage.postgres.tables import KEEP_FROM
from quire.storage.queue.earlier import read_earlier_pages
from quire.storage.queue.publish import finish
from quire.storage.queue.queue import LeasePolicy, Queue
from quire.storage.queue.usage import reserve_pages
from quire.storage.store import Store
from quire.storage.values.ids import new_worker_id
from quire.storage.values.rows import Claim, PageQuota, StoredBlob


def make_reader(
    runtime: Runtime,
    recogniser: RecognisePages,
    index: IndexDocument | None = None,
    detector: FindElements | None = None,
) -> Reader:
    """Return a reader over the deployment's queue, with its own fork server.

    Documents pass `index` before publishing; `detector` gives second opinions.
    """
    settings, store = runtime.settings, open_runtime_store(runtime)
    policy = LeasePolicy(lease_s=settings.lease_s, retry_delays_s=settings.retry_delays_s)
    tracing = make_tracing(settings, "fast_path")
    queue, inflight = Queue(store.db, new_worker_id(), policy, store.signer), Inflight(tracing)
    finish_documents, scan_ahead = partial(finish, store, add_members=add_members), _make_scan_ahead(settings, store)
    publisher = Publisher(
        artifacts=store.artifacts,
        finish=scan_ahead.after(finish_documents) if scan_ahead is not None else finish_documents,
        tasks=queue,
        inflight=inflight,
        depth=settings.inflight_docs - 1,
        keep=partial(_keep, store),
    )
    publishing = before_publishing(publisher, index, inflight, store)
    wake_signal = TaskNotifier(partial(listen, runtime.dsn, ["quire_tasks"]))
    flag_tree = make_tree_flagger(settings)
    room = max(1, settings.inflight_docs - 1)
    scans = ScanQueue(ScanParts(flag_tree=flag_tree, inflight=inflight, wake=wake_signal.wake, room=room))
    outcomes = OutcomeHandler(queue, publishing, inflight, flag_tree, scans)
    line = RecognitionParts(
        port=recogniser, outcomes=outcomes, inflight=inflight, wake=wake_signal.wake,
        room=room, pages_at_once=VLM_PAGES_AT_ONCE if settings.vlm_ocr else 1,
    )  # fmt: skip
    parts = ReaderParts(
        queue=queue,
        originals=store.blobs,
        parser=_make_parser(settings, detector),
        wake_signal=wake_signal,
        publisher=publishing,
        outcomes=outcomes,
        recognition=OcrQueue(line),
        inflight=inflight,
        heartbeat=HeartbeatThread(queue, inflight, settings.beat_s),
        reserve=_reserve(store, hold_license(runtime)),
        earlier=partial(read_earlier_pages, store),
        close=partial(_end, tracing, store, scan_ahead),
    )
    return Reader(parts)


def _make_parser(settings: Settings, detector: FindElements | None) -> DocumentReader:
    limits = sandbox_limits(settings)
    return DocumentReader(
        limits,
        documents_per_child=settings.documents_per_child,
        detector=detector,
        keep_from=KEEP_FROM if settings.keep_pages else 0,
    )


def _keep(store: Store, data: bytes) -> StoredBlob:
    """Store a file that was inside a document."""
    writer = store.blobs.new_writer()
    try:
        writer.write(data)
        return writer.commit()
    except BaseException:
        writer.abort()
        raise


def _make_scan_ahead(settings: Settings, store: Store) -> ScanAhead | None:
    if not settings.scan_ahead:
        return None
    scan = make_redaction_scan(settings)
    process = ScanProcess(scan.flag_tree)
    return ScanAhead(ScanAheadParts(artifacts=store.artifacts, process=process, is_wanted=scan.is_wanted))


def _end(tracing: Tracing, store: Store, scan_ahead: ScanAhead | None) -> None:
    if scan_ahead is not None:
        scan_ahead.close()
    tracing.close()
    store.close()


def make_on_demand(runtime: Runtime, recogniser: RecognisePages, detector: FindElements | None = None) -> OnDemand:
    """Return the drawing of pages and the reading of single documents, each in separate sandboxes."""
    limits, store = sandbox_limits(runtime.settings), open_runtime_store(runtime)
    return OnDemand(
        drawing=DocumentReader(limits),
        reading=DocumentReader(limits, detector=detector),
        originals=store.blobs,
        recogniser=recogniser,
        ended=store.close,
    )


def _reserve(store: Store, license: LicenseHolder) -> Callable[[Claim, int], None]:
    def reserve(claim: Claim, pages: int) -> None:
        license.refresh()
        reserve_pages(store.db, claim, pages, PageQuota(max_pages_per_month=license.current.max_pages_per_month))

    return reserve


class ServedReader:
    """The reader of a replica, which drains faster when the whole service stops than when its pool shrinks."""

    def __init__(self, reader: Reader, workdir: Path) -> None:
        self._reader, self._workdir = reader, workdir
        self.start, self.healthy = reader.start, reader.healthy

    def drain(self, timeout_s: float) -> bool:
        """Run `Reader.drain`."""
        return self._reader.drain(min(timeout_s, STOP_S) if is_stopping(self._workdir) else timeout_s)


def build_reader() -> ServedReader:
    """Build the reader of a replica."""
    runtime, served = find_runtime(), ServedRecogniser()
    store = open_runtime_store(runtime)
    store.close()  # the indexer uses its files only
    indexer = served_indexer(runtime.settings, store.artifacts)
    reader = make_reader(runtime, with_vlm(runtime, served, served), indexer, served)
    return ServedReader(reader, runtime.settings.workdir)
