"""The service behind a reverse proxy that publishes it under a path prefix."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from quire.serve_apps.api.app import create_app
from quire.serve_apps.api.context.resources import ApiLimits
from quire.serve_apps.ui.browser.visit import FILES
from quire.storage.store import Store
from tests.api.harness import PDF, files, make_resources

PREFIX = "/tools/quire"
STATIC = [f"/ui/static/{FILES.version}/{name}" for name in ("app.js", "upload.js")]


@pytest.fixture
async def http(
    store: Store, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[httpx.AsyncClient]:
    monkeypatch.setattr("quire.serve_apps.guide.site.BUILT", tmp_path / "guide")
    app = create_app(make_resources(store, dsn=dsn, limits=ApiLimits(root_path=PREFIX)))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        headers = {"X-API-Key": "acme-write"}
        async with httpx.AsyncClient(transport=transport, base_url="http://quire.test", headers=headers) as client:
            yield client


@pytest.mark.parametrize("kept", ["", PREFIX])
async def test_prefix_may_be_removed_or_kept_by_the_proxy(http: httpx.AsyncClient, kept: str) -> None:
    made = await http.post(f"{kept}/v1/jobs", files=files(PDF))
    assert made.status_code == 201
    assert made.headers["location"] == f"{PREFIX}/v1/jobs/{made.json()['id']}"
    assert (await http.get(made.headers["location"])).json()["id"] == made.json()["id"]


@pytest.mark.parametrize("page", ["/ui/login", *STATIC])
async def test_links_of_pages_and_scripts_carry_the_prefix(http: httpx.AsyncClient, page: str) -> None:
    text = (await http.get(page)).text
    assert f"{PREFIX}/ui" in text
    assert re.findall(r"""["'`]/(?:ui|v1|guide|docs)\b""", text) == []


async def test_guide_is_unchanged_and_its_redirects_carry_the_prefix(http: httpx.AsyncClient, tmp_path: Path) -> None:
    page = tmp_path / "guide" / "cli" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text('<script>part = path.split("/")</script>')
    moved = await http.get("/guide/cli", follow_redirects=False)
    assert moved.headers["location"] == f"{PREFIX}/guide/cli/"
    assert (await http.get(moved.headers["location"])).text == page.read_text()


async def test_redirects_and_the_description_carry_the_prefix(http: httpx.AsyncClient) -> None:
    moved = await http.get("/ui", follow_redirects=False)
    assert moved.headers["location"].startswith(f"{PREFIX}/ui/login")
    assert (await http.get("/openapi.json")).json()["servers"] == [{"url": PREFIX}]


async def test_path_that_only_begins_like_the_prefix_is_not_served(http: httpx.AsyncClient) -> None:
    assert (await http.get(f"{PREFIX}x/v1/jobs")).status_code == 404
