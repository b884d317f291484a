"""A console in front of a real engine on loopback: accounts, tokens, and ways to let time pass."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from quire.cluster.serve.console_ports import ConsoleDatabase, ConsoleReceivers
from quire.serve_apps.console.app import create_console
from quire.serve_apps.console.context.passwords import Passwords
from quire.serve_apps.console.context.resources import ConsoleResources
from quire.serve_apps.console.sending.watcher import Watcher
from quire.storage.store import Store
from quire.storage.webhooks.egress import Egress
from tests.api.harness import make_resources
from tests.api.live import listening
from tests.ui.papers import PATTERN_SCAN
from tests.waiting import PATIENCE_S

ENGINE_KEY = "zeta-all"
QUICK = Passwords(cost=1 << 4, lanes=1)
PASSWORD = "correct horse battery"


@contextmanager
def an_engine(store: Store, dsn: str) -> Iterator[str]:
    """The real API behind a socket; nothing reads unless a test lets it."""
    with listening(make_resources(store, dsn=dsn, redaction_scan=PATTERN_SCAN)) as url:
        yield url


def resources_of(store: Store, engine_url: str, folder: Path, **changes: Any) -> ConsoleResources:
    values: dict[str, Any] = {
        "engine_url": engine_url,
        "engine_key": ENGINE_KEY,
        "spool": folder / "spool",
        "passwords": QUICK,
        "allowed_hosts": ("console.test",),
        "database": ConsoleDatabase(store.db),
    }
    egress = changes.pop("egress", Egress(allow=["127.0.0.1"]))
    values["receivers"] = ConsoleReceivers(store, egress)
    return ConsoleResources(**(values | changes))


@asynccontextmanager
async def a_console(resources: ConsoleResources) -> AsyncIterator[FastAPI]:
    app = create_console(resources)
    async with app.router.lifespan_context(app):
        yield app


def browser(app: FastAPI) -> httpx.AsyncClient:
    """Keeps cookies as a browser does; names no origin, as programs do."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=True)
    return httpx.AsyncClient(transport=transport, base_url="http://console.test")


def caller(app: FastAPI, token: str | None, **headers: str) -> httpx.AsyncClient:
    """A program with an access token."""
    sent = headers | ({"X-API-Key": token} if token else {})
    transport = httpx.ASGITransport(app, raise_app_exceptions=True)
    return httpx.AsyncClient(transport=transport, base_url="http://console.test", headers=sent)


@dataclass
class Person:
    """A signed-up user with a token."""

    pages: httpx.AsyncClient
    api: httpx.AsyncClient
    token: str


async def sign_up(app: FastAPI, email: str = "ann@example.org") -> Person:
    pages = browser(app)
    answer = await pages.post("/sign-up", data={"email": email, "password": PASSWORD})
    assert answer.status_code == 303, answer.text
    made = await pages.post("/api/tokens", json={"name": "first"})
    assert made.status_code == 201, made.text
    token = made.json()["token"]
    return Person(pages, caller(app, token), token)


async def csrf_of(pages: httpx.AsyncClient) -> str:
    found = re.search(r'data-csrf="([0-9a-f]+)"', (await pages.get("/tokens")).text)
    assert found is not None
    return found[1]


def watch(store: Store, engine_url: str) -> int:
    """One pass of the watcher over everything, due or not."""
    with store.db.transaction() as conn:
        conn.execute("update console_submissions set look_at = clock_timestamp() where state in ('sending', 'open')")
    watcher = Watcher(store.db, engine_url, ENGINE_KEY)
    try:
        return watcher.turn()
    finally:
        watcher.drain(PATIENCE_S)
