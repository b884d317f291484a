"""Targets receive each published document once, and what they must not have any more is deleted there."""

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from quire.actors.background.target_records import TargetRecords, run_name
from quire.actors.background.target_sender import RECORDS, TargetSender, _calls
from quire.cluster.compose.targets import cut_again
from quire.models.derive.chunks.chunking import chunker_name
from quire.storage.access.principals import set_principals
from quire.storage.access.tenants import move_tenant
from quire.storage.index.rechunk import mark_chunked
from quire.storage.index.table.entries import KnownVectors
from quire.storage.jobs.lifecycle import delete_document, delete_job
from quire.storage.store import Store
from quire.storage.targets.backlog import MAX_TRIES, TargetBacklog
from quire.storage.targets.contract import RecordRefused, TargetRecord
from quire.storage.targets.registry import (
    MAX_TARGETS,
    TargetChanges,
    backfill_target,
    change_target,
    delete_target,
    get_target,
    list_refused,
    list_targets,
    register_target,
    retry_refused,
    reveal_target,
)
from quire.storage.upkeep.erase import purge_some
from quire.storage.upkeep.erasure import erase_metadata
from quire.storage.values.errors import Conflict, NotFound, StoreUnavailable
from quire.storage.values.rows import DocumentId, Scope
from tests.storage.scenes import ACME, ACTOR
from tests.storage.targets.scene import Memory, add_target, due_now, publish, send, sender_of, the_target
from tests.storage.targets.sinks import make_record
from tests.waiting import until

ZETA = Scope(tenant="zeta")


def test_published_documents_are_sent_once(store: Store) -> None:
    memory, _ = Memory(), add_target(store)
    ids = publish(store, 3)
    assert the_target(store).lag.documents == 3
    send(store, memory)
    send(store, memory)
    assert memory.documents() == sorted(ids)
    assert memory.written == 3
    row = the_target(store)
    assert (row.state, row.sent, row.lag.documents, row.lag.oldest_seconds) == ("active", 3, 0, 0)


def test_record_names_document_run_chunk_and_place(store: Store) -> None:
    memory, _ = Memory(), add_target(store)
    (document_id,) = publish(store)
    send(store, memory)
    (record,) = memory.rows.values()
    assert (record.document_id, record.text, record.pages) == (document_id, "A passage of document 0.", (1, 1))
    assert (record.run, record.source_file) == (run_name(1, chunker_name()), "0.pdf")
    assert record.boxes[0]["page"] == 1
    assert record.vector is None


def test_documents_from_before_the_target_need_a_backfill(store: Store) -> None:
    ids = publish(store, 2)
    publish(store, scope=ZETA)
    memory, target = Memory(), add_target(store)
    send(store, memory)
    assert memory.rows == {}
    assert backfill_target(store.db, ACME, ACTOR, target) == 2
    assert backfill_target(store.db, ACME, ACTOR, target) == 2
    assert the_target(store).lag.documents == 2
    send(store, memory)
    assert memory.documents() == sorted(ids)


def test_deleted_documents_are_deleted_in_the_target_and_forgotten(store: Store) -> None:
    memory, _ = Memory(), add_target(store)
    first, second, third = publish(store, 3)
    send(store, memory)
    delete_document(store.db, ACME, ACTOR, first)
    while purge_some(store):
        pass
    send(store, memory)
    assert memory.documents() == sorted([second, third])
    assert the_target(store).sent == 2
    (job,) = {row["job_id"] for row in store.db.fetch_all("select job_id from documents")}
    delete_job(store.db, ACME, ACTOR, job)
    send(store, memory)
    assert memory.rows == {}
    assert store.db.fetch_all("select * from target_documents") == []


def test_document_deleted_while_it_is_sent_is_deleted_in_the_target(store: Store) -> None:
    memory, _ = Memory(), add_target(store)
    (document_id,) = publish(store)
    memory.before = lambda _: delete_document(store.db, ACME, ACTOR, document_id)
    send(store, memory)
    assert memory.rows == {}


def test_new_run_replaces_the_old_one(store: Store) -> None:
    memory, _ = Memory(), add_target(store)
    (document_id,) = publish(store)
    send(store, memory)
    assert mark_chunked(store.db, DocumentId(document_id), 1, "other", 1)
    send(store, memory)
    (record,) = memory.rows.values()
    assert record.run == run_name(1, "other")


