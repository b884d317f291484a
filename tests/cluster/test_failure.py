"""`up` prints one line with cause and remedy when a start fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from quire.cluster.errors import StartFailed, StartRefused
from quire.cluster.failure import clear_failure, describe_failure, read_failure, write_failure
from quire.cluster.start.launch import wait_ready
from quire.cluster.state import ServiceState, this_process

FROM_RAY = """Deploying application reader failed:
Traceback (most recent call last):
  File "actors/reading/forkserver.py", line 112, in _note
    raise SandboxRefused(frame.text("reason"))
quire.actors.reading.forkserver.SandboxRefused: the sandbox lets through: open
"""


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (StartRefused("SVC_PORT: taken"), "SVC_PORT: taken"),
        (
            StartFailed(FROM_RAY),
            "SandboxRefused: the sandbox lets through: open; `quire doctor` names the missing sandbox feature",
        ),
        (ValueError("two\n  lines"), "ValueError: two lines"),
    ],
)
def test_a_failure_is_one_line(error: Exception, line: str) -> None:
    assert describe_failure(error) == line


def test_failed_start_shows_the_supervisors_reason(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    state = ServiceState(supervisor=this_process(ended.pid), base_url="http://127.0.0.1:1")
    ended.wait()
    write_failure(tmp_path, StartFailed(FROM_RAY))
    with pytest.raises(StartFailed) as failed:
        wait_ready(tmp_path, state, 5, report=print)
    assert "the sandbox lets through: open" in str(failed.value)
    assert "\n" not in str(failed.value)
    assert "Traceback" not in str(failed.value)
    clear_failure(tmp_path)
    assert read_failure(tmp_path) is None


def test_a_command_that_breaks_prints_one_line(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("in the way of the folder")
    environment = {name: text for name, text in os.environ.items() if not name.startswith("SVC_")}
    done = subprocess.run(
        [sys.executable, "-m", "quire.cluster.cli.main", "up", "--detach", "--workdir", str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Error: path-in-the-way: ")
    assert len(done.stderr.splitlines()) == 1
