"""Submissions that name an address: fetched under the rules of webhooks, whole or not at all."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import httpx
import pytest
from fastapi import FastAPI

from quire.storage.store import Store
from quire.storage.values.errors import UrlRefused
from quire.storage.webhooks.download import Downloads, DownloadTooLarge
from quire.storage.webhooks.egress import Egress, Unreachable
from tests.api.harness import PDF, client_of, make_resources, reading, serving
from tests.waiting import PATIENCE_S


@contextmanager
def site(*answers: bytes, hang: bool = False) -> Iterator[str]:
    """A server that gives these raw answers, one a connection; `hang`: it then says nothing more."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = threading.Event()

        def serve() -> None:
            for answer in answers:
                connection, _ = server.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer.replace(b"PORT", str(server.getsockname()[1]).encode()))
                    if hang:
                        done.wait(PATIENCE_S)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        done.set()


@contextmanager
def dripping() -> Iterator[str]:
    """A server that sends a byte now and then, for ever: no single wait is long."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = threading.Event()

        def serve() -> None:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
                while not done.wait(0.02):
                    connection.sendall(b"x")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        done.set()
        thread.join()


def good(body: bytes = PDF) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def moved(where: bytes) -> bytes:
    return b"HTTP/1.1 302 Found\r\nLocation: " + where + b"\r\nContent-Length: 0\r\n\r\n"


def fetched(url: str, *, limit: int = 1000, timeout_s: float = 10) -> tuple[str, bytes]:
    taken = bytearray()
    allowed = Egress([url.split("/")[2]])
    return Downloads(allowed, timeout_s).get(url, taken.extend, limit), bytes(taken)


async def submit(store: Store, url: str, body: object, path: str = "jobs") -> httpx.Response:
    resources = make_resources(store, download_egress=Egress([url.split("/")[2]]))
    with reading(store):
        async with serving(resources) as app, client_of(app) as client:
            return await client.post(f"/v1/{path}", json=body)


async def test_a_file_at_an_address_becomes_a_job(store: Store) -> None:
    with site(good()) as url:
        answer = await submit(store, url, {"url": f"{url}/papers/Annual%20report.pdf?x=1"})
    assert answer.status_code == 201, answer.text
    assert [one["source_file"] for one in answer.json()["pending"]] == ["Annual report.pdf"]


async def test_several_addresses_make_one_job_with_options_and_metadata(store: Store) -> None:
    with site(good(), good(b"%PDF-1.4 other")) as url:
        sent = {"urls": [f"{url}/a.pdf", f"{url}/b.pdf"], "pages": "1", "metadata": {"case": 7}}
        answer = await submit(store, url, sent)
    assert answer.json()["metadata"] == {"case": 7}
    assert len(answer.json()["pending"]) == 2


async def test_parse_takes_an_address(store: Store) -> None:
    with site(good()) as url:
        answer = await submit(store, url, {"url": f"{url}/a.pdf"}, "parse")
    assert (answer.status_code, answer.json()["tree"]["source"]["name"]) == (200, "a.pdf")


async def test_a_receiver_allowed_for_webhooks_is_not_readable(store: Store) -> None:
    with site(good()) as url:
        resources = make_resources(store, egress=Egress([url.split("/")[2]]))
        async with serving(resources) as app, client_of(app) as client:
            answer = await client.post("/v1/jobs", json={"url": f"{url}/a.pdf"})
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "url-refused")


async def test_downloads_can_be_switched_off(store: Store) -> None:
    async with serving(make_resources(store, download_egress=None)) as app, client_of(app) as client:
        for path in ("jobs", "parse"):
            answer = await client.post(f"/v1/{path}", json={"url": "https://example.com/a.pdf"})
            assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "url-refused")
            assert "SVC_URL_DOWNLOADS" in answer.json()["detail"][0]["msg"]


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"url": "http://10.0.0.1/a.pdf"}, "url-refused"),
        ({"url": "file:///etc/passwd"}, "url-refused"),
        ({"url": "http://user:secret@example.com/"}, "url-refused"),
        ({"url": "http://169.254.169.254/latest/meta-data"}, "url-refused"),
        ({}, "invalid-field"),
        ({"urls": []}, "invalid-field"),
        ({"url": 7}, "invalid-field"),
        ({"url": "http://example.com/", "urls": []}, "invalid-field"),
        ({"url": "http://example.com/", "colour": "red"}, "invalid-field"),
    ],
)
async def test_forbidden_url_is_refused(client: httpx.AsyncClient, sent: dict[str, object], code: str) -> None:
    answer = await client.post("/v1/jobs", json=sent)
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, code)


async def test_more_addresses_than_files_make_a_job_are_refused(app: FastAPI, client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/jobs", json={"urls": ["http://example.com/"] * 201})
    assert (answer.status_code, answer.json()["code"]) == (413, "too-many-files")


async def test_an_address_without_a_file_says_why_and_leaves_nothing(store: Store) -> None:
    with site(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n") as url:
        answer = await submit(store, url, {"url": f"{url}/a.pdf"})
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["type"] == "url-unreachable"
    assert "http-404" in answer.json()["detail"][0]["msg"]
    assert [path for path in (store.workdir / "blobs").rglob("*") if path.is_file()] == []


def test_redirects_are_followed_and_judged_one_by_one() -> None:
    with site(moved(b"/there.pdf"), good()) as url:
        assert fetched(f"{url}/here") == ("there.pdf", PDF)
    with site(moved(b"http://10.0.0.1/secret")) as url, pytest.raises(UrlRefused):
        fetched(f"{url}/here")
    with site(*[moved(b"/again")] * 6) as url, pytest.raises(Unreachable, match="too-many-redirects"):
        fetched(f"{url}/here")


def test_a_download_has_an_end() -> None:
    with site(good(b"x" * 2000)) as url, pytest.raises(DownloadTooLarge):
        fetched(url)
    with site(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 2000) as url, pytest.raises(DownloadTooLarge):
        fetched(url)
    with site(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nabc", hang=True) as url, pytest.raises(Unreachable):
        fetched(url, timeout_s=0.5)
    with site(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nabc") as url, pytest.raises(Unreachable):
        fetched(url)


async def test_a_file_that_never_ends_is_too_large_and_leaves_nothing(store: Store) -> None:
    with site(b"HTTP/1.1 200 OK\r\n\r\n" + b"%PDF" + b"x" * (3 << 20)) as url:
        resources = make_resources(store, download_egress=Egress([url.split("/")[2]]))
        small = replace(resources, limits=replace(resources.limits, max_upload_bytes=1 << 20))
        async with serving(small) as app, client_of(app) as client:
            answer = await client.post("/v1/jobs", json={"url": f"{url}/a.pdf"})
    assert (answer.status_code, answer.json()["code"]) == (413, "upload-too-large")
    assert [path for path in (store.workdir / "blobs").rglob("*") if path.is_file()] == []


def test_slow_download_is_cut_at_the_deadline() -> None:
    with dripping() as url, pytest.raises(Unreachable, match="timeout"):
        fetched(url, limit=10_000_000, timeout_s=0.4)
