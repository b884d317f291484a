"""A detector that cannot finish leaves an incomplete scan, and no redacted output is served."""

import pytest

from quire.models.cdom.tree import Tree
from quire.models.pii.engines.choose import make_flagger
from quire.models.pii.flagging import windows
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.kinds import Hit
from quire.models.pii.paint import view_page
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.pii.redact import PiiIncomplete, redact_tree
from tests.models.pii.trees import paragraph, tree

LONG = tree(*(paragraph(number, "ann@example.com " * 200) for number in range(30)))


class Failing:
    """Raises in the middle of the document it looks at."""

    name, version = "failing", "1"

    def __init__(self, error: BaseException) -> None:
        self.error, self.calls = error, 0

    def detect(self, text: str) -> list[Hit]:
        self.calls += 1
        if self.calls > 1:
            raise self.error
        return RegexDetector().detect(text)


def refused(scanned: Tree) -> None:
    assert scanned.pii is not None
    assert not scanned.pii.complete
    assert not any(block.flags for block in scanned.blocks)
    with pytest.raises(PiiIncomplete):
        redact_tree(scanned, {})
    with pytest.raises(PiiIncomplete):
        view_page(scanned, {}, 1)


@pytest.mark.parametrize("error", [RuntimeError("broken"), MemoryError(), TimeoutError(), RecursionError()])
def test_a_detector_that_raises_half_way(error: Exception) -> None:
    refused(flag_tree(LONG, Failing(error)))


def test_a_scan_that_uses_up_its_cpu_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "BASE_CPU_S", -100.0)
    refused(flag_tree(LONG, RegexDetector()))


def test_a_long_text_within_its_cpu_time_is_scanned_in_windows() -> None:
    scanned = make_flagger("regex")(LONG)
    assert scanned.pii is not None
    assert scanned.pii.complete
    assert sum(len(block.flag_spans) for block in scanned.blocks) == 200 * 30


def test_a_rescan_that_fails_takes_the_old_flags_word_away() -> None:
    once = make_flagger("regex")(LONG)
    again = flag_tree(once, Failing(RuntimeError()))
    assert again.pii is not None
    assert not again.pii.complete
    with pytest.raises(PiiIncomplete):
        redact_tree(again, {})
