"""Stored trees scanned again: another attempt is shown, decisions hold, and the loser of a race changes nothing."""

from dataclasses import replace
from functools import partial

import pytest

from quire.cluster.cli.operate.rescan import rescan_document
from quire.models.cdom.tree import Tree, dump_tree, load_tree
from quire.models.pii.engines.choose import make_flagger
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.kinds import Hit, Kind
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.pii.places import decide_blocks, find_places
from quire.storage.index.index_requests import take_requests
from quire.storage.jobs.documents import locate_tree
from quire.storage.jobs.lifecycle import delete_document
from quire.storage.queue.publish import finish
from quire.storage.review.deciding import DecisionTarget, decide
from quire.storage.review.republish import list_shown, reserve_attempt, show_rescanned
from quire.storage.review.reviews import FlagState, list_flags, read_decisions
from quire.storage.store import Store
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import DocumentId, JobRow
from tests.models.pii.trees import paragraph, tree
from tests.storage.scenes import ACME, ACTOR, claim, submit, success, worker

READ = tree(paragraph(0, "ann@example.com"), paragraph(1, "Paris"))


class Newer:
    """Finds what the patterns find, and one word more."""

    name, version = "regex", "newer"

    def detect(self, text: str) -> list[Hit]:
        at = text.find("Paris")
        places = [Hit(Kind.LOCATION, at, at + 5)] if at >= 0 else []
        return [*RegexDetector().detect(text), *places]


class Broken:
    name, version = "regex", "broken"

    def detect(self, text: str) -> list[Hit]:
        raise RuntimeError


def publish(store: Store, read: Tree) -> JobRow:
    job = submit(store)
    taken = claim(worker(store))
    files = {"tree.json": dump_tree(read), "assets/a.png": b"picture"}
    manifest = store.artifacts.put(taken.document_id, taken.attempt, files)
    assert finish(store, [replace(success(taken), manifest=manifest, flags=find_places(read))]) == [True]
    return job


def shown_tree(store: Store, job: JobRow) -> Tree:
    where = locate_tree(store.db, ACME, job.id, job.documents[0].id)
    assert store.artifacts.read(job.documents[0].id, where.attempt, "assets/a.png") == b"picture"
    return load_tree(store.artifacts.read(job.documents[0].id, where.attempt, "tree.json"))


def test_an_unscanned_tree_is_scanned_and_its_flags_wait_for_review(store: Store) -> None:
    job = publish(store, READ)
    assert [rescan_document(store, one, RegexDetector()) for one in list_shown(store.db)] == ["scanned"]
    assert shown_tree(store, job).blocks[0].flags == ("pii:email",)
    assert [one.flag for one in list_flags(store.db, ACME, job.id)] == ["pii:email"]
    assert take_requests(store.db) == 1  # the index writer knows the old attempt only
    assert [rescan_document(store, one, RegexDetector()) for one in list_shown(store.db)] == ["up to date"]
    assert take_requests(store.db) == 0
    assert len(store.artifacts.attempts(job.documents[0].id)) == 1


def test_decisions_hold_where_the_same_text_stands_and_new_flags_wait(store: Store) -> None:
    scanned = make_flagger("regex")(READ)
    job = publish(store, scanned)
    place = find_places(scanned)[0]
    document_id = job.documents[0].id
    decide(
        store.db, ACME, ACTOR, document_id=document_id, decision=FlagState.REJECTED,
        targets=[DecisionTarget(block_id="b0", flag=place.flag, place=place.place)],
    )  # fmt: skip
    assert [rescan_document(store, one, Newer()) for one in list_shown(store.db)] == ["scanned"]
    decisions = decide_blocks(shown_tree(store, job), read_decisions(store.db, document_id))
    assert decisions == {("b0", "pii:email", 0): "rejected"}
    assert [one.flag for one in list_flags(store.db, ACME, job.id)] == ["pii:location"]


def test_a_decision_does_not_hold_for_another_text_or_another_place() -> None:
    flag = partial(flag_tree, detector=RegexDetector())
    before = find_places(flag(tree(paragraph(0, "ann@example.com"))))[0]
    decisions = {(before.place, before.flag): "rejected"}
    assert decide_blocks(flag(tree(paragraph(0, "bob@example.com"))), decisions) == {}
    moved = flag(tree(paragraph(0, "Hello"), paragraph(1, "ann@example.com")))
    assert decide_blocks(moved, decisions) == {("b1", "pii:email", 0): "rejected"}
    twice = flag(tree(paragraph(0, "ann@example.com"), paragraph(1, "ann@example.com")))
    assert decide_blocks(twice, decisions) == {("b0", "pii:email", 0): "rejected"}


def test_a_failing_engine_leaves_a_tree_that_is_not_shown_redacted(store: Store) -> None:
    job = publish(store, make_flagger("regex")(READ))
    assert [rescan_document(store, one, Broken()) for one in list_shown(store.db)] == ["incomplete"]
    scan = shown_tree(store, job).pii
    assert scan is not None
    assert not scan.complete


def test_rescan_of_superseded_attempt_changes_nothing(store: Store) -> None:
    job = publish(store, READ)
    slow = next(list_shown(store.db))
    attempt = reserve_attempt(store.db, slow)
    assert attempt is not None
    assert rescan_document(store, slow, RegexDetector()) == "scanned"
    assert not show_rescanned(store.db, slow, attempt, slow.manifest, ())
    assert reserve_attempt(store.db, slow) is None
    assert shown_tree(store, job).pii is not None


def test_a_deleted_document_is_not_scanned(store: Store) -> None:
    job = publish(store, READ)
    one = next(list_shown(store.db))
    delete_document(store.db, ACME, ACTOR, job.documents[0].id)
    assert rescan_document(store, one, RegexDetector()) == "gone"
    assert list(list_shown(store.db)) == []
    with pytest.raises(NotFound):
        locate_tree(store.db, ACME, job.id, DocumentId(job.documents[0].id))
