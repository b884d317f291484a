"""Flags that await review, page by page, and decisions that outlive the attempt they were made on."""

from dataclasses import replace

import pytest

from quire.models.cdom.flags import FlaggedPlace
from quire.storage.access.audit import list_audit
from quire.storage.jobs.lifecycle import delete_document, delete_job
from quire.storage.postgres.database import Database
from quire.storage.queue.publish import finish
from quire.storage.review.deciding import DecisionTarget, Reach, decide, decide_many, undo_decision
from quire.storage.review.reviews import (
    FlagFilter,
    FlagState,
    ReviewOrder,
    count_by_document,
    list_flags,
    list_inbox,
    read_decisions,
)
from quire.storage.store import Store
from quire.storage.upkeep.erase import purge_some
from quire.storage.values.errors import InvalidCursor, NotFound
from quire.storage.values.rows import JobRow, Scope
from tests.storage.scenes import ACME, ACTOR, claim, submit, success, worker

ZETA = Scope(tenant="zeta")


def flagged(block: str = "b0", flag: str = "pii:email", place: str = "p0", order: int = 0) -> FlaggedPlace:
    return FlaggedPlace(block_id=block, flag=flag, place=place, page=1, order=order)


def publish(store: Store, *flags: FlaggedPlace, documents: int = 1) -> JobRow:
    """A finished job whose documents carry these flags."""
    job = submit(store, documents)
    queue = worker(store)
    for _ in range(documents):
        assert finish(store, [replace(success(claim(queue)), flags=flags)]) == [True]
    return job


def say(db: Database, job: JobRow, state: FlagState, *, scope: Scope = ACME, place: str = "p0") -> None:
    document_id = job.documents[0].id
    target = DecisionTarget(block_id="b0", flag="pii:email", place=place)
    decide(db, scope, ACTOR, document_id=document_id, targets=[target], decision=state)


def acts(store: Store) -> list[str]:
    return [entry.action for entry in list_audit(store, ACME).items if entry.action.startswith("flag.")]


def test_flags_are_pending_until_decided(store: Store) -> None:
    job = publish(store, flagged(), flagged("b1", place="p1", order=1))
    assert [item.block_id for item in list_flags(store.db, ACME, job.id)] == ["b0", "b1"]
    say(store.db, job, FlagState.APPROVED)
    assert [item.block_id for item in list_flags(store.db, ACME, job.id)] == ["b1"]
    say(store.db, job, FlagState.REJECTED, place="p1")
    assert list_flags(store.db, ACME, job.id) == []
    assert read_decisions(store.db, job.documents[0].id) == {
        ("p0", "pii:email"): "approved",
        ("p1", "pii:email"): "rejected",
    }


def test_repeated_decision_changes_nothing_and_another_decision_is_audited(store: Store) -> None:
    job = publish(store, flagged())
    say(store.db, job, FlagState.APPROVED)
    say(store.db, job, FlagState.APPROVED)
    assert acts(store) == ["flag.approved"]
    say(store.db, job, FlagState.REJECTED)
    assert acts(store) == ["flag.rejected", "flag.approved"]


def test_a_foreign_or_deleted_document_cannot_be_decided_about(store: Store) -> None:
    job = publish(store, flagged())
    with pytest.raises(NotFound):
        say(store.db, job, FlagState.REJECTED, scope=ZETA)
    with pytest.raises(NotFound):
        list_flags(store.db, ZETA, job.id)
    delete_document(store.db, ACME, ACTOR, job.documents[0].id)
    with pytest.raises(NotFound):
        say(store.db, job, FlagState.REJECTED)
    assert list_flags(store.db, ACME, job.id) == []
    assert acts(store) == []


def test_the_inbox_ends_a_page_with_a_job_and_shows_every_flag_once(store: Store) -> None:
    jobs = [publish(store, flagged(), flagged("b1", place="p1", order=1), documents=2) for _ in range(3)]
    publish(store)
    first = list_inbox(store, ACME, limit=1)
    assert {item.job_id for item in first.items} == {jobs[2].id}
    assert len(first.items) == 4
    second = list_inbox(store, ACME, limit=5, cursor=first.next_cursor)
    assert [item.job_id for item in second.items] == [jobs[1].id] * 4 + [jobs[0].id] * 4
    assert second.next_cursor is None
    assert list_inbox(store, ZETA).items == ()


