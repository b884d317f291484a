"""Workers of Ray are forks of a process that has imported everything: with their own arguments, streams and ids."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

from quire.cluster.machine.environment import WORKER_TEMPLATE
from quire.cluster.serve import forked_worker, worker_template
from quire.cluster.serve.forked_worker import AGREED, DOOR, END, WILLING, ask_template, may_be_forked
from quire.cluster.serve.worker_template import SUPPORTED_RAY, fork_template, receive_order
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]
TEMPLATE = """
import json, os, sys
from pathlib import Path
from quire.cluster.serve.worker_template import fork_template
order = fork_template(Path(sys.argv[1]))
if order is None:
    print("listening", flush=True)
    sys.stdin.read()
else:
    from ray._raylet import WorkerID
    said = {"arguments": order.arguments, "folder": order.folder, "mark": order.environment.get("MARK"),
            "id": WorkerID.from_random().hex(), "parent": os.getppid(), "serve": "ray.serve" in sys.modules}
    os.write(order.streams[1], json.dumps(said).encode() + b"\\n")
"""


@dataclass(frozen=True, slots=True)
class Template:
    """A process that forks, and the socket at which it is asked."""

    process: subprocess.Popen[str]
    door: Path


@contextmanager
def listening_template() -> Iterator[Template]:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        door = Path(folder) / "workers.sock"
        command = [sys.executable, "-W", "ignore", "-c", TEMPLATE, str(door)]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "listening\n"
            try:
                yield Template(process, door)
            finally:
                process.kill()


@pytest.fixture(scope="module")
def template() -> Iterator[Template]:
    with listening_template() as made:
        yield made


def start_worker(template: Template, *arguments: str, mark: str = "") -> dict[str, object]:
    """Return the fork's report on the standard output that Ray gave to its worker."""
    command = [sys.executable, forked_worker.__file__, *arguments]
    environment = {**os.environ, DOOR: str(template.door), "MARK": mark}
    with subprocess.Popen(command, env=environment, cwd="/", stdout=subprocess.PIPE) as shim:
        assert shim.stdout is not None
        said: dict[str, object] = json.loads(shim.stdout.readline())
        return {**said, "code": shim.wait(), "shim": shim.pid}


def test_fork_has_the_arguments_environment_and_streams_of_its_worker(template: Template) -> None:
    said = start_worker(template, "--node-id=7", mark="hers")
    assert said["arguments"] == [forked_worker.__file__, "--node-id=7"]
    assert (said["mark"], said["folder"], said["serve"], said["code"]) == ("hers", "/", True, 0)
    assert said["parent"] not in (said["shim"], os.getpid())


def test_no_two_forks_draw_the_same_ids(template: Template) -> None:
    assert len({start_worker(template)["id"] for _ in range(3)}) == 3


def test_worker_that_gave_up_waiting_is_not_forked(template: Template) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.connect(str(template.door))
        ours, theirs = os.pipe()
        order = {"arguments": [], "environment": {}, "folder": "/"}
        socket.send_fds(link, [json.dumps(order).encode() + END], [theirs] * 3)
        assert link.recv(1) == WILLING
    os.close(theirs)
    assert select.select([ours], [], [], 30)[0] == [ours]
    assert os.read(ours, 100) == b""  # the template let go of the streams, and nobody wrote
    os.close(ours)
    assert start_worker(template)["code"] == 0


def test_invalid_orders_get_no_answer_and_are_dropped(template: Template) -> None:
    for nonsense in (b"\n", b"[]\n", b"{}\n", b'{"arguments": 1}\n', b"no end"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.connect(str(template.door))
            link.sendall(nonsense)
            link.shutdown(socket.SHUT_WR)
            link.settimeout(PATIENCE_S)
            assert link.recv(1) == b""
    assert start_worker(template)["code"] == 0


def test_the_template_ends_with_the_process_that_it_was_forked_from() -> None:
    with listening_template() as made, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.connect(str(made.door))
        made.process.send_signal(signal.SIGKILL)
        made.process.wait()
        link.settimeout(PATIENCE_S)
        assert link.recv(1) == b""


def test_order_arrives_complete_in_pieces_of_any_size() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    order = json.dumps({"arguments": ["a"], "environment": {"X": "y"}, "folder": "/"}).encode() + END
    with ours, theirs, tempfile.TemporaryFile() as file:
        socket.send_fds(ours, [order[:5]], [file.fileno()] * 3)
        ours.sendall(order[5:])
        received = receive_order(theirs)
        assert (received.arguments, received.environment, received.folder) == (("a",), {"X": "y"}, "/")
        assert len(received.streams) == 3
        for stream in received.streams:
            os.close(stream)


class _Peer(threading.Thread):
    """Takes one order, answers it with `answer` and notes what it hears then."""

    def __init__(self, door: socket.socket, answer: bytes, said: list[bytes]) -> None:
        super().__init__()
        self._door, self._answer, self._said = door, answer, said

    def run(self) -> None:
        link, _ = self._door.accept()
        with link:
            for stream in receive_order(link).streams:
                os.close(stream)
            link.sendall(self._answer)
            link.shutdown(socket.SHUT_WR)
            self._said.append(link.recv(10))


@pytest.mark.parametrize("answer", [b"", b"n", WILLING])
def test_a_worker_is_forked_only_by_a_template_that_answers(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as door:
        door.bind(f"{folder}/door")
        door.listen()
        monkeypatch.setenv(DOOR, f"{folder}/door")
        said = list[bytes]()
        peer = _Peer(door, answer, said)
        peer.start()
        assert ask_template(["--x"]) is (answer == WILLING)
        peer.join()
        assert said == ([AGREED] if answer == WILLING else [b""])


def test_without_a_template_a_worker_is_started_as_ever(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    started = list[list[str]]()
    monkeypatch.setattr("os.execv", lambda program, arguments: started.append(arguments))
    monkeypatch.setattr(sys, "argv", ["forked_worker.py", "--node-id=7"])
    monkeypatch.delenv(DOOR, raising=False)
    forked_worker.main()
    monkeypatch.setenv(DOOR, str(tmp_path / "nobody"))
    forked_worker.main()
    assert [arguments[2:] for arguments in started] == [["--node-id=7"]] * 2
    assert all(Path(arguments[1]).name == "default_worker.py" for arguments in started)


@pytest.mark.parametrize(
    ("arguments", "forked"),
    [
        (["--node-id=7"], True),
        (["--runtime-env-hash=0"], True),
        (["--runtime-env-hash=1234"], False),
        (["--worker-type=SPILL_WORKER"], False),
        (["--serialized-runtime-env-context={}", "--language=PYTHON"], False),
    ],
)
def test_workers_with_a_separate_environment_are_not_forked(arguments: list[str], forked: bool) -> None:
    assert may_be_forked(arguments) is forked


def test_template_supports_the_ray_version_that_the_locks_pin() -> None:
    assert f"ray[serve,default,data]=={SUPPORTED_RAY}" in (ROOT / "pyproject.toml").read_text()
    assert version("ray") == SUPPORTED_RAY


def test_template_is_not_forked_under_another_ray_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(worker_template, "version", lambda name: "2.61.0")
    monkeypatch.setattr("os.fork", lambda: pytest.fail("forked"))
    assert fork_template(tmp_path / "workers.sock") is None
    assert not (tmp_path / "workers.sock").exists()


def test_the_socket_is_named_by_one_variable() -> None:
    assert DOOR == WORKER_TEMPLATE
