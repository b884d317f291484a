"""A client with low overhead: keep-alive connections, one thread each, and no repeated parsing."""

import http.client
import json
import os
import threading
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.waiting import until


@dataclass(frozen=True, slots=True)
class Client:
    """Address and credentials of a service."""

    base_url: str
    token: str

    def connect(self) -> http.client.HTTPConnection:
        parts = urlsplit(self.base_url)
        assert parts.hostname
        return http.client.HTTPConnection(parts.hostname, parts.port, timeout=120)

    def call(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: bytes = b"", kind: str = ""
    ) -> tuple[int, bytes]:
        headers = {"X-API-Key": self.token} | ({"Content-Type": kind} if kind else {})
        connection.request(method, path, body=body or None, headers=headers)
        response = connection.getresponse()
        return response.status, response.read()

    def json(self, method: str, path: str, body: bytes = b"", kind: str = "") -> Any:
        connection = self.connect()
        try:
            status, answer = self.call(connection, method, path, body, kind)
        finally:
            connection.close()
        assert status < 300, (status, answer[:300])
        return json.loads(answer)

    def submit(self, documents: list[bytes]) -> str:
        """One job of these PDFs; its id."""
        body, kind = form("files", documents)
        return str(self.json("POST", "/v1/jobs", body, kind)["id"])

    def wait(self, job: str, seconds: int = 300) -> dict[str, Any]:
        """The finished job."""
        answer: dict[str, Any] = {}

        def ended() -> bool:
            answer.update(self.json("GET", f"/v1/jobs/{job}"))
            return answer["status"] not in ("queued", "running")

        if not until(ended, seconds):
            raise TimeoutError(job)
        return answer


def form(field: str, documents: list[bytes]) -> tuple[bytes, str]:
    """A multipart body and its content type."""
    boundary = os.urandom(12).hex()
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"; filename="{number}.pdf"\r\n'
        f"Content-Type: application/pdf\r\n\r\n".encode()
        + document
        + b"\r\n"
        for number, document in enumerate(documents)
    ]
    return b"".join(parts) + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def requests_per_second(client: Client, path: str, connections: int, seconds: float) -> float:
    """GETs answered with 200 per second over this many keep-alive connections."""
    counts = [0] * connections
    end = time.monotonic() + seconds

    def run(slot: int) -> None:
        connection = client.connect()
        while time.monotonic() < end:
            status, _ = client.call(connection, "GET", path)
            counts[slot] += status == 200
        connection.close()

    threads = [threading.Thread(target=run, args=(slot,)) for slot in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / seconds
