"""Scans in a running service: recognised among born-digital documents, and safe when the recogniser dies."""

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from tests.e2e.papers import paper, scan
from tests.e2e.service import Service
from tests.lab.bench.client import form
from tests.waiting import until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
RECOGNISER = "ServeReplica:api:recogniser"


def document_of(service: Service, job: str) -> dict[str, object]:
    end = service.client.wait(job, 200)
    assert end["status"] == "succeeded", end
    document: dict[str, object] = end["documents"][0]
    return document


def tree_of(service: Service, job: str) -> dict[str, object]:
    document = document_of(service, job)
    path = f"/v1/jobs/{job}/documents/{document['document_id']}/tree"
    tree: dict[str, object] = service.client.json("GET", path)
    return tree


def text_of(tree: dict[str, object]) -> str:
    return " ".join(block["text"] for block in tree["blocks"])  # type: ignore[attr-defined]


def test_pages_of_one_document_go_their_own_ways(service: Service) -> None:
    job = service.client.submit([scan(1, born_digital=1)])
    tree = tree_of(service, job)
    ways = [(page["route"], page["reason"]) for page in tree["pages"]]  # type: ignore[attr-defined]
    assert ways == [("fast", "text-layer"), ("ocr", "no-text")]
    assert "HARBOUR" in text_of(tree)
    assert document_of(service, job)["route_counts"] == {"fast": 1, "ocr": 1}


def test_a_scan_is_compared_without_being_kept(service: Service) -> None:
    body, kind = form("files", [scan(1), scan(1)])
    answer = service.client.json("POST", "/v1/compare", body, kind)
    assert answer["summary"]["unchanged"] > 0
    assert answer["summary"]["added"] == answer["summary"]["removed"] == 0


def test_a_page_is_drawn_from_the_stored_original(service: Service) -> None:
    job = service.client.submit([scan(1)])
    document = document_of(service, job)["document_id"]
    connection = service.client.connect()
    try:
        path = f"/v1/jobs/{job}/documents/{document}/pages/1?dpi=72"
        status, picture = service.client.call(connection, "GET", path)
    finally:
        connection.close()
    assert (status, picture[:4]) == (200, b"\x89PNG")


@pytest.fixture
def waiting_scans(service: Service) -> Iterator[list[str]]:
    """More scans than all readers may hold; what is left of them is canceled."""
    jobs = [service.client.submit([scan(3, mark=f"{job}.{part}") for part in range(8)]) for job in range(3)]
    yield jobs
    for job in jobs:
        service.client.json("POST", f"/v1/jobs/{job}/cancel")


def test_born_digital_documents_do_not_wait_for_scans(service: Service, waiting_scans: list[str]) -> None:
    job = service.client.submit([paper(1, "late comer")])
    document_of(service, job)
    left = service.client.json("GET", "/v1/stats")["my_jobs"]
    assert left["running"] + left["queued"] >= 2


def test_a_killed_recogniser_loses_no_document(service: Service) -> None:
    jobs = [service.client.submit([scan(4, mark=f"kill{number}")]) for number in range(2)]
    assert until(lambda: service.client.json("GET", "/v1/stats")["my_jobs"]["running"] > 0)
    killed = threading.Event()

    def kill_twice() -> None:
        for _ in range(2):
            time.sleep(2)
            for pid in service.processes(RECOGNISER):
                os.kill(pid, signal.SIGKILL)
                killed.set()

    killer = threading.Thread(target=kill_twice)
    killer.start()
    documents = [document_of(service, job) for job in jobs]
    killer.join()
    assert killed.is_set()
    assert [document["pages"] for document in documents] == [4, 4]
    assert until(lambda: len(service.processes(RECOGNISER)) == 1, 60)
