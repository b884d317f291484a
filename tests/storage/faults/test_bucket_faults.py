"""A bucket that answers 503, or not at all: tried again, then said so; nothing is taken for missing."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from quire.storage.objects.artifacts import Artifacts
from quire.storage.objects.blobs import Blobs
from quire.storage.objects.bucket import open_bucket
from quire.storage.values.errors import StoreUnavailable
from quire.storage.values.ids import new_document_id
from tests.storage.bucket import Bucket

PASSED_ON = ("content-type", "content-length", "etag", "last-modified", "content-range")


class Moody(ThreadingHTTPServer):
    """Stands before a bucket's server. `refuse`: so many requests are answered 503; `silent`: none is answered."""

    daemon_threads = True

    def __init__(self, behind: str) -> None:
        super().__init__(("127.0.0.1", 0), _MoodyHandler)
        self.behind = urlsplit(behind).netloc
        self.refuse, self.refused = 0, 0
        self.silent, self.over = threading.Event(), threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _MoodyHandler(BaseHTTPRequestHandler):
    server: Moody

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.server.silent.is_set():
            self.server.over.wait()
            self.close_connection = True
            return
        if self.server.refuse > 0:
            self.server.refuse, self.server.refused = self.server.refuse - 1, self.server.refused + 1
            self.reply(503, {}, b"<Error><Code>SlowDown</Code></Error>")
            return
        connection = HTTPConnection(self.server.behind)
        connection.request(self.command, self.path, body, dict(self.headers))
        found = connection.getresponse()
        kept = {name: value for name, value in found.getheaders() if name.lower() in PASSED_ON}
        self.reply(found.status, kept, found.read())
        connection.close()

    do_GET = answer  # noqa: N815  (the names http.server asks for)
    do_PUT = answer  # noqa: N815
    do_HEAD = answer  # noqa: N815
    do_DELETE = answer  # noqa: N815
    do_POST = answer  # noqa: N815

    def reply(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() != "content-length" or self.command == "HEAD":
                self.send_header(name, value)
        if self.command != "HEAD":
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a test's output is its own."""


@pytest.fixture
def moody(s3_endpoint: str) -> Iterator[Moody]:
    server = Moody(s3_endpoint)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def places(bucket: Bucket, moody: Moody, tmp_path: Path) -> tuple[Blobs, Artifacts]:
    """Three tries within seconds, where the product's own take three minutes."""
    patience = {
        "max_retries": 3,
        "retry_timeout": timedelta(seconds=20),
        "backoff": {"init_backoff": timedelta(milliseconds=1), "max_backoff": timedelta(milliseconds=5), "base": 2},
    }
    options = bucket.options | {
        "endpoint": moody.url, "retry_config": patience,
        "client_options": {"allow_http": True, "timeout": timedelta(seconds=0.5)},
    }  # fmt: skip
    return open_bucket(bucket.url, tmp_path / "spool", **options)


def put(blobs: Blobs, content: bytes) -> str:
    writer = blobs.new_writer()
    try:
        writer.write(content)
        return writer.commit().sha256
    except BaseException:
        writer.abort()
        raise


def test_a_bucket_that_is_busy_for_a_moment_is_asked_again(places: tuple[Blobs, Artifacts], moody: Moody) -> None:
    blobs, artifacts = places
    moody.refuse = 2
    sha256 = put(blobs, b"an original")
    assert moody.refused == 2
    moody.refuse = 2
    with blobs.open(sha256) as file:
        assert file.read() == b"an original"
    moody.refuse = 2
    assert artifacts.put(new_document_id(), 1, {"tree.json": b"{}"})["tree.json"]["bytes"] == 2
    assert moody.refused == 6


def test_busy_bucket_is_unavailable_and_no_object_is_reported_missing(
    places: tuple[Blobs, Artifacts], moody: Moody
) -> None:
    blobs, artifacts = places
    sha256, document = put(blobs, b"an original"), new_document_id()
    artifacts.put(document, 1, {"tree.json": b"{}"})
    acts: dict[str, Callable[[], object]] = {
        "put": lambda: put(blobs, b"another"),
        "open": lambda: blobs.open(sha256),
        "exists": lambda: blobs.exists(sha256),
        "read": lambda: artifacts.read(document, 1, "tree.json"),
        "create": lambda: artifacts.put(document, 2, {"tree.json": b"{}"}),
        "attempts": lambda: artifacts.attempts(document),
        "delete": lambda: artifacts.delete(document),
    }
    moody.refuse = 1_000_000
    for name, act in acts.items():
        with pytest.raises(StoreUnavailable):
            pytest.fail(f"{name} said {act()!r}")
    moody.refuse = 0
    assert blobs.exists(sha256)
    assert artifacts.read(document, 1, "tree.json") == b"{}"


def test_a_bucket_that_does_not_answer_is_unavailable(places: tuple[Blobs, Artifacts], moody: Moody) -> None:
    blobs, _ = places
    sha256 = put(blobs, b"an original")
    moody.silent.set()
    with pytest.raises(StoreUnavailable):
        blobs.exists(sha256)
    moody.silent.clear()
    assert blobs.exists(sha256)
