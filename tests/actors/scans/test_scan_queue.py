"""Long documents are searched for personal data in separate processes while the reading loop continues."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from quire.actors.reader import scan_worker
from quire.actors.reader.scan_process import ScanFailed, ScanProcess
from quire.actors.reader.scan_queue import SHORT_CHARS
from quire.models.cdom.ports import ReadOutcome
from quire.models.cdom.tree import Tree, dump_tree, load_tree
from quire.models.pii.engines.choose import make_flagger
from quire.storage.values.rows import Succeeded
from quire.storage.values.states import Phase
from tests.actors.reading_scene import Scene, make_claim
from tests.actors.test_recognition import by_name
from tests.models.pii.trees import paragraph, tree
from tests.waiting import PATIENCE_S, until

FLAG = make_flagger("regex")


def outcome(text: str) -> ReadOutcome:
    read = tree(paragraph(0, text))
    return ReadOutcome(tree=read, tree_json=dump_tree(read))


LONG = outcome("ann@example.com " + "word " * SHORT_CHARS)
SHORT = outcome("ann@example.com")


@dataclass(frozen=True)
class Held:
    """A scan that lasts until its folder holds the file `open`; it writes the process id to the folder first."""

    folder: Path

    def __call__(self, read: Tree) -> Tree:
        if len(read.blocks[0].text) > SHORT_CHARS:
            (self.folder / f"pid-{os.getpid()}").touch()
            while not (self.folder / "open").exists():
                time.sleep(0.01)
        return FLAG(read)

    def pids(self) -> set[int]:
        return {int(path.name.removeprefix("pid-")) for path in self.folder.glob("pid-*")}


def burn(read: Tree) -> Tree:
    """A scan that never ends."""
    while True:
        read.blocks[0].text.count("a")


def is_complete(scene: Scene, name: str) -> bool:
    scan = load_tree(scene.store.artifacts[name]["tree.json"]).pii
    assert scan is not None
    return scan.complete


def names_of(scene: Scene) -> list[str]:
    return [row.claim.document_id for row in scene.store.finished]


def test_short_documents_overtake_a_long_one_that_is_scanned(tmp_path: Path) -> None:
    held = Held(tmp_path)
    answer = by_name({"long": LONG, "short": SHORT})
    with Scene(make_claim("long"), make_claim("short"), answer=answer, flag_tree=held).running() as scene:
        assert until(lambda: names_of(scene) == ["short"])
        assert until(held.pids)
        assert os.getpid() not in held.pids()
        assert scene.reader.healthy()
        (tmp_path / "open").touch()
        assert until(lambda: names_of(scene) == ["short", "long"])
    flagged = load_tree(scene.store.artifacts["long"]["tree.json"])
    assert flagged == FLAG(LONG.tree)  # type: ignore[arg-type]


def test_document_is_in_phase_reading_while_it_is_scanned(tmp_path: Path) -> None:
    held = Held(tmp_path)
    with Scene(make_claim("long"), answer=LONG, flag_tree=held).running() as scene:
        assert until(held.pids)
        sent = len(scene.queue.beats)
        assert until(lambda: len(scene.queue.beats) > sent + 2)
        assert {beat.phase for beats in scene.queue.beats for beat in beats} == {Phase.READING}
        (tmp_path / "open").touch()
        assert until(lambda: scene.store.finished)


def test_killed_scan_is_incomplete_and_the_next_one_is_not(tmp_path: Path) -> None:
    held = Held(tmp_path)
    claims = (make_claim("first"), make_claim("second"))
    with Scene(*claims, answer=LONG, flag_tree=held, scans_at_once=1).running() as scene:
        assert until(held.pids)
        os.kill(held.pids().pop(), signal.SIGKILL)
        assert until(lambda: names_of(scene) == ["first"])
        (tmp_path / "open").touch()
        assert until(lambda: names_of(scene) == ["first", "second"])
    assert all(isinstance(row, Succeeded) for row in scene.store.finished)
    assert not is_complete(scene, "first")
    assert is_complete(scene, "second")
    assert not scene.queue.retried
    assert not scene.queue.released


def test_scan_over_its_cpu_limit_ends_incomplete(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    entry = tmp_path / "quick_scans.py"
    entry.write_text(
        "import sys\nfrom quire.actors.reader import scan_worker\nscan_worker.MOST_CPU_S = 0.0\n"
        "scan_worker.GRACE_CPU_S = 1.0\nscan_worker.main(int(sys.argv[1]))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    process = ScanProcess(burn, "quick_scans")
    with pytest.raises(ScanFailed, match=f"exit status -{signal.SIGXCPU.value}"):
        process.scan(SHORT.tree_json)
    process.close()


def test_process_serves_many_documents_and_ends_when_closed() -> None:
    process = ScanProcess(FLAG)
    first = process.scan(LONG.tree_json)
    pid = process.pid
    assert process.scan(SHORT.tree_json) == dump_tree(FLAG(load_tree(SHORT.tree_json)))
    assert process.pid == pid
    assert load_tree(first) == FLAG(load_tree(LONG.tree_json))
    process.close()
    assert pid is not None
    assert not Path(f"/proc/{pid}").exists()


def test_process_runs_with_low_priority() -> None:
    process = ScanProcess(FLAG)
    process.scan(SHORT.tree_json)
    assert process.pid is not None
    assert os.getpriority(os.PRIO_PROCESS, process.pid) >= scan_worker.NICE
    process.close()


def test_document_is_released_for_a_later_scan_when_the_queue_is_full(tmp_path: Path) -> None:
    held = Held(tmp_path)
    answer = by_name({"first": LONG, "second": LONG, "short": SHORT, "again": LONG})
    claims = [make_claim("first"), make_claim("second"), make_claim("short")]
    with Scene(*claims, answer=answer, flag_tree=held, scan_room=1).running() as scene:
        assert until(lambda: names_of(scene) == ["short"])
        assert [claim.document_id for claim in scene.queue.released] == ["second"]
        assert scene.queue.scans == {"second"}
        (tmp_path / "open").touch()
        assert until(lambda: names_of(scene) == ["short", "first", "second"])


def test_tenant_that_scans_nothing_goes_first(tmp_path: Path) -> None:
    held = Held(tmp_path)
    claims = [make_claim(name) for name in ("a1", "a2", "a3", "a4", "a5", "a6")] + [make_claim("b1", tenant="other")]
    with Scene(*claims, answer=LONG, flag_tree=held, scans_at_once=2).running() as scene:
        assert until(lambda: len(held.pids()) == 2 and len(scene.inflight) == 7)
        (tmp_path / "open").touch()
        assert until(lambda: len(scene.store.finished) == 7)
    assert names_of(scene).index("b1") < names_of(scene).index("a6")  # it is scanned third, beside a document of acme


def test_cancelled_document_ends_its_scan(tmp_path: Path) -> None:
    held = Held(tmp_path)
    with Scene(make_claim("long"), answer=LONG, flag_tree=held).running() as scene:
        assert until(held.pids)
        scene.inflight.remove(make_claim("long"))
        assert until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in held.pids()))
        assert scene.store.finished == []


def test_drain_releases_documents_that_are_scanned(tmp_path: Path) -> None:
    held = Held(tmp_path)
    scene: Any = Scene(make_claim("one"), make_claim("two"), answer=LONG, flag_tree=held, scans_at_once=1)
    with scene.running():
        assert until(lambda: held.pids() and len(scene.inflight) == 2)
    assert {claim.document_id for claim in scene.queue.released} == {"one", "two"}
    assert until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in held.pids()), PATIENCE_S)
