"""The background deployment: one process for loops, pages on demand and index writes."""

import asyncio
import threading
import warnings
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.waiting import PATIENCE_S

with warnings.catch_warnings():  # Ray's own, at import
    warnings.simplefilter("ignore")
    from quire.serve_apps import deployments


Background: Any = cast(Any, deployments.Background).func_or_class


class Stopped(Background):  # type: ignore[misc]
    """Serve awaits `__del__`; the garbage collector of a test must not call it."""

    def __del__(self) -> None:
        return


class FakeLoops:
    def __init__(self) -> None:
        self.calls: list[str] = []
        self.is_healthy = True

    def start(self) -> None:
        self.calls.append("start")

    def healthy(self) -> bool:
        return self.is_healthy

    def drain(self, timeout_s: float) -> bool:
        self.calls.append("drain")
        return True


def make_background(loops: FakeLoops, write: Any = None) -> Any:
    on_demand = SimpleNamespace(
        start=lambda: loops.calls.append("start on demand"),
        render=lambda *values: ("picture", *values),
        close=lambda: loops.calls.append("close on demand"),
    )
    work = deployments.BackgroundWork(
        loops, cast(Any, on_demand), cast(Any, SimpleNamespace(write=write) if write else None)
    )
    return Stopped(lambda: work)


async def test_background_answers_pictures_while_every_write_thread_waits() -> None:
    released = threading.Event()
    background = make_background(FakeLoops(), lambda documents, urgent: released.wait(PATIENCE_S))
    writes = [asyncio.ensure_future(background.write([], False)) for _ in range(deployments.INDEX_WRITER_CALLS + 1)]
    try:
        assert await asyncio.wait_for(background.render("key", 1), PATIENCE_S) == ("picture", "key", 1)
        assert not any(write.done() for write in writes)
    finally:
        released.set()
        await asyncio.gather(*writes)


async def test_background_is_unhealthy_when_a_loop_ended() -> None:
    loops = FakeLoops()
    background = make_background(loops)
    await background.check_health()
    loops.is_healthy = False
    with pytest.raises(RuntimeError, match="loop ended"):
        await background.check_health()


async def test_background_drains_its_loops_and_closes_the_sandboxes() -> None:
    loops = FakeLoops()
    background = make_background(loops)
    assert loops.calls == ["start", "start on demand"]
    await Background.__del__(background)
    assert set(loops.calls[2:]) == {"drain", "close on demand"}
