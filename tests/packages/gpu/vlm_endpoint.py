"""A loopback server that speaks the OpenAI protocol from a script: one `Reply` per call, then the last again."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Reply:
    pieces: Sequence[str] = ()
    finish: str | None = "stop"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pause_s: float = 0.0
    raw: bytes | None = None


class Endpoint(ThreadingHTTPServer):
    """`seen` keeps (headers, body) of every call; `busiest` the most calls that were open at once."""

    daemon_threads = True

    def __init__(self, replies: Sequence[Reply], models: Sequence[str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies, self.models = list(replies), models
        self.seen: list[tuple[dict[str, str], dict[str, Any]]] = []
        self.lock = threading.Lock()
        self.open = self.busiest = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        body = json.dumps({"data": [{"id": name} for name in self.server.models]}).encode()
        self.send_response(200 if self.path == "/v1/models" else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.seen.append((dict(self.headers), body))
            reply = server.replies.pop(0) if len(server.replies) > 1 else server.replies[0]
            server.open += 1
            server.busiest = max(server.busiest, server.open)
        with suppress(OSError):  # the caller hung up
            try:
                self._begin(reply)
            finally:
                with server.lock:  # before the caller knows that it has ended and asks again
                    server.open -= 1
            self._end(reply)

    def _begin(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        if reply.raw is not None:
            self.wfile.write(reply.raw)
            return
        for piece in reply.pieces if reply.status == 200 else ():
            time.sleep(reply.pause_s)
            self._event({"choices": [{"delta": {"content": piece}, "finish_reason": None}]})

    def _end(self, reply: Reply) -> None:
        if reply.raw is None and reply.status == 200 and reply.finish:
            self._event({"choices": [{"delta": {}, "finish_reason": reply.finish}]})
            self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, event: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
        self.wfile.flush()


@contextmanager
def serve_endpoint(*replies: Reply, models: Sequence[str] = ("served/model",)) -> Iterator[Endpoint]:
    server = Endpoint(replies, models)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
