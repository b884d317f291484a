"""Killed sandbox processes: reading continues, and no process or resource leaks."""

import contextlib
import io
import os
import random
import resource
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.actors.reading import forkserver
from quire.actors.reading.forkserver import ForkServer, SandboxRefused
from quire.actors.reading.read_document import DocumentReader
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import ReadOutcome
from tests.actors.sandbox.conftest import ENTRY, SMALL
from tests.actors.sandbox.servers.probe import probe_document
from tests.waiting import until

pytestmark = pytest.mark.long

SEED = 20260728
KILLS = 50


def read(reader: DocumentReader, *pages: str) -> ReadOutcome:
    return reader.read(io.BytesIO(probe_document(*pages)), ReadOptions())


def children_of(pid: int) -> list[int]:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as listed:
        return [int(child) for child in listed.read().split()]
    return []


def shoot(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def test_a_dead_idle_child_is_replaced(probe_reader: DocumentReader) -> None:
    read(probe_reader, "one")
    assert probe_reader.server.pid is not None
    for child in children_of(probe_reader.server.pid):
        shoot(child)
    outcome = read(probe_reader, "one")
    assert outcome.error is None


def test_a_dead_server_is_started_again(probe_reader: DocumentReader) -> None:
    probe_reader.start()
    before = probe_reader.server.pid
    assert before is not None
    shoot(before)
    os.waitid(os.P_PID, before, os.WEXITED | os.WNOWAIT)
    assert read(probe_reader, "one").error is None
    assert probe_reader.server.pid != before


def test_fork_server_of_the_sources_ends_when_the_reader_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    server = ForkServer(SMALL, entry=ENTRY)
    try:
        monkeypatch.setattr(forkserver, "is_compiled", lambda: False)
        working = server.take()
        before = server.pid
        monkeypatch.setattr(forkserver, "is_compiled", lambda: True)
        for _ in range(2):
            server.discard(server.take())
            assert server.pid == before, "its first child is at work"
        server.discard(working)
        server.discard(server.take())
        assert server.pid != before
    finally:
        server.close()


def test_a_stopped_server_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quire.actors.reading.forkserver._ANSWER_TIMEOUT_S", 0.5)
    reader = DocumentReader(SMALL, entry=ENTRY)
    read(reader, "one")
    before = reader.server.pid
    assert before is not None
    os.kill(before, signal.SIGSTOP)
    outcomes = [read(reader, "one").error for _ in range(3)]
    reader.close()
    assert outcomes == [None, None, None]
    assert not os.path.exists(f"/proc/{before}")


def test_a_server_that_cannot_import_its_parsers_says_so() -> None:
    server = ForkServer(SMALL, entry="tests.actors.sandbox.servers.refusing")
    with pytest.raises(SandboxRefused, match="no parser"):
        server.start()
    server.close()


def test_no_server_is_an_uncharged_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quire.actors.reading.forkserver._START_DELAYS_S", (0.0, 0.0))
    reader = DocumentReader(SMALL, entry="tests.actors.sandbox.servers.refusing")
    outcome = read(reader, "one")
    reader.close()
    assert (outcome.error, outcome.charged) == (ErrorCode.WORKER_KILLED, False)


def test_closing_leaves_no_process(probe_reader: DocumentReader) -> None:
    reader = DocumentReader(SMALL, documents_per_child=4, entry=ENTRY)
    read(reader, "one")
    server = reader.server.pid
    assert server is not None
    family = [server, *children_of(server)]
    reader.close()
    assert until(lambda: not any(_runs(pid) for pid in family))


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_two_hundred_documents_leak_no_descriptor(probe_reader: DocumentReader) -> None:
    orders = ["one", "broken", "segfault", "abort"]
    for order in orders:
        read(probe_reader, order)
    server = probe_reader.server.pid
    assert server is not None
    before = _descriptors(os.getpid())
    for number in range(200):
        read(probe_reader, orders[number % len(orders)])
    assert probe_reader.server.pid == server
    assert _descriptors(os.getpid()) == before


def _descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def test_random_kills_of_server_and_children_never_come_out_of_read() -> None:
    reader = DocumentReader(SMALL, entry=ENTRY)
    expected = read(reader, "one", "nap", "three").tree_json
    rng, stop = random.Random(SEED), threading.Event()
    shots = 0

    def hunt() -> None:
        nonlocal shots
        while shots < KILLS and not stop.wait(rng.uniform(0.02, 0.15)):
            server = reader.server.pid
            family = children_of(server) if server else []
            victim = rng.choice(family) if family and rng.random() < 0.8 else server
            if victim:
                shoot(victim)
                shots += 1

    hunter = threading.Thread(target=hunt)
    hunter.start()
    outcomes = []
    while hunter.is_alive():
        outcomes.append(read(reader, "one", "nap", "three"))
    hunter.join()
    calm = read(reader, "one", "nap", "three")
    stop.set()
    reader.close()
    assert shots == KILLS
    assert {outcome.error for outcome in outcomes} <= {None, ErrorCode.WORKER_KILLED}
    assert {outcome.tree_json for outcome in outcomes if outcome.error is None} <= {expected}
    assert calm.tree_json == expected


@contextlib.contextmanager
def no_handle_left() -> Iterator[None]:
    """No file can be opened here, and none that is passed comes in: the next one would have too high a number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    probe = os.open("/dev/null", os.O_RDONLY)
    os.close(probe)
    resource.setrlimit(resource.RLIMIT_NOFILE, (probe, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_process_without_handles_charges_no_document_and_reads_the_next(
    probe_reader: DocumentReader, tmp_path: Path
) -> None:
    path = tmp_path / "one.probe"
    path.write_bytes(probe_document("one"))
    with path.open("rb", buffering=0) as original:
        assert probe_reader.read(original, ReadOptions()).error is None
        with no_handle_left():
            outcomes = [probe_reader.read(original, ReadOptions()) for _ in range(2)]
        assert {outcome.error for outcome in outcomes} <= {None, ErrorCode.WORKER_KILLED}
        assert ErrorCode.WORKER_KILLED in {outcome.error for outcome in outcomes}
        assert not any(outcome.charged for outcome in outcomes if outcome.error is not None)
        assert probe_reader.read(original, ReadOptions()).error is None
