"""Ctrl-C ends a command with 130 and leaves nothing running. `make drill NAME=interrupts` tries many moments."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.cluster.interrupts import INTERRUPTED
from tests.lab.chaos.commands.interrupts import processes_of
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[2]
BEGIN = """
import subprocess, sys, threading, time
from pathlib import Path
from quire.cluster.interrupts import catch_interrupts, held, undone_by
catch_interrupts()
place = Path(sys.argv[1])
def ready():
    (place / "ready").touch()
"""
HANGING_IMPORT = "from pathlib import Path\nimport time\nPath({ready!r}).touch()\ntime.sleep(600)\n"


def interrupted(folder: Path, *command: str, ready: Path) -> tuple[int, str]:
    """Start the command, send SIGINT to its group when `ready` exists, and return status and output."""
    with (folder / "output").open("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, process_group=0, cwd=ROOT)
        try:
            assert until(lambda: ready.exists() or process.poll() is not None, 120)
            os.killpg(process.pid, signal.SIGINT)
            status = process.wait(120)
        finally:
            process.kill()
            process.wait()
        output.seek(0)
        return status, output.read()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run(folder: Path, program: str) -> tuple[int, str]:
    return interrupted(folder, sys.executable, "-c", BEGIN + program, str(folder), ready=folder / "ready")


@pytest.mark.parametrize(
    "program",
    [
        "ready(); time.sleep(600)",
        "lock = threading.Lock(); lock.acquire(); ready(); lock.acquire()",
        "threading.Thread(target=time.sleep, args=(600,)).start(); ready(); time.sleep(600)",
        "threading.Thread(target=time.sleep, args=(600,)).start(); ready()",  # in the wait for threads at the end
        "ready()\nwhile True:\n    try:\n        time.sleep(600)\n    except BaseException:\n        pass",
        "ready(); subprocess.run(['sleep', '600'])",
    ],
    ids=["sleep", "lock", "thread", "shutdown", "swallowing", "child"],
)
def test_interrupt_ends_any_program_without_a_traceback(tmp_path: Path, program: str) -> None:
    assert run(tmp_path, program) == (INTERRUPTED, "")


def test_interrupt_during_an_import_of_another_thread_ends_it(tmp_path: Path) -> None:
    (tmp_path / "slow_module.py").write_text(HANGING_IMPORT.format(ready=str(tmp_path / "ready")))
    program = (
        "sys.path.insert(0, str(place))\n"
        "threading.Thread(target=__import__, args=('slow_module',)).start()\n"
        "while 'slow_module' not in sys.modules: time.sleep(0.01)\n"
        "import slow_module\n"
    )
    assert run(tmp_path, program) == (INTERRUPTED, "")


def test_interrupt_kills_children_and_undoes_the_innermost_action_first(tmp_path: Path) -> None:
    program = (
        "child = subprocess.Popen(['sleep', '600'], start_new_session=True, cwd=place)\n"
        "def note(text):\n    print(text, child.wait(60) == -9, flush=True)\n"
        "with undone_by(lambda: note('outer')), undone_by(lambda: 1 / 0), undone_by(lambda: note('inner')):\n"
        "    ready(); time.sleep(600)\n"
    )
    assert run(tmp_path, program) == (INTERRUPTED, "inner True\nouter True\n")
    assert until(lambda: not processes_of(str(tmp_path)))


def test_held_interrupt_is_a_flag_and_the_handler_returns_afterwards(tmp_path: Path) -> None:
    program = (
        "import os, signal\n"
        "with held() as asked:\n    ready()\n"
        "    while not asked.is_set(): time.sleep(0.01)\n"
        "    print('asked', flush=True)\n"
        "os.kill(os.getpid(), signal.SIGINT); time.sleep(600)\n"
    )
    assert run(tmp_path, program) == (INTERRUPTED, "asked\n")


@pytest.fixture
def folder() -> Iterator[Path]:
    """Short enough for a socket, open to the database's user."""
    with tempfile.TemporaryDirectory(prefix="quire-int-", dir="/tmp") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.mark.long
@pytest.mark.parametrize("marker", ["run/lock", "run/database.lock", "run/database.json", "run/state.json"])
def test_interrupted_start_leaves_nothing_running(folder: Path, marker: str) -> None:
    quire = [sys.executable, "-m", "quire.cluster.cli.main"]
    command = [*quire, "up", "--detach", "--port", str(free_port()), "--workdir", str(folder / "w")]
    status, output = interrupted(folder, *command, ready=folder / "w" / marker)
    assert status == INTERRUPTED
    assert "Traceback" not in output
    assert until(lambda: not processes_of(str(folder)))


@pytest.mark.long
def test_interrupted_migration_leaves_no_database_running(folder: Path) -> None:
    command = [sys.executable, "-m", "quire.cluster.cli.main", "migrate", "--workdir", str(folder / "w")]
    status, output = interrupted(folder, *command, ready=folder / "w" / "postgres" / "postmaster.pid")
    assert status == INTERRUPTED
    assert "Traceback" not in output
    assert until(lambda: not processes_of(str(folder)))
