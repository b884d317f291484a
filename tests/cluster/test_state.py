"""The state file: private, whole or absent, and never fooled by a reused pid."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from quire.cluster.errors import ClusterBusy
from quire.cluster.state import (
    Process,
    ServicePhase,
    ServiceState,
    clear_state,
    exclusive,
    find_phase,
    is_stopping,
    mark_ready,
    mark_stopping,
    read_state,
    running_state,
    scratch_folder,
    session_members,
    start_time,
    this_process,
    write_state,
)


def state(process: Process) -> ServiceState:
    return ServiceState(supervisor=process, base_url="http://127.0.0.1:8000", ports={"gcs": 20001})


def test_a_state_comes_back_as_it_was_written(tmp_path: Path) -> None:
    written = state(this_process())
    write_state(tmp_path, written)
    assert read_state(tmp_path) == written


def test_only_the_owner_may_read_state_and_folder(tmp_path: Path) -> None:
    write_state(tmp_path, state(this_process()))
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "run" / "state.json").stat().st_mode) == 0o600


def test_readiness_is_flipped_in_place(tmp_path: Path) -> None:
    write_state(tmp_path, state(this_process()))
    mark_ready(tmp_path, True)
    kept = read_state(tmp_path)
    assert kept is not None
    assert kept.ready


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"supervisor": {"pid": 1}}'])
def test_a_broken_state_file_is_not_a_state(tmp_path: Path, content: bytes) -> None:
    write_state(tmp_path, state(this_process()))
    (tmp_path / "run" / "state.json").write_bytes(content)
    assert read_state(tmp_path) is None


def test_a_reused_pid_is_not_taken_for_the_service(tmp_path: Path) -> None:
    me = this_process()
    write_state(tmp_path, state(Process(pid=me.pid, started=me.started - 1)))
    assert running_state(tmp_path) is None


def test_a_living_supervisor_is_a_running_service(tmp_path: Path) -> None:
    write_state(tmp_path, state(this_process()))
    assert running_state(tmp_path) is not None
    clear_state(tmp_path)
    assert running_state(tmp_path) is None


def test_a_process_that_ended_has_no_start_time() -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    assert start_time(child.pid) is None


def test_an_unreaped_process_counts_as_gone() -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert start_time(child.pid) is None
    child.wait()


def test_members_of_a_session_are_known_by_the_folder_they_work_in(tmp_path: Path) -> None:
    sleep = [sys.executable, "-c", "import time; print(flush=True); time.sleep(60)"]
    ours, stranger = (
        subprocess.Popen(sleep, cwd=scratch_folder(tmp_path / name), start_new_session=True, stdout=subprocess.PIPE)
        for name in ("a", "b")
    )
    try:
        for child in (ours, stranger):
            assert child.stdout is not None
            child.stdout.readline()
        assert [member.pid for member in session_members(ours.pid, tmp_path / "a")] == [ours.pid]
        assert session_members(stranger.pid, tmp_path / "a") == []
        assert session_members(os.getsid(0), tmp_path / "a") == []
    finally:
        for child in (ours, stranger):
            child.kill()
            child.communicate()


def test_two_commands_on_one_workdir_do_not_run_together(tmp_path: Path) -> None:
    with (
        exclusive(tmp_path, ServicePhase.STARTING),
        pytest.raises(ClusterBusy),
        exclusive(tmp_path, ServicePhase.STARTING),
    ):
        pass
    with exclusive(tmp_path, ServicePhase.STARTING):
        pass


def test_phase_is_that_of_the_command_at_work_and_else_of_the_service(tmp_path: Path) -> None:
    assert find_phase(tmp_path) is ServicePhase.DOWN
    for phase in (ServicePhase.STARTING, ServicePhase.STOPPING):
        with exclusive(tmp_path, phase):
            assert find_phase(tmp_path) is phase
    write_state(tmp_path, ServiceState(supervisor=this_process(), base_url="http://127.0.0.1:1"))
    assert find_phase(tmp_path) is ServicePhase.STARTING
    mark_ready(tmp_path, True)
    assert find_phase(tmp_path) is ServicePhase.UP
    mark_stopping(tmp_path)
    assert (find_phase(tmp_path), is_stopping(tmp_path)) == (ServicePhase.STOPPING, True)
    mark_ready(tmp_path, True)  # restarted
    assert (find_phase(tmp_path), is_stopping(tmp_path)) == (ServicePhase.UP, False)
