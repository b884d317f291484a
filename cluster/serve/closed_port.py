"""The HTTP port while the service ends: every request gets 503 with Retry-After until the process ends."""

import errno
import socket
import socketserver
import threading
import time
from contextlib import suppress

from quire.serve_apps.api.proxy.middlewares import RETRY_S, UNAVAILABLE

_HEAD = (
    "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\nconnection: close\r\n"
    f"cache-control: no-store\r\nretry-after: {RETRY_S}\r\ncontent-length: {len(UNAVAILABLE)}\r\n\r\n"
)
_ANSWER = _HEAD.encode() + UNAVAILABLE
_SILENCE_S = 1.0  # seconds without a byte after which a connection is closed
_IN_ALL_S = 5.0  # seconds in which a body is received and dropped, so that its sender can read the answer
_PAUSE_S = 0.02  # seconds between attempts to bind a port that the proxy still holds


class _Refusal(socketserver.BaseRequestHandler):
    """Answers one connection."""

    def handle(self) -> None:
        """Wait for the first bytes of a request, answer, and drop the rest."""
        connection: socket.socket = self.request
        connection.settimeout(_SILENCE_S)
        with suppress(OSError):
            if not connection.recv(65_536):
                return
            connection.sendall(_ANSWER)
            connection.shutdown(socket.SHUT_WR)
            until = time.monotonic() + _IN_ALL_S
            while time.monotonic() < until and connection.recv(65_536):
                pass


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 128


class _Server6(_Server):
    address_family = socket.AF_INET6


def answer_closed(host: str, port: int, *, wait_s: float = 30.0) -> threading.Thread:
    """Answer on this port as soon as it is free, in a daemon thread that is returned."""
    thread = threading.Thread(target=_answer, args=(host, port, wait_s), name="closed-port", daemon=True)
    thread.start()
    return thread


def _answer(host: str, port: int, wait_s: float) -> None:
    until = time.monotonic() + wait_s
    while time.monotonic() < until:
        try:
            with (_Server6 if ":" in host else _Server)((host, port), _Refusal) as server:
                server.serve_forever()
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                return
            time.sleep(_PAUSE_S)
