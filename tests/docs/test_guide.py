"""The guide: every page is served, in the contents, and every link leads somewhere."""

import re
from collections.abc import AsyncIterator

import httpx
import pytest

from serve_apps.guide.contents import CONTENTS, DOCS, GENERATED
from serve_apps.guide.site import POLICY, is_page
from storage.store import Store
from tests.api.harness import client_of, make_resources, serving

PAGES = [name for pages in CONTENTS.values() for name in pages]


@pytest.fixture
async def reader(store: Store) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client without a key."""
    async with serving(make_resources(store)) as app, client_of(app, "") as client:
        yield client


async def test_the_guide_opens_on_its_first_page(reader: httpx.AsyncClient) -> None:
    for path in ("/guide", "/guide/"):
        answer = await reader.get(path)
        assert (answer.status_code, answer.headers["location"]) == (307, "/guide/get-started")


@pytest.mark.parametrize("name", PAGES)
async def test_every_page_of_the_contents_is_there(reader: httpx.AsyncClient, name: str) -> None:
    answer = await reader.get(f"/guide/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-security-policy"] == POLICY
    assert "<h1" in answer.text
    assert f'href="/guide/{name}" aria-current=page' in answer.text


async def test_every_link_and_picture_leads_somewhere(reader: httpx.AsyncClient) -> None:
    broken = []
    decisions = [f"decisions/{path.stem}" for path in sorted((DOCS / "decisions").glob("0*.md"))]
    texts = {name: (await reader.get(f"/guide/{name}")).text for name in [*PAGES, *decisions]}
    for name, text in texts.items():
        for target in re.findall(r'(?:href|src)="(/guide/[^"]+|#[^"]+)"', text):
            page, _, place = target.removeprefix("/guide/").partition("#")
            shown = texts.get(page or name) or (await reader.get(f"/guide/{page}")).text
            if "There is no such page" in shown or (place and f'id="{place}"' not in shown):
                broken.append(f"{name}: {target}")
    assert broken == []


def test_contents_list_every_file_of_the_documentation() -> None:
    files = [*DOCS.glob("*.md"), *DOCS.glob("design/*.md"), DOCS / "decisions" / "README.md"]
    names = sorted(path.relative_to(DOCS).with_suffix("").as_posix() for path in files)
    assert names == sorted(set(PAGES) - {GENERATED})


def test_links_of_the_readme_lead_to_files() -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", (DOCS.parent / "README.md").read_text())
    assert [target for target in targets if not (DOCS.parent / target).exists()] == []


async def test_every_operation_stands_in_the_reference(reader: httpx.AsyncClient) -> None:
    text = (await reader.get("/guide/operations")).text
    document = (await reader.get("/openapi.json")).json()
    for path, methods in document["paths"].items():
        for method in methods:
            assert f">{method.upper()} {path}</h2>" in text


@pytest.mark.parametrize("name", ["nothing", "../README", "decisions/../../README", "%2e%2e/pyproject.toml", "api.md"])
async def test_nothing_else_is_served(reader: httpx.AsyncClient, name: str) -> None:
    assert not is_page(name)
    assert (await reader.get(f"/guide/{name}")).status_code == 404
