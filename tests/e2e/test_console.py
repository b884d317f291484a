"""The hosted console on the cluster: an account, its token, documents through the real readers, events, its limits."""

import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.e2e.papers import paper
from tests.e2e.service import Service
from tests.packages.clients import conftest as clients
from tests.storage.receivers import receiving
from tests.waiting import until

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
FORM = {"email": "ann@example.org", "password": "correct horse battery"}


@pytest.fixture(scope="module")
def pages(service: Service) -> Iterator[httpx.Client]:
    """Ann, signed up: what her browser keeps."""
    base = f"{service.state.base_url}/console"
    with httpx.Client(base_url=base, timeout=90) as client:
        answer = client.post("/sign-up", data=FORM)
        assert (answer.status_code, answer.headers["location"]) == (303, "/console/")
        yield client


@pytest.fixture(scope="module")
def token(pages: httpx.Client) -> str:
    made = pages.post("/api/tokens", json={"name": "e2e"})
    assert made.status_code == 201, made.text
    return str(made.json()["token"])


def test_the_program_of_the_engine_runs_on_the_console(service: Service, token: str, tmp_path: Path) -> None:
    assert clients.CLIENTS.is_dir()
    from tests.packages.clients.program import run

    file = tmp_path / "harbour.pdf"
    file.write_bytes(paper(2, "program"))
    here = run(f"{service.state.base_url}/console", token, file, search=False)
    there = run(service.state.base_url, service.client.token, file, search=False)
    assert here == there
    assert "program page 0 line 0 of the harbour report" in here[0]


def test_each_document_is_delivered_once_and_signed(service: Service, pages: httpx.Client, token: str) -> None:
    private = pages.post("/api/webhooks", json={"url": "http://10.0.0.1/hook"})
    assert (private.status_code, private.json()["detail"][0]["type"]) == (422, "url-refused")
    with receiving() as receiver:
        secret = pages.post("/api/webhooks", json={"url": receiver.url}).raise_for_status().json()["secret"]
        sent = [("files", (f"{number}.pdf", paper(1, f"told{number}"))) for number in range(3)]
        job = pages.post("/v1/jobs", files=sent, headers={"X-API-Key": token}).raise_for_status().json()
        # What an earlier test sent in may end only now, and is told here too.
        assert until(lambda: sum(json.loads(one.body)["job_id"] == job["id"] for one in receiver.got) >= 3, 90)
        got = [one for one in receiver.got if json.loads(one.body)["job_id"] == job["id"]]
    assert len(got) == 3
    for one in got:
        assert one.headers["x-svc-event"] == "document.finished"
        assert (
            one.headers["x-svc-signature"]
            == f"sha256={hmac.new(secret.encode(), one.body, hashlib.sha256).hexdigest()}"
        )
    bodies = [json.loads(one.body) for one in got]
    assert {(body["status"], body["pages"]) for body in bodies} == {("succeeded", 1)}
    assert len({body["document_id"] for body in bodies}) == 3
    assert all(body["chunks"] > 0 for body in bodies)
    assert "document.finished" in pages.get("/webhooks").text


def test_the_viewer_shows_page_and_blocks_from_the_cluster(pages: httpx.Client) -> None:
    listed = pages.get("/").text
    document = re.findall(r"/console(/documents/doc_\w+)", listed)[0]
    shown = pages.get(document).text
    assert "of the harbour report" in shown
    picture = pages.get(re.findall(rf'src="/console({document}/outputs/pages/1\?[^"]*)"', shown)[0])
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")


def test_the_limits_of_a_plan_are_reached(service: Service, pages: httpx.Client, token: str) -> None:
    key = {"X-API-Key": token}
    service.quire("console", "define-plan", "narrow", "--pages", "1000", "--documents", "1")
    service.quire("console", "plan", FORM["email"], "narrow")
    two = [("files", (f"{number}.pdf", paper(1, f"two{number}"))) for number in range(2)]
    crowded = pages.post("/v1/jobs", files=two, headers=key)
    assert (crowded.status_code, crowded.json()["code"]) == (429, "concurrent-documents")
    assert int(crowded.headers["retry-after"]) > 0
    service.quire("console", "define-plan", "spent", "--pages", "1", "--documents", "20")
    service.quire("console", "plan", FORM["email"], "spent")
    spent = pages.post("/v1/parse", files={"file": ("a.pdf", paper(1, "spent"))}, headers=key)
    assert (spent.status_code, spent.json()["code"]) == (402, "monthly-pages")
    assert spent.json()["resets_at"].endswith("-01T00:00:00Z")
    assert "ann@example.org\tspent" in service.quire("console", "tenants").stdout


def test_engine_only_routes_and_strangers_are_turned_away(pages: httpx.Client, token: str) -> None:
    for path in ("/v1/health", "/v1/stats", "/v1/license", "/v1/sources", "/v1/audit"):
        assert pages.get(path, headers={"X-API-Key": token}).status_code == 404
    assert pages.get("/v1/usage", headers={"X-API-Key": "wrong"}).status_code == 401
