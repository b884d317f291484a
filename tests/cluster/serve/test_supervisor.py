"""Restarts of a dead head: counted in a row, reset after a steady time, ended when none holds."""

import signal
import warnings
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from quire.cluster.errors import HeadFailed, StartFailed
from quire.cluster.serve import supervisor
from quire.cluster.serve.supervisor import RESTARTS, Supervisor, restarts, start_again

with warnings.catch_warnings():  # Ray's own, at import
    warnings.simplefilter("ignore")
    from quire.cluster.serve import node


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
    assert started[0][1:] == ["-m", "quire.cluster.serve.supervisor"]


class Again(Exception):
    """Instead of the exec."""


def supervise(
    monkeypatch: pytest.MonkeyPatch, workdir: Path, failure: Exception, *, asked_to_stop: bool = False
) -> None:
    """A service whose head does not come up, or is asked to stop before it does."""

    def deploy() -> None:
        if asked_to_stop:
            signal.raise_signal(signal.SIGTERM)
        raise failure

    def begin_anew(died: str, ran_s: float) -> None:
        raise Again(died)

    monkeypatch.setattr(node, "Head", lambda *_: SimpleNamespace(start=lambda: None, deploy=deploy))
    monkeypatch.setattr(supervisor, "start_again", begin_anew)
    settings = SimpleNamespace(workdir=workdir, database_url="postgresql:///quire")
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        Supervisor(cast(Any, SimpleNamespace(settings=settings)), cast(Any, SimpleNamespace(ports={}))).run()
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def test_a_first_start_that_was_too_slow_for_ray_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(RESTARTS, raising=False)
    with pytest.raises(Again, match="the head while starting"):
        supervise(monkeypatch, tmp_path, HeadFailed("the raylet ended"))


def test_a_first_start_that_fails_otherwise_says_so_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(RESTARTS, raising=False)
    with pytest.raises(StartFailed, match="no room"):
        supervise(monkeypatch, tmp_path, StartFailed("no room"))


def test_service_that_ran_before_restarts_after_any_failed_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(RESTARTS, "1")
    with pytest.raises(Again):
        supervise(monkeypatch, tmp_path, StartFailed("the API did not answer in time"))


def test_service_asked_to_stop_during_its_start_does_not_restart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(RESTARTS, "1")
    with pytest.raises(StartFailed, match="no room"):
        supervise(monkeypatch, tmp_path, StartFailed("no room"), asked_to_stop=True)


def test_service_asked_to_stop_ends_its_database_before_clearing_its_state(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls = list[str]()

    def fake(*names: str) -> SimpleNamespace:
        return SimpleNamespace(**{name: partial(calls.append, f"{names[0]} {name}") for name in names[1:]})

    monkeypatch.setattr(node, "Head", lambda *_: fake("head", "stop"))
    monkeypatch.setattr(supervisor, "EmbeddedPostgres", lambda _: fake("database", "stop"))
    monkeypatch.setattr(supervisor, "clear_state", lambda _: calls.append("state cleared"))
    settings = SimpleNamespace(workdir=tmp_path, database_url=None)
    service = Supervisor(cast(Any, SimpleNamespace(settings=settings)), cast(Any, SimpleNamespace(ports={})))
    monkeypatch.setattr(service, "_start", service._stop.set)
    assert service.run() == 0
    assert calls == ["head stop", "database stop", "state cleared"]
