"""A fork that mends nothing in its child: the child runs like any other, and ends with what it was told."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the server forks so on Linux only")

ROOT = Path(__file__).resolve().parents[3]
CHILDREN = """
import json, os, sys, threading
sys.path.insert(0, sys.argv[1])
from actors.sandbox.prctl import fork_alone
codes, parent = [], os.getpid()
for number in range(3):
    pid = fork_alone()
    if pid == 0:
        known = threading.current_thread() is threading.main_thread()
        read = json.loads(json.dumps({"number": number}))["number"] == number
        with threading.Lock():
            os._exit(40 + number if known and read and os.getppid() == parent else 1)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(codes)
"""
FULL = """
import os, resource, sys
sys.path.insert(0, sys.argv[1])
from actors.sandbox.prctl import fork_alone
os.setresuid(65534, 65534, 65534)
resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
try:
    fork_alone()
except OSError as error:
    print(error.errno)
"""


def run(script: str) -> str:
    command = [sys.executable, "-I", "-c", script, str(ROOT)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_children_run_python_and_are_waited_for() -> None:
    assert run(CHILDREN) == "[40, 41, 42]"


@pytest.mark.skipif(os.geteuid() != 0, reason="a limit of processes counts those of nobody")
def test_a_full_process_table_is_an_os_error() -> None:
    assert int(run(FULL)) > 0
