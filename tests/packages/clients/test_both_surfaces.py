"""One program of the Python client for engine and console: only base URL and token differ."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from quire.serve_apps.api.context.resources import Ports
from quire.serve_apps.console.app import create_console
from quire.serve_apps.console.sending.watcher import Watcher
from quire.storage.store import Store
from tests.api.harness import PDF, make_resources, reading
from tests.api.live import listening, listening_app
from tests.packages.clients.program import run
from tests.packages.console.harness import ENGINE_KEY, PASSWORD, resources_of
from tests.packages.console.test_both_surfaces import EverySucceeded
from tests.ui.papers import PATTERN_SCAN
from tests.waiting import PATIENCE_S


@pytest.fixture
def engine_url(store: Store, dsn: str) -> Iterator[str]:
    resources = make_resources(store, dsn=dsn, ports=Ports(search=EverySucceeded(store)), redaction_scan=PATTERN_SCAN)
    with listening(resources) as url, reading(store):
        yield url


@pytest.fixture(params=["engine", "console"])
def surface(request: pytest.FixtureRequest, store: Store, engine_url: str, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Base URL and token."""
    if request.param == "engine":
        yield engine_url, "acme-write"
        return
    workers = (Watcher(store.db, engine_url, ENGINE_KEY),)
    with listening_app(create_console(resources_of(store, engine_url, tmp_path, workers=workers))) as url:
        with httpx.Client(base_url=url, timeout=PATIENCE_S) as pages:
            pages.post("/sign-up", data={"email": "ann@example.org", "password": PASSWORD})
            token = pages.post("/api/tokens", json={"name": "program"}).json()["token"]
        yield url, token


def test_the_program_runs(surface: tuple[str, str], tmp_path: Path) -> None:
    paper = tmp_path / "paper.pdf"
    paper.write_bytes(PDF)
    assert run(*surface, paper) == ["Hello", "Hello"]
