"""Finished documents are searched for names while there is idle CPU, and nothing of it is shown."""

from collections.abc import Callable
from pathlib import Path

import pytest

from quire.actors.reader.scan_ahead import ScanAhead, ScanAheadParts
from quire.actors.reader.scan_process import ScanProcess
from quire.models.cdom.tree import BlockType, Tree, dump_tree, load_tree
from quire.models.pii.engines.choose import make_flagger
from quire.storage.objects.artifacts import SCANNED_TREE, TREE, LocalArtifacts
from quire.storage.values.errors import NotFound
from quire.storage.values.ids import new_document_id
from quire.storage.values.rows import Claim, Failed
from tests.actors.reading_scene import make_claim
from tests.builders import make_block, make_tree
from tests.waiting import until

FLAG = make_flagger("regex")
TEXT = dump_tree(make_tree(make_block(BlockType.PARAGRAPH, "ann@example.com")))


class Machine:
    """The load of a machine in tests."""

    def __init__(self) -> None:
        self.is_idle, self.asked = True, 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.is_idle


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def artifacts(tmp_path: Path) -> LocalArtifacts:
    return LocalArtifacts(tmp_path)


@pytest.fixture
def ahead(artifacts: LocalArtifacts, machine: Machine) -> ScanAhead:
    def is_wanted(tree: Tree) -> bool:
        return tree.pii is None

    process = ScanProcess(FLAG)
    parts = ScanAheadParts(artifacts=artifacts, process=process, is_wanted=is_wanted, is_idle=machine, poll_s=0.01)
    return ScanAhead(parts)


def store_document(artifacts: LocalArtifacts, tree_json: bytes = TEXT) -> Claim:
    claim = make_claim(new_document_id())
    artifacts.put(claim.document_id, claim.attempt, {TREE: tree_json})
    return claim


def is_scanned(artifacts: LocalArtifacts, claim: Claim) -> Callable[[], bool]:
    def find() -> bool:
        try:
            tree = load_tree(artifacts.read(claim.document_id, claim.attempt, SCANNED_TREE))
        except NotFound:
            return False
        return tree.pii is not None and tree.blocks[0].flags == ("pii:email",)

    return find


def test_published_document_is_scanned_and_its_tree_stays(ahead: ScanAhead, artifacts: LocalArtifacts) -> None:
    claim = store_document(artifacts)
    ahead.note([claim])
    assert until(is_scanned(artifacts, claim))
    assert artifacts.read(claim.document_id, claim.attempt, TREE) == TEXT


def test_document_waits_for_idle_cpu(ahead: ScanAhead, artifacts: LocalArtifacts, machine: Machine) -> None:
    machine.is_idle = False
    claim = store_document(artifacts)
    ahead.note([claim])
    assert until(lambda: machine.asked > 3)
    assert not is_scanned(artifacts, claim)()
    machine.is_idle = True
    assert until(is_scanned(artifacts, claim))


def test_deleted_and_scanned_documents_are_skipped(ahead: ScanAhead, artifacts: LocalArtifacts) -> None:
    done, deleted = store_document(artifacts, dump_tree(FLAG(load_tree(TEXT)))), store_document(artifacts)
    artifacts.delete(deleted.document_id)
    last = store_document(artifacts)
    ahead.note([done, deleted, last])
    assert until(is_scanned(artifacts, last))
    assert artifacts.attempts(deleted.document_id) == []
    with pytest.raises(NotFound):
        artifacts.read(done.document_id, done.attempt, SCANNED_TREE)


def test_failed_and_refused_documents_are_not_noted(ahead: ScanAhead, artifacts: LocalArtifacts) -> None:
    failed = Failed(claim=store_document(artifacts), error="malformed", detail="")
    assert ahead.after(lambda finished: [True] * len(finished))([failed]) == [True]
    last = store_document(artifacts)
    ahead.note([last])
    assert until(is_scanned(artifacts, last))
    assert not is_scanned(artifacts, failed.claim)()
