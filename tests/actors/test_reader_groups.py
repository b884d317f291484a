"""The reading loop with groups of small documents: one claim, one commit, and nothing held longer than it is needed."""

import threading
from collections.abc import Sequence
from dataclasses import replace

from quire.actors.reader.reader import job_name
from quire.models.cdom.ports import ReadOutcome
from quire.storage.values.rows import Claim, DocumentId, Finished, JobId, Scope
from tests.actors.reading_scene import Scene, good, make_claim
from tests.waiting import PATIENCE_S, until


def group_of(*names: str) -> list[Claim]:
    return [make_claim(name, grouped=True) for name in names]


def test_a_group_is_read_in_order_and_committed_together() -> None:
    scene, commits = Scene(*group_of("a", "b", "c")), list[list[str]]()
    finish = scene.store.finish

    def noting(finished: Sequence[Finished]) -> list[bool]:
        commits.append([row.claim.document_id for row in finished])
        return finish(finished)

    scene.reader._parts.publisher._finish = noting  # type: ignore[attr-defined]
    scene.reader._most = 4
    with scene.running():
        assert until(lambda: len(scene.store.finished) == 3)
        assert len(scene.inflight) == 0
    assert commits == [["a", "b", "c"]]
    assert scene.parser.jobs == ["acme/default/job_1"] * 3
    assert scene.parser.ended_jobs == ["acme/default/job_1"]


def test_group_size_grows_with_full_groups_and_resets() -> None:
    with Scene(*group_of(*(f"d{number}" for number in range(20)))).running() as scene:
        assert until(lambda: len(scene.store.finished) == 20)
    assert scene.queue.asked[:6] == [1, 2, 4, 8, 16, 1]


def test_group_member_lost_while_waiting_is_not_read() -> None:
    def read(_: object) -> ReadOutcome:
        assert until(lambda: scene.inflight.holds(make_claim("a")) and not scene.inflight.holds(make_claim("b")))
        return good()

    scene = Scene(*group_of("a", "b"), answer=read)
    scene.reader._most, scene.queue.lost = 2, frozenset({DocumentId("b")})
    with scene.running():
        assert until(lambda: scene.store.finished and not scene.inflight)
    assert (scene.parser.reads, scene.queue.released) == (1, [])


def test_drain_releases_group_members_not_begun() -> None:
    begun, go = threading.Event(), threading.Event()

    def read(_: object) -> ReadOutcome:
        begun.set()
        go.wait(PATIENCE_S)
        return good()

    scene = Scene(*group_of("a", "b", "c"), answer=read)
    scene.reader._most = 4
    scene.reader.start()
    assert begun.wait(PATIENCE_S)
    threading.Timer(0.05, go.set).start()
    assert scene.reader.drain(PATIENCE_S)
    assert [row.claim.document_id for row in scene.store.finished] == ["a"]
    assert [claim.document_id for claim in scene.queue.released] == ["b", "c"]


def test_unread_group_is_committed_without_heartbeat() -> None:
    scene = Scene(*group_of("a", "b"), beat_s=30)
    scene.reader._most = 2
    with scene.running():
        assert until(lambda: len(scene.store.finished) == 2)
    assert scene.queue.beats == []


def test_children_of_a_job_end_with_its_last_document_of_a_group() -> None:
    claims = [replace(claim, job_id=JobId(job)) for claim, job in zip(group_of("a", "b", "c"), "xyx", strict=True)]
    scene = Scene(*claims)
    scene.reader._most = 4
    with scene.running():
        assert until(lambda: len(scene.store.finished) == 3)
    assert scene.parser.ended_jobs == ["acme/default/y", "acme/default/x"]


def test_jobs_of_two_tenants_or_organisations_share_no_child() -> None:
    claim = make_claim()
    scopes = [Scope(tenant="acme"), Scope(tenant="zeta"), Scope(tenant="acme", org="legal")]
    names = {job_name(replace(claim, scope=scope, job_id=JobId(job))) for scope in scopes for job in ("a", "b")}
    assert len(names) == 6
    assert job_name(replace(claim, document_id=DocumentId("doc_2"))) == job_name(claim)
