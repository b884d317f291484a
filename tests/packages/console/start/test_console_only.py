"""A console in front of a remote engine: own database, own loops, no Ray, and a separate process."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import httpx
import pytest
from psycopg.conninfo import conninfo_to_dict

from quire.cluster.errors import StartRefused
from quire.cluster.machine.ports import is_free
from quire.cluster.start.console_only import make_console_alone, prepare_console
from quire.configs.parsing import parse_settings
from quire.storage.store import Store
from tests.api.harness import PDF, files, make_resources, reading
from tests.api.live import listening
from tests.packages.console.harness import ENGINE_KEY, PASSWORD
from tests.postgres import TestServer
from tests.storage.receivers import receiving
from tests.waiting import PATIENCE_S, START_S, until

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def engine_url(store: Store, dsn: str) -> Iterator[str]:
    with listening(make_resources(store, dsn=dsn)) as url, reading(store):
        yield url


@pytest.fixture
def other_dsn(postgres_server: TestServer) -> Iterator[str]:
    """The console's own database; the engine's is another one."""
    with postgres_server.database() as dsn:
        parts = conninfo_to_dict(dsn)
        where = urlencode({"host": parts["host"]})
        yield f"postgresql://{parts['user']}:{quote(str(parts['password']))}@/{parts['dbname']}?{where}"


def environment(engine_url: str, workdir: Path, dsn: str, **more: str) -> dict[str, str]:
    return {
        "SVC_CONSOLE_ENGINE": engine_url,
        "SVC_CONSOLE_KEY": ENGINE_KEY,
        "SVC_WORKDIR": str(workdir),
        "SVC_DATABASE_URL": dsn,
        "SVC_WEBHOOK_ALLOW": "127.0.0.1",
        **more,
    }


async def test_console_watches_and_delivers_by_itself(engine_url: str, other_dsn: str, tmp_path: Path) -> None:
    port = next(port for port in range(18700, 18800) if is_free(port))
    variables = environment(engine_url, tmp_path / "console", other_dsn) | {"SVC_PORT": str(port)}
    runtime = prepare_console(parse_settings(variables))
    app = make_console_alone(runtime)
    transport = httpx.ASGITransport(app)
    with receiving() as receiver:
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://console.test") as pages,
        ):
            await pages.post("/sign-up", data={"email": "a@b.c", "password": PASSWORD})
            assert (await pages.post("/api/webhooks", json={"url": receiver.url})).status_code == 201
            job = (await pages.post("/api/jobs", files=files(PDF))).json()
            deadline = time.monotonic() + PATIENCE_S
            while not receiver.got and time.monotonic() < deadline:
                await pages.get(f"/api/jobs/{job['id']}?wait=1")
    assert json.loads(receiver.got[0].body)["job_id"] == job["id"]


def test_console_is_refused_without_an_engine_or_next_to_a_whole_service(tmp_path: Path) -> None:
    with pytest.raises(StartRefused, match="SVC_CONSOLE_ENGINE"):
        prepare_console(parse_settings({"SVC_WORKDIR": str(tmp_path)}))


def test_console_runs_as_a_process_and_ends_on_a_signal(engine_url: str, other_dsn: str, tmp_path: Path) -> None:
    port = next(port for port in range(18700, 18800) if is_free(port))
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("SVC_", "RAY_"))}
    command = [sys.executable, "-m", "quire.cluster.cli.main", "console", "serve", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env=kept | environment(engine_url, tmp_path / "w", other_dsn))
    try:
        url = f"http://127.0.0.1:{port}"
        assert until(lambda: process.poll() is not None or _answers(url), START_S)
        assert process.poll() is None
        assert httpx.get(f"{url}/v1/usage", timeout=PATIENCE_S).status_code == 401
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) in (0, -signal.SIGTERM)
    finally:
        process.kill()
        process.wait()


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", timeout=PATIENCE_S).status_code == 200
    except httpx.TransportError:
        return False
