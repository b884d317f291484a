"""Trees are flagged before they are stored; a failing detector costs the redacted forms, never the document."""

from functools import partial

from quire.actors.reader.pii_scan import scan, unscanned
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.ports import ReadOutcome
from quire.models.cdom.tree import dump_tree, load_tree
from quire.models.pii.engines.choose import make_flagger
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.kinds import Hit
from tests.models.pii.trees import paragraph, tree

READ = tree(paragraph(0, "ann@example.com"))
OUTCOME = ReadOutcome(tree=READ, tree_json=dump_tree(READ))


class Broken:
    name, version = "broken", "1"

    def detect(self, text: str) -> list[Hit]:
        raise RuntimeError(text)


def test_stored_tree_is_the_flagged_one() -> None:
    done = scan(OUTCOME, make_flagger("regex"))
    assert done.tree is not None
    assert load_tree(done.tree_json) == done.tree
    assert done.tree.blocks[0].flags == ("pii:email",)
    assert done.tree.pii is not None
    assert done.tree.pii.complete


def test_the_same_tree_is_scanned_to_the_same_bytes() -> None:
    assert scan(OUTCOME, make_flagger("regex")).tree_json == scan(OUTCOME, make_flagger("regex")).tree_json


def test_detector_error_marks_scan_incomplete() -> None:
    done = scan(OUTCOME, partial(flag_tree, detector=Broken()))
    assert done.error is None
    assert done.tree is not None
    assert done.tree.pii is not None
    assert not done.tree.pii.complete
    assert done.tree.blocks == READ.blocks


def test_without_a_scanner_and_without_a_tree_nothing_changes() -> None:
    failed = ReadOutcome(error=ErrorCode.MALFORMED)
    assert scan(OUTCOME, unscanned) is OUTCOME
    assert scan(failed, make_flagger("regex")) is failed
