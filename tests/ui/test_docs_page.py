"""/docs works where nothing but this service can be reached, and asks for nothing from anywhere else."""

import hashlib
from collections.abc import Iterator

import httpx
import pytest

from quire.serve_apps.api.docs_page import FOLDER, POLICY, VERSION
from quire.storage.store import Store
from tests.api.harness import client_of, make_resources, serving
from tests.api.live import listening
from tests.ui.browser.chromium import Browser
from tests.waiting import PATIENCE_S

AS_PUBLISHED = {
    "swagger-ui-bundle.js": "e6a898692f2d768e807c3ba4626068a69a2c5dd960dd6c76f3e4d3a3de180af2",
    "swagger-ui.css": "5ed08757e53da3e026d6cbecc61fe5d43585c9560b302d534ad56692519a273d",
}
"""SHA-256 of the files of swagger-ui-dist 5.35.0."""


@pytest.fixture
def url(store: Store) -> Iterator[str]:
    with listening(make_resources(store)) as address:
        yield address


def test_the_page_shows_every_operation_under_its_own_policy(url: str, browser: Browser) -> None:
    browser.open(f"{url}/docs")
    browser.until("document.querySelectorAll('.opblock').length > 40")
    assert browser.run("document.querySelector('.info .title').innerText").startswith("Quire")
    browser.run("document.querySelector('.opblock-summary-control').click()")
    browser.until(
        "document.querySelector('.opblock.is-open .parameters, .opblock.is-open .responses-wrapper') !== null"
    )
    assert loaded_from(browser) == {url}
    assert browser.problems == []


def loaded_from(browser: Browser) -> set[str]:
    """The origins of everything the page fetched."""
    origins: list[str] = browser.run(
        "performance.getEntriesByType('resource').map(entry => entry.name).filter(name => !name.startsWith('data:'))"
        ".map(name => new URL(name).origin)"
    )
    return set(origins)


async def test_the_page_and_its_files_are_whole_and_name_no_other_host(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app, None) as anybody:
        page = await anybody.get("/docs")
        assert (page.status_code, page.headers["content-security-policy"]) == (200, POLICY)
        assert "//" not in page.text.replace("<!doctype html>", "")
        for name in ("swagger-ui-bundle.js", "start.js", "swagger-ui.css"):
            assert f"docs/{VERSION}/{name}" in page.text
            file = await anybody.get(f"/docs/{VERSION}/{name}")
            assert (file.status_code, "immutable" in file.headers["cache-control"]) == (200, True)
        for wrong in (f"/docs/{VERSION}/LICENSE", "/docs/1.0.0/start.js", f"/docs/{VERSION}/..%2fapp.py"):
            assert (await anybody.get(wrong)).status_code == 404, wrong
        assert "/docs" not in str((await anybody.get("/openapi.json")).json()["paths"].keys())


@pytest.mark.parametrize("name", AS_PUBLISHED)
def test_the_files_are_those_that_were_published(name: str) -> None:
    assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == AS_PUBLISHED[name]
    assert "Apache License" in (FOLDER / "LICENSE").read_text()


def test_a_stranger_gets_the_page_packed(url: str) -> None:
    answer = httpx.get(
        f"{url}/docs/{VERSION}/swagger-ui-bundle.js", headers={"Accept-Encoding": "gzip"}, timeout=PATIENCE_S
    )
    assert answer.headers["content-encoding"] == "gzip"
    assert hashlib.sha256(answer.content).hexdigest() == AS_PUBLISHED["swagger-ui-bundle.js"]
