"""A reading loop with fakes on all sides."""

import io
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from quire.actors.reader.inflight import HeartbeatThread, Inflight
from quire.actors.reader.ocr_queue import OcrQueue, RecognitionParts
from quire.actors.reader.outcome_handler import OutcomeHandler
from quire.actors.reader.pii_scan import FlagTree, unscanned
from quire.actors.reader.publisher import Publisher
from quire.actors.reader.reader import Reader, ReaderParts
from quire.actors.reader.scan_queue import ScanParts, ScanQueue
from quire.actors.reader.task_notifier import TaskNotifier
from quire.actors.reading.pending_ocr import PendingOcr
from quire.actors.reading.read_document import DocumentReader
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import ReadOutcome, RecognisePages
from quire.models.cdom.tree import dump_tree
from quire.models.neural.fakes import ScriptedRecogniser
from quire.storage.objects.artifacts import Artifacts
from quire.storage.objects.blobs import Blobs
from quire.storage.queue.queue import Queue
from quire.storage.values.errors import NotFound, StoreUnavailable
from quire.storage.values.rows import Beat, Claim, DocumentId, Finished, JobId, Scope, WorkerId
from quire.storage.values.states import Priority
from tests.builders import make_tree
from tests.waiting import PATIENCE_S, until


def make_claim(
    name: str = "doc_1",
    *,
    exhausted: bool = False,
    reserved: int = 1,
    grouped: bool = False,
    tenant: str = "acme",
) -> Claim:
    return Claim(
        document_id=DocumentId(name),
        job_id=JobId("job_1"),
        scope=Scope(tenant=tenant),
        key_name="acme",
        run=1,
        attempt=1,
        worker=WorkerId("w"),
        starts=1,
        priority=Priority.JOB,
        blob_sha256="ab",
        options=ReadOptions(),
        reserved_pages=reserved,
        exhausted=exhausted,
        grouped=grouped,
    )


def good(pages: int = 1) -> ReadOutcome:
    tree = make_tree(pages=pages)
    return ReadOutcome(tree=tree, tree_json=dump_tree(tree), assets={"p1.png": b"png"})


class FakeQueue(Queue):
    """Queue that claims in order and records returned claims."""

    def __init__(self, claims: Sequence[Claim] = ()) -> None:
        self.forgiven = list[Claim]()
        self.claims, self.beats = list(claims), list[list[Beat]]()
        self.released, self.retried = list[Claim](), list[tuple[Claim, str]]()
        self.lost: frozenset[DocumentId] = frozenset()
        self.scans = set[DocumentId]()
        self.asked = list[int]()
        self.down = threading.Event()

    def claim_group(self, most: int, *, scans: bool = True) -> list[Claim]:
        if self.down.is_set():
            raise StoreUnavailable("away")
        self.asked.append(most)
        welcome = [claim for claim in self.claims if scans or claim.document_id not in self.scans]
        taken = [claim for claim in welcome[:most] if claim.grouped] or welcome[:1]
        for claim in taken:
            self.claims.remove(claim)
        return taken

    def beat(self, beats: Sequence[Beat]) -> frozenset[DocumentId]:
        if self.down.is_set():
            raise StoreUnavailable("away")
        self.beats.append(list(beats))
        return self.lost

    def forgive(self, claims: Sequence[Claim]) -> int:
        self.forgiven.extend(claims)
        return len(claims)

    def release(self, claim: Claim, *, scan: bool = False) -> bool:
        self.released.append(claim)
        if scan:
            self.scans.add(claim.document_id)
            self.claims.append(claim)
        return True

    def release_all(self, claims: Sequence[Claim]) -> int:
        self.released.extend(claims)
        return len(claims)

    def retry(self, claim: Claim, error: str, detail: str) -> bool:
        self.retried.append((claim, error))
        return True


