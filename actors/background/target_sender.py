"""The sender of targets: claims targets with a backlog, sends them documents and records the results.

Each target has at most one thread, so a slow one does not delay the others. The sender may die at any moment: its claim
expires, and the same records are sent again. One loop claims; `threads` threads send.
"""

import logging
import time
from collections.abc import Callable, Sequence

from quire.actors.background.claim_loop import ClaimLoop
from quire.storage.targets.backlog import (
    MAX_TRIES,
    ClaimedTarget,
    PendingDocument,
    PublishedFacts,
    SendResult,
    SendState,
    TargetBacklog,
)
from quire.storage.targets.contract import RecordRefused, Target, TargetRecord, TargetRefused, TargetUnavailable
from quire.storage.values.errors import StorageError
from quire.storage.values.native_panics import native_panics
from quire.storage.values.rows import DocumentId, Scope

log = logging.getLogger(__name__)
THREADS = 16  # targets served at once: each waits for an external server
POLL_S = 0.5  # seconds between looks at the backlog
DOCUMENTS = 50  # documents taken at a time: little is repeated after a crash
RECORDS = 200  # records of one call, about a megabyte with vectors
PASS_S = 20.0  # seconds after which a target is returned, so that others get its thread


OpenClaimed = Callable[[ClaimedTarget], Target]
MakeRecords = Callable[[Scope, DocumentId, PublishedFacts], list[TargetRecord]]


class TargetSender(ClaimLoop[ClaimedTarget]):
    """Sends documents to targets."""

    def __init__(
        self,
        backlog: TargetBacklog,
        open_target: OpenClaimed,
        make_records: MakeRecords,
        *,
        threads: int = THREADS,
        poll_s: float = POLL_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__("target sender", lambda target: target.id, threads=threads, per_receiver=1, poll_s=poll_s)
        self._backlog, self._open, self._make, self._clock = backlog, open_target, make_records, clock

    def claim(self, limit: int, busy: frozenset[str]) -> list[ClaimedTarget]:
        """Claim targets with documents that are due."""
        return self._backlog.claim(limit, busy)

    def serve(self, work: ClaimedTarget) -> None:
        """Send due documents for at most `PASS_S` seconds and release the target."""
        try:
            self._send_some(work, self._clock() + PASS_S)
        except TargetUnavailable as outage:
            log.warning("target %s cannot be reached: %s", work.id, outage.code)
            self._backlog.release(work, outage.code)
        else:
            self._backlog.release(work)

    def _send_some(self, target: ClaimedTarget, until: float) -> None:
        connection = _Connection(lambda: self._open(target))
        try:
            while not self.is_stopping() and self._clock() < until:
                documents = self._backlog.take(target, DOCUMENTS)
                if not documents or not self._send(target, connection, documents):
                    return
        finally:
            connection.close()

    def _send(self, target: ClaimedTarget, connection: "_Connection", documents: Sequence[PendingDocument]) -> bool:
        """Send documents in groups; False if the target is lost to another sender."""
        results: list[SendResult] = []
        payloads: list[_Payload] = []
        for document in documents:
            try:
                facts = self._backlog.find(target, document.document_id)
                records = None if facts is None else self._make(target.scope, document.document_id, facts)
            except StorageError as error:
                waits = SendResult(document=document, state=SendState.WAITING, error=error.code)
                results.append(waits if error.retryable else _failed(document, error.code))
                continue
            payloads.append(_Payload(document, records))
            if sum(len(payload.records or ()) for payload in payloads) >= RECORDS:
                if not self._backlog.settle(target, _send_payloads(connection, payloads)):
                    return False
                payloads = []
        return self._backlog.settle(target, [*results, *_send_payloads(connection, payloads)])


class _Payload:
    """A document with its records; `records` is None for a document that the target must not have."""

    def __init__(self, document: PendingDocument, records: list[TargetRecord] | None) -> None:
        self.document, self.records = document, records

    def result(self) -> SendResult:
        state = SendState.DELETED if self.records is None else SendState.SENT
        return SendResult(document=self.document, state=state)


class _Connection:
    """The connection to a target, opened when it is needed and again after an error."""

    def __init__(self, open_target: Callable[[], Target]) -> None:
        self._open = open_target
        self._target: Target | None = None

    def get(self) -> Target:
        if self._target is None:
            try:
                self._target = self._open()
            except TargetRefused as error:
                log.warning("%s", error)
                raise TargetUnavailable("settings-refused") from error
            except Exception as error:
                raise TargetUnavailable(_code(error)) from error
        return self._target

    def close(self) -> None:
        opened, self._target = self._target, None
        if opened is not None:
            try:
                opened.close()
            except Exception as error:
                log.info("closing a target: %s", type(error).__name__)


def _send_payloads(connection: _Connection, payloads: Sequence[_Payload]) -> list[SendResult]:
    """Send documents together; after an error each alone, so that only the documents at fault fail."""
    if not payloads:
        return []
    try:
        _write(connection.get(), payloads)
    except TargetUnavailable:
        raise
    except Exception as error:
        connection.close()
        if len(payloads) > 1:
            return [result for payload in payloads for result in _send_payloads(connection, [payload])]
        return [_judge(connection, payloads[0].document, error)]
    return [payload.result() for payload in payloads]


@native_panics()
def _write(target: Target, payloads: Sequence[_Payload]) -> None:
    """Write all records, then delete what the target may have of other runs."""
    for records in _calls([payload.records or [] for payload in payloads]):
        target.upsert(records)
    for payload in payloads:
        if payload.document.claims > 1 or payload.records is None:
            target.delete(payload.document.document_id, payload.records[0].run if payload.records else None)


def _calls(documents: Sequence[list[TargetRecord]]) -> list[list[TargetRecord]]:
    """Group records into calls of about `RECORDS`. Parts of a long document always begin at the same records."""
    calls: list[list[TargetRecord]] = [[]]
    for records in documents:
        for start in range(0, len(records), RECORDS):
            part = records[start : start + RECORDS]
            if calls[-1] and len(calls[-1]) + len(part) > RECORDS:
                calls.append([])
            calls[-1].extend(part)
    return [call for call in calls if call]


def _judge(connection: _Connection, document: PendingDocument, error: Exception) -> SendResult:
    """Return the result of a document that failed alone. Raises `TargetUnavailable` if the target does not answer."""
    if isinstance(error, RecordRefused):
        return SendResult(document=document, state=SendState.REFUSED, error=error.code)
    try:
        with native_panics():
            connection.get().check()
    except Exception as failure:
        raise TargetUnavailable(_code(failure)) from failure
    return _failed(document, _code(error))


def _failed(document: PendingDocument, code: str) -> SendResult:
    state = SendState.FAILED if document.tries + 1 < MAX_TRIES else SendState.REFUSED
    return SendResult(document=document, state=state, error=code)


def _code(error: Exception) -> str:
    return str(getattr(error, "code", None) or type(error).__name__)
