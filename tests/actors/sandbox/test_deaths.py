"""However a page ends its child, the document ends with the right code and the other pages are read."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from quire.actors.reading.attempts import NOT_DRAWN
from quire.actors.reading.conversation import Conversation
from quire.actors.reading.pending_ocr import PendingOcr
from quire.actors.reading.read_document import DocumentReader, RenderFailed
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import ReadOutcome, RecognisedPage, Word
from quire.models.cdom.tree import PageStatus, Tree
from tests.actors.sandbox.conftest import ENTRY, SMALL, ReadOrders
from tests.actors.sandbox.servers.probe import PIXELS, probe_document

pytestmark = pytest.mark.long

DEADLY = {
    "segfault": ErrorCode.PARSER_CRASH,
    "abort": ErrorCode.PARSER_CRASH,
    "exit": ErrorCode.PARSER_CRASH,
    "garbage": ErrorCode.PARSER_CRASH,
    "spin": ErrorCode.TIMEOUT,
    "eat-memory": ErrorCode.RESOURCE_LIMIT,
    "out-of-memory": ErrorCode.RESOURCE_LIMIT,
    "flood": ErrorCode.RESOURCE_LIMIT,
}

BUSY = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
while True:
    pass
"""


def texts(outcome: ReadOutcome) -> list[str]:
    return [block.text for block in tree_of(outcome).blocks]


def tree_of(outcome: ReadOutcome) -> Tree:
    assert outcome.tree is not None, outcome.error
    return outcome.tree


@pytest.mark.parametrize("order", sorted(DEADLY))
def test_a_deadly_page_fails_alone_and_the_others_are_read(read_orders: ReadOrders, order: str) -> None:
    tree = tree_of(read_orders("one", order, "three"))
    assert [page.status for page in tree.pages] == [PageStatus.OK, PageStatus.FAILED, PageStatus.OK]
    assert [block.text for block in tree.blocks] == ["one", "three"]
    assert [(warning.code, warning.page) for warning in tree.warnings] == [(DEADLY[order].value, 2)]


@pytest.mark.parametrize("order", sorted(DEADLY))
def test_a_document_without_a_good_page_ends_with_its_code(read_orders: ReadOrders, order: str) -> None:
    assert read_orders(order).error is DEADLY[order]


@pytest.mark.parametrize(
    ("order", "code"),
    [*DEADLY.items(), ("broken", ErrorCode.MALFORMED), ("bug", ErrorCode.MALFORMED), ("slip", ErrorCode.INTERNAL)],
)
def test_a_document_that_cannot_be_opened_ends_with_its_code(
    read_orders: ReadOrders, order: str, code: ErrorCode
) -> None:
    outcome = read_orders("one", opening=order)
    assert (outcome.error, outcome.tree) == (code, None)


def test_a_page_that_raises_is_failed_without_a_new_child(read_orders: ReadOrders) -> None:
    tree = tree_of(read_orders("one", "broken", "three"))
    assert [warning.code for warning in tree.warnings] == ["malformed"]


def test_page_failed_by_our_own_code_is_internal_and_logged_with_its_place(
    read_orders: ReadOrders, caplog: pytest.LogCaptureFixture
) -> None:
    tree = tree_of(read_orders("one", "slip", "three"))
    assert [(warning.code, warning.page) for warning in tree.warnings] == [("internal", 2)]
    assert "page 2 met a fault of ours: TypeError at models/cdom/geometry.py:" in caplog.text


def test_a_document_on_which_our_own_code_fails_says_where(
    read_orders: ReadOrders, caplog: pytest.LogCaptureFixture
) -> None:
    outcome = read_orders("one", opening="slip")
    assert outcome.detail.startswith("TypeError at models/cdom/geometry.py:")
    assert f"a document was not read by a fault of ours: {outcome.detail}" in caplog.text


def test_several_deadly_pages_are_all_survived(read_orders: ReadOrders) -> None:
    outcome = read_orders("segfault", "two", "abort", "exit", "five", "segfault")
    assert texts(outcome) == ["two", "five"]


def test_document_fails_when_its_pages_use_up_its_time(read_orders: ReadOrders) -> None:
    outcome = read_orders("one", *["spin"] * 20)
    assert outcome.error is ErrorCode.TIMEOUT


