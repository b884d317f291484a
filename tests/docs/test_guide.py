"""The guide: MkDocs builds it without a warning, every page is served, and it asks nothing of other hosts."""

import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from quire.serve_apps.clients.generate import describe_service
from quire.serve_apps.guide.site import GuideFiles, policy_of
from quire.storage.store import Store
from tests.api.harness import client_of, make_resources, serving

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make guide` builds it; a warning about a link, an anchor or the contents is an error."""
    folder = tmp_path_factory.mktemp("guide") / "built"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    build = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    )
    assert build.returncode == 0, build.stderr
    return folder


@pytest.fixture
async def reader(store: Store, site: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client without a key."""
    monkeypatch.setattr("quire.serve_apps.guide.site.BUILT", site)
    async with serving(make_resources(store)) as app, client_of(app, None) as client:
        client.follow_redirects = True
        yield client


async def test_every_page_of_the_documentation_is_served(reader: httpx.AsyncClient, site: Path) -> None:
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).with_suffix("").as_posix()
        if name.startswith(("examples/", "sample/")):
            continue
        folder = "" if name == "index" else re.sub(r"(^|/)(README|index)$", r"\1", name)
        answer = await reader.get(f"/guide/{folder}")
        assert (answer.status_code, "<h1" in answer.text) == (200, True), name
        assert answer.headers["content-security-policy"] == policy_of(site / folder / "index.html")


async def test_unchanged_page_keeps_its_policy(reader: httpx.AsyncClient, site: Path) -> None:
    etag = (await reader.get("/guide/cli/")).headers["etag"]
    again = await reader.get("/guide/cli/", headers={"If-None-Match": etag})
    assert (again.status_code, "'sha256-" in policy_of(site / "cli" / "index.html")) == (304, True)
    assert again.headers["content-security-policy"] == policy_of(site / "cli" / "index.html")


async def test_address_without_a_slash_leads_to_the_first_page(reader: httpx.AsyncClient) -> None:
    answer = await reader.get("/guide")
    assert (answer.status_code, answer.url.path, "Where to start" in answer.text) == (200, "/guide/", True)


async def test_every_operation_is_in_the_reference(reader: httpx.AsyncClient) -> None:
    text = (await reader.get("/guide/operations")).text
    for path, methods in describe_service()["paths"].items():
        for method in methods:
            assert f">{method.upper()} {path}<" in text


async def test_pages_load_nothing_from_other_hosts(reader: httpx.AsyncClient, site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = re.findall(r'(?:src|srcset)="([^"]+)"|<link[^>]+href="([^"]+)"', page.read_text())
        outside = [address for pair in loaded for address in pair if re.match("[a-z]+://|//", address)]
        assert outside == [], page


def test_search_has_pages_for_users_only(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text())
    found = {entry["location"].partition("/")[0] for entry in index["docs"]}
    assert {"cli", "pii", "tutorial", "settings", "operations"} <= found
    assert not {"decisions", "design"} & found


async def test_search_index_and_scripts_are_served(reader: httpx.AsyncClient, site: Path) -> None:
    index = (await reader.get("/guide/search/search_index.json")).json()
    assert any("fine-tune" in entry["text"] for entry in index["docs"])
    for script in site.rglob("*.js"):
        assert (await reader.get(f"/guide/{script.relative_to(site).as_posix()}")).status_code == 200


@pytest.mark.parametrize("name", ["nothing", "../README.md", "%2e%2e/site.py", "%2e%2e%2f%2e%2e%2fpyproject.toml"])
async def test_other_files_are_not_served(reader: httpx.AsyncClient, name: str) -> None:
    answer = await reader.get(f"/guide/{name}")
    assert (answer.status_code, "default-src 'none'" in answer.headers["content-security-policy"]) == (404, True)


async def test_guide_that_is_not_built_names_the_command(tmp_path: Path) -> None:
    files = GuideFiles(directory=tmp_path / "missing", html=True, check_dir=False)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(files), base_url="http://guide") as client:
        answer = await client.get("/")
    assert (answer.status_code, "make guide" in answer.text) == (404, True)


def test_links_of_the_readme_lead_to_files() -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", (DOCS.parent / "README.md").read_text())
    assert [target for target in targets if not (DOCS.parent / target).exists()] == []
