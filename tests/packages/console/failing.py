"""An engine that errs as a test says: a proxy on loopback that may lose the request, or the answer after the act."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from tests.waiting import PATIENCE_S


@dataclass
class Between:
    """`status`: answered instead of asking the engine. `lose`: so many answers to POSTs are lost after the act;
    `lose_looks`: so many answers to GETs."""

    engine_url: str
    status: int | None = None
    lose: int = 0
    lose_looks: int = 0
    keys: list[str] = field(default_factory=list)
    url: str = ""


@contextmanager
def between(engine_url: str) -> Iterator[Between]:
    """Stands between console and engine while the block runs."""
    state = Between(engine_url)
    client = httpx.Client(base_url=engine_url, timeout=PATIENCE_S)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.command == "POST":
                state.keys.append(self.headers.get("Idempotency-Key", ""))
            if state.status is not None:
                self._answer(state.status, {}, b"{}")
                return
            kept = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection", "accept-encoding")}
            answer = client.request(self.command, self.path, headers=kept, content=body)
            if self.command == "POST" and state.lose:
                state.lose -= 1
                self.close_connection = True
                return
            if self.command == "GET" and state.lose_looks:
                state.lose_looks -= 1
                self.close_connection = True
                return
            self._answer(answer.status_code, dict(answer.headers), answer.content)

        def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name in ("content-type", "location", "etag"):
                if name in headers:
                    self.send_header(name, headers[name])
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815
        do_DELETE = do_GET  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        client.close()
