"""Random histories of claims, pauses, expiries, ends, cancels and requeues against a pure model.

Workers may stop for longer than their lease and then continue with a lost claim: no
stale write is accepted, and every run of a document ends exactly once.
"""

import dataclasses
import os
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import Phase as Phases
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from quire.storage.jobs.jobs import get_job
from quire.storage.jobs.lifecycle import cancel_job, requeue_document
from quire.storage.queue.publish import finish
from quire.storage.queue.queue import LeasePolicy
from quire.storage.store import Store
from quire.storage.values.errors import Conflict
from quire.storage.values.rows import Beat, Claim, Failed
from quire.storage.values.states import DocumentStatus, JobStatus, Phase
from tests.storage.scenes import ACME, ACTOR, UNLIMITED, expire, ready_now, submit, success, worker

pytestmark = pytest.mark.long

POLICY = LeasePolicy(max_starts=3, max_lapses=2)
WORKERS = 3
EXAMPLES = int(os.environ.get("QUEUE_HISTORIES", "100"))


@dataclasses.dataclass
class Model:
    """Required state of one document. `holder` = (worker's number, attempt) of the worker that may write about it."""

    job_id: str
    status: str = "queued"
    holder: tuple[int, int] | None = None
    phase: str | None = None
    lapsed: bool = False
    attempt: int = 0
    starts: int = 0
    lapses: int = 0
    run: int = 1
    ends: int = 0
    metered: int = 0