class FakeParser(DocumentReader):
    """Answers with what it was given: an outcome, an exception, or a function of `on_page`."""

    def __init__(self, answer: Any = None) -> None:
        self.answer, self.reads, self.closed, self.started = answer or good(), 0, False, False
        self.jobs, self.ended_jobs = list[str](), list[str]()

    def start(self) -> None:
        self.started = True

    def read_until_pixels(
        self,
        original: BinaryIO,
        options: ReadOptions,
        on_page: Callable[[int, int], None] = lambda done, total: None,
        *,
        job: str | None = None,
        earlier: Callable[[], bytes] = bytes,
    ) -> ReadOutcome | PendingOcr:
        self.reads += 1
        self.jobs.append(str(job))
        answer = self.answer(on_page) if callable(self.answer) else self.answer
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, ReadOutcome | PendingOcr)
        return answer

    def end_job(self, job: str) -> None:
        self.ended_jobs.append(job)

    def close(self) -> None:
        self.closed = True


class FakeHints(TaskNotifier):
    def __init__(self) -> None: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def wake(self) -> None: ...
    def wait(self) -> None:
        time.sleep(0.005)


class FakeStore:
    """Originals, artifacts and the fenced finish."""

    def __init__(self) -> None:
        self.finished, self.artifacts = list[Finished](), dict[str, dict[str, bytes]]()
        self.refuse, self.missing = False, False
        self.original = b"pdf"
        self.fail_times = 0

    def open(self, sha256: str) -> BinaryIO:
        if self.missing:
            raise NotFound
        return io.BytesIO(self.original)

    def put(self, document_id: DocumentId, attempt: int, files: dict[str, bytes]) -> dict[str, dict[str, Any]]:
        self.artifacts[document_id] = files
        return {name: {"bytes": len(content)} for name, content in files.items()}

    def finish(self, finished: Sequence[Finished]) -> list[bool]:
        if self.fail_times > 0:
            self.fail_times -= 1
            raise StoreUnavailable("away")
        if not self.refuse:
            self.finished.extend(finished)
        return [not self.refuse for _ in finished]


class Scene:
    """A reader over fakes."""

    def __init__(
        self,
        *claims: Claim,
        answer: Any = None,
        beat_s: float = 0.02,
        recogniser: RecognisePages | None = None,
        room: int = 7,
        patience_s: float = 5,
        flag_tree: FlagTree | None = None,
        scan_room: int = 7,
        scans_at_once: int = 2,
    ) -> None:
        self.queue, self.parser, self.store = FakeQueue(claims), FakeParser(answer), FakeStore()
        self.inflight = Inflight()
        self.reserved = list[tuple[str, int]]()
        self.reserve_error: Exception | None = None
        publisher = Publisher(
            artifacts=cast(Artifacts, self.store),
            finish=self.store.finish,
            tasks=self.queue,
            inflight=self.inflight,
            depth=4,
        )
        wake_signal = FakeHints()
        self.scans = ScanQueue(
            ScanParts(
                flag_tree=flag_tree or unscanned,
                inflight=self.inflight,
                wake=wake_signal.wake,
                room=scan_room,
                at_once=scans_at_once,
            )
        )
        scans = self.scans if flag_tree else None
        outcomes = OutcomeHandler(self.queue, publisher, self.inflight, flag_tree or unscanned, scans)
        self.line = OcrQueue(
            RecognitionParts(
                port=recogniser or ScriptedRecogniser(),
                outcomes=outcomes,
                inflight=self.inflight,
                wake=wake_signal.wake,
                room=room,
                patience_s=patience_s,
            )
        )
        self.reader = Reader(
            ReaderParts(
                queue=self.queue,
                originals=cast(Blobs, self.store),
                parser=self.parser,
                wake_signal=wake_signal,
                publisher=publisher,
                outcomes=outcomes,
                recognition=self.line,
                inflight=self.inflight,
                heartbeat=HeartbeatThread(self.queue, self.inflight, beat_s),
                reserve=self._reserve,
            )
        )

    def _reserve(self, claim: Claim, pages: int) -> None:
        if self.reserve_error:
            raise self.reserve_error
        self.reserved.append((claim.document_id, pages))

    @contextmanager
    def running(self) -> Iterator["Scene"]:
        self.reader.start()
        try:
            yield self
        finally:
            self.reader.drain(PATIENCE_S)


def finished_by(*claims: Claim, answer: Any = None) -> Finished:
    with Scene(*claims, answer=answer).running() as scene:
        assert until(lambda: scene.store.finished)
        return scene.store.finished[0]
