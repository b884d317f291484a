"""The clock of a start counts the threads of the processes of one session."""

import os
from pathlib import Path

from quire.cluster.machine.patience import session_clock
from quire.models.fair_time import read_threads_of


def test_session_without_processes_has_not_run(tmp_path: Path) -> None:
    assert session_clock(2**22 + 1, tmp_path).running_s == 0.0


def test_threads_of_own_process_have_run() -> None:
    assert read_threads_of([os.getpid()])[0] > 0.0
    assert read_threads_of([2**22 + 1]) == (0.0, 0.0)