def test_changed_principals_and_erased_metadata_are_sent(store: Store) -> None:
    memory, _ = Memory(), add_target(store)
    (document_id,) = publish(store)
    send(store, memory)
    set_principals(store.db, ACME, ACTOR, DocumentId(document_id), ["ann"])
    send(store, memory)
    (record,) = memory.rows.values()
    assert record.principals == ("ann",)
    (job,) = store.db.fetch_all("select job_id from documents")
    erase_metadata(store.db, ACME, ACTOR, [job["job_id"]])
    assert the_target(store).lag.documents == 1


def test_outage_loses_nothing_and_is_reported(store: Store) -> None:
    memory, _ = Memory(is_down=True), add_target(store)
    ids = publish(store, 3)
    for _ in range(4):
        send(store, memory)
        due_now(store)
    publish(store)
    row = the_target(store)
    assert (row.state, row.error, row.dead_letters, row.lag.documents) == ("failing", "ConnectionError", 0, 4)
    assert row.failing_since is not None
    assert row.next_attempt_at is not None
    memory.is_down = False
    send(store, memory)
    assert set(ids) < set(memory.documents())
    row = the_target(store)
    assert (row.state, row.error, row.failing_since, row.sent) == ("active", None, None, 4)


def test_backlog_has_one_row_for_a_document_however_often_it_changes(store: Store) -> None:
    add_target(store)
    (document_id,) = publish(store)
    for name in range(20):
        set_principals(store.db, ACME, ACTOR, DocumentId(document_id), [str(name)])
    assert len(store.db.fetch_all("select * from target_documents")) == 1


def test_refused_record_is_a_dead_letter_and_blocks_no_other(store: Store) -> None:
    memory, target = Memory(), add_target(store)
    ids = publish(store, 5)

    def refuse(records: Sequence[TargetRecord]) -> None:
        if any(record.document_id == ids[2] for record in records):
            raise RecordRefused("too-wide")

    memory.before = refuse
    send(store, memory)
    assert memory.documents() == sorted({*ids} - {ids[2]})
    (refused,) = list_refused(store, ACME, target).items
    assert (refused.document_id, refused.error, refused.source_file) == (ids[2], "too-wide", "2.pdf")
    assert (the_target(store).dead_letters, the_target(store).lag.documents) == (1, 0)
    memory.before = lambda _: None
    assert retry_refused(store.db, ACME, ACTOR, target, ["doc_other"]) == 0
    assert retry_refused(store.db, ACME, ACTOR, target, None) == 1
    send(store, memory)
    assert memory.documents() == sorted(ids)
    assert the_target(store).dead_letters == 0


def test_dead_letter_is_sent_again_after_its_document_changes(store: Store) -> None:
    memory, target = Memory(), add_target(store)
    (document_id,) = publish(store)

    def refuse(records: Sequence[TargetRecord]) -> None:
        raise RecordRefused("bad")

    memory.before = refuse
    send(store, memory)
    memory.before = lambda _: None
    set_principals(store.db, ACME, ACTOR, DocumentId(document_id), None)
    send(store, memory)
    assert memory.documents() == [document_id]
    assert list_refused(store, ACME, target).items == ()


def test_unknown_error_is_retried_before_it_is_a_dead_letter(store: Store) -> None:
    memory, target = Memory(), add_target(store)
    publish(store, 2)

    def fail(records: Sequence[TargetRecord]) -> None:
        raise KeyError

    memory.before = fail
    for _ in range(MAX_TRIES - 1):
        send(store, memory)
        assert the_target(store).dead_letters == 0
        due_now(store)
    send(store, memory)
    assert [row.error for row in list_refused(store, ACME, target).items] == ["KeyError", "KeyError"]
    assert the_target(store).state == "active"


def test_late_sender_cannot_record_and_its_documents_are_sent_again(store: Store) -> None:
    memory, _ = Memory(), add_target(store)
    (document_id,) = publish(store)
    late = Memory(rows=memory.rows)

    def lose_lease(_: Sequence[TargetRecord]) -> None:
        due_now(store)
        send(store, memory)
        delete_document(store.db, ACME, ACTOR, document_id)
        due_now(store)
        send(store, memory)
        publish(store)

    late.before = lose_lease
    send(store, late)
    assert document_id in memory.documents()  # the late write came after the deletion
    due_now(store)
    send(store, memory)
    assert document_id not in memory.documents()


def test_slow_target_delays_no_other(store: Store) -> None:
    slow, fast, release = Memory(), Memory(), threading.Event()

    def wait(_: Sequence[TargetRecord]) -> None:
        release.wait(60)

    slow.before = wait
    slow_id, _ = add_target(store, name="slow"), add_target(store, name="fast")
    publish(store, 3)
    sender = sender_of(store, lambda target: slow if target.id == slow_id else fast)
    sender.start()
    try:
        until(lambda: len(fast.rows) == 3)
        publish(store, 2)
        until(lambda: len(fast.rows) == 5)
        assert slow.rows == {}
    finally:
        release.set()
    until(lambda: len(slow.rows) == 5)
    assert sender.healthy()
    assert sender.drain(30)


