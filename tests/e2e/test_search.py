"""Search in a running service: found in every way, gone at once, nothing lost or doubled when its replicas die."""

import os
import signal
from collections import Counter
from contextlib import closing
from functools import partial
from typing import Any
from urllib.parse import quote

import pytest

from tests.bench.client import form
from tests.e2e.papers import paper
from tests.e2e.service import Service
from tests.waiting import until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.timeout(300),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
MODES = ("vector", "fts", "hybrid")
EMBEDDER, WRITER = "ServeReplica:api:embedder", "ServeReplica:api:index_writer"


def ask(service: Service, q: str, mode: str, limit: int = 5) -> list[dict[str, Any]]:
    hits: list[dict[str, Any]] = service.client.json("GET", f"/v1/search?q={quote(q)}&mode={mode}&limit={limit}")
    return hits


def test_what_was_parsed_is_found_in_every_mode_and_gone_when_deleted(service: Service) -> None:
    body, kind = form("file", [paper(1, "breakwater")])
    job = service.client.json("POST", "/v1/parse", body, kind)["job"]["id"]
    for mode in MODES:
        hits = ask(service, "breakwater harbour report", mode, limit=50)
        own = [hit for hit in hits if hit["job_id"] == job]
        assert own, mode
        assert {hit["mode"] for hit in hits} == {mode}
        document = service.client.json("GET", f"/v1/jobs/{job}/documents/{own[0]['document_id']}/chunks")
        assert {hit["chunk_id"] for hit in own} <= {chunk["id"] for chunk in document}
    with closing(service.client.connect()) as connection:
        assert service.client.call(connection, "DELETE", f"/v1/jobs/{job}")[0] == 204
    for mode in MODES:
        left = ask(service, "breakwater harbour report", mode, limit=100)
        assert job not in {hit["job_id"] for hit in left}, mode


def test_killed_writers_and_embedders_lose_and_double_no_chunk(service: Service) -> None:
    marks = [f"lantern{number:02}" for number in range(10)]
    job = service.client.submit([paper(3, mark) for mark in marks])
    for name in (WRITER, EMBEDDER, WRITER):
        assert until(lambda: service.client.json("GET", f"/v1/jobs/{job}")["status"] != "queued", 60)
        for pid in list(service.processes(name))[:1]:
            os.kill(pid, signal.SIGKILL)
        assert until(partial(service.processes, name), 60)
    end = service.client.wait(job, 200)
    assert end["status"] == "succeeded", end
    expected = {document["document_id"]: document["chunks"] for document in end["documents"]}
    for mode in MODES:
        found = Counter[tuple[str, str]]()
        for document in expected:
            hits = service.client.json(
                "GET", f"/v1/search?q=harbour+lantern&mode={mode}&limit=100&document_id={document}"
            )
            found.update((hit["document_id"], hit["chunk_id"]) for hit in hits)
            assert len(hits) == expected[document], (mode, document)
        assert set(found.values()) == {1}
