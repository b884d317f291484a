"""A receiver of OTLP over HTTP on loopback that keeps what it is sent."""

import gzip
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True, slots=True)
class Got:
    """A span as it arrived; ids in hex, an empty parent for a root; times in nanoseconds."""

    name: str
    trace: str
    span: str
    parent: str
    start: int
    end: int
    error: str
    facts: dict[str, Any]
    pool: str


@dataclass
class Receiver:
    """`raw` holds every body as sent, unpacked; `headers` those of the first."""

    url: str
    spans: list[Got] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)

    def named(self, name: str) -> Got:
        found = [span for span in self.spans if span.name == name]
        assert len(found) == 1, (name, [span.name for span in self.spans])
        return found[0]

    def take(self, body: bytes) -> None:
        self.raw.append(body)
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            facts = {pair.key: pair.value.string_value for pair in resource.resource.attributes}
            for scope in resource.scope_spans:
                self.spans += [_got(span, facts["quire.pool"]) for span in scope.spans]


def _got(span: Any, pool: str) -> Got:
    facts = {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in span.attributes}
    ids = (span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex())
    return Got(span.name, *ids, span.start_time_unix_nano, span.end_time_unix_nano, span.status.message, facts, pool)


@contextmanager
def receiving(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Listens while the block runs; by HTTPS with what `tls` shows."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            got.headers = got.headers or {name.lower(): text for name, text in self.headers.items()}
            assert self.path == "/v1/traces"
            got.take(gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    got = Receiver(f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield got
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
