"""Restarts of a dead head: counted in a row, forgotten after a steady time, ended when they never hold."""

import pytest

from cluster.errors import StartFailed
from cluster.serve.supervisor import RESTARTS, restarts, start_again


def test_restarts_in_a_row_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RESTARTS, "3")
    assert restarts(5.0) == 4


def test_a_head_that_lived_long_begins_a_new_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RESTARTS, "19")
    assert restarts(3600.0) == 1


def test_a_head_that_never_holds_ends_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RESTARTS, "20")
    with pytest.raises(StartFailed, match="gcs_server died 21 times"):
        start_again("gcs_server", 1.0)


def test_the_same_process_starts_again_after_a_growing_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    paused, started = list[float](), list[list[str]]()
    monkeypatch.setenv(RESTARTS, "2")
    monkeypatch.setattr("time.sleep", paused.append)
    monkeypatch.setattr("os.execv", lambda program, arguments: started.append(arguments))
    start_again("raylet", 1.0)
    assert paused == [4.0]
    assert started[0][1:] == ["-m", "cluster.serve.supervisor"]
