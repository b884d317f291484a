"""A scene for targets: documents that are published, a target that remembers, and a sender that is run by hand."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from quire.actors.background.target_records import TargetRecords
from quire.actors.background.target_sender import TargetSender
from quire.cluster.compose.targets import cut_again
from quire.models.cdom.tree import dump_tree
from quire.models.derive.chunks.chunking import chunker_name
from quire.storage.queue.publish import finish
from quire.storage.store import Store
from quire.storage.targets.backlog import ClaimedTarget, TargetBacklog
from quire.storage.targets.contract import Target, TargetRecord
from quire.storage.targets.registry import TargetRow, list_targets, register_target
from quire.storage.values.rows import Scope
from quire.storage.webhooks.outbox import fan_out
from tests.models.pii.trees import paragraph, tree
from tests.storage.scenes import ACME, ACTOR, claim, submit, success, worker


def publish(store: Store, count: int = 1, *, text: str = "A passage of", scope: Scope = ACME) -> list[str]:
    """Publish documents with one chunk each, fan out their events and return their ids."""
    submit(store, count, scope=scope)
    queue = worker(store)
    ids: list[str] = []
    for number in range(count):
        taken = claim(queue)
        read = tree(paragraph(0, f"{text} document {number}."))
        manifest = store.artifacts.put(taken.document_id, taken.attempt, {"tree.json": dump_tree(read)})
        ended = replace(success(taken, pages=1), manifest=manifest, chunks=1, chunker=chunker_name())
        assert finish(store, [ended]) == [True]
        ids.append(taken.document_id)
    while fan_out(store.db):
        pass
    return ids


def add_target(store: Store, scope: Scope = ACME, name: str = "sink") -> str:
    return register_target(store, scope, ACTOR, name=name, kind="memory", settings={}, secret=None).id


def the_target(store: Store) -> TargetRow:
    (row,) = list_targets(store.db, ACME)
    return row


@dataclass
class Memory:
    """A target in memory. `before` is called before each write with the records, and may raise an error."""

    rows: dict[str, TargetRecord] = field(default_factory=dict)
    before: Callable[[Sequence[TargetRecord]], None] = lambda records: None
    is_down: bool = False
    written: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def check(self) -> None:
        if self.is_down:
            raise ConnectionError

    def upsert(self, records: Sequence[TargetRecord]) -> None:
        self.check()
        self.before(records)
        with self.lock:
            self.written += len(records)
            self.rows |= {record.id: record for record in records}

    def delete(self, document_id: str, keep_run: str | None) -> None:
        self.check()
        with self.lock:
            gone = [row for row in self.rows.values() if row.document_id == document_id and row.run != keep_run]
            for row in gone:
                del self.rows[row.id]

    def close(self) -> None:
        return

    def documents(self) -> list[str]:
        return sorted(row.document_id for row in self.rows.values())


def sender_of(store: Store, open_target: Callable[[ClaimedTarget], Target]) -> TargetSender:
    return TargetSender(TargetBacklog(store), open_target, TargetRecords(store.artifacts, cut_again, None).make)


def send(store: Store, memory: Target) -> None:
    """Send everything that is due to the one target, in this thread."""
    backlog = TargetBacklog(store)
    sender = sender_of(store, lambda _: memory)
    for target in backlog.claim(10, ()):
        sender.serve(target)


def due_now(store: Store) -> None:
    """As if every pause were over."""
    with store.db.autocommit() as conn:
        conn.execute("update targets set next_attempt_at = now(), lease_until = null")
        conn.execute("update target_documents set next_attempt_at = now()")
