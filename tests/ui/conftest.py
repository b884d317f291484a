"""A browser without a screen: forms, cookies and pages through HTTP, as a tenant's writer."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import pytest
from fastapi import FastAPI

from quire.serve_apps.access.default_token import DefaultToken
from quire.serve_apps.access.keys import KeyRing, default_key
from quire.storage.store import Store
from tests.api.harness import make_resources, reading, serving

SITE = "http://quire.test"
SAME_SITE = {"Sec-Fetch-Site": "same-origin", "Origin": SITE}


@dataclass
class Visitor:
    """Keeps cookies; sends what a browser sends from a page of this site."""

    http: httpx.AsyncClient
    csrf: str = ""

    async def sign_in(self, key: str = "acme-write", **fields: str) -> httpx.Response:
        form = await self.http.get("/ui/login")
        found = re.search(r'name="token" value="([^"]+)"', form.text)
        assert found
        answer = await self.http.post("/ui/login", data={"token": found[1], "key": key, **fields}, headers=SAME_SITE)
        if answer.status_code == 303:
            found = re.search(r'<meta name="csrf" content="(\w+)"', (await self.http.get("/ui")).text)
            assert found
            self.csrf = found[1]
        return answer

    async def upload(self, *files: tuple[str, bytes]) -> dict[str, object]:
        parts = [("files", (name, content, "application/octet-stream")) for name, content in files]
        headers = SAME_SITE | {"X-CSRF-Token": self.csrf}
        answer = await self.http.post("/ui/v1/jobs", files=parts, headers=headers)
        assert answer.status_code == 201, answer.text
        job: dict[str, object] = answer.json()
        return job


def visitor_of(app: FastAPI, peer: str = "203.0.113.7", site: str = SITE) -> Visitor:
    transport = httpx.ASGITransport(app, client=(peer, 4711))
    return Visitor(httpx.AsyncClient(transport=transport, base_url=site))


@pytest.fixture
async def app(store: Store, dsn: str) -> AsyncIterator[FastAPI]:
    async with serving(make_resources(store, dsn=dsn)) as running:
        with reading(store):
            yield running


@pytest.fixture
async def visitor(app: FastAPI) -> AsyncIterator[Visitor]:
    """Signed in as acme's writer."""
    one = visitor_of(app)
    async with one.http:
        assert (await one.sign_in()).status_code == 303
        yield one


@pytest.fixture
async def token_app(store: Store) -> AsyncIterator[FastAPI]:
    """A service without operator keys."""
    keys = KeyRing([default_key("quire_token")])
    async with serving(make_resources(store, keys=keys, default_token=DefaultToken("quire_token"))) as running:
        yield running
