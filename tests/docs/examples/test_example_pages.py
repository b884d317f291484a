"""The code of the pages below docs/examples runs against the service; frameworks are stand-ins (`run_example`)."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from quire.storage.store import Store
from tests.api.harness import make_resources
from tests.api.live import listening
from tests.docs.examples.run_example import EXAMPLES
from tests.ui.papers import LetterReader

pytestmark = pytest.mark.long
ROOT = EXAMPLES.parents[1]
SAMPLE = ROOT / "docs" / "sample" / "quire-sample.pdf"
PAGES = ("airflow", "dagster", "jupyter", "n8n", "prefect")


@pytest.fixture
def url(store: Store, dsn: str) -> Iterator[str]:
    reader = LetterReader(store)
    thread = threading.Thread(target=reader.run)
    thread.start()
    try:
        with listening(make_resources(store, dsn=dsn)) as address:
            yield address
    finally:
        reader.stopping.set()
        thread.join()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of papers, and one next to the notebook."""
    (tmp_path / "papers").mkdir()
    for name in ("papers/first.pdf", "papers/second.pdf", "report.pdf"):
        shutil.copy(SAMPLE, tmp_path / name)
    return tmp_path


def run(page: str, url: str, folder: Path) -> str:
    paths = [ROOT, ROOT / "serve_apps" / "clients" / "python"]
    own = {"QUIRE_URL": url, "QUIRE_TOKEN": "acme-write", "PYTHONPATH": ":".join(map(str, paths))}
    command = [sys.executable, "-m", "tests.docs.examples.run_example", page]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | own, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("page", ["prefect", "airflow"])
def test_flow_writes_markdown_of_each_document(page: str, url: str, folder: Path) -> None:
    run(page, url, folder)
    written = sorted((folder / "markdown").iterdir())
    assert [path.name for path in written] == ["first.md", "second.md"]
    assert all(path.read_text().startswith("# ") for path in written)


def test_dagster_assets_hold_all_passages(url: str, folder: Path) -> None:
    metadata = json.loads(run("dagster", url, folder))
    lines = [json.loads(line) for line in (folder / "passages.jsonl").read_text().splitlines()]
    assert metadata == {"documents": 2, "passages": len(lines)}
    assert len({line["document_id"] for line in lines}) == 2


def test_notebook_shows_pages_tables_and_passages(url: str, folder: Path) -> None:
    shown = run("jupyter", url, folder)
    assert "<table" in shown
    assert "section_path" not in shown
    assert "'heading', 1, (" in shown


def test_n8n_workflow_ends_with_the_markdown(url: str) -> None:
    workflow = json.loads((EXAMPLES / "n8n" / "quire.json").read_text())
    nodes = {node["name"]: node for node in workflow["nodes"]}
    assert nodes["Read file"]["type"] == "n8n-nodes-base.readWriteFile"
    name, item = "Read file", dict[str, object]()
    while following := workflow["connections"].get(name):
        ((link,),) = following["main"]
        name = link["node"]
        answer = send(nodes[name]["parameters"], item, url)
        item = answer.json() if "json" in answer.headers["content-type"] else {"data": answer.text}
    assert name == "Get Markdown"
    assert str(item["data"]).startswith("# ")


def send(parameters: dict[str, Any], item: dict[str, object], url: str) -> httpx.Response:
    """Send the request of a node with n8n's expressions filled in."""
    environment = {"QUIRE_URL": url, "QUIRE_TOKEN": "acme-write"}

    def fill(text: str) -> str:
        return re.sub(r"\{\{ (.+?) \}\}", lambda match: value_of(match[1]), text.removeprefix("="))

    def value_of(expression: str) -> str:
        kind, *path = re.findall(r"\w+", expression)
        value: object = environment if kind == "env" else item
        for step in path:
            value = value[int(step)] if isinstance(value, list) else value[step]  # type: ignore[index]
        return str(value)

    headers = parameters["headerParameters"]["parameters"]
    body = parameters.get("bodyParameters", {"parameters": []})["parameters"]
    files = {part["name"]: ("report.pdf", SAMPLE.read_bytes(), "application/pdf") for part in body}
    answer = httpx.request(
        str(parameters["method"]),
        fill(str(parameters["url"])),
        headers={header["name"]: fill(header["value"]) for header in headers},
        files=files or None,
        timeout=100,
    )
    assert answer.is_success, answer.text
    return answer


@pytest.mark.parametrize("page", PAGES)
def test_page_names_its_code(page: str) -> None:
    text = (EXAMPLES / page / "README.md").read_text()
    code = [path.name for path in (EXAMPLES / page).iterdir() if path.name not in ("README.md", "__pycache__")]
    assert code
    assert all(f"`{name}`" in text for name in code)
    assert f"examples/{page}" in (ROOT / "docs" / "use-with.md").read_text()