def test_a_cursor_of_another_tenant_or_listing_is_refused(store: Store) -> None:
    publish(store, flagged())
    publish(store, flagged())
    cursor = list_inbox(store, ACME, limit=1).next_cursor
    assert cursor is not None
    with pytest.raises(InvalidCursor):
        list_inbox(store, ZETA, cursor=cursor)


def test_erasing_leaves_no_flag_and_no_decision(store: Store) -> None:
    job = publish(store, flagged())
    say(store.db, job, FlagState.APPROVED)
    delete_job(store.db, ACME, ACTOR, job.id)
    assert purge_some(store) == 1
    for table in ("flags", "decisions", "decision_log"):
        assert store.db.fetch_all(f"select 1 from {table}") == []


def test_job_reach_covers_only_documents_of_the_job(store: Store) -> None:
    same = replace(flagged(), value="v1")
    other = replace(flagged("b1", place="p1", order=1), value="v2")
    job, elsewhere = publish(store, same, other, documents=3), publish(store, same)
    asked = job.documents[1].id
    decided = decide(
        store.db, ACME, ACTOR, document_id=asked, decision=FlagState.APPROVED, reach=Reach.JOB,
        targets=[DecisionTarget(block_id="b0", flag="pii:email", place="p0", value="v1")],
    )  # fmt: skip
    assert decided.places[0].document_id == asked
    assert sorted(one.document_id for one in decided.places) == sorted(one.id for one in job.documents)
    assert {one.place for one in list_flags(store.db, ACME, job.id)} == {"p1"}
    assert len(list_flags(store.db, ACME, elsewhere.id)) == 1


def test_decide_many_counts_changes_and_is_undone_at_once(store: Store) -> None:
    job = publish(store, flagged(), flagged("b1", place="p1", order=1), documents=2)
    say(store.db, job, FlagState.APPROVED)
    listed = list_flags(store.db, ACME, job.id)
    decided = decide_many(store.db, ACME, ACTOR, flags=listed, decision=FlagState.REJECTED)
    assert (decided.places, decided.documents) == (3, 2)
    assert list_flags(store.db, ACME, job.id) == []
    assert decide_many(store.db, ACME, ACTOR, flags=listed, decision=FlagState.REJECTED).act is None
    assert decided.act is not None
    undo_decision(store.db, ACME, ACTOR, decided.act)
    assert list_flags(store.db, ACME, job.id) == listed


def test_decide_many_leaves_documents_of_others_alone(store: Store) -> None:
    job = publish(store, flagged())
    listed = list_flags(store.db, ACME, job.id)
    assert decide_many(store.db, ZETA, ACTOR, flags=listed, decision=FlagState.REJECTED).places == 0
    assert list_flags(store.db, ACME, job.id) == listed


def test_documents_are_counted_exactly_and_ordered(store: Store) -> None:
    first = publish(store, flagged(), flagged("b1", place="p1", order=1))
    second = publish(store, flagged())
    say(store.db, first, FlagState.APPROVED)
    everything = FlagFilter(state=None)
    page = count_by_document(store, ACME, order=ReviewOrder.NEWEST, conditions=everything)
    assert [(item.job_id, item.pending, item.approved, item.kinds) for item in page.items] == [
        (second.id, 1, 0, {"pii:email": 1}),
        (first.id, 1, 1, {"pii:email": 2}),
    ]
    say(store.db, first, FlagState.REJECTED, place="p1")
    page = count_by_document(store, ACME, order=ReviewOrder.PENDING, conditions=everything, limit=1)
    assert [item.job_id for item in page.items] == [second.id]
    page = count_by_document(store, ACME, order=ReviewOrder.PENDING, conditions=everything, cursor=page.next_cursor)
    assert [(item.job_id, item.pending, item.rejected) for item in page.items] == [(first.id, 0, 1)]
