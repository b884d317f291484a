"""Search in a running service: found in every way, gone at once, nothing lost or doubled when its replicas die."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from quire.cluster.state import Process, session_members
from tests.e2e.papers import paper
from tests.e2e.service import Service
from tests.lab.bench.client import form
from tests.waiting import until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
ROOT = Path(__file__).resolve().parents[2]
MODES = ("vector", "fts", "hybrid")
EMBEDDER, WRITER = "ServeReplica:api:embedder", "ServeReplica:api:background"


@pytest.fixture(scope="module")
def killed(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Process:
    """The supervisor that was killed; the service is up again, from here on with a search index.

    Documents of earlier tests are deleted first, because the index would take them in.
    """
    for job in service.client.json("GET", "/v1/jobs?limit=200"):
        remove(service, job["id"])
    old = service.state.supervisor
    os.kill(old.pid, signal.SIGKILL)
    assert until(lambda: not old.alive())
    index = str(tmp_path_factory.mktemp("index"))
    service.quire("up", "--detach", "--port", str(service.port), SVC_RAG_DB=index, SVC_WEBHOOK_ALLOW="127.0.0.1")
    return old


@pytest.fixture
def searching(service: Service, killed: Process) -> Service:
    """The service with its index."""
    assert not killed.alive()
    return service


def remove(service: Service, job: str) -> None:
    with closing(service.client.connect()) as connection:
        assert service.client.call(connection, "DELETE", f"/v1/jobs/{job}")[0] == 204


def ask(service: Service, q: str, mode: str, limit: int = 5) -> list[dict[str, Any]]:
    hits: list[dict[str, Any]] = service.client.json("GET", f"/v1/search?q={quote(q)}&mode={mode}&limit={limit}")
    return hits


def test_a_killed_supervisor_is_cleaned_up_after_by_the_next_up(searching: Service, killed: Process) -> None:
    assert session_members(killed.pid, searching.workdir) == []
    assert searching.client.json("GET", "/v1/stats")["my_jobs"]["running"] == 0


@pytest.fixture
def folder(searching: Service, tmp_path: Path) -> Path:
    """A checkout as far as examples look at it, files of the reader, and a home with the token of the service."""
    sample = ROOT / "docs" / "sample" / "quire-sample.pdf"
    for name in ("report.pdf", "bill.pdf", "scans/one.pdf"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(sample, tmp_path / name)
    row = {"type": "object", "properties": {"crane": {"type": "string"}, "verdict": {"type": "string"}}}
    schema = {"type": "object", "properties": {"cranes": {"type": "array", "items": row}}}
    (tmp_path / "bill.json").write_text(json.dumps(schema))
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "quire").symlink_to(Path(sys.executable).parent / "quire")
    token = tmp_path / "home" / ".local" / "share" / "quire" / "token"
    token.parent.mkdir(parents=True)
    token.symlink_to(searching.workdir / "token")
    return tmp_path


RESULTS = {
    "README.md": ("values.json", "replace linings"),
    "docs/get-started.md": ("report.md", "Harbour Crane"),
    "docs/tutorial.md": ("masked.html", "Crane 3 needs new brakes"),
    "docs/finetune.md": ("train.jsonl", "messages"),
}
"""A file that the blocks of each page write, and a text in it."""


@pytest.mark.parametrize("page", RESULTS)
def test_shell_blocks_of_a_page_run_in_order(searching: Service, folder: Path, page: str) -> None:
    blocks = re.findall(r"^```bash\n(.*?)^```", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("SVC_", "KEY", "QUIRE_"))}
    environment = kept | {
        "HOME": str(folder / "home"), "SVC_WORKDIR": str(searching.workdir), "QUIRE_URL": searching.client.base_url,
    }  # fmt: skip
    if page == "docs/finetune.md":  # it continues from a page that sets the key
        environment["KEY"] = searching.client.token
    script = 'set -euo pipefail\ncurl() { command curl --fail-with-body "$@"; }\n' + "\n".join(blocks)
    script = script.replace("http://127.0.0.1:8000/", f"{searching.client.base_url}/")
    run = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    name, text = RESULTS[page]
    written = (folder / name).read_text()
    assert text in written
    assert "anna.becker@example.com" not in written
    for job in searching.client.json("GET", "/v1/jobs"):
        remove(searching, job["id"])


def test_parsed_document_is_found_in_every_mode_until_it_is_deleted(searching: Service) -> None:
    body, kind = form("file", [paper(1, "breakwater")])
    job = searching.client.json("POST", "/v1/parse", body, kind)["job"]["id"]
    for mode in MODES:
        hits = ask(searching, "breakwater harbour report", mode)
        assert {(hit["job_id"], hit["mode"]) for hit in hits} == {(job, mode)}
        document = searching.client.json("GET", f"/v1/jobs/{job}/documents/{hits[0]['document_id']}/chunks")
        assert {hit["chunk_id"] for hit in hits} <= {chunk["id"] for chunk in document}
    remove(searching, job)
    for mode in MODES:
        assert ask(searching, "breakwater harbour report", mode) == []


def test_killed_writers_and_embedders_lose_and_double_no_chunk(searching: Service) -> None:
    marks = [f"lantern{number:02}" for number in range(10)]
    job = searching.client.submit([paper(3, mark) for mark in marks])
    for name in (WRITER, EMBEDDER, WRITER):
        assert until(lambda: searching.client.json("GET", f"/v1/jobs/{job}")["status"] != "queued", 60)
        for pid in list(searching.processes(name))[:1]:
            os.kill(pid, signal.SIGKILL)
        assert until(partial(searching.processes, name), 60)
    end = searching.client.wait(job, 200)
    assert end["status"] == "succeeded", end
    expected = {document["document_id"]: document["chunks"] for document in end["documents"]}
    for mode in MODES:
        found = Counter[tuple[str, str]]()
        for document in expected:
            hits = searching.client.json(
                "GET", f"/v1/search?q=harbour+lantern&mode={mode}&limit=100&document_id={document}"
            )
            found.update((hit["document_id"], hit["chunk_id"]) for hit in hits)
            assert len(hits) == expected[document], (mode, document)
        assert set(found.values()) == {1}