def test_an_idle_child_is_killed_and_the_machine_blamed() -> None:
    impatient = SandboxLimits(stall_idle_s=1.0, formats=SMALL.formats)
    reader = DocumentReader(impatient, entry=ENTRY)
    outcome = reader.read(io.BytesIO(probe_document("one", "sleep")), ReadOptions())
    reader.close()
    assert (outcome.error, outcome.tree) == (ErrorCode.WORKER_KILLED, None)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports how long a process waits for a processor")
def test_child_that_waits_for_a_processor_is_not_killed() -> None:
    reader = DocumentReader(replace(SMALL, stall_idle_s=0.4), entry=ENTRY)
    reader.start()
    assert reader.server.pid is not None
    processor = min(os.sched_getaffinity(0))
    os.sched_setaffinity(reader.server.pid, {processor})
    os.setpriority(os.PRIO_PROCESS, reader.server.pid, 5)
    busy = [subprocess.Popen([sys.executable, "-c", BUSY, str(processor)]) for _ in range(4)]
    try:
        outcomes = [reader.read(io.BytesIO(probe_document("work", "two")), ReadOptions()) for _ in range(2)]
    finally:
        for process in busy:
            process.kill()
            process.wait()
        reader.close()
    assert [texts(outcome) for outcome in outcomes] == [["work", "two"]] * 2


def test_pictures_that_cannot_be_drawn_leave_the_page() -> None:
    reader = DocumentReader(SMALL, draw=True, entry=ENTRY)
    outcome = reader.read(io.BytesIO(probe_document("draw well", "draw segfault", "draw spin", "four")), ReadOptions())
    reader.close()
    assert texts(outcome) == ["draw well", "draw segfault", "draw spin", "four"]
    assert [(warning.code, warning.page) for warning in tree_of(outcome).warnings] == [(NOT_DRAWN, 2), (NOT_DRAWN, 3)]
    assert outcome.assets == {"p1.png": PIXELS}


def test_progress_starts_at_zero_and_never_goes_back(probe_reader: DocumentReader) -> None:
    told: list[tuple[int, int]] = []
    pages = ["one", "two", "segfault", "four"]
    probe_reader.read(io.BytesIO(probe_document(*pages)), ReadOptions(), lambda done, total: told.append((done, total)))
    assert told == [(done, 4) for done in range(5)]


def test_error_raised_by_on_page_ends_the_reading_and_is_raised(probe_reader: DocumentReader) -> None:
    class LostLease(Exception):
        pass

    def lose(done: int, total: int) -> None:
        raise LostLease

    with pytest.raises(LostLease):
        probe_reader.read(io.BytesIO(probe_document("one", "two")), ReadOptions(), lose)
    assert probe_reader.read(io.BytesIO(probe_document("one")), ReadOptions()).error is None


def test_pages_for_a_recogniser_wait_without_a_child(probe_reader: DocumentReader) -> None:
    waiting = probe_reader.read_until_pixels(io.BytesIO(probe_document("one", "pixels", "segfault")), ReadOptions())
    assert isinstance(waiting, PendingOcr)
    assert [(page.number, page.image) for page in waiting.pixels] == [(2, PIXELS)]
    word = Word(text="seen", bbox=(10.0, 10.0, 50.0, 20.0), confidence=0.9, line=0)
    outcome = waiting.finish([RecognisedPage(number=2, words=(word,), engine="test", model=None, version="1")])
    waiting.pixels.close()
    assert texts(outcome) == ["one", "seen"]


def test_without_a_recogniser_the_document_ends_ml_unavailable(read_orders: ReadOrders) -> None:
    assert read_orders("one", "pixels").error is ErrorCode.ML_UNAVAILABLE


def test_several_children_read_the_same_tree_as_one(read_orders: ReadOrders) -> None:
    pages = [f"page {number}" for number in range(150)]
    pages[70] = "segfault"
    pages[120] = "broken"
    several = DocumentReader(SMALL, side_by_side=3, entry=ENTRY)
    outcome = several.read(io.BytesIO(probe_document(*pages)), ReadOptions())
    several.close()
    assert outcome.tree_json == read_orders(*pages).tree_json != b""


