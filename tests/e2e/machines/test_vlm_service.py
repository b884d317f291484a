"""A service whose scans are read at an endpoint: the answer becomes the page, and a broken answer the CPU's."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.papers import scan
from tests.e2e.service import Service, service_up
from tests.packages.gpu.vlm_endpoint import Endpoint, Reply, serve_endpoint

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serve_endpoint(Reply(pieces=["# Read by ", "the model\n\nBody text."]), models=("lightonocr",)) as server:
        yield server


@pytest.fixture
def service(endpoint: Endpoint) -> Iterator[Service]:
    with service_up(range(18600, 18700), SVC_VLM_OCR=endpoint.url) as started:
        yield started


def read(service: Service, data: bytes) -> dict[str, Any]:
    job = service.client.wait(service.client.submit([data]), 200)
    assert job["status"] == "succeeded", job
    tree: dict[str, Any] = service.client.json(
        "GET", f"/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}/tree"
    )
    return tree


def test_a_scan_is_read_by_the_model_and_by_the_cpu_when_the_model_fails(service: Service, endpoint: Endpoint) -> None:
    tree = read(service, scan(mark="one"))
    assert tree["pages"][0]["route"] == "vlm"
    assert [block["text"] for block in tree["blocks"]] == ["Read by the model", "Body text."]
    source = {"engine": "openai", "model": "lightonocr", "version": "lightonocr", "path": None}
    assert tree["blocks"][0]["provenance"] == source
    assert [warning["code"] for warning in tree["warnings"]] == ["not-reproducible"]
    endpoint.replies = [Reply(pieces=["round and round "] * 3000)]
    tree = read(service, scan(mark="two"))
    assert tree["pages"][0]["route"] == "ocr"
    assert "HARBOUR" in " ".join(block["text"] for block in tree["blocks"])
    assert [warning["code"] for warning in tree["warnings"]] == ["vlm-fallback"]