class QueueMachine(RuleBasedStateMachine):
    """`claims` keeps every claim ever made: rules use old ones as a paused worker would."""

    store: Store
    claims = Bundle("claims")

    def __init__(self) -> None:
        super().__init__()
        self.model: dict[str, Model] = {}
        self.epochs: dict[str, int] = {}

    @initialize(sizes=st.lists(st.integers(1, 3), min_size=1, max_size=2))
    def submit_jobs(self, sizes: list[int]) -> None:
        _wipe(self.store)
        self.workers = [worker(self.store, POLICY) for _ in range(WORKERS)]
        for size in sizes:
            job = submit(self.store, size)
            self.epochs[job.id] = 0
            self.model.update({document.id: Model(job_id=job.id) for document in job.documents})

    @rule(target=claims, number=st.integers(0, WORKERS - 1), most=st.integers(1, 4))
    def claim(self, number: int, most: int) -> "MultipleResults[tuple[int, Claim] | None]":
        group = self.workers[number].claim_group(most)
        lapsed = {name for name, facts in self.model.items() if facts.holder and facts.lapsed}
        ready = {name for name, facts in self.model.items() if facts.status == "queued"}
        assert bool(group) == bool(lapsed or ready)
        assert len(group) <= (1 if lapsed else most)
        if len(group) > 1:
            begun = [self.model[taken.document_id] for taken in group]
            assert not any(facts.starts + facts.lapses for facts in begun)
        return multiple(*(self._taken(number, taken, lapsed or ready, grouped=len(group) > 1) for taken in group))

    def _taken(self, number: int, taken: Claim, among: set[str], *, grouped: bool) -> tuple[int, Claim]:
        assert taken.document_id in among
        facts = self.model[taken.document_id]
        facts.starts -= facts.lapsed and facts.phase is not None
        facts.lapses += facts.lapsed and facts.phase not in (None, "claimed")
        exhausted = facts.starts + 1 > POLICY.max_starts or facts.lapses > POLICY.max_lapses
        facts.starts += not exhausted
        facts.attempt += 1
        facts.status, facts.holder, facts.lapsed = "running", (number, facts.attempt), False
        facts.phase = None if exhausted else "claimed" if grouped else "reading"
        assert (taken.attempt, taken.starts, taken.exhausted) == (facts.attempt, facts.starts, exhausted)
        return number, taken

    @rule(held=claims, phase=st.sampled_from(list(Phase)))
    def beat(self, held: tuple[int, Claim] | None, phase: Phase) -> None:
        if held is None:
            return
        number, taken = held
        beat = Beat(document_id=taken.document_id, attempt=taken.attempt, phase=phase)
        lost = self.workers[number].beat([beat])
        assert (taken.document_id not in lost) == self._holds(held)
        if not lost:
            facts = self.model[taken.document_id]
            facts.lapsed = False
            facts.phase = facts.phase and str(phase)

    @rule(held=claims)
    def lease_runs_out(self, held: tuple[int, Claim] | None) -> None:
        if held is not None and self._holds(held):
            expire(self.store, held[1].document_id)
            self.model[held[1].document_id].lapsed = True

    @rule(held=consumes(claims), again=st.booleans())
    def finish(self, held: tuple[int, Claim] | None, again: bool) -> None:
        if held is None:
            return
        holds = self._holds(held)
        accepted = finish(self.store, [success(held[1])])
        if holds:
            assert accepted == [True]
            self._end(held[1].document_id, "succeeded")
            self.model[held[1].document_id].metered += 1
        if again:
            assert finish(self.store, [success(held[1])]) == accepted

    @rule(held=claims)
    def fail(self, held: tuple[int, Claim] | None) -> None:
        if held is None:
            return
        holds = self._holds(held)
        assert finish(self.store, [Failed(claim=held[1], error="malformed")]) == [holds] or self._published_by(held)
        if holds:
            self._end(held[1].document_id, "failed")

    @rule(held=claims)
    def release(self, held: tuple[int, Claim] | None) -> None:
        if held is None:
            return
        holds = self._holds(held)
        assert self.workers[held[0]].release(held[1]) == holds
        if holds:
            facts = self.model[held[1].document_id]
            facts.starts -= facts.phase is not None
            self._queue(held[1].document_id)

    @rule(held=claims)
    def retry(self, held: tuple[int, Claim] | None) -> None:
        if held is None:
            return
        holds = self._holds(held)
        assert self.workers[held[0]].retry(held[1], "internal", "") == holds
        if holds and (held[1].exhausted or held[1].starts >= POLICY.max_starts):
            self._end(held[1].document_id, "failed")
        elif holds:
            self._queue(held[1].document_id)
        ready_now(self.store)

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        job_id = data.draw(st.sampled_from(list(self.epochs)))
        cancel_job(self.store.db, ACME, ACTOR, job_id)
        for name, facts in self.model.items():
            if facts.job_id == job_id and facts.status in ("queued", "running"):
                self._end(name, "canceled")

    @rule(data=st.data())
    def requeue(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(list(self.model)))
        facts = self.model[name]
        try:
            requeue_document(self.store, ACME, ACTOR, facts.job_id, name, quota=UNLIMITED)
        except Conflict:
            assert facts.status != "failed"
            return
        assert facts.status == "failed"
        facts.run += 1
        facts.starts = facts.lapses = 0
        self._queue(name)

    @invariant()
    def rows_are_what_the_model_says(self) -> None:
        rows = self.store.db.fetch_all("select id, status, run, attempts, attempt from documents")
        for row in rows:
            facts = self.model[row["id"]]
            assert (row["status"], row["run"], row["attempt"]) == (facts.status, facts.run, facts.attempt)
            assert row["attempts"] == facts.starts
        tasks = {row["document_id"]: row["state"] for row in self.store.db.fetch_all("select * from tasks")}
        assert tasks == {n: f.status for n, f in self.model.items() if f.status in ("queued", "running")}

    @invariant()
    def every_run_ends_once_and_is_metered_once(self) -> None:
        events = _counts(
            self.store, "select document_id as id, count(*) as n from events where document_id is not null group by 1"
        )
        assert events == {name: facts.ends for name, facts in self.model.items() if facts.ends}
        metered = _counts(self.store, "select document_id as id, count(*) as n from meter group by 1")
        assert metered == {name: facts.metered for name, facts in self.model.items() if facts.metered}
        jobs = _counts(
            self.store, "select job_id as id, count(*) as n from events where document_id is null group by 1"
        )
        assert jobs == {name: ends for name, ends in self.epochs.items() if ends}

    @invariant()
    def a_job_is_a_function_of_its_documents(self) -> None:
        for job_id in self.epochs:
            states = [facts.status for facts in self.model.values() if facts.job_id == job_id]
            seen = get_job(self.store.db, ACME, job_id, detail=False)
            assert seen.counts == {status: states.count(status) for status in DocumentStatus}
            assert seen.status is job_status(states)
            assert (seen.finished_at is not None) == (not {"queued", "running"} & set(states))

    def _holds(self, held: tuple[int, Claim]) -> bool:
        return self.model[held[1].document_id].holder == (held[0], held[1].attempt)

    def _published_by(self, held: tuple[int, Claim]) -> bool:
        rows = self.store.db.fetch_all(
            "select published_attempt as a from documents where id = %(id)s", {"id": held[1].document_id}
        )
        return bool(rows[0]["a"] == held[1].attempt)

    def _end(self, name: str, status: str) -> None:
        facts = self.model[name]
        facts.status, facts.holder, facts.lapsed = status, None, False
        facts.ends += 1
        if all(f.status not in ("queued", "running") for f in self.model.values() if f.job_id == facts.job_id):
            self.epochs[facts.job_id] += 1

    def _queue(self, name: str) -> None:
        facts = self.model[name]
        facts.status, facts.holder, facts.lapsed, facts.phase = "queued", None, False, None


def job_status(states: list[str]) -> JobStatus:
    """The rule of the contract, said a second time."""
    if set(states) == {"queued"}:
        return JobStatus.QUEUED
    if {"queued", "running"} & set(states):
        return JobStatus.RUNNING
    return JobStatus(states[0]) if len(set(states)) == 1 else JobStatus.PARTIAL


def _counts(store: Store, query: str) -> dict[str, Any]:
    return {row["id"]: row["n"] for row in store.db.fetch_all(query)}


def _wipe(store: Store) -> None:
    with store.db.autocommit() as conn:
        conn.execute("truncate jobs, documents, tasks, page_progress, events, meter, quota, quota_deltas, audit")


@pytest.mark.timeout(600)
def test_no_history_of_claims_makes_a_stale_write(store: Store) -> None:
    machine = type("BoundQueueMachine", (QueueMachine,), {"store": store})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=25,
            suppress_health_check=list(HealthCheck),
            phases=[Phases.explicit, Phases.generate],  # shrinking would take minutes of database time
        ),
    )