class Met:
    """The documents, by name, that each child of a reader was sent."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, documents_per_child: int, limits: SandboxLimits = SMALL
    ) -> None:
        self.reader = DocumentReader(limits, documents_per_child=documents_per_child, entry=ENTRY)
        self.name = ""
        self._children: dict[int, list[str]] = {}
        begin = Conversation.begin

        def noting(child: Conversation, *values: Any) -> None:
            self._children.setdefault(child.pid, []).append(self.name)
            begin(child, *values)

        monkeypatch.setattr(Conversation, "begin", noting)

    def read(self, order: str, job: str | None = "job", name: str = "") -> ReadOutcome:
        self.name = name or order
        outcome = self.reader.read_until_pixels(io.BytesIO(probe_document(order)), ReadOptions(), job=job)
        assert isinstance(outcome, ReadOutcome)
        return outcome

    @property
    def children(self) -> list[list[str]]:
        return list(self._children.values())


@pytest.fixture
def met(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Met]:
    met = Met(monkeypatch, documents_per_child=getattr(request, "param", 8))
    yield met
    met.reader.close()


def test_a_deadly_document_costs_the_next_of_its_job_nothing(met: Met) -> None:
    orders = ["one", "two", "segfault", "four", "spin", "six"]
    outcomes = [met.read(order).error for order in orders]
    assert outcomes == [None, None, ErrorCode.PARSER_CRASH, None, ErrorCode.TIMEOUT, None]


@pytest.mark.parametrize(("met", "children"), [(1, [1] * 7), (3, [3, 3, 1]), (8, [7])], indirect=["met"])
def test_a_child_reads_at_most_so_many_documents_of_a_job(met: Met, children: list[int]) -> None:
    trees = {met.read("one").tree_json for _ in range(7)}
    assert [len(documents) for documents in met.children] == children
    assert len(trees) == 1


def test_a_child_never_meets_documents_of_two_jobs(met: Met) -> None:
    for job in ("acme/1", "acme/2", "acme/1", "other/1", "acme/2", "acme/1"):
        met.read("one", job, name=job)
    assert sorted(met.children) == [["acme/1"] * 3, ["acme/2"] * 2, ["other/1"]]
    met.reader.end_job("acme/1")
    met.read("one", "acme/1", name="again")
    assert ["again"] in met.children


def test_documents_without_a_job_share_no_child(met: Met) -> None:
    for _ in range(3):
        met.read("one", None)
    assert met.children == [["one"]] * 3


@pytest.mark.parametrize("order", ["broken", "bug", "slip"])
def test_a_child_with_a_failed_page_reads_no_other_document(met: Met, order: str) -> None:
    for name in (order, "one"):
        met.read(name)
    assert met.children == [[order], ["one"]]


@pytest.mark.parametrize("order", ["fail-when-stained", "die-when-stained"])
def test_a_failure_in_a_used_child_is_repeated_in_a_fresh_one(met: Met, order: str) -> None:
    met.read("stain")
    assert [page.status for page in tree_of(met.read(order)).pages] == [PageStatus.OK]
    assert met.children == [["stain", order], [order]]


def test_rendering_ends_in_a_picture_or_a_code(probe_reader: DocumentReader) -> None:
    assert probe_reader.render(io.BytesIO(probe_document("one")), 1, 110).png == PIXELS
    for order in ("segfault", "spin", "eat-memory"):
        with pytest.raises(RenderFailed) as failed:
            probe_reader.render(io.BytesIO(probe_document(order)), 1, 110)
        assert failed.value.code is DEADLY[order]


def test_a_child_that_keeps_memory_reads_no_other_document(met: Met) -> None:
    for name in ("keep-memory", "one"):
        assert met.read(name).error is None
    assert met.children == [["keep-memory"], ["one"]]


def test_a_child_with_the_cpu_time_of_a_document_used_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    met = Met(monkeypatch, documents_per_child=8, limits=replace(SMALL, total_cpu_s=1))
    for name in ("work", "work", "work", "work", "work", "work", "one"):
        assert met.read(name).error is None
    met.reader.close()
    assert len(met.children) > 1
    assert sum(len(documents) for documents in met.children) == 7
