"""The replica of the GPU tier: an engine that does not start, starts later, and is asked while it is missing."""

from typing import Any

import pytest

from quire.models.cdom.errors import MlUnavailable
from quire.models.cdom.ports import PortUnavailable
from quire.serve_apps import deployments


class Reader:
    """A reader whose engine works."""

    fault: str | None = None

    def transcribe(self, *values: Any) -> str:
        return "page"

    def healthy(self) -> bool:
        return True

    def close(self) -> None:
        pass


class Shown:
    """What health would show."""

    text = ""

    def write(self, text: str) -> None:
        self.text = text


@pytest.fixture
def replica(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A replica whose engine fails at the first start only."""
    failures = [MlUnavailable("neither vllm nor transformers is installed")]

    def build() -> Reader:
        if failures:
            raise failures.pop()
        return Reader()

    monkeypatch.setattr(deployments, "VlmFault", Shown)
    ended = {"__del__": lambda _: None}  # Serve awaits it; here it would be a coroutine that nobody awaits
    return type("Replica", (deployments.VlmOcr.func_or_class,), ended)(build)  # type: ignore[attr-defined]


async def test_replica_without_an_engine_refuses_pages_with_the_reason(replica: Any) -> None:
    with pytest.raises(PortUnavailable, match="neither vllm nor transformers"):
        await replica.transcribe("page")
    await replica.check_health()
    assert "neither vllm" in replica._shown.text


async def test_missing_engine_is_started_again(replica: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    replica._retry_at = 0.0
    await replica.check_health()
    assert await replica.transcribe("page") == "page"
    await replica.check_health()
    assert replica._shown.text == ""
