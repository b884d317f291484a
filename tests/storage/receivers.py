"""A real HTTP receiver on loopback that remembers what it was sent and answers as a test says."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


Answers = Callable[[Received], tuple[int, dict[str, str]]]


def fine(_: Received) -> tuple[int, dict[str, str]]:
    return 204, {}


@dataclass
class Receiver:
    """`answer` decides status and headers; `got` holds every request in order of arrival."""

    answer: Answers = fine
    got: list[Received] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"


@contextmanager
def receiving(answer: Answers = fine) -> Iterator[Receiver]:
    """A receiver at work while the block runs."""
    receiver = Receiver(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            if len(body) < length:  # the sender died in the middle
                self.close_connection = True
                return
            received = Received(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            receiver.got.append(received)
            status, headers = receiver.answer(received)
            if status == 0:  # hang up without a word
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
