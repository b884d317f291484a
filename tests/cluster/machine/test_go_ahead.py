"""A supervisor started early runs at its go-ahead, and ends when none can come."""

import subprocess
import sys
from pathlib import Path

import pytest

from quire.cluster.machine.go_ahead import give_go_ahead
from quire.cluster.start.launch import Launch
from quire.cluster.state import session_members
from quire.configs.parsing import parse_settings
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[3]
WAITING = (
    "import sys; from quire.cluster.machine.go_ahead import wait_for_go_ahead as w; print(w(), repr(sys.stdin.read()))"
)


@pytest.mark.parametrize(("told", "said"), [(True, "True ''"), (False, "False ''")])
def test_message_is_a_go_ahead_and_end_of_input_is_not(told: bool, said: str) -> None:
    command = [sys.executable, "-c", WAITING]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        if told:
            give_go_ahead(process.stdin)
        else:
            process.stdin.close()
        assert process.stdout.read().decode().strip() == said


def test_a_start_that_is_refused_leaves_no_process(tmp_path: Path) -> None:
    with Launch(parse_settings({}, workdir=tmp_path)) as launch:
        assert until(lambda: session_members(launch.pid, tmp_path))
    assert until(lambda: not session_members(launch.pid, tmp_path))