def test_paused_target_receives_nothing_until_it_is_resumed(store: Store) -> None:
    memory, target = Memory(), add_target(store)
    change_target(store, ACME, ACTOR, target, TargetChanges(paused=True))
    ids = publish(store, 2)
    send(store, memory)
    assert (memory.rows, the_target(store).state, the_target(store).lag.documents) == ({}, "paused", 2)
    change_target(store, ACME, ACTOR, target, TargetChanges(paused=False))
    send(store, memory)
    assert memory.documents() == sorted(ids)


def test_vectors_of_the_index_are_sent_and_missing_ones_are_waited_for(store: Store) -> None:
    memory, _ = Memory(), add_target(store)
    publish(store)
    known = KnownVectors((), ())

    def find(scope: Scope, documents: Sequence[str], texts: Sequence[str]) -> KnownVectors:
        return known

    records = TargetRecords(store.artifacts, cut_again, find)
    backlog = TargetBacklog(store)
    sender = TargetSender(backlog, lambda _: memory, records.make)
    for _ in range(MAX_TRIES + 1):
        (target,) = backlog.claim(1, ())
        sender.serve(target)
        due_now(store)
    row = the_target(store)
    assert (memory.rows, row.dead_letters, row.lag.documents) == ({}, 0, 1)
    known = KnownVectors([0], [[0.5, 0.5]])  # type: ignore[list-item]
    (target,) = backlog.claim(1, ())
    sender.serve(target)
    (record,) = memory.rows.values()
    assert record.vector == [0.5, 0.5]


def test_parts_of_long_document_begin_at_the_same_records(store: Store) -> None:
    long = [make_record("doc_long", index=index) for index in range(RECORDS * 2 + 7)]
    short = [make_record("doc_short", index=index) for index in range(RECORDS - 5)]
    for group in ([long], [short, long], [long, short]):
        starts = [call[0].index for call in _calls(group) if call[0].document_id == "doc_long"]
        assert starts == [0, RECORDS, RECORDS * 2]
    assert _calls([[], short, []]) == [short]


def test_secret_is_sealed_and_unreadable_under_another_key(store: Store) -> None:
    row = register_target(store, ACME, ACTOR, name="a", kind="http", settings={"url": "x"}, secret="topsecret")
    assert reveal_target(store, ACME, row.id)[1] == "topsecret"
    assert b"topsecret" not in bytes(store.db.fetch_all("select secret from targets")[0]["secret"])
    with store.db.autocommit() as conn:
        conn.execute("update targets set secret = '\\x00112233445566778899aabbccddeeff00112233'")
    publish(store)
    send(store, Memory())
    assert (the_target(store).state, the_target(store).error) == ("failing", "secret-unreadable")
    with pytest.raises(StoreUnavailable):
        reveal_target(store, ACME, row.id)


def test_foreign_and_unknown_targets_are_not_found(store: Store) -> None:
    target = add_target(store)
    acts: list[Any] = [
        lambda: get_target(store.db, ZETA, target),
        lambda: reveal_target(store, ZETA, target),
        lambda: change_target(store, ZETA, ACTOR, target, TargetChanges(paused=True)),
        lambda: delete_target(store.db, ZETA, ACTOR, target),
        lambda: backfill_target(store.db, ZETA, ACTOR, target),
        lambda: list_refused(store, ZETA, target),
        lambda: retry_refused(store.db, ZETA, ACTOR, target, None),
    ]
    for act in acts:
        with pytest.raises(NotFound):
            act()
    assert list_targets(store.db, ZETA) == []


def test_deleted_target_leaves_no_rows_and_targets_are_bounded(store: Store) -> None:
    targets = [add_target(store, name=str(number)) for number in range(MAX_TARGETS)]
    with pytest.raises(Conflict):
        add_target(store)
    publish(store, 2)
    for target in targets:
        delete_target(store.db, ACME, ACTOR, target)
    assert store.db.fetch_all("select * from target_documents") == []


def test_moved_tenant_keeps_its_targets(store: Store) -> None:
    memory, _ = Memory(), add_target(store)
    ids = publish(store, 2)
    move_tenant(store.db, "acme", "omega")
    send(store, memory)
    assert memory.documents() == sorted(ids)
    assert list_targets(store.db, ACME) == []
